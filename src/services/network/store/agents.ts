// The agents, and the networks and routers that each of them hosts.
import {
  boolean,
  integer,
  micros,
  named,
  nullable,
  referring,
  text,
  textOf,
} from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { retryOnConstraint } from '../../../kernel/db/errors.ts';
import { Table } from '../../../kernel/db/table.ts';
import type { Agent, AgentType } from '../model.ts';
import { beingChanged } from './conflicts.ts';

/** `number` is the order of creation. */
const agents = new Table<Agent & { readonly number: number }, 'number'>(
  'network_agents',
  {
    number: integer,
    id: text,
    type: named('agent_type', textOf<AgentType>(['DHCP agent', 'L3 agent', 'Open vSwitch agent'])),
    host: text,
    up: named('admin_state_up', boolean),
    description: nullable(text),
    startedAt: micros,
  },
  { key: 'number', generated: 'number' },
);

/** All agents, in the order of their creation. */
export const listAgents = (db: Db): Promise<Agent[]> => agents.list(db);

export const listAgentsOfType = (db: Db, type: AgentType): Promise<Agent[]> =>
  agents.list(db, { where: { type } });

export const findAgent = (db: Db, id: string): Promise<Agent | undefined> =>
  agents.find(db, { id });

/** Those of the ids that agents have. */
export const existingAgents = async (
  db: Db,
  ids: readonly string[],
): Promise<ReadonlySet<string>> => new Set((await agents.among(db, 'id', ids)).map(({ id }) => id));

/** @throws SerializationFailure if another transaction has just inserted one of them */
export async function insertAgents(db: Db, added: readonly Agent[]): Promise<void> {
  await retryOnConstraint(agents.insertAll(db, added), () => beingChanged('agent'));
}

export async function updateAgent(db: Db, { id, up, description }: Agent): Promise<void> {
  await agents.update(db, { id }, { up, description });
}

export async function removeAgent(db: Db, id: string): Promise<void> {
  await agents.remove(db, { id });
}

/** Deletes the agents of a host. */
export async function deleteAgentsOn(db: Db, host: string): Promise<void> {
  await agents.remove(db, { host });
}

/** Deletes the agents of all hosts but one. */
export async function deleteAgentsExceptOn(db: Db, host: string): Promise<void> {
  await db(agents.name).whereNot({ host }).delete();
}

/** `subject_id` is the id of a network or a router. */
const bindings = new Table(
  'network_agent_bindings',
  {
    subject_id: referring(text, 'network_networks.id', 'network_routers.id'),
    agent_id: referring(text, 'network_agents.id'),
  },
  { key: ['subject_id', 'agent_id'] },
);

/** The ids of the networks or routers that an agent hosts. */
export const resourcesOn = async (db: Db, agentId: string): Promise<string[]> =>
  (await bindings.list(db, { where: { agent_id: agentId } })).map((row) => row.subject_id);

/** The ids of the agents that host a network or a router. */
export const agentsHosting = async (db: Db, resourceId: string): Promise<string[]> =>
  (await bindings.list(db, { where: { subject_id: resourceId } })).map((row) => row.agent_id);

/** @throws SerializationFailure if another transaction has just done it */
export async function bind(db: Db, agentId: string, resourceId: string): Promise<void> {
  const row = { agent_id: agentId, subject_id: resourceId };
  await retryOnConstraint(bindings.insert(db, row), () => beingChanged('agent'));
}

/** Removes a network or a router from one agent, or from all. @returns whether it was bound */
export async function unbind(db: Db, resourceId: string, agentId?: string): Promise<boolean> {
  const where = { subject_id: resourceId, ...(agentId === undefined ? {} : { agent_id: agentId }) };
  return (await bindings.remove(db, where)) > 0;
}

/** Removes all networks and routers from an agent. */
export async function unbindAll(db: Db, agentId: string): Promise<void> {
  await bindings.remove(db, { agent_id: agentId });
}
