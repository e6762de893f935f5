// Network's door: what Compute asks of it, in its own transaction: the networks of a server, its
// ports and their addresses; and which hosts there are, since each runs an agent of Network.
import type { Context } from '../../kernel/model.ts';
import * as agents from './domain/agents/agents.ts';
import type { SecurityGroup } from './model.ts';
import * as plans from './domain/servers/plans.ts';
import * as ports from './domain/servers/ports.ts';

export { NetworkError } from './network-error.ts';
export { parseCidr } from './ip.ts';
export { seededNetworkId } from './seed.ts';
export type { NetworkPlan, NetworkRequest } from './domain/servers/plans.ts';
export type { PortOwner, ServerAddress, ServerPort } from './domain/servers/ports.ts';

/**
 * The interfaces that a new server is to have. Where nothing is asked for, or `auto`: on the only
 * network that there is; on none where there is none (`auto` wants one).
 * @throws 400, 403, 409 with the name of Nova's exception in `type`
 */
export const planNetworks = (
  context: Context,
  projectId: string,
  requests: 'auto' | 'none' | readonly plans.NetworkRequest[] | undefined,
): Promise<plans.NetworkPlan[]> => plans.planNetworks(context, projectId, requests);

/**
 * Gives a server its interfaces. `groups` are ids of security groups; none given means the
 * project's default group.
 * @returns the ids of the ports, in the order of the plans.
 * @throws 400, 409
 */
export const createServerPorts = (
  context: Context,
  owner: ports.PortOwner,
  networks: readonly plans.NetworkPlan[],
  groups?: readonly string[],
): Promise<readonly string[]> => ports.createServerPorts(context, owner, networks, groups);

/** Binds the interfaces of a server to a host; null unbinds them. */
export const bindServerPorts = (
  context: Context,
  serverId: string,
  host: string | null,
): Promise<void> => ports.bindServerPorts(context, serverId, host);

/**
 * Deletes the interfaces of a server. Those of `kept` ports, which were there before it, are
 * detached.
 */
export const deleteServerPorts = (
  context: Context,
  serverId: string,
  kept?: readonly string[],
): Promise<void> => ports.deleteServerPorts(context, serverId, kept);

/** Deletes one interface, or detaches it. A port that does not exist is fine. */
export const deleteServerPort = (context: Context, portId: string, keep?: boolean): Promise<void> =>
  ports.deleteServerPort(context, portId, keep);

/** The interfaces of servers, by server, each in the order in which they were created. */
export const portsOfServers = (
  context: Pick<Context, 'db'>,
  serverIds: readonly string[],
): Promise<Map<string, ports.ServerPort[]>> => ports.portsOfServers(context, serverIds);

/** The ids of the servers that have an address which matches. */
export const serversWithAddress = (
  context: Pick<Context, 'db'>,
  matches: (ip: string) => boolean,
): Promise<Set<string>> => ports.serversWithAddress(context, matches);

/** The security groups of a project that names or ids mean. @throws 400, 409 */
export const findSecurityGroups = (
  context: Context,
  projectId: string,
  names: readonly string[],
): Promise<SecurityGroup[]> => plans.findSecurityGroups(context, projectId, names);

/** A host of Compute has come: its agent runs from now on. One that is known already is fine. */
export const hostAdded = (context: Context, host: { readonly name: string }): Promise<void> =>
  agents.hostAdded(context, host.name);

/** A host of Compute has gone, and its agent with it. */
export const hostRemoved = (context: Context, name: string): Promise<void> =>
  agents.hostRemoved(context, name);

/** Compute begins anew: the agents of all its hosts go, and it adds those that it has. */
export const allHostsRemoved = (context: Context): Promise<void> => agents.allHostsRemoved(context);
