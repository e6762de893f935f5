// Scheduling a server: its request spec, the hosts of its group, and the allocations that it gets.
// Upstream: scheduler/manager.py.
import type { Db } from '../../../../kernel/db/database.ts';
import { pipelined } from '../../../../kernel/db/pipelined.ts';
import type { Context } from '../../../../kernel/model.ts';
import { allocationsOf, setAllocations, type Allocations } from '../../clients/placement.ts';
import { listHosts } from '../../store/hosts/server-hosts.ts';
import { findGroupRule, hostsOfMembers } from '../../store/servers/groups.ts';
import { bumpGroupSelections, hostsOfServers } from '../../store/servers/servers.ts';
import { isOnVolume } from '../servers/states.ts';
import type { GroupHosts } from './filters.ts';
import { selectHost, type Selection } from './place.ts';
import type { RequestSpec } from './request-spec.ts';
import type { Server } from '../../model.ts';

/** No allocations at all. */
export const noAllocations: Allocations = new Map();

/** The servers that a hint names: hints are kept as lists. */
const hinted = ({ hints }: Server, name: string): string[] =>
  ((hints[name] ?? []) as string[]).filter(Boolean);

/** The request spec of a server, with what an action says over it. */
export async function requestSpecOf(
  db: Db,
  server: Server,
  more: Partial<RequestSpec> = {},
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
    // Undefined where the server is in none, or the group is deleted.
    group: server.groupId === null ? undefined : await findGroupRule(db, server.groupId),
    sameHost: hinted(server, 'same_host'),
    differentHost: hinted(server, 'different_host'),
    reservations: hinted(server, 'reservation'),
    currentHost: server.host,
    ...more,
  };
}

/**
 * The hosts of a group's members. A server with an unfinished move counts at both ends of it,
 * because it may go back.
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
 * Selects a host for a server and claims its resources. With a `keeper`, the server's allocations
 * until now go to that consumer: a migration, so that the server may go back; or the server itself,
 * which then has those on its new host beside them.
 * @throws Fault that says why there is no valid host; Contention where another process has selected
 *   a host for the group meanwhile
 */
export async function findHost(
  context: Context,
  server: Server,
  spec: RequestSpec,
  keeper?: string,
): Promise<Selection> {
  const { db } = context;
  const { uuid: consumer, projectId, userId } = server;
  const before = keeper === undefined ? noAllocations : await allocationsOfOne(context, consumer);
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
export const allocationsOfOne = async (context: Context, consumer: string): Promise<Allocations> =>
  (await allocationsOf(context, [consumer])).get(consumer) ?? noAllocations;
