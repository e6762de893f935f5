// The ports of guests: servers that the Compute of another region runs, while Network of this
// region has their ports and gives their addresses.
import { elevated } from '../../../../kernel/context.ts';
import type { Context } from '../../../../kernel/model.ts';
import { findSecurityGroups, movePorts } from '../../clients/network.ts';
import type { Server, ServerPort } from '../../model.ts';
import { listServerPorts, moveServerPorts } from '../../store/servers/devices.ts';
import { attachPorts, readNetworks, validateNetworks, type RequestedNetworks } from './networks.ts';

/** A request for the ports of guests. */
export interface GuestPortsRequest {
  /** The ids of the guests, which may be provisional. */
  readonly guests: readonly string[];
  readonly projectId: string;
  /** The availability zone of the guests. */
  readonly zone: string;
  readonly networks: RequestedNetworks | undefined;
  /** Names or ids. */
  readonly securityGroups: readonly string[];
}

/**
 * Creates the ports of guests, as for servers of this region.
 * @returns the ports of all guests, in the order of the request
 * @throws 400, 403, 409
 */
export async function createGuestPorts(
  context: Context,
  { guests, projectId, zone, networks, securityGroups: names }: GuestPortsRequest,
): Promise<readonly ServerPort[]> {
  const requests = readNetworks(networks);
  const securityGroups = await findSecurityGroups(context, projectId, names);
  const planned = await validateNetworks(context, requests, guests.length);
  for (const uuid of guests)
    await attachPorts(context, { uuid, projectId, host: null, zone, securityGroups }, planned);
  return planned.length ? listServerPorts(context.db, guests) : [];
}

/** Lists the ports of guests, in the order in which they were attached. */
export const listGuestPorts = (
  { db }: Context,
  guests: readonly string[],
): Promise<readonly ServerPort[]> => listServerPorts(db, guests);

/** Replaces the provisional id of a guest. */
export async function renameGuest(context: Context, from: string, to: string): Promise<void> {
  await movePorts(elevated(context), from, to);
  await moveServerPorts(context.db, from, to);
}

/** What the handlers of a server's ports need to know of a guest. */
export type Guest = Pick<
  Server,
  | 'uuid'
  | 'projectId'
  | 'userId'
  | 'vmState'
  | 'taskState'
  | 'launchedAt'
  | 'lockedBy'
  | 'host'
  | 'zone'
  | 'securityGroups'
>;
