// Selects a host for a server: reads allocation candidates, filters and weighs the hosts, and
// claims resources on the best one.
import { pipelined } from '../../../../kernel/db/pipelined.ts';
import { badRequest, ApiError } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import {
  KnownUsage,
  listCandidates,
  type Allocations,
  type Candidate,
} from '../../clients/placement.ts';
import { recordHost } from './explanation.ts';
import type { Filter, GroupHosts } from './filter.ts';
import { filters } from './filters.ts';
import type { HostState } from './hosts.ts';
import type { SchedulerHosts } from './kept-hosts.ts';
import type { SchedulerRead } from './read.ts';
import { candidateLimit, candidateRequestOf, type RequestSpec } from './request-spec.ts';
import { byWeight } from './weighers.ts';
import type { Host } from '../../model.ts';

/** The selected host, and the server's allocations on it. Upstream: objects/selection.py. */
export interface Selection {
  readonly host: string;
  readonly node: string;
  readonly zone: string;
  /** The aggregates of the host, as the filters have seen them. */
  readonly aggregates: Host['aggregates'];
  readonly allocations: Allocations;
}

/** The queries that a selection needs. */
export interface SchedulerQueries {
  hosts(): Promise<SchedulerHosts>;
  /** The number of servers with a running task, by host. */
  busy(): Promise<ReadonlyMap<string, number>>;
  /** The hosts of the group's members. */
  groupHosts(): Promise<GroupHosts>;
}

/** The queries and the write that the selection of one host needs. */
export interface Scheduling extends SchedulerQueries {
  /** Writes the allocations of a selection. @throws 409 if they exceed the free capacity */
  claim(selection: Selection): Promise<void>;
}

const noHost = 'compute.no_host';

/** No host is valid for a server. */
export class NoValidHost extends ApiError {
  /** What the decision was based on, for its explanation. */
  readonly read: SchedulerRead;

  constructor(reason: string, read: SchedulerRead) {
    super(400, `No valid host was found. ${reason}`, { code: noHost });
    this.read = read;
  }
}

/** The reason if candidates exist, but none of them is valid. */
export const notEnough = 'There are not enough hosts available.';

/**
 * Replaces the reason of a no-valid-host error, for a server that found no room because other
 * servers of the same request took it. Upstream queries Placement once for all of them, and so does
 * not see that Placement has no candidate left.
 */
export const asNotEnoughHosts = (error: unknown): unknown =>
  error instanceof NoValidHost ? new NoValidHost(notEnough, error.read) : error;

/** Selects a host and claims its resources. @throws ApiError if no host is valid */
export async function selectHost(
  context: Context,
  spec: RequestSpec,
  scheduling: Scheduling,
): Promise<Selection> {
  const read = await candidateHosts(context, spec, scheduling);
  const passing = passingHosts(read.states, spec, read.members);
  checkPassing(passing, spec, read);
  const selection = await claimFirst(byWeight(passing, spec), read.candidates, scheduling);
  if (!selection) throw new NoValidHost(notEnough, read);
  const { server, serverName: name } = spec;
  recordHost(context, spec, { server, name, host: selection.host }, () => read);
  return selection;
}

/**
 * Lists the hosts that have an allocation candidate, in the order in which they were added.
 * @throws NoValidHost if no host has a candidate
 */
export async function candidateHosts(
  context: Context,
  spec: RequestSpec,
  queries: SchedulerQueries,
): Promise<SchedulerRead> {
  const isNamed = spec.host !== null || spec.node !== null;
  const usage = new KnownUsage();
  const candidatesOn = (provider?: string): Promise<Candidate[]> =>
    listCandidates(context, candidateRequestOf(spec, provider), usage);
  const [{ all: hosts, placeOf, latest }, busy, members, found] = await pipelined([
    queries.hosts(),
    queries.busy(),
    queries.groupHosts(),
    isNamed ? undefined : candidatesOn(),
  ]);
  const candidates = found
    ? await withinZone(context, spec, hosts, found)
    : await candidatesOn(requestedProvider(hosts, spec));
  const withoutCandidates = found?.length === 0 ? usage : undefined;
  const none = { hosts, states: [], candidates: [], withoutCandidates, members };
  if (!candidates.length || isOutsideZone(hosts, spec)) throw new NoValidHost('', none);
  const byPlace: Candidate[][] = [];
  for (const candidate of candidates) {
    const place = placeOf.get(candidate.root);
    if (place !== undefined) (byPlace[place] ??= []).push(candidate);
  }
  const states: HostState[] = [];
  const busyAt = countsByPlace(hosts, busy);
  for (let place = 0; place < byPlace.length; place++) {
    const first = byPlace[place]?.[0];
    if (!first) continue;
    const count = spec.group ? members.countOn(hosts[place]!.host) : 0;
    states.push(latest.at(place, first.free, busyAt[place]!, count));
  }
  return { hosts, states, candidates: byPlace, withoutCandidates, members };
}

/** Counts by place, of counts by the names of hosts. */
function countsByPlace(hosts: readonly Host[], counts: ReadonlyMap<string, number>): Int32Array {
  const found = new Int32Array(hosts.length);
  if (counts.size)
    for (const [place, { host }] of hosts.entries()) found[place] = counts.get(host) ?? 0;
  return found;
}

/**
 * The candidates of the zone that a server requests, if Placement has listed only a part of all
 * candidates. Upstream always restricts the query to the aggregates of the zone: request_filter.py.
 */
async function withinZone(
  context: Context,
  spec: RequestSpec,
  hosts: readonly Host[],
  found: readonly Candidate[],
): Promise<readonly Candidate[]> {
  if (spec.zone === null || found.length < candidateLimit) return found;
  const ofZone = aggregatesOfZone(hosts, spec.zone);
  if (!ofZone.length) return found;
  return listCandidates(context, candidateRequestOf(spec, undefined, ofZone));
}

/** The aggregates that define a zone. */
export const aggregatesOfZone = (hosts: readonly Host[], zone: string): readonly string[] => [
  ...new Set(
    hosts.flatMap(({ aggregates }) =>
      aggregates.filter((aggregate) => aggregate.zone === zone).map(({ uuid }) => uuid),
    ),
  ),
];

/** The hosts that pass all filters; a forced host passes them all. */
export const passingHosts = (
  states: readonly HostState[],
  spec: RequestSpec,
  members: GroupHosts,
  applied: readonly Filter[] = filters,
): HostState[] => {
  if (spec.forced) return states.filter((host) => isDestination(spec, host));
  const rejecting = applied.filter((filter) => filter.canReject?.(spec, members) ?? true);
  return states.filter((host) => rejecting.every((filter) => filter.passes(host, spec, members)));
};

/** @throws ApiError if no host passes, or if the forced host violates the policy of the group */
export function checkPassing(
  passing: readonly HostState[],
  spec: RequestSpec,
  read: SchedulerRead,
): void {
  if (!passing.length) throw new NoValidHost(notEnough, read);
  if (!spec.forced) return;
  const violation = passing
    .map(({ host }) => policyViolation(spec, host, read.members))
    .find(Boolean);
  if (violation !== undefined) throw badRequest(violation);
}

/**
 * Whether a forced host is outside the zone that was requested with it. A forced host skips the
 * filters, but upstream lets Placement apply the zone, so it still applies here. It does so only
 * for zones that an aggregate defines. Upstream: scheduler/request_filter.py.
 */
function isOutsideZone(hosts: readonly Host[], spec: RequestSpec): boolean {
  const { forced, zone } = spec;
  const inZone = ({ aggregates }: Host): boolean =>
    aggregates.some((aggregate) => aggregate.zone === zone);
  if (!forced || zone === null || !hosts.some(inZone)) return false;
  return !hosts.some((host) => inZone(host) && isDestination(spec, host));
}

/** Whether a host is the one that the request names, or the request names none. */
const isDestination = (
  { host, node }: Pick<RequestSpec, 'host' | 'node'>,
  candidate: Pick<Host, 'host' | 'node'>,
): boolean =>
  (host === null || host === candidate.host) && (node === null || node === candidate.node);

/**
 * Claims resources on the first host that still has room. Hosts are ordered best first.
 * @returns undefined if none has
 */
async function claimFirst(
  hosts: Iterable<HostState>,
  candidates: SchedulerRead['candidates'],
  scheduling: Scheduling,
): Promise<Selection | undefined> {
  for (const { host, node, zone, aggregates, place } of hosts) {
    for (const candidate of candidates[place]!) {
      const allocations = candidate.allocations();
      const selection: Selection = { host, node, zone, aggregates, allocations };
      if (await tryClaim(scheduling, selection)) return selection;
    }
  }
  return undefined;
}

/**
 * Claims a selection. @returns false if another transaction has taken the capacity since the
 * candidates were read
 */
async function tryClaim(scheduling: Scheduling, selection: Selection): Promise<boolean> {
  try {
    await scheduling.claim(selection);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 409) return false;
    throw error;
  }
}

/**
 * The message if a server that is forced onto a host, and so skips the filters, would violate the
 * policy of its group there. Upstream repeats this check on the host for every server, because two
 * schedulers may select a host at the same time; here, such a race is a serialization failure.
 * Upstream: compute/manager.py _validate_instance_group_policy.
 */
function policyViolation(
  { group, currentHost }: RequestSpec,
  host: string,
  members: GroupHosts,
): string | undefined {
  if (host === currentHost) return undefined;
  if (group?.policy === 'anti-affinity' && members.countOn(host) >= group.perHost)
    return 'Anti-affinity instance group policy was violated';
  if (group?.policy === 'affinity' && members.hosts.size && !members.hosts.has(host))
    return 'Affinity instance group policy was violated';
  return undefined;
}

/**
 * The provider of the host that the request names; undefined if it names none, or if not exactly
 * one host matches.
 */
function requestedProvider(hosts: readonly Host[], spec: RequestSpec): string | undefined {
  if (spec.host === null && spec.node === null) return undefined;
  const matching = hosts.filter((host) => isDestination(spec, host));
  return matching.length === 1 ? matching[0]!.provider : undefined;
}
