// What operators have said of agents, and what runs on which.
import { beingChanged } from '../domain/refusals.ts';
import { contended } from './table.ts';
import type { Db } from '../../../kernel/db/database.ts';

export interface AgentState {
  readonly id: string;
  readonly up: boolean;
  readonly description: string | null;
}

interface Row {
  id: string;
  admin_state_up: number;
  description: string | null;
}

/** The agents that something was said of. */
export async function agentStates(db: Db): Promise<Map<string, AgentState>> {
  const rows = (await db('network_agents').orderBy('id')) as Row[];
  return new Map(rows.map(({ id, admin_state_up: up, description }) => [id, { id, up: Boolean(up), description }]));
}

export async function writeAgentState(db: Db, { id, up, description }: AgentState): Promise<void> {
  const row: Row = { id, admin_state_up: Number(up), description };
  await db('network_agents').insert(row).onConflict('id').merge();
}

/** What runs on an agent. */
export async function subjectsOn(db: Db, agentId: string): Promise<string[]> {
  return (await db('network_agent_bindings').where({ agent_id: agentId }).orderBy('subject_id').pluck('subject_id')) as string[];
}

/** The agents that a network or a router runs on. */
export async function agentsOf(db: Db, subjectId: string): Promise<string[]> {
  return (await db('network_agent_bindings').where({ subject_id: subjectId }).orderBy('agent_id').pluck('agent_id')) as string[];
}

export async function bind(db: Db, agentId: string, subjectId: string): Promise<void> {
  await contended(beingChanged('agent'), () => db('network_agent_bindings').insert({ agent_id: agentId, subject_id: subjectId }));
}

/** Takes a network or a router off one agent, or off all. @returns whether it was there */
export async function unbind(db: Db, subjectId: string, agentId?: string): Promise<boolean> {
  const where = { subject_id: subjectId, ...(agentId === undefined ? {} : { agent_id: agentId }) };
  return (await db('network_agent_bindings').where(where).delete()) > 0;
}
