// Agents. The network node runs a DHCP, an L3 and an Open vSwitch agent; each Compute host runs an
// Open vSwitch agent. Compute registers its hosts.
import type { Context } from '../../../../kernel/model.ts';
import { uuidFor } from '../../../../kernel/ids.ts';
import {
  agentsHosting,
  bind,
  deleteAgentsExceptOn,
  deleteAgentsOn,
  findAgent,
  existingAgents,
  insertAgents,
  removeAgent,
  listAgents,
  resourcesOn,
  unbind,
  unbindAll,
  updateAgent,
} from '../../store/agents.ts';
import type { Agent, AgentType, Network, Router } from '../../model.ts';
import { networkTable } from '../../store/tables.ts';
import { reportRoutedSegments } from '../segments/hosts.ts';
import { networkSettings, type NetworkSettings } from '../settings.ts';
import { absent, inConflict } from '../refusals.ts';
import { updateFloatingipStatuses } from '../routers/floatingips.ts';
import { refreshDhcpPorts, reserveDhcpPort } from './dhcp-ports.ts';
import {
  hostsWithProviders,
  removeProviders,
  reportProviders,
  reportsResources,
} from './providers.ts';

/** The host that DHCP servers and routers run on. */
const networkNode = 'cumulet';

/** Derives an agent's id from its type and host, so that it is the same after a reset. */
const idOf = (type: AgentType, host: string): string => uuidFor(`network.agent.${type}.${host}`);

/** Starts agents that do not run yet. */
async function startAgents(
  { db, now }: Context,
  wanted: readonly (readonly [type: AgentType, host: string])[],
): Promise<void> {
  const agents = wanted.map(([type, host]): Agent => {
    const id = idOf(type, host);
    return { id, type, host, up: true, description: null, startedAt: now };
  });
  const existing = await existingAgents(
    db,
    agents.map(({ id }) => id),
  );
  await insertAgents(
    db,
    agents.filter(({ id }) => !existing.has(id)),
  );
}

/** Starts the agents of the network node. */
export async function startNetworkNode(context: Context): Promise<void> {
  const types = ['DHCP agent', 'L3 agent', 'Open vSwitch agent'] as const;
  await startAgents(
    context,
    types.map((type) => [type, networkNode]),
  );
}

/** Starts the agents of Compute hosts, if they are not running yet. */
export const startHostAgents = (context: Context, hosts: readonly string[]): Promise<void> =>
  startAgents(
    context,
    hosts.map((host) => ['Open vSwitch agent', host]),
  );

/** Starts the agents of new Compute hosts, which may reach segments and report resources. */
export async function hostsAdded(context: Context, hosts: readonly string[]): Promise<void> {
  await startHostAgents(context, hosts);
  await reportProviders(context, hosts);
  await reportRoutedSegments(context);
}

/**
 * Removes the agent of a Compute host with its resource providers. The network node keeps its agent
 * even if a host has the same name.
 */
export async function hostRemoved(context: Context, host: string): Promise<void> {
  await removeProviders(context, host);
  if (host !== networkNode) await deleteAgentsOn(context.db, host);
}

/** Removes the agents of all Compute hosts. */
export const allHostsRemoved = ({ db }: Context): Promise<void> =>
  deleteAgentsExceptOn(db, networkNode);

/** An agent, with the number of networks or routers that it hosts. */
export interface LoadedAgent {
  readonly agent: Agent;
  readonly load: number;
  readonly settings: NetworkSettings;
  /** Whether its resource providers are in Placement; null if it has none to report. */
  readonly isSynced: boolean | null;
}

async function loaded(context: Context, agents: readonly Agent[]): Promise<LoadedAgent[]> {
  const { db } = context;
  const settings = await networkSettings.load(db);
  const isReporting = ({ type, host }: Agent): boolean =>
    type === 'Open vSwitch agent' && reportsResources(settings, host);
  const synced = await hostsWithProviders(
    context,
    agents.filter(isReporting).map(({ host }) => host),
  );
  const found: LoadedAgent[] = [];
  for (const agent of agents) {
    const load = agent.type === 'Open vSwitch agent' ? 0 : (await resourcesOn(db, agent.id)).length;
    const isSynced = isReporting(agent) ? synced.has(agent.host) : null;
    found.push({ agent, load, settings, isSynced });
  }
  return found;
}

export const loadedAgents = async (context: Context): Promise<LoadedAgent[]> =>
  loaded(context, await listAgents(context.db));

/** The agents that host a network or a router. */
export async function agentsOf(context: Context, resourceId: string): Promise<LoadedAgent[]> {
  const ids = await agentsHosting(context.db, resourceId);
  return loaded(
    context,
    (await listAgents(context.db)).filter(({ id }) => ids.includes(id)),
  );
}

/** @throws 404 */
export async function getAgent({ db }: Context, id: string): Promise<Agent> {
  const agent = await findAgent(db, id);
  if (!agent) throw absent('AgentNotFound', `Agent ${id} could not be found.`);
  return agent;
}

export const loadedAgent = async (context: Context, agent: Agent): Promise<LoadedAgent> =>
  (await loaded(context, [agent]))[0]!;

/** The fields of an agent that operators can change. */
export type AgentChange = Partial<Pick<Agent, 'up' | 'description'>>;

export async function changeAgent(
  context: Context,
  agent: Agent,
  change: AgentChange,
): Promise<Agent> {
  const { db } = context;
  const changed = { ...agent, ...change };
  await updateAgent(db, changed);
  if (agent.type === 'DHCP agent' && changed.up !== agent.up)
    for (const network of await networkTable.among(db, 'id', await resourcesOn(db, agent.id)))
      await refreshUnchanged(context, network);
  return changed;
}

/** Updates the DHCP ports of a network whose agents have changed. */
async function refreshUnchanged(context: Context, network: Network): Promise<void> {
  await networkTable.checkUnchanged(context.db, network);
  await refreshDhcpPorts(context, network);
}

/**
 * Deletes an agent, so that nothing hosts its networks and routers. As upstream, the status of
 * floating IPs behind the routers, and the ports of DHCP, stay.
 */
export async function deleteAgent({ db }: Context, { id }: Agent): Promise<void> {
  await unbindAll(db, id);
  await removeAgent(db, id);
}

/**
 * Schedules a new network or router on the agent of that type, unless the agent is disabled or
 * another agent hosts the resource already.
 */
export async function scheduleOn(
  { db }: Context,
  type: 'DHCP agent' | 'L3 agent',
  resourceId: string,
): Promise<void> {
  const agent = await findAgent(db, idOf(type, networkNode));
  if (!agent?.up || (await agentsHosting(db, resourceId)).length) return;
  await bind(db, agent.id, resourceId);
}

const isUsable = (agent: Agent, type: AgentType): boolean => agent.type === type && agent.up;

/** Adds a network to a DHCP agent. @throws 404, 409 */
export async function addNetwork(context: Context, agent: Agent, network: Network): Promise<void> {
  const { db } = context;
  const networkId = network.id;
  if (!isUsable(agent, 'DHCP agent'))
    throw absent(
      'InvalidDHCPAgent',
      `Agent ${agent.id} is not a valid DHCP Agent or has been disabled.`,
    );
  if ((await agentsHosting(db, networkId)).includes(agent.id))
    throw inConflict(
      'NetworkHostedByDHCPAgent',
      `The network ${networkId} has been already hosted by the DHCP Agent ${agent.id}.`,
    );
  await bind(db, agent.id, networkId);
  await refreshUnchanged(context, network);
}

/** Removes a network from a DHCP agent. @throws 409 */
export async function removeNetwork(
  context: Context,
  agent: Agent,
  networkId: string,
): Promise<void> {
  if (await unbind(context.db, networkId, agent.id))
    return reserveDhcpPort(context, agent, networkId);
  throw inConflict(
    'NetworkNotHostedByDhcpAgent',
    `The network ${networkId} is not hosted by the DHCP agent ${agent.id}.`,
  );
}

/** Adds a router to an L3 agent. Does nothing if the agent hosts it already. @throws 404, 409 */
export async function addRouter(context: Context, agent: Agent, router: Router): Promise<void> {
  const { db } = context;
  const routerId = router.id;
  if (!isUsable(agent, 'L3 agent'))
    throw absent('InvalidL3Agent', `Agent ${agent.id} is not a L3 Agent or has been disabled`);
  const [other] = await agentsHosting(db, routerId);
  if (other === agent.id) return;
  if (other !== undefined)
    throw inConflict(
      'RouterHostedByL3Agent',
      `The router ${routerId} has been already hosted by the L3 Agent ${other}.`,
    );
  await bind(db, agent.id, routerId);
  await updateFloatingipStatuses(context, router);
}

/** Removes a router from an L3 agent. */
export async function removeRouter(context: Context, agent: Agent, router: Router): Promise<void> {
  if (await unbind(context.db, router.id, agent.id))
    await updateFloatingipStatuses(context, router);
}

/** The ids of the networks or routers that an agent hosts. */
export const hostedBy = ({ db }: Context, agent: Agent): Promise<string[]> =>
  resourcesOn(db, agent.id);
