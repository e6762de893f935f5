// Answers a request for candidates repeatedly, on trees in memory: by the search that answers
// clients, after each answer has been claimed.
import { ticks, yieldToEventLoop } from '../../../../kernel/clock.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { CandidateRequest, ProviderTree, TreeNode } from '../../model.ts';
import { findCandidates } from '../candidates/find.ts';
import { candidatesOf, matchingOf, type AllocationRequest } from '../candidates/match.ts';
import { resolveRequest, type ResolvedRequest } from '../candidates/resolve.ts';
import { fits, hasTraits } from '../candidates/tree.ts';
import { causesIn } from '../explanation/explain.ts';
import type { Cause } from '../explanation/causes.ts';
import { freeIn, take, timesOf, type TreesInMemory } from './trees.ts';

/** The milliseconds after which a count pauses, so that other requests are served. */
const millisecondsPerPause = 10;

/** A request and the trees in memory that serve it. */
export class CandidateSpace {
  readonly memory: TreesInMemory;
  readonly request: ResolvedRequest;
  private readonly nested: boolean;
  private pausedAt = ticks();

  private constructor(memory: TreesInMemory, request: ResolvedRequest, nested: boolean) {
    this.memory = memory;
    this.request = request;
    this.nested = nested;
  }

  /**
   * Looks up the names of a request.
   * @param nested whether several providers of one tree can serve a request (from 1.29)
   * @returns undefined if it has no candidates regardless of providers
   * @throws 400 for unknown resource classes and traits, as the search does
   */
  static async open(
    db: Db,
    memory: TreesInMemory,
    request: CandidateRequest,
    nested: boolean,
  ): Promise<CandidateSpace | undefined> {
    const { request: resolved, end } = await resolveRequest(db, request);
    if (!end) return new CandidateSpace(memory, { ...resolved, limit: undefined }, nested);
    const config = {
      maxAllocationCandidates: -1,
      allocationCandidatesGenerationStrategy: 'depth-first',
    } as const;
    await findCandidates(db, request, { nested, config, steps: Infinity });
    return undefined;
  }

  /**
   * Whether trees depend on each other, because a sharing provider can serve a part of the request.
   */
  get isShared(): boolean {
    return this.memory.sharing.nodes.some((node) =>
      this.request.groups.some(
        ({ resources }) =>
          !resources.length || resources.some(({ classId, amount }) => fits(node, classId, amount)),
      ),
    );
  }

  /** Lists the first candidates of a tree, regardless of other trees. */
  async candidates(tree: ProviderTree, most: number): Promise<AllocationRequest[]> {
    const { sharing } = this.memory;
    const matching = matchingOf(this.request, this.nested, sharing.nodes);
    const found: AllocationRequest[] = [];
    if (most < 1 || !hasTraits(tree.root, this.request)) return found;
    for (const candidate of candidatesOf(matching, tree, this.memory.sharingWith(tree))) {
      if (!candidate) await yieldToEventLoop();
      else if (found.push(candidate) >= most) break;
    }
    if (ticks() - this.pausedAt >= millisecondsPerPause) {
      await yieldToEventLoop();
      this.pausedAt = ticks();
    }
    return found;
  }

  /**
   * Claims the first candidate of a tree until the tree has none. The search finds candidates in a
   * fixed order, and claims only remove some, so the first candidate remains the first until it no
   * longer fits: it is claimed as many times as it fits at once.
   * @returns how many times
   */
  async fill(tree: ProviderTree): Promise<number> {
    for (let count = 0; ;) {
      const [first] = await this.candidates(tree, 1);
      if (!first) return count;
      const times = timesOf(first);
      take(first, times);
      count += times;
    }
  }

  /** Whether a candidate takes from sharing providers only, so that several trees may have it. */
  isOnlyShared({ resources }: AllocationRequest): boolean {
    const { nodes } = this.memory.sharing;
    return nodes.length > 0 && resources.every(({ node }) => nodes.includes(node));
  }

  /** Identifies a candidate by the providers of each group. */
  keyOf({ mappings, resources }: AllocationRequest): string {
    const taken = resources.map(({ node, classId, amount }) => [node.id, classId, amount]);
    return JSON.stringify([mappings.map((nodes) => nodes.map(({ id }) => id)), taken]);
  }

  /** The root provider of the tree that a candidate counts for, as in a reply to Compute. */
  rootOf({ resources }: AllocationRequest): string {
    return this.memory.treeWith(resources[0]!.node)!.root.uuid;
  }

  /** Lists why a tree has no candidate. */
  causes(tree: ProviderTree): readonly Cause[] {
    const surroundings = { tree, sharing: this.memory.sharingWith(tree) };
    return causesIn(this.request, this.nested, surroundings, false);
  }

  /** The sum of the amounts that the request takes of each class. */
  amounts(): ReadonlyMap<number, number> {
    const amounts = new Map<number, number>();
    for (const { resources } of this.request.groups)
      for (const { classId, amount } of resources)
        amounts.set(classId, (amounts.get(classId) ?? 0) + amount);
    return amounts;
  }

  /** The free amounts of a requested class in some trees, and in the providers that share there. */
  freeAmounts(classId: number, trees: readonly ProviderTree[]): FreeAmounts {
    const nodes = new Set(
      trees.flatMap((tree) => [...tree.nodes, ...this.memory.sharingWith(tree)]),
    );
    let [free, largest]: [number, TreeNode | undefined] = [0, undefined];
    for (const node of nodes) {
      const own = freeIn(node, classId);
      free += own;
      if (own > (largest ? freeIn(largest, classId) : 0)) largest = node;
    }
    return { free, largest: largest ? freeIn(largest, classId) : 0, provider: largest };
  }
}

/** How much of a class is free in sum, and where the largest piece is. */
export interface FreeAmounts {
  readonly free: number;
  readonly largest: number;
  /** Undefined if nothing is free. */
  readonly provider: TreeNode | undefined;
}
