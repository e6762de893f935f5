// Schedules a server: builds its request spec, reads the hosts of its group, and writes its
// allocations. Upstream: scheduler/manager.py.
import type { Db } from '../../../../kernel/db/database.ts';
import { pipelined } from '../../../../kernel/db/pipelined.ts';
import type { Context } from '../../../../kernel/model.ts';
import { allocationsOf, setAllocations, type Allocations } from '../../clients/placement.ts';
import { listHosts } from '../../store/hosts/server-hosts.ts';
import { bumpGroupSelections, findGroupRule, hostsOfMembers } from '../../store/servers/groups.ts';
import { hostsOfServers } from '../../store/servers/servers.ts';
import { isOnVolume } from '../servers/states.ts';
import type { GroupHosts } from './filter.ts';
import { selectHost, type Selection } from './place.ts';
import type { RequestSpec } from './request-spec.ts';
import type { Server } from '../../model.ts';

/** No allocations at all. */
export const noAllocations: Allocations = new Map();

/** The values of a scheduler hint, which is stored as a list. Empty values are left out. */
const hintValues = ({ hints }: Server, name: string): string[] =>
  ((hints[name] ?? []) as string[]).filter(Boolean);

/** The request spec of a server, in which an action can override fields. */
export async function requestSpecOf(
  db: Db,
  server: Server,
  overrides: Partial<RequestSpec> = {},
): Promise<RequestSpec> {
  return {
    server: server.uuid,
    projectId: server.projectId,
    userId: server.userId,
    flavor: server.flavor,
    onVolume: isOnVolume(server),
    imageProperties: server.imageProperties,
    zone: server.pinnedZone,
    host: null,
    node: null,
    forced: false,
    ignoredHosts: [],
    // Undefined if the server is in no group, or the group is deleted.
    group: server.groupId === null ? undefined : await findGroupRule(db, server.groupId),
    sameHost: hintValues(server, 'same_host'),
    differentHost: hintValues(server, 'different_host'),
    reservations: hintValues(server, 'reservation'),
    currentHost: server.host,
    ...overrides,
  };
}

/**
 * The hosts of a group's members. A member with an open migration counts on both of its hosts,
 * because it may return to the source.
 */
async function groupHostsOf(
  db: Db,
  { group, server, sameHost, differentHost }: RequestSpec,
): Promise<GroupHosts> {
  const [named, members] = await pipelined([
    hostsOfServers(db, [...sameHost, ...differentHost]),
    group ? hostsOfMembers(db, group.uuid, server) : [],
  ]);
  const counts = new Map(members.map(({ host, others }) => [host, others]));
  return {
    countOn: (host) => counts.get(host) ?? 0,
    hosts: new Set(members.flatMap(({ host, present }) => (present ? [host] : []))),
    hinted: new Map([...named].map(([uuid, host]) => [uuid, host ?? ''])),
  };
}

/**
 * Selects a host for a server and claims its resources. With a `keeper`, the current allocations
 * of the server are kept for that consumer: either a migration, so that the server can return to
 * its old host, or the server itself, which then has allocations on both hosts.
 * @throws ApiError if no host is valid
 * @throws SerializationFailure if another process has selected a host for the group meanwhile
 */
export async function findHost(
  context: Context,
  server: Server,
  spec: RequestSpec,
  keeper?: string,
): Promise<Selection> {
  const { db } = context;
  const { uuid: consumer, projectId, userId } = server;
  const before =
    keeper === undefined ? noAllocations : await allocationsOfConsumer(context, consumer);
  const keepers =
    keeper === undefined || keeper === consumer
      ? []
      : [{ consumer: keeper, projectId, userId, allocations: before }];
  const set = (own: Allocations): Promise<void> =>
    setAllocations(context, [...keepers, { consumer, projectId, userId, allocations: own }]);
  const selection = await selectHost(context, spec, {
    hosts: () => listHosts(db),
    groupHosts: () => groupHostsOf(db, spec),
    claim: ({ allocations }) =>
      set(keeper === consumer ? new Map([...before, ...allocations]) : allocations),
  });
  if (spec.group) await bumpGroupSelections(db, spec.group);
  return selection;
}

/** The allocations of a consumer. */
export const allocationsOfConsumer = async (
  context: Context,
  consumer: string,
): Promise<Allocations> =>
  (await allocationsOf(context, [consumer])).get(consumer) ?? noAllocations;
