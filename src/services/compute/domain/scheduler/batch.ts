// Selects hosts for all servers of a request: it queries Placement once, subtracts each selection
// from the host states in memory, and claims the resources of all servers in one write. Upstream:
// scheduler/manager.py _schedule, which consumes from host states in the same way.
import type { Candidate, CandidateTake } from '../../clients/placement.ts';
import type { GroupHosts } from './filter.ts';
import { filters } from './filters.ts';
import type { HostState } from './hosts.ts';
import { checkPassing, passingHosts, type Selection } from './place.ts';
import type { SchedulerRead } from './read.ts';
import type { RequestSpec } from './request-spec.ts';
import { heaviest, KeptWeights } from './weighers.ts';

/** The filters whose outcome each server of a group changes. */
export const groupFilters = filters.filter(({ readsGroup = false }) => readsGroup);
/** The filters that pass the same hosts for all servers of a request. */
export const otherFilters = filters.filter(({ readsGroup = false }) => !readsGroup);

/** A host state from which selections are subtracted. */
interface BatchHost extends HostState {
  free: Record<string, number>;
  members: number;
  busy: number;
  candidates: readonly Candidate[];
}

/**
 * Selects hosts for up to `count` servers that share a request spec, each as if the ones before it
 * were already on their hosts. It adds the selections to the group.
 * @param options.staysBusy whether each server is busy on its host while the next ones are placed
 * @param record is called with each selection and the state that it was made in, which changes
 *   afterwards
 * @returns fewer selections if the candidates do not suffice
 * @throws ApiError if no host is valid for the first server
 */
export function selectHosts(
  read: SchedulerRead,
  group: BatchGroup,
  spec: RequestSpec,
  { count, staysBusy }: { readonly count: number; readonly staysBusy: boolean },
  record: (selection: Selection, index: number, state: () => SchedulerRead) => void,
): Selection[] {
  const batch = new Batch({ ...read, members: group }, spec, group, staysBusy);
  const selections: Selection[] = [];
  while (selections.length < count) {
    const selection = batch.next((one, state) => record(one, selections.length, state));
    if (!selection) break;
    selections.push(selection);
  }
  return selections;
}

class Batch {
  private readonly read: SchedulerRead;
  private readonly spec: RequestSpec;
  private readonly group: BatchGroup;
  private readonly staysBusy: boolean;
  /** The hosts that pass the filters that do not read the group, and have a candidate that fits. */
  private hosts: readonly BatchHost[];
  /** The names of these hosts before the first selection. */
  private readonly passing: ReadonlySet<string>;
  private readonly taken = new Map<string, number>();
  private hostsByProvider: ReadonlyMap<string, ReadonlySet<BatchHost>> | undefined;
  /** The weights of `hosts`; undefined if the hosts that pass depend on the group. */
  private weights: { readonly of: readonly BatchHost[]; readonly kept: KeptWeights } | undefined;
  private isFirst = true;

  constructor(read: SchedulerRead, spec: RequestSpec, group: BatchGroup, staysBusy: boolean) {
    this.read = read;
    this.spec = spec;
    this.group = group;
    this.staysBusy = staysBusy;
    this.hosts = passingHosts(read.states, spec, group, otherFilters).map((state) => ({
      ...state,
      free: { ...state.free },
      candidates: read.candidates[state.place]!,
    }));
    this.passing = new Set(this.hosts.map(({ host }) => host));
  }

  /** What the next selection reads: the hosts without those that have no candidate left. */
  private state(): SchedulerRead {
    const left = new Map<string, HostState>(this.hosts.map((host) => [host.host, host]));
    const states = this.read.states.flatMap(
      (state) => left.get(state.host) ?? (this.passing.has(state.host) ? [] : state),
    );
    return { ...this.read, states };
  }

  /** @returns undefined if no host is left @throws ApiError if the first server has none */
  next(record: (selection: Selection, state: () => SchedulerRead) => void): Selection | undefined {
    const { spec, group, isFirst } = this;
    this.isFirst = false;
    const passing = spec.group ? passingHosts(this.hosts, spec, group, groupFilters) : this.hosts;
    if (!passing.length && !isFirst) return undefined;
    checkPassing(passing, spec, this.read);
    const best = this.heaviest(passing as readonly BatchHost[]);
    const candidate = best.candidates[0]!;
    const { host, node, zone, aggregates } = best;
    const selection = { host, node, zone, aggregates, allocations: candidate.allocations() };
    record(selection, () => this.state());
    this.subtract(best, candidate.takes());
    return selection;
  }

  /** The best of some hosts, which are weighed once unless a group or a full host changes them. */
  private heaviest(passing: readonly BatchHost[]): BatchHost {
    const { spec } = this;
    if (spec.group) return heaviest(passing, spec)! as BatchHost;
    if (this.weights?.of !== passing)
      this.weights = { of: passing, kept: new KeptWeights(passing, spec) };
    return passing[this.weights.kept.heaviest()]!;
  }

  private weighAgain(host: BatchHost): void {
    const index = this.weights?.of.indexOf(host) ?? -1;
    if (index >= 0) this.weights!.kept.update(index);
  }

  private subtract(selected: BatchHost, takes: readonly CandidateTake[]): void {
    if (this.staysBusy) selected.busy++;
    this.weighAgain(selected);
    if (this.spec.group) {
      this.group.add(selected.host);
      for (const host of this.hosts) if (host.host === selected.host) host.members++;
    }
    for (const take of takes) {
      const key = keyOf(take);
      this.taken.set(key, (this.taken.get(key) ?? 0) + take.amount);
    }
    this.hostsByProvider ??= hostsByProvider(this.hosts);
    let isAnyFull = false;
    for (const { provider, resourceClass, amount } of takes) {
      for (const host of this.hostsByProvider.get(provider) ?? []) {
        if (host.provider === provider) {
          host.free[resourceClass] = (host.free[resourceClass] ?? 0) - amount;
          this.weighAgain(host);
        }
        host.candidates = host.candidates.filter((candidate) => this.fits(candidate));
        isAnyFull ||= !host.candidates.length;
      }
    }
    if (isAnyFull) this.hosts = this.hosts.filter(({ candidates }) => candidates.length);
  }

  private fits(candidate: Candidate): boolean {
    return candidate
      .takes()
      .every(
        (take) => take.used + (this.taken.get(keyOf(take)) ?? 0) + take.amount <= take.capacity,
      );
  }
}

const keyOf = ({ provider, resourceClass }: CandidateTake): string =>
  `${provider}/${resourceClass}`;

/** The hosts with a candidate that takes from a provider: several, if the provider shares. */
function hostsByProvider(hosts: readonly BatchHost[]): Map<string, Set<BatchHost>> {
  const found = new Map<string, Set<BatchHost>>();
  for (const host of hosts) {
    for (const candidate of host.candidates) {
      for (const { provider } of candidate.takes()) {
        const users = found.get(provider);
        if (users) users.add(host);
        else found.set(provider, new Set([host]));
      }
    }
  }
  return found;
}

/** The hosts of a group's members, to which the selections are added. */
export class BatchGroup implements GroupHosts {
  private readonly before: GroupHosts;
  private readonly added = new Map<string, number>();
  readonly hosts: Set<string>;
  readonly hinted: GroupHosts['hinted'];

  constructor(before: GroupHosts) {
    this.before = before;
    this.hosts = new Set(before.hosts);
    this.hinted = before.hinted;
  }

  countOn(host: string): number {
    return this.before.countOn(host) + (this.added.get(host) ?? 0);
  }

  add(host: string): void {
    this.hosts.add(host);
    this.added.set(host, (this.added.get(host) ?? 0) + 1);
  }
}
