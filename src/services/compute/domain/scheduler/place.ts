// Selects a host for a server: reads allocation candidates, filters and weighs the hosts, and
// claims resources on the best one.
import { pipelined } from '../../../../kernel/db/pipelined.ts';
import { badRequest, ApiError } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { listCandidates, type Allocations, type Candidate } from '../../clients/placement.ts';
import type { GroupHosts } from './filter.ts';
import { filters } from './filters.ts';
import type { HostState } from './hosts.ts';
import { candidateRequestOf, type RequestSpec } from './request-spec.ts';
import { sortByWeight } from './weighers.ts';
import type { Host } from '../../model.ts';

/** The selected host, and the server's allocations on it. Upstream: objects/selection.py. */
export interface Selection {
  readonly host: string;
  readonly node: string;
  readonly zone: string;
  readonly allocations: Allocations;
}

/** The queries and the write that a selection needs. */
export interface Scheduling {
  hosts(): Promise<readonly Host[]>;
  /** The hosts of the group's members. */
  groupHosts(): Promise<GroupHosts>;
  /** Writes the allocations of a selection. @throws 409 if they exceed the free capacity */
  claim(selection: Selection): Promise<void>;
}

const noHost = 'compute.no_host';

/** The error for a server that has no valid host. */
export const noValidHost = (reason: string): ApiError =>
  badRequest(`No valid host was found. ${reason}`, { code: noHost });

const notEnough = 'There are not enough hosts available.';

/**
 * Replaces the reason of a no-valid-host error, for a server that found no room because other
 * servers of the same request took it. Upstream queries Placement once for all of them, and so does
 * not see that Placement has no candidate left.
 */
export const asNotEnoughHosts = (error: unknown): unknown =>
  error instanceof ApiError && error.code === noHost ? noValidHost(notEnough) : error;

/** Selects a host and claims its resources. @throws ApiError if no host is valid */
export async function selectHost(
  context: Context,
  spec: RequestSpec,
  scheduling: Scheduling,
): Promise<Selection> {
  const isNamed = spec.host !== null || spec.node !== null;
  const candidatesOn = (provider?: string): Promise<Candidate[]> =>
    listCandidates(context, candidateRequestOf(spec, provider));
  const [hosts, members, found] = await pipelined([
    scheduling.hosts(),
    scheduling.groupHosts(),
    isNamed ? undefined : candidatesOn(),
  ]);
  const candidates = byProvider(found ?? (await candidatesOn(requestedProvider(hosts, spec))));
  if (!candidates.size || isOutsideZone(hosts, spec)) throw noValidHost('');
  const states = hosts.flatMap((host): HostState[] => {
    const first = candidates.get(host.provider)?.[0];
    return first ? [{ ...host, free: first.free, members: members.countOn(host.host) }] : [];
  });
  const passing = spec.forced
    ? states.filter((host) => isDestination(spec, host))
    : states.filter((host) => filters.every((filter) => filter.passes(host, spec, members)));
  if (!passing.length) throw noValidHost(notEnough);
  const violation = passing.map(({ host }) => policyViolation(spec, host, members)).find(Boolean);
  if (violation !== undefined) throw badRequest(violation);
  return claimFirst(sortByWeight(passing, spec), candidates, scheduling);
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

/** Claims resources on the first host that still has room. Hosts are ordered best first. */
async function claimFirst(
  hosts: readonly HostState[],
  candidates: ReadonlyMap<string, readonly Candidate[]>,
  scheduling: Scheduling,
): Promise<Selection> {
  for (const { host, node, zone, provider } of hosts) {
    for (const { allocations } of candidates.get(provider)!) {
      const selection: Selection = { host, node, zone, allocations: allocations() };
      if (await tryClaim(scheduling, selection)) return selection;
    }
  }
  throw noValidHost(notEnough);
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
  { group, currentHost, forced }: RequestSpec,
  host: string,
  members: GroupHosts,
): string | undefined {
  if (!forced || host === currentHost) return undefined;
  if (group?.policy === 'anti-affinity' && members.countOn(host) >= group.perHost)
    return 'Anti-affinity instance group policy was violated';
  if (group?.policy === 'affinity' && members.hosts.size && !members.hosts.has(host))
    return 'Affinity instance group policy was violated';
  return undefined;
}

function byProvider(candidates: readonly Candidate[]): Map<string, Candidate[]> {
  const map = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    const others = map.get(candidate.root);
    if (others) others.push(candidate);
    else map.set(candidate.root, [candidate]);
  }
  return map;
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
