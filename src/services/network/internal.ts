// Network's door: what Compute asks of it, in its own transaction: the networks of a server, its ports and their addresses.
import type { Work } from '../../kernel/model.ts';
import type { SecurityGroup } from './domain/records.ts';
import * as servers from './domain/ports/servers.ts';

export { parseCidr } from './ip.ts';
export { seededId as seededNetworkId } from './seed.ts';
export type { NetworkPlan, NetworkRequest, PortOwner, ServerAddress, ServerPort } from './domain/ports/servers.ts';

/**
 * The interfaces that a new server is to have. Where nothing is asked for, or `auto`: on the only network that there is; on none
 * where there is none (`auto` wants one). @throws 400, 403, 409 with upstream's name for it in `details.type`
 */
export const planNetworks = (
  work: Work,
  projectId: string,
  requests: 'auto' | 'none' | readonly servers.NetworkRequest[] | undefined,
): Promise<servers.NetworkPlan[]> => servers.planNetworks(work, projectId, requests);

/** Gives a server its interfaces. `groups` are ids; none given means the project's default group. @returns the ids of the ports, in the order of the plans */
export const createServerPorts = (
  work: Work,
  owner: servers.PortOwner,
  plans: readonly servers.NetworkPlan[],
  groups?: readonly string[],
): Promise<readonly string[]> => servers.createServerPorts(work, owner, plans, groups);

/** Binds the interfaces of a server to a host; null takes them off theirs. */
export const bindServerPorts = (work: Work, serverId: string, host: string | null): Promise<void> =>
  servers.bindServerPorts(work, serverId, host);

/** Takes the interfaces of a server away. Those of `kept` ports, which were there before it, are given free. */
export const deleteServerPorts = (work: Work, serverId: string, kept?: readonly string[]): Promise<void> =>
  servers.deleteServerPorts(work, serverId, kept);

/** The same with one interface. */
export const deleteServerPort = (work: Work, portId: string, keep?: boolean): Promise<void> =>
  servers.deleteServerPort(work, portId, keep);

/** The interfaces of servers, by server, each in the order in which they were made. */
export const portsOfServers = (work: Work, serverIds: readonly string[]): Promise<Map<string, servers.ServerPort[]>> =>
  servers.portsOfServers(work, serverIds);

/** The servers that have an address which matches. */
export const serversWithAddress = (work: Work, matches: (ip: string) => boolean): Promise<Set<string>> =>
  servers.serversWithAddress(work, matches);

/** The security groups of a project that names or ids mean. @throws 400, 409 */
export const findSecurityGroups = (work: Work, projectId: string, names: readonly string[]): Promise<SecurityGroup[]> =>
  servers.findSecurityGroups(work, projectId, names);

/** A host has come: its agents run from now on. */
export const hostAdded = (_work: Work, _host: { readonly name: string }): Promise<void> => Promise.resolve();

/** A host has gone, and its agents with it. */
export const hostRemoved = (_work: Work, _name: string): Promise<void> => Promise.resolve();
