// Agents: on the network node one for DHCP and one for routers, and a switch there and on each host of Compute. They take no addresses.
import { uuidFor } from '../../../kernel/ids.ts';
import { agentsOf, agentStates, bind, subjectsOn, unbind } from '../store/agents.ts';
import { absent, inConflict } from './refusals.ts';
import type { Db } from '../../../kernel/db/database.ts';

export type AgentType = 'DHCP agent' | 'L3 agent' | 'Open vSwitch agent';

export interface Agent {
  readonly id: string;
  readonly type: AgentType;
  readonly host: string;
  readonly up: boolean;
  readonly description: string | null;
}

/** Where DHCP and routing are. */
const node = 'cumulet';

const idOf = (type: AgentType, host: string): string => uuidFor(`network.agent.${type}.${host}`);

/** All agents, where Compute has these hosts. */
export async function allAgents(db: Db, hosts: readonly string[]): Promise<Agent[]> {
  const states = await agentStates(db);
  const agent = (type: AgentType, host: string): Agent => {
    const id = idOf(type, host);
    const { up = true, description = null } = states.get(id) ?? {};
    return { id, type, host, up, description };
  };
  const switches = [node, ...hosts.filter((host) => host !== node)].map((host) => agent('Open vSwitch agent', host));
  return [agent('DHCP agent', node), agent('L3 agent', node), ...switches];
}

/** Puts a new network or router on the agent for it, unless that is disabled. */
export async function scheduleOn(db: Db, type: 'DHCP agent' | 'L3 agent', subjectId: string): Promise<void> {
  const id = idOf(type, node);
  if ((await agentStates(db)).get(id)?.up === false || (await agentsOf(db, subjectId)).length) return;
  await bind(db, id, subjectId);
}

const isUsable = (agent: Agent, type: AgentType): boolean => agent.type === type && agent.up;

/** @throws 404, 409 */
export async function addNetwork(db: Db, agent: Agent, networkId: string): Promise<void> {
  if (!isUsable(agent, 'DHCP agent'))
    throw absent('InvalidDHCPAgent', `Agent ${agent.id} is not a valid DHCP Agent or has been disabled.`);
  if ((await agentsOf(db, networkId)).includes(agent.id))
    throw inConflict(
      'NetworkHostedByDHCPAgent',
      `The network ${networkId} has been already hosted by the DHCP Agent ${agent.id}.`,
    );
  await bind(db, agent.id, networkId);
}

/** @throws 409 */
export async function removeNetwork(db: Db, agent: Agent, networkId: string): Promise<void> {
  if (await unbind(db, networkId, agent.id)) return;
  throw inConflict('NetworkNotHostedByDhcpAgent', `The network ${networkId} is not hosted by the DHCP agent ${agent.id}.`);
}

/** Puts a router on an agent; one that is there already stays. @throws 404, 409 */
export async function addRouter(db: Db, agent: Agent, routerId: string): Promise<void> {
  if (!isUsable(agent, 'L3 agent')) throw absent('InvalidL3Agent', `Agent ${agent.id} is not a L3 Agent or has been disabled`);
  const [other] = await agentsOf(db, routerId);
  if (other === agent.id) return;
  if (other !== undefined)
    throw inConflict('RouterHostedByL3Agent', `The router ${routerId} has been already hosted by the L3 Agent ${other}.`);
  await bind(db, agent.id, routerId);
}

export const removeRouter = (db: Db, agent: Agent, routerId: string): Promise<boolean> => unbind(db, routerId, agent.id);

export { agentsOf, subjectsOn };
