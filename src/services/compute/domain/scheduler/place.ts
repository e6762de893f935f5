// Selecting a host for a server: allocation candidates, filters, weighers, and the claim.
import { pipelined } from '../../../../kernel/db/pipelined.ts';
import { badRequest, ApiError } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { listCandidates, type Allocations, type Candidate } from '../../clients/placement.ts';
import { filters, type GroupHosts } from './filters.ts';
import type { HostState } from './hosts.ts';
import { candidateRequestOf, type RequestSpec } from './request-spec.ts';
import { weighed } from './weighers.ts';
import type { Host } from '../../model.ts';

/**
 * The host that was selected, and the server's allocations there. Upstream: objects/selection.py.
 */
export interface Selection {
  readonly host: string;
  readonly node: string;
  readonly zone: string;
  readonly allocations: Allocations;
}

/** What the selection reads and writes. */
export interface Scheduling {
  hosts(): Promise<readonly Host[]>;
  /** The hosts of the group's members. */
  groupHosts(): Promise<GroupHosts>;
  /** Claims the allocations of a selection. @throws 409 where they do not fit */
  claim(selection: Selection): Promise<void>;
}

const noHost = 'compute.no_host';

/** For a server that has no valid host. */
export const noValidHost = (reason: string): ApiError =>
  badRequest(`No valid host was found. ${reason}`, { code: noHost });

const notEnough = 'There are not enough hosts available.';

/**
 * The same error of a server that others of its request have taken the room of: Placement is asked
 * once for all of them.
 */
export const lackOfHosts = (error: unknown): unknown =>
  error instanceof ApiError && error.code === noHost ? noValidHost(notEnough) : error;

/** Selects a host and claims its resources. @throws Fault that says why there is no valid host */
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
    ? states.filter(
        (host) => (spec.host ?? host.host) === host.host && (spec.node ?? host.node) === host.node,
      )
    : states.filter((host) => filters.every((filter) => filter.passes(host, spec, members)));
  if (!passing.length) throw noValidHost(notEnough);
  const violation = passing.map(({ host }) => policyViolation(spec, host, members)).find(Boolean);
  if (violation !== undefined) throw badRequest(violation);
  return claimFirst(weighed(passing, spec), candidates, scheduling);
}

/**
 * Whether a host that is forced is outside of the zone that was named with it. Of the filters,
 * upstream has Placement do this one, so that it holds here too; but only for zones that aggregates
 * make. Upstream: scheduler/request_filter.py.
 */
function isOutsideZone(hosts: readonly Host[], { forced, zone, host, node }: RequestSpec): boolean {
  const inZone = (one: Host): boolean =>
    one.aggregates.some((aggregate) => aggregate.zone === zone);
  if (!forced || zone === null || !hosts.some(inZone)) return false;
  return !hosts.some(
    (one) => inZone(one) && (host ?? one.host) === one.host && (node ?? one.node) === one.node,
  );
}

/** Claims the best host that still has room. */
async function claimFirst(
  hosts: readonly HostState[],
  candidates: ReadonlyMap<string, readonly Candidate[]>,
  scheduling: Scheduling,
): Promise<Selection> {
  for (const { host, node, zone, provider } of hosts) {
    for (const { allocations } of candidates.get(provider)!) {
      const selection: Selection = { host, node, zone, allocations: allocations() };
      if (await claims(scheduling, selection)) return selection;
    }
  }
  throw noValidHost(notEnough);
}

/** Whether the claim succeeds: what was free a moment ago may be taken now. */
async function claims(scheduling: Scheduling, selection: Selection): Promise<boolean> {
  try {
    await scheduling.claim(selection);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 409) return false;
    throw error;
  }
}

/**
 * How a server that is forced onto a host, past all filters, violates its group's policy there.
 * Upstream's late check makes sure of other servers too, because another scheduler may have been
 * faster; here that is a Contention. Upstream: compute/manager.py _validate_instance_group_policy.
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
 * The provider of the only host that the request names; undefined where it names none, or one that
 * does not exist.
 */
function requestedProvider(
  hosts: readonly Host[],
  { host, node }: RequestSpec,
): string | undefined {
  if (host === null && node === null) return undefined;
  const named = hosts.filter(
    (one) => (host === null || one.host === host) && (node === null || one.node === node),
  );
  return named.length === 1 ? named[0]!.provider : undefined;
}
