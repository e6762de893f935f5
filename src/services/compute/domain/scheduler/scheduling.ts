// Schedules a server: builds its request spec, reads the hosts of its group, and writes its
// allocations. Upstream: scheduler/manager.py.
import type { Db } from '../../../../kernel/db/database.ts';
import { pipelined } from '../../../../kernel/db/pipelined.ts';
import type { Context } from '../../../../kernel/model.ts';
import { requestsOfServer, type NetworkRequest } from '../../clients/network.ts';
import {
  allocateToNew,
  allocationsOf,
  setAllocations,
  type Allocations,
} from '../../clients/placement.ts';
import { checkAggregateHost } from '../../store/hosts/aggregates.ts';
import { countBusyServers } from '../../store/hosts/server-hosts.ts';
import { bumpGroupSelections, findGroupRule, hostsOfMembers } from '../../store/servers/groups.ts';
import { hostsOfServers } from '../../store/servers/servers.ts';
import { requestsFor } from '../port-resources.ts';
import { isOnVolume } from '../servers/states.ts';
import { loadSettings } from '../settings.ts';
import { recordHost, recordNoHost } from './explanation.ts';
import type { GroupHosts } from './filter.ts';
import { BatchGroup, selectHosts } from './batch.ts';
import { schedulerHosts } from './kept-hosts.ts';
import {
  asNotEnoughHosts,
  candidateHosts,
  NoValidHost,
  notEnough,
  selectHost,
  type SchedulerQueries,
  type Selection,
} from './place.ts';
import { routedAggregatesOf } from './routed-networks.ts';
import type { RequestSpec } from './request-spec.ts';
import type { Server } from '../../model.ts';

/** No allocations at all. */
export const noAllocations: Allocations = new Map();

/** The values of a scheduler hint, which is stored as a list. Empty values are left out. */
const hintValues = ({ hints }: Server, name: string): string[] =>
  ((hints[name] ?? []) as string[]).filter(Boolean);

/**
 * The request spec of a server, in which an action can override fields.
 * @param networks those that a new server requests; a server that moves keeps its ports
 * @throws 400 if Placement does not have the segments of a network
 */
export const requestSpecOf = async (
  context: Context,
  server: Server,
  overrides: Partial<RequestSpec> = {},
  networks?: readonly NetworkRequest[],
): Promise<RequestSpec> =>
  specWith(await readForSpec(context, server, networks), server, overrides);

/** What a request spec has besides the fields of the server. */
export type SpecReads = Pick<
  RequestSpec,
  'group' | 'routedAggregates' | 'portRequests' | 'multipliers'
>;

/** Reads what a request spec has besides the fields of the server. @throws as `requestSpecOf` */
export async function readForSpec(
  context: Context,
  { uuid, groupId }: Server,
  networks?: readonly NetworkRequest[],
): Promise<SpecReads> {
  const { db } = context;
  return {
    // Undefined if the server is in no group, or the group is deleted.
    group: groupId === null ? undefined : await findGroupRule(db, groupId),
    routedAggregates: await routedAggregatesOf(context, uuid, networks),
    portRequests: networks
      ? await requestsFor(context, networks)
      : await requestsOfServer(context, uuid),
    multipliers: await loadSettings({ db }),
  };
}

/** The request spec of a server with what has been read for it. */
export const specWith = (
  read: SpecReads,
  server: Server,
  overrides: Partial<RequestSpec>,
): RequestSpec => ({
  server: server.uuid,
  serverName: server.name,
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
  sameHost: hintValues(server, 'same_host'),
  differentHost: hintValues(server, 'different_host'),
  reservations: hintValues(server, 'reservation'),
  currentHost: server.host,
  ...read,
  ...overrides,
});

/**
 * The hosts of a group's members. A member with an open migration counts on both of its hosts,
 * because it may return to the source.
 */
export async function groupHostsOf(
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
 * @param allocate `allocateToNew` for a new server
 * @throws ApiError if no host is valid
 * @throws SerializationFailure if another process has selected a host for the group meanwhile
 */
export async function findHost(
  context: Context,
  server: Server,
  spec: RequestSpec,
  keeper?: string,
  allocate = setAllocations,
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
    allocate(context, [...keepers, { consumer, projectId, userId, allocations: own }]);
  // Written before the claim, and so before the provider: a retry locks the group first, too.
  if (spec.group) await bumpGroupSelections(db, spec.group);
  return explained(context, spec, [server], () =>
    selectHost(context, spec, {
      hosts: () => schedulerHosts(db),
      busy: () => countBusyServers(db),
      groupHosts: () => groupHostsOf(db, spec),
      async claim(selection) {
        const { allocations } = selection;
        await checkAggregates(db, [selection]);
        await set(keeper === consumer ? new Map([...before, ...allocations]) : allocations);
      },
    }),
  );
}

/**
 * Protects what the filters have read of the selected hosts: a lease that ends deletes the servers
 * on its hosts and moves them to another aggregate, and must not miss a server that is being built.
 * The check comes before the claim, because that operation also locks the aggregates first, and
 * then the provider.
 * @throws SerializationFailure if a host is no longer in one of its aggregates
 */
async function checkAggregates(db: Db, selections: readonly Selection[]): Promise<void> {
  const byHost = new Map(selections.map(({ host, aggregates }) => [host, aggregates]));
  for (const [host, aggregates] of byHost)
    await checkAggregateHost(
      db,
      host,
      aggregates.map(({ id }) => id),
    );
}

/** Selects hosts, and records the reasons if no host is valid for one of the servers. */
async function explained<T>(
  context: Context,
  spec: RequestSpec,
  servers: readonly Server[],
  select: () => Promise<T>,
): Promise<T> {
  try {
    return await select();
  } catch (error) {
    if (error instanceof NoValidHost) await recordNoHost(context, spec, error.read, servers);
    throw error;
  }
}

/**
 * Selects hosts for servers that one request creates, and claims their resources. Each server is
 * placed as if those before it were already on their hosts.
 * @returns the selections in the order of the servers
 * @throws ApiError if one of them has no valid host
 * @throws SerializationFailure if another process has selected a host for the group meanwhile
 */
export async function findHosts(
  context: Context,
  servers: readonly Server[],
  spec: RequestSpec,
): Promise<Selection[]> {
  const [only] = servers;
  if (servers.length === 1) return [await findHost(context, only!, spec, undefined, allocateToNew)];
  return explained(context, spec, servers, () => selectAll(context, servers, spec));
}

/** How several servers are placed. */
export interface Together {
  /** The context of the request that creates a server. */
  readonly contextOf: (index: number) => Context;
  /** Whether a server that has been placed is busy on its host while the next ones are. */
  readonly staysBusy: boolean;
}

/**
 * Selects hosts for servers about which the scheduler reads the same, as `findHosts`, but explains
 * no failure.
 */
export async function selectAll(
  context: Context,
  servers: readonly Server[],
  spec: RequestSpec,
  { contextOf, staysBusy }: Together = { contextOf: () => context, staysBusy: true },
): Promise<Selection[]> {
  const { db } = context;
  let group: BatchGroup | undefined;
  // Before the claims, as for a single server.
  if (spec.group) await bumpGroupSelections(db, spec.group);
  const queries: SchedulerQueries = {
    hosts: () => schedulerHosts(db),
    busy: () => countBusyServers(db),
    groupHosts: async () => (group ??= new BatchGroup(await groupHostsOf(db, spec))),
  };
  const selections: Selection[] = [];
  // One round is enough, unless Placement has more candidates than it lists at once.
  while (selections.length < servers.length) {
    const before = selections.length;
    const left = servers.slice(before);
    const read = await candidateHosts(context, spec, queries).catch((error: unknown) => {
      throw before ? asNotEnoughHosts(error) : error;
    });
    const count = left.length;
    const found = selectHosts(
      read,
      group!,
      spec,
      { count, staysBusy },
      ({ host }, index, state) => {
        const { uuid: server, name } = left[index]!;
        recordHost(contextOf(before + index), spec, { server, name, host }, state);
      },
    );
    if (!found.length) throw new NoValidHost(notEnough, read);
    await checkAggregates(db, found);
    await allocateToNew(
      context,
      found.map(({ allocations }, index) => {
        const { uuid: consumer, projectId, userId } = left[index]!;
        return { consumer, projectId, userId, allocations };
      }),
    );
    selections.push(...found);
  }
  return selections;
}

/** The allocations of a consumer. */
export const allocationsOfConsumer = async (
  context: Context,
  consumer: string,
): Promise<Allocations> =>
  (await allocationsOf(context, [consumer])).get(consumer) ?? noAllocations;
