// The agents, and the networks and routers that each of them hosts.
import type { Agent, AgentType } from '../model.ts';
import { beingChanged, contended } from './table.ts';
import type { Db } from '../../../kernel/db/database.ts';

interface Row {
  number: number;
  id: string;
  agent_type: string;
  host: string;
  admin_state_up: number;
  description: string | null;
  started_at: number;
}

const agents = (db: Db) => db<Row>('network_agents');

const record = (row: Row): Agent => ({
  id: row.id,
  type: row.agent_type as AgentType,
  host: row.host,
  up: Boolean(row.admin_state_up),
  description: row.description,
  startedAt: Number(row.started_at),
});

/** All agents, in the order in which they came. */
export const listAgents = async (db: Db): Promise<Agent[]> =>
  (await agents(db).orderBy('number')).map(record);

export async function findAgent(db: Db, id: string): Promise<Agent | undefined> {
  const row = await agents(db).where({ id }).first();
  return row && record(row);
}

/** @throws Contention where another transaction has just inserted it */
export async function insertAgent(
  db: Db,
  { id, type, host, up, description, startedAt }: Agent,
): Promise<void> {
  const row = {
    id,
    agent_type: type,
    host,
    admin_state_up: Number(up),
    description,
    started_at: startedAt,
  };
  await contended(beingChanged('agent'), () => agents(db).insert(row));
}

export async function updateAgent(db: Db, { id, up, description }: Agent): Promise<void> {
  await agents(db)
    .where({ id })
    .update({ admin_state_up: Number(up), description });
}

/** Deletes the agents of a host. */
export async function deleteAgentsOn(db: Db, host: string): Promise<void> {
  await agents(db).where({ host }).delete();
}

/** Deletes the agents of all hosts but one. */
export async function deleteAgentsExceptOn(db: Db, host: string): Promise<void> {
  await agents(db).whereNot({ host }).delete();
}

interface Binding {
  /** Of a network or a router. */
  subject_id: string;
  agent_id: string;
}

const bindings = (db: Db) => db<Binding>('network_agent_bindings');

/** The ids of the networks or routers that an agent hosts. */
export const resourcesOn = async (db: Db, agentId: string): Promise<string[]> =>
  (await bindings(db).where({ agent_id: agentId }).orderBy('subject_id')).map(
    (row) => row.subject_id,
  );

/** The ids of the agents that host a network or a router. */
export const agentsHosting = async (db: Db, resourceId: string): Promise<string[]> =>
  (await bindings(db).where({ subject_id: resourceId }).orderBy('agent_id')).map(
    (row) => row.agent_id,
  );

/** @throws Contention where another transaction has just done it */
export async function bind(db: Db, agentId: string, resourceId: string): Promise<void> {
  await contended(beingChanged('agent'), () =>
    bindings(db).insert({ agent_id: agentId, subject_id: resourceId }),
  );
}

/** Takes a network or a router off one agent, or off all. @returns whether it was there */
export async function unbind(db: Db, resourceId: string, agentId?: string): Promise<boolean> {
  const where = { subject_id: resourceId, ...(agentId === undefined ? {} : { agent_id: agentId }) };
  return (await bindings(db).where(where).delete()) > 0;
}
