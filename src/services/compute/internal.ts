// The functions of Compute that other services of the region call, within their own transactions.
// Servers and groups are created for the actor of the context.
import type { Measured } from '../../emulator/capacity/model.ts';
import type { Context } from '../../kernel/model.ts';
import * as capacity from './domain/capacity/count.ts';
import { specOf, type ServersQuestion } from './domain/capacity/question.ts';
import type { Aggregate, ComputeHost, HostedServer, Server } from './model.ts';
import * as aggregates from './store/hosts/aggregates.ts';
import * as hosts from './store/hosts/hosts.ts';
import * as servers from './store/servers/servers.ts';

export type {
  Aggregate,
  ComputeHost,
  Flavor,
  FlavorFields,
  HostedServer,
  Server,
  ServerChanges,
  ServerFlavor,
  ServerGroup,
  ServerPort,
} from './model.ts';
export {
  addAccess,
  createFlavor,
  deleteFlavor,
  removeAccess,
  updateExtraSpecs,
} from './domain/flavors.ts';
export {
  addAggregateHosts,
  createAggregate,
  deleteEmptyAggregate as deleteAggregate,
  removeAggregateHost,
  updateMetadata as updateAggregateMetadata,
} from './domain/hosts/aggregates.ts';
export { addHosts, readHost, removeHost, reservableTrait } from './domain/hosts/hosts.ts';
export type { HostProfile } from './domain/hosts/host-profiles.ts';
export { createServers, type NewServers, type ServerRequest } from './domain/lifecycle/create.ts';
export { deleteServer } from './domain/lifecycle/delete.ts';
export { bothLimitsOf, checkBounds, type BothLimits } from './domain/quotas.ts';
export { checkGroupQuota, createGroup, deleteGroup, groupOf } from './domain/server-groups.ts';
export { updateFields as updateServer } from './domain/servers/fields.ts';
export {
  amountsOf,
  checkGrowth,
  countAllowed,
  growthOf,
  type CountUsage,
} from './domain/servers/quotas.ts';
export {
  createGuestPorts,
  listGuestPorts,
  renameGuest,
  type Guest,
  type GuestPortsRequest,
} from './domain/servers/guests.ts';
export { readCounts } from './handlers/servers/requests.ts';
export { detachPorts, portsOfGuests, type RequestedNetworks } from './domain/servers/networks.ts';
export { bindServerPorts } from './clients/network.ts';
export { statusOf } from './domain/servers/states.ts';
export { visibleServer } from './domain/servers/visible.ts';
export { addressesView } from './views/servers/servers.ts';

/**
 * Counts how many more servers fit if they are created one at a time.
 * @throws 400 for an unknown flavor, image, zone or group
 */
export const countServers = async (
  context: Context,
  question: ServersQuestion,
): Promise<Measured> => capacity.countServers(context, await specOf(context, question));

/** Finds servers of any project that are not deleted. */
export const findServers = ({ db }: Context, uuids: readonly string[]): Promise<Server[]> =>
  servers.findServers(db, uuids);

/** Lists the servers on hosts, which are given by name. */
export const serversOnHosts = (
  { db }: Context,
  names: readonly string[],
): Promise<HostedServer[]> => hosts.serversOn(db, names);

/** Lists all hosts, in the order in which they were added. */
export const listHosts = ({ db }: Context): Promise<ComputeHost[]> => hosts.listComputeHosts(db);

/** Finds a host by its name. */
export const findHost = ({ db }: Context, name: string): Promise<ComputeHost | undefined> =>
  hosts.findComputeHost(db, { name });

/** Lists all aggregates, in the order in which they were created. */
export const listAggregates = ({ db }: Context): Promise<Aggregate[]> =>
  aggregates.listAggregates(db);

/** Finds an aggregate by its name. */
export const findAggregate = ({ db }: Context, name: string): Promise<Aggregate | undefined> =>
  aggregates.findAggregate(db, { name });
