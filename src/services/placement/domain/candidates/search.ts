// The search for allocation candidates: trees are read in the order of their roots, and the search ends as soon as there are enough candidates.
import { nextTurn } from '../../../../kernel/clock.ts';
import type { Config } from '../../../../kernel/settings.ts';
import type { TreeDetails } from '../../store/candidates.ts';
import type { ProviderTree, TreeNode } from '../records.ts';
import { candidatesOf, noEffort, type AllocationRequest, type Matching } from './match.ts';
import { repeatsOf } from './repeats.ts';
import type { ResolvedRequest } from './resolve.ts';
import { loadSharing, sharingWith, treesFor, type Sharing, type Trees } from './trees.ts';
import type { Db } from '../../../../kernel/db/database.ts';

/** What a search found: candidates, and the trees of their providers. */
export interface AllocationCandidates {
  readonly candidates: readonly AllocationRequest[];
  /** The rest, where the search goes on while it is read. It needs no database, and lets others be served in between. */
  readonly more: AsyncIterable<AllocationRequest> | undefined;
  /** The trees of the candidates that have been found so far, by the id of the root. */
  readonly trees: ReadonlyMap<number, ProviderTree>;
  /** The trees that are in `trees`, and those that may come to be. */
  readonly loaded: readonly ProviderTree[];
}

/** The settings for the number and the order of candidates. */
export type CandidateConfig = Pick<Config, 'maxAllocationCandidates' | 'allocationCandidatesGenerationStrategy'>;

export interface SearchOptions {
  /** Whether several providers of one tree may serve a request together (from 1.29). */
  readonly nested: boolean;
  /** Whether the reply shows traits: then all of them are read, also where the request names none. */
  readonly showTraits: boolean;
  readonly config: CandidateConfig;
  /** How long it may take in the transaction, in steps; then the rest is found without it. */
  readonly steps: number;
}

/**
 * Finds candidates, within a tree in the order of its providers. Trees come in the order of their roots' ids: each with all of its
 * candidates, or by the strategy breadth-first each with one of them, and then each with another.
 */
export async function search(db: Db, request: ResolvedRequest, options: SearchOptions): Promise<AllocationCandidates> {
  const { config, nested, showTraits } = options;
  const sharing = await loadSharing(db);
  const details: TreeDetails = {
    traits: showTraits ? 'all' : traitsOf(request),
    aggregates: sharing.nodes.length > 0 || usesAggregates(request),
  };
  const candidates: AllocationRequest[] = [];
  const source = treesFor(db, request, details, sharing, () => candidates.length);
  const effort = noEffort();
  const matching: Matching = { request, nested, effort, repeats: repeatsOf(new Set(sharing.nodes)) };
  const visit = (tree: ProviderTree): Found => candidatesOf(matching, tree, sharingWith(tree, sharing));
  const inOrder = config.allocationCandidatesGenerationStrategy === 'breadth-first' ? inBreadth : inDepth;
  const trees = new Map<number, ProviderTree>();
  const most = Math.min(
    request.limit ?? Infinity,
    config.maxAllocationCandidates < 0 ? Infinity : config.maxAllocationCandidates,
  );
  const found = enough(inOrder(source, visit), most, trees, sharing);
  for (let next = await found.next(); !next.done; next = await found.next()) {
    if (next.value) candidates.push(next.value);
    else await nextTurn();
    if (effort.steps < options.steps) continue;
    await source.loadAll();
    return { candidates, trees, more: inTurns(found), loaded: [...trees.values(), ...source.given(), ...source.ahead()] };
  }
  return { candidates, trees, more: undefined, loaded: [...trees.values()] };
}

/** The ids of all traits that the request names. */
const traitsOf = ({ rootRequired, rootForbidden, groups }: ResolvedRequest): number[] => [
  ...new Set([
    ...rootRequired,
    ...rootForbidden,
    ...groups.flatMap(({ requiredTraits, forbiddenTraits }) => [...requiredTraits.flat(), ...forbiddenTraits]),
  ]),
];
const usesAggregates = (request: ResolvedRequest): boolean =>
  request.groups.some(({ memberOf, notMemberOf }) => memberOf.length + notMemberOf.length > 0);

/** Candidates with the trees of their own; undefined is a pause. */
type Found = Generator<AllocationRequest | undefined, void>;
type Visit = (tree: ProviderTree) => Found;
type Given = readonly [AllocationRequest, ProviderTree] | undefined;

async function* inDepth(source: Trees, visit: Visit): AsyncGenerator<Given, void> {
  for await (const trees of source)
    for (const tree of trees) for (const candidate of visit(tree)) yield candidate && [candidate, tree];
}

async function* inBreadth(source: Trees, visit: Visit): AsyncGenerator<Given, void> {
  let open: [ProviderTree, Found][] = [];
  function* round(all: Iterable<[ProviderTree, Found]>): Generator<Given, void> {
    for (const one of all) {
      const [tree, found] = one;
      let next = found.next();
      for (; !next.done && !next.value; next = found.next()) yield undefined;
      if (next.done) continue;
      open.push(one);
      yield [next.value!, tree];
    }
  }
  for await (const trees of source) yield* round(trees.map((tree) => [tree, visit(tree)]));
  while (open.length) {
    const before = open;
    open = [];
    yield* round(before);
  }
}

/** Ends when there are enough, and keeps the trees of what it gives. */
async function* enough(
  found: AsyncGenerator<Given, void>,
  most: number,
  trees: Map<number, ProviderTree>,
  sharing: Sharing,
): AsyncGenerator<AllocationRequest | undefined, void> {
  let count = 0;
  for await (const given of found) {
    if (!given) {
      yield undefined;
      continue;
    }
    const [candidate, tree] = given;
    for (const { node } of candidate.resources) {
      if (!trees.has(node.rootId)) trees.set(node.rootId, node.rootId === tree.root.id ? tree : treeOf(node, sharing));
    }
    yield candidate;
    if (++count >= most) return;
  }
}

const treeOf = (node: TreeNode, sharing: Sharing): ProviderTree => sharing.trees.get(node.rootId)!;

async function* inTurns(found: AsyncGenerator<AllocationRequest | undefined, void>): AsyncGenerator<AllocationRequest, void> {
  for await (const candidate of found) {
    if (candidate) yield candidate;
    else await nextTurn();
  }
}
