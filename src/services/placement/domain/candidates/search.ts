// The search for allocation candidates: trees are read in the order of their roots, and the search
// ends as soon as there are enough candidates.
import { yieldToEventLoop } from '../../../../kernel/clock.ts';
import type { Config } from '../../../../kernel/settings.ts';
import type { TreeDetails } from '../../store/candidates.ts';
import type { ProviderTree, TreeNode } from '../../model.ts';
import { candidatesOf, matchingOf, type AllocationRequest } from './match.ts';
import type { ResolvedRequest } from './resolve.ts';
import { loadSharing, sharingWith, treesFor, type Sharing, type Trees } from './trees.ts';
import type { Db } from '../../../../kernel/db/database.ts';

/** What a search found: candidates, and the trees of their providers. */
export interface AllocationCandidates {
  readonly candidates: readonly AllocationRequest[];
  /**
   * The rest, where the search goes on while it is read. It needs no database, and lets others be
   * served in between.
   */
  readonly more: AsyncIterable<AllocationRequest> | undefined;
  /** The trees of the candidates that have been found so far, by the id of the root. */
  readonly trees: ReadonlyMap<number, ProviderTree>;
  /** The trees that are in `trees`, and those that may come to be. */
  readonly loaded: readonly ProviderTree[];
}

/** The settings for the number and the order of candidates. */
export type CandidateConfig = Pick<
  Config,
  'maxAllocationCandidates' | 'allocationCandidatesGenerationStrategy'
>;

export interface SearchOptions {
  /** Whether several providers of one tree may serve a request together (from 1.29). */
  readonly nested: boolean;
  /**
   * Whether the reply shows traits: then all of them are read, also where the request names none.
   */
  readonly showTraits: boolean;
  readonly config: CandidateConfig;
  /** How long it may take in the transaction, in steps; then the rest is found without it. */
  readonly steps: number;
}

/**
 * Finds candidates, within a tree in the order of its providers. Trees come in the order of their
 * roots' ids: each with all of its candidates, or by the strategy breadth-first each with one of
 * them, and then each with another.
 */
export async function search(
  db: Db,
  request: ResolvedRequest,
  options: SearchOptions,
): Promise<AllocationCandidates> {
  const { config, nested, showTraits } = options;
  const sharing = await loadSharing(db);
  const details: TreeDetails = {
    traits: showTraits ? 'all' : traitsOf(request),
    aggregates: sharing.nodes.length > 0 || usesAggregates(request),
  };
  const candidates: AllocationRequest[] = [];
  const source = treesFor(db, request, details, sharing, () => candidates.length);
  const matching = matchingOf(request, nested, sharing.nodes);
  const visit = (tree: ProviderTree): Found =>
    candidatesOf(matching, tree, sharingWith(tree, sharing));
  const inOrder =
    config.allocationCandidatesGenerationStrategy === 'breadth-first' ? inBreadth : inDepth;
  const trees = new Map<number, ProviderTree>();
  const most = Math.min(
    request.limit ?? Infinity,
    config.maxAllocationCandidates < 0 ? Infinity : config.maxAllocationCandidates,
  );
  const keeping: Keeping = { left: most, trees, sharing };
  const rounds = inOrder(source, visit);
  for (let round = await nextRound(rounds); round; round = await nextRound(rounds)) {
    for (let next = round.next(); !next.done; next = round.next()) {
      if (next.value) candidates.push(keep(keeping, next.value));
      else await yieldToEventLoop();
      if (keeping.left <= 0)
        return { candidates, trees, more: undefined, loaded: [...trees.values()] };
      if (matching.effort.steps < options.steps) continue;
      await source.loadAll();
      const loaded = [...trees.values(), ...source.given(), ...source.ahead()];
      return { candidates, trees, more: rest(keeping, round, rounds), loaded };
    }
  }
  return { candidates, trees, more: undefined, loaded: [...trees.values()] };
}

/** The ids of all traits that the request names. */
const traitsOf = ({ rootRequired, rootForbidden, groups }: ResolvedRequest): number[] => [
  ...new Set([
    ...rootRequired,
    ...rootForbidden,
    ...groups.flatMap(({ requiredTraits, forbiddenTraits }) => [
      ...requiredTraits.flat(),
      ...forbiddenTraits,
    ]),
  ]),
];
const usesAggregates = (request: ResolvedRequest): boolean =>
  request.groups.some(({ memberOf, notMemberOf }) => memberOf.length + notMemberOf.length > 0);

/** Candidates; undefined is a pause. */
type Found = Generator<AllocationRequest | undefined, void>;
type Visit = (tree: ProviderTree) => Found;
/** A candidate with the tree that it was found in. */
type Given = readonly [AllocationRequest, ProviderTree];
/** Candidates of the trees that are read, without a wait for each. */
type Round = Generator<Given | undefined, void>;
/** One round after the other: only between them trees are read. */
type Rounds = AsyncGenerator<Round, void>;

const nextRound = async (rounds: Rounds): Promise<Round | undefined> =>
  (await rounds.next()).value ?? undefined;

async function* inDepth(source: Trees, visit: Visit): Rounds {
  function* round(trees: readonly ProviderTree[]): Round {
    for (const tree of trees)
      for (const candidate of visit(tree)) yield candidate && [candidate, tree];
  }
  for await (const trees of source) yield round(trees);
}

async function* inBreadth(source: Trees, visit: Visit): Rounds {
  let open: [ProviderTree, Found][] = [];
  function* round(all: readonly [ProviderTree, Found][]): Round {
    for (const one of all) {
      const [tree, found] = one;
      let next = found.next();
      for (; !next.done && !next.value; next = found.next()) yield undefined;
      if (next.done) continue;
      open.push(one);
      yield [next.value!, tree];
    }
  }
  for await (const trees of source) yield round(trees.map((tree) => [tree, visit(tree)]));
  while (open.length) {
    const before = open;
    open = [];
    yield round(before);
  }
}

/** How many candidates are still wanted, and the trees of those that were given. */
interface Keeping {
  left: number;
  readonly trees: Map<number, ProviderTree>;
  readonly sharing: Sharing;
}

function keep(keeping: Keeping, [candidate, tree]: Given): AllocationRequest {
  const { trees, sharing } = keeping;
  for (const { node } of candidate.resources) {
    if (!trees.has(node.rootId))
      trees.set(node.rootId, node.rootId === tree.root.id ? tree : treeOf(node, sharing));
  }
  keeping.left--;
  return candidate;
}

const treeOf = (node: TreeNode, sharing: Sharing): ProviderTree => sharing.trees.get(node.rootId)!;

async function* rest(
  keeping: Keeping,
  begun: Round,
  rounds: Rounds,
): AsyncGenerator<AllocationRequest, void> {
  for (let round: Round | undefined = begun; round; round = await nextRound(rounds)) {
    for (const given of round) {
      if (!given) {
        await yieldToEventLoop();
        continue;
      }
      yield keep(keeping, given);
      if (keeping.left <= 0) return;
    }
  }
}
