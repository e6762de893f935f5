// Counts the servers that fit on hosts with sharing providers: one server at a time, on the host
// that the scheduler would choose, because one server can take what another host needs.
import {
  freeIn,
  take,
  type AllocationRequest,
  type CandidateSpace,
  type ProviderTree,
} from '../../clients/placement.ts';
import type { Amounts } from '../../clients/placement.ts';
import { groupFilters, otherFilters } from '../scheduler/batch.ts';
import type { HostState, SchedulerHost } from '../scheduler/hosts.ts';
import { passingHosts } from '../scheduler/place.ts';
import { KeptWeights } from '../scheduler/weighers.ts';
import { yieldToEventLoop } from '../../../../kernel/clock.ts';
import type { Room } from './room.ts';

/** A host that has a candidate, in the form that filters and weighers read. */
interface ListedHost extends HostState {
  readonly stored: SchedulerHost;
  first: AllocationRequest;
  free: Amounts;
  members: number;
}

/** How many servers are placed between pauses, in which other requests are served. */
const serversPerPause = 100;

/** Places servers one at a time until no host is valid for the next. */
export async function placeInTurn(room: Room): Promise<void> {
  const { spec, group } = room;
  const listing = new Listing(room);
  const rejects = spec.group?.policy === 'affinity' || spec.group?.policy === 'anti-affinity';
  let listed = await listing.read();
  let weights: KeptWeights | undefined;
  for (let count = 1; ; count++) {
    const passing = rejects ? passingHosts(listed, spec, group, groupFilters) : listed;
    if (!passing.length) return;
    if (rejects || !weights) weights = new KeptWeights(passing, spec);
    const best = passing[weights.heaviest()] as ListedHost;
    take(best.first, 1);
    room.add(best.stored, 1);
    for (const changed of listing.refresh(best)) {
      const index = passing.indexOf(changed);
      if (index >= 0) weights.update(index);
    }
    if (listing.drop(best.first)) {
      listed = await listing.read();
      weights = undefined;
    }
    if (count % serversPerPause === 0) await yieldToEventLoop();
  }
}

/** What Placement lists for the next request. It keeps the candidates of a tree until one ends. */
class Listing {
  private readonly room: Room;
  /** The hosts that have been listed; null for those that a filter always rejects. */
  private readonly hosts = new Map<SchedulerHost, ListedHost | null>();
  private readonly found = new Map<
    CandidateSpace,
    Map<ProviderTree, readonly AllocationRequest[]>
  >();

  constructor(room: Room) {
    this.room = room;
  }

  /** Lists the hosts that have a candidate and pass the filters that do not read the group. */
  async read(): Promise<ListedHost[]> {
    const { room } = this;
    const space = await room.searched();
    const firsts = space ? await this.firsts(space) : new Map<string, AllocationRequest>();
    return room.hosts.flatMap((stored): ListedHost[] => {
      const first = firsts.get(stored.provider);
      if (!first) return [];
      const host = this.hosts.get(stored) ?? this.hostOf(stored, first);
      this.hosts.set(stored, host);
      if (host) host.first = first;
      return host ? [host] : [];
    });
  }

  /** The state of a host; null if a filter that does not read the group rejects it. */
  private hostOf(stored: SchedulerHost, first: AllocationRequest): ListedHost | null {
    if (this.room.rejecting(stored, otherFilters)) return null;
    return { ...this.room.stateOf(stored), stored, first };
  }

  /** The first listed candidate of each host, by its root provider. */
  private async firsts(space: CandidateSpace): Promise<Map<string, AllocationRequest>> {
    const { limit, isBreadthFirst } = this.room;
    const firsts = new Map<string, AllocationRequest>();
    const shared = new Set<string>();
    let listed = 0;
    for (const tree of space.memory.trees) {
      if (listed >= limit) break;
      // A wait for each tree, even for kept candidates, would take longer than all the rest.
      const kept = this.found.get(space)?.get(tree);
      for (const candidate of kept ?? (await this.candidatesOf(space, tree))) {
        if (listed >= limit || (isBreadthFirst && firsts.has(tree.root.uuid))) break;
        if (space.isOnlyShared(candidate)) {
          // Another tree can have the same candidate, which is listed once.
          const key = space.keyOf(candidate);
          if (shared.has(key)) continue;
          shared.add(key);
        }
        listed++;
        const root = space.rootOf(candidate);
        if (!firsts.has(root)) firsts.set(root, candidate);
      }
    }
    return firsts;
  }

  private async candidatesOf(
    space: CandidateSpace,
    tree: ProviderTree,
  ): Promise<readonly AllocationRequest[]> {
    const kept = this.found.get(space) ?? new Map<ProviderTree, readonly AllocationRequest[]>();
    this.found.set(space, kept);
    const candidates = await space.candidates(tree, this.room.limit);
    kept.set(tree, candidates);
    return candidates;
  }

  /**
   * Forgets the candidates of the trees in which a claim may have ended a candidate.
   * @returns whether there are any
   */
  drop({ resources }: AllocationRequest): boolean {
    const { space } = this.room;
    const amounts = space.amounts();
    const scarce = resources.filter(
      ({ node, classId }) => freeIn(node, classId) < amounts.get(classId)!,
    );
    for (const { node } of scarce) {
      if (space.memory.sharing.nodes.includes(node)) this.found.clear();
      else for (const kept of this.found.values()) kept.delete(space.memory.treeWith(node)!);
    }
    return scarce.length > 0;
  }

  /**
   * Updates the states that a server on a host changes: the free amounts of the root providers that
   * it takes from, and the members of its group. @returns the hosts with a new state
   */
  refresh({ host, first: { resources } }: ListedHost): ListedHost[] {
    const { space, spec, group } = this.room;
    const changed: ListedHost[] = [];
    for (const tree of new Set(resources.map(({ node }) => space.memory.treeWith(node)!))) {
      const stored = this.room.hostOf(tree);
      const listed = stored && this.hosts.get(stored);
      if (!listed) continue;
      listed.free = space.memory.free(tree);
      changed.push(listed);
    }
    if (!spec.group) return changed;
    for (const listed of this.hosts.values()) {
      if (listed?.host !== host) continue;
      listed.members = group.countOn(host);
      changed.push(listed);
    }
    return changed;
  }
}
