// The functions that Compute calls in its own transaction: the interfaces of servers and their
// addresses, and the hosts, because an agent of Network runs on each.
import type { Context } from '../../kernel/model.ts';
import * as agents from './domain/agents/agents.ts';
import * as providers from './domain/agents/providers.ts';
import type { SecurityGroup } from './model.ts';
import {
  floatingipTable,
  groupTable,
  networkTable,
  portTable,
  routerTable,
  subnetTable,
} from './store/tables.ts';
import * as requests from './domain/qos/resource-requests.ts';
import type { PortRequest } from './domain/qos/resource-requests.ts';
import * as inventories from './domain/segments/inventories.ts';
import * as plans from './domain/servers/plans.ts';
import * as ports from './domain/servers/ports.ts';

export { NetworkError } from './network-error.ts';
export { parseCidr } from './ip.ts';
export { seededNetworkId } from './seed.ts';
export type { Floatingip, Network, Port, SecurityGroup, SecurityGroupRule } from './model.ts';
export type { NetworkPlan, NetworkRequest } from './domain/servers/plans.ts';
export type { PortRequest } from './domain/qos/resource-requests.ts';
export type {
  BindingDetails,
  PortAllocations,
  PortOwner,
  ServerAddress,
  ServerPort,
} from './domain/servers/ports.ts';
export type { Subnet } from './model.ts';

/**
 * Returns the interfaces of a new server. Without requests, or for `auto`, it gets one on the
 * project's only network. If there is no network, it gets none, or that of the project's automatic
 * topology for `auto`.
 * @throws 400, 403, 409 with the name of Nova's exception in `type`
 */
export const planNetworks = (
  context: Context,
  projectId: string,
  requests: 'auto' | 'none' | readonly plans.NetworkRequest[] | undefined,
): Promise<plans.NetworkPlan[]> => plans.planNetworks(context, projectId, requests);

/**
 * Creates the interfaces of a server. `groups` are ids of security groups; by default new ports get
 * the project's default group.
 * @param allocations the providers that serve the resource requests of existing ports
 * @returns the ids of the ports, in the order of the plans.
 * @throws 400, 409
 */
export const createServerPorts = (
  context: Context,
  owner: ports.PortOwner,
  networks: readonly plans.NetworkPlan[],
  groups?: readonly string[],
  allocations?: ports.PortAllocations,
): Promise<readonly string[]> =>
  ports.createServerPorts(context, owner, networks, groups, allocations);

/** Binds the interfaces of a server to a host; null unbinds them. */
export const bindServerPorts = (
  context: Context,
  serverId: string,
  host: string | null,
  details?: ports.BindingDetails,
): Promise<void> => ports.bindServerPorts(context, serverId, host, details);

/** Returns what ports request of Placement, by port. Ports that request nothing are left out. */
export const requestsOfPorts = (
  context: Pick<Context, 'db'>,
  portIds: readonly string[],
): Promise<ReadonlyMap<string, PortRequest>> => requests.requestsOfPorts(context, portIds);

/** Returns what the ports of a server request of Placement, by port. */
export const requestsOfServer = (
  context: Pick<Context, 'db'>,
  serverId: string,
): Promise<ReadonlyMap<string, PortRequest>> => requests.requestsOfServer(context, serverId);

/** Gives the interfaces of a server to another one. */
export const moveServerPorts = (context: Context, from: string, to: string): Promise<void> =>
  ports.moveServerPorts(context, from, to);

/** Deletes the interfaces of a server. The `kept` ports, which existed before it, are detached. */
export const deleteServerPorts = (
  context: Context,
  serverId: string,
  kept?: readonly string[],
): Promise<void> => ports.deleteServerPorts(context, serverId, kept);

/** Deletes one interface, or detaches it. Does nothing if the port does not exist. */
export const deleteServerPort = (context: Context, portId: string, keep?: boolean): Promise<void> =>
  ports.deleteServerPort(context, portId, keep);

/** Returns the interfaces of servers by server, each list in the order of creation. */
export const portsOfServers = (
  context: Pick<Context, 'db'>,
  serverIds: readonly string[],
): Promise<Map<string, ports.ServerPort[]>> => ports.portsOfServers(context, serverIds);

/** Returns the ids of the interfaces of a server, in the order of creation. */
export const portIdsOfServer = (
  context: Pick<Context, 'db'>,
  serverId: string,
): Promise<string[]> => ports.portIdsOfServer(context, serverId);

/** Returns the ids of the servers that have a matching address. */
export const serversWithAddress = (
  context: Pick<Context, 'db'>,
  matches: (ip: string) => boolean,
): Promise<Set<string>> => ports.serversWithAddress(context, matches);

/** Finds security groups of a project by name or id. @throws 400, 409 */
export const findSecurityGroups = (
  context: Context,
  projectId: string,
  names: readonly string[],
): Promise<SecurityGroup[]> => plans.findSecurityGroups(context, projectId, names);

/** Returns the IPv4 addresses of a segment, and its hosts; undefined if it has none. */
export const segmentSupply = (
  context: Context,
  id: string,
): Promise<inventories.SegmentSupply | undefined> => inventories.segmentSupply(context, id);

/** Returns the segments on which a server may get the addresses of a network or a port. */
export const segmentsFor = (
  context: Context,
  request: plans.NetworkRequest,
): Promise<plans.RequestedSegments> => plans.segmentsFor(context, request);

/** The types of resources whose revisions other services may read. */
export type RevisedType = keyof typeof revisedTables;

const revisedTables = {
  network: networkTable,
  subnet: subnetTable,
  port: portTable,
  router: routerTable,
  floatingip: floatingipTable,
  security_group: groupTable,
} as const;

/**
 * Returns the revision of a resource, which also counts the changes of what belongs to it, such as
 * rules and interfaces; undefined if there is no such resource.
 */
export const revisionOf = async (
  { db }: Pick<Context, 'db'>,
  type: RevisedType,
  id: string,
): Promise<number | undefined> => (await revisedTables[type].find(db, { id }))?.revision_number;

/** Starts the agents of new Compute hosts. Hosts that have one keep it. */
export const hostsAdded = (context: Context, names: readonly string[]): Promise<void> =>
  agents.hostsAdded(context, names);

/** Starts the agents of hosts that were captured with their segments. */
export const hostsCaptured = (context: Context, names: readonly string[]): Promise<void> =>
  agents.startHostAgents(context, names);

/** Brings the resource providers of the agents on hosts up to date. */
export const reportProviders = (context: Context, names: readonly string[]): Promise<void> =>
  providers.reportProviders(context, names);

/**
 * Removes the agent of a Compute host that is about to be removed, with the agent's resource
 * providers below that of the host.
 */
export const hostRemoved = (context: Context, name: string): Promise<void> =>
  agents.hostRemoved(context, name);

/**
 * Removes the agents of all Compute hosts. Compute calls this when it is reset, and then adds its
 * hosts again.
 */
export const allHostsRemoved = (context: Context): Promise<void> => agents.allHostsRemoved(context);
