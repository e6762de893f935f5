// Compute's door: what other services of the region ask of it, in their own transaction. Servers
// and groups are created for the actor of the work.
import type { Context } from '../../kernel/model.ts';
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
} from './model.ts';
export {
  addAccess,
  createFlavor,
  deleteFlavor,
  removeAccess,
  updateExtraSpecs,
} from './domain/flavors.ts';
export {
  addAggregateHost,
  createAggregate,
  deleteEmptyAggregate as deleteAggregate,
  removeAggregateHost,
  updateMetadata as updateAggregateMetadata,
} from './domain/hosts/aggregates.ts';
export { addHost, readHost, removeHost } from './domain/hosts/hosts.ts';
export type { HostProfile } from './domain/hosts/host-profiles.ts';
export { createServers, type NewServers, type ServerRequest } from './domain/lifecycle/create.ts';
export { deleteServer } from './domain/lifecycle/delete.ts';
export { createGroup, deleteGroup, groupOf } from './domain/server-groups.ts';
export { updateFields as updateServer } from './domain/servers/fields.ts';
export { statusOf } from './domain/servers/states.ts';
export { visibleServer } from './domain/servers/visible.ts';

/** The servers of these UUIDs that are not deleted, whoever owns them. */
export const findServers = ({ db }: Context, uuids: readonly string[]): Promise<Server[]> =>
  servers.findServers(db, uuids);

/** The servers on hosts, by the names of the hosts. */
export const serversOnHosts = (
  { db }: Context,
  names: readonly string[],
): Promise<HostedServer[]> => hosts.serversOn(db, names);

/** All hosts, in the order in which they were added. */
export const listHosts = ({ db }: Context): Promise<ComputeHost[]> => hosts.listComputeHosts(db);

/** The host of that name; undefined where there is none. */
export const findHost = ({ db }: Context, name: string): Promise<ComputeHost | undefined> =>
  hosts.findComputeHost(db, { name });

/** All aggregates, in the order in which they were created. */
export const listAggregates = ({ db }: Context): Promise<Aggregate[]> =>
  aggregates.listAggregates(db);

/** The aggregate of that name; undefined where there is none. */
export const findAggregate = ({ db }: Context, name: string): Promise<Aggregate | undefined> =>
  aggregates.findAggregate(db, { name });
