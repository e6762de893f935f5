// The room for servers of one request: the hosts as the scheduler reads them, and the provider
// trees in memory, from which each server takes its allocations.
import type { Context } from '../../../../kernel/model.ts';
import {
  loadTrees,
  openSpace,
  type CandidateSpace,
  type ProviderTree,
} from '../../clients/placement.ts';
import { countBusyServers } from '../../store/hosts/server-hosts.ts';
import { BatchGroup } from '../scheduler/batch.ts';
import type { Filter } from '../scheduler/filter.ts';
import { hostStateOf, type HostState, type SchedulerHost } from '../scheduler/hosts.ts';
import { aggregatesOfZone } from '../scheduler/place.ts';
import { candidateLimit, candidateRequestOf, type RequestSpec } from '../scheduler/request-spec.ts';
import { groupHostsOf } from '../scheduler/scheduling.ts';

/** What is read once, and changes with each server that is placed. */
export class Room {
  readonly spec: RequestSpec;
  readonly hosts: readonly SchedulerHost[];
  readonly group: BatchGroup;
  /** The number of servers with a task, by host. */
  private readonly busy: ReadonlyMap<string, number>;
  readonly space: CandidateSpace;
  /** The candidates of the requested zone; undefined if no aggregate defines it. */
  private readonly zoneSpace: CandidateSpace | string | undefined;
  /** How many candidates Placement lists at most. */
  readonly limit: number;
  /** Whether Placement lists the first candidate of each tree before the second of any. */
  readonly isBreadthFirst: boolean;
  private readonly hostByRoot: ReadonlyMap<string, SchedulerHost>;
  private readonly treeByRoot: ReadonlyMap<string, ProviderTree>;
  private readonly counts = new Map<SchedulerHost, number>();

  private constructor(
    spec: RequestSpec,
    read: {
      readonly hosts: readonly SchedulerHost[];
      readonly busy: ReadonlyMap<string, number>;
      readonly group: BatchGroup;
    },
    spaces: { readonly all: CandidateSpace; readonly zone: CandidateSpace | string | undefined },
    { cloud: { config } }: Context,
  ) {
    const { maxAllocationCandidates: most, allocationCandidatesGenerationStrategy } = config;
    this.spec = spec;
    this.hosts = read.hosts;
    this.group = read.group;
    this.busy = read.busy;
    this.space = spaces.all;
    this.zoneSpace = spaces.zone;
    this.limit = most < 0 ? candidateLimit : Math.min(candidateLimit, most);
    this.isBreadthFirst = allocationCandidatesGenerationStrategy === 'breadth-first';
    this.hostByRoot = new Map(read.hosts.map((host) => [host.provider, host]));
    this.treeByRoot = new Map(spaces.all.memory.trees.map((tree) => [tree.root.uuid, tree]));
  }

  /** @returns the reason if the request has no candidates regardless of providers */
  static async read(
    context: Context,
    spec: RequestSpec,
    hosts: readonly SchedulerHost[],
  ): Promise<Room | string> {
    const group = new BatchGroup(await groupHostsOf(context.db, spec));
    const busy = await countBusyServers(context.db);
    const memory = await loadTrees(context);
    const all = await openSpace(context, memory, candidateRequestOf(spec));
    if (typeof all === 'string') return all;
    const ofZone = spec.zone === null ? [] : aggregatesOfZone(hosts, spec.zone);
    const zone = ofZone.length
      ? await openSpace(context, memory, candidateRequestOf(spec, undefined, ofZone))
      : undefined;
    return new Room(spec, { hosts, busy, group }, { all, zone }, context);
  }

  hostOf(tree: ProviderTree): SchedulerHost | undefined {
    return this.hostByRoot.get(tree.root.uuid);
  }

  treeOf({ provider }: SchedulerHost): ProviderTree | undefined {
    return this.treeByRoot.get(provider);
  }

  /** A host in the form that filters and weighers read. */
  stateOf(host: SchedulerHost): HostState {
    const tree = this.treeOf(host);
    const free = tree ? this.space.memory.free(tree) : {};
    const usage = { free, busy: this.busy.get(host.host) ?? 0 };
    return hostStateOf(host, usage, this.group.countOn(host.host));
  }

  /** The first of the filters that rejects a host. */
  rejecting(host: SchedulerHost, filters: readonly Filter[]): Filter | undefined {
    return rejecting(this.stateOf(host), this.spec, this.group, filters);
  }

  /** Counts servers on a host. */
  add(host: SchedulerHost, servers: number): void {
    this.counts.set(host, this.countOn(host) + servers);
    if (this.spec.group) for (let count = 0; count < servers; count++) this.group.add(host.host);
  }

  countOn(host: SchedulerHost): number {
    return this.counts.get(host) ?? 0;
  }

  /**
   * The candidates that the next request searches: of its zone only, if Placement would list only a
   * part of all.
   * @returns undefined if Placement lists no candidate of the zone
   */
  async searched(): Promise<CandidateSpace | undefined> {
    const { space, zoneSpace, limit } = this;
    if (zoneSpace === undefined || limit < candidateLimit) return space;
    let found = 0;
    for (const tree of space.memory.trees) {
      found += (await space.candidates(tree, limit - found)).length;
      if (found >= limit) return typeof zoneSpace === 'string' ? undefined : zoneSpace;
    }
    return space;
  }
}

/** The first of the filters that rejects a host. */
export const rejecting = (
  state: HostState,
  spec: RequestSpec,
  group: BatchGroup,
  filters: readonly Filter[],
): Filter | undefined => filters.find((filter) => !filter.passes(state, spec, group));
