// Searches for allocation candidates: it reads trees in the order of their roots, and ends as soon
// as it has enough candidates.
import { yieldToEventLoop } from '../../../../kernel/clock.ts';
import type { Config } from '../../../../kernel/settings.ts';
import type { ProviderTree, TreeNode } from '../../model.ts';
import { KnownUsage } from '../../store/used.ts';
import { candidatesOf, matchingOf, type AllocationRequest, type TreeCandidates } from './match.ts';
import type { ResolvedRequest } from './resolve.ts';
import { loadSharing, sharingWith, treesFor, type Sharing, type Trees } from './trees.ts';
import type { Db } from '../../../../kernel/db/database.ts';

/** The result of a search: candidates, and the trees of their providers. */
export interface AllocationCandidates {
  readonly candidates: readonly AllocationRequest[];
  /**
   * The remaining candidates, if the search continues while they are read. It needs no database,
   * and pauses to let other requests be served.
   */
  readonly more: AsyncIterable<AllocationRequest> | undefined;
  /** The trees of the candidates found so far, by the id of the root. */
  readonly trees: ReadonlyMap<number, ProviderTree>;
  /** The trees in `trees`, and those that the search may still add to it. */
  readonly loaded: readonly ProviderTree[];
}

/** The settings for the number and order of candidates. */
export type CandidateConfig = Pick<
  Config,
  'maxAllocationCandidates' | 'allocationCandidatesGenerationStrategy'
>;

export interface SearchOptions {
  /** Whether several providers of one tree can serve a request (from 1.29). */
  readonly nested: boolean;
  readonly config: CandidateConfig;
  /** The number of steps within the transaction. The search continues outside of it. */
  readonly steps: number;
  /** What the transaction knows of the usage; the search adds what it reads. */
  readonly usage?: KnownUsage | undefined;
}

/**
 * Finds candidates, within a tree in the order of its providers, and among trees in the order of
 * their roots' ids. Depth-first, each tree gives all its candidates in succession. Breadth-first,
 * the trees give one candidate each, then a second one, and so on.
 */
export async function search(
  db: Db,
  request: ResolvedRequest,
  options: SearchOptions,
): Promise<AllocationCandidates> {
  const { config, nested, usage = new KnownUsage() } = options;
  const sharing = await loadSharing(db);
  const candidates: AllocationRequest[] = [];
  const matching = matchingOf(request, nested, sharing.nodes);
  const visit = (tree: ProviderTree): TreeCandidates =>
    candidatesOf(matching, tree, sharingWith(tree, sharing));
  const traverse =
    config.allocationCandidatesGenerationStrategy === 'breadth-first' ? breadthFirst : depthFirst;
  const trees = new Map<number, ProviderTree>();
  const limit = Math.min(
    request.limit ?? Infinity,
    config.maxAllocationCandidates < 0 ? Infinity : config.maxAllocationCandidates,
  );
  const results: Results = { remaining: limit, trees, sharing };
  const source = treesFor(db, request, { sharing, usage }, () => results.remaining);
  const rounds = traverse(source, visit);
  for (let round = await nextRound(rounds); round; round = await nextRound(rounds)) {
    for (let next = round.next(); !next.done; next = round.next()) {
      if (next.value) candidates.push(addResult(results, next.value));
      else await yieldToEventLoop();
      if (results.remaining <= 0)
        return { candidates, trees, more: undefined, loaded: [...trees.values()] };
      if (matching.progress.steps < options.steps) continue;
      await source.loadAll();
      const loaded = [...trees.values(), ...source.current(), ...source.unread()];
      return { candidates, trees, more: remainingCandidates(results, round, rounds), loaded };
    }
  }
  return { candidates, trees, more: undefined, loaded: [...trees.values()] };
}

type Visit = (tree: ProviderTree) => TreeCandidates;
/** A candidate, and the tree that it was found in. */
type Result = readonly [AllocationRequest, ProviderTree];
/** Candidates of trees in memory. A round is synchronous, which is faster than a wait for each. */
type Round = Generator<Result | undefined, void>;
/** A sequence of rounds. The database is read only between rounds. */
type Rounds = AsyncGenerator<Round, void>;

const nextRound = async (rounds: Rounds): Promise<Round | undefined> =>
  (await rounds.next()).value ?? undefined;

async function* depthFirst(source: Trees, visit: Visit): Rounds {
  function* round(trees: readonly ProviderTree[]): Round {
    for (const tree of trees)
      for (const candidate of visit(tree)) yield candidate && [candidate, tree];
  }
  for await (const trees of source) yield round(trees);
}

async function* breadthFirst(source: Trees, visit: Visit): Rounds {
  type Unfinished = [ProviderTree, Iterator<AllocationRequest | undefined, unknown>];
  let unfinished: Unfinished[] = [];
  function* round(all: readonly Unfinished[]): Round {
    for (const entry of all) {
      const [tree, found] = entry;
      let next = found.next();
      for (; !next.done && !next.value; next = found.next()) yield undefined;
      if (next.done) continue;
      unfinished.push(entry);
      yield [next.value!, tree];
    }
  }
  for await (const trees of source)
    yield round(trees.map((tree) => [tree, visit(tree)[Symbol.iterator]()]));
  while (unfinished.length) {
    const before = unfinished;
    unfinished = [];
    yield round(before);
  }
}

/** The results so far: the number of candidates still to find, and the trees of those found. */
interface Results {
  remaining: number;
  readonly trees: Map<number, ProviderTree>;
  readonly sharing: Sharing;
}

/** Records the trees of a candidate. @returns the candidate */
function addResult(results: Results, [candidate, tree]: Result): AllocationRequest {
  const { trees, sharing } = results;
  for (const { node } of candidate.resources) {
    if (!trees.has(node.rootId))
      trees.set(node.rootId, node.rootId === tree.root.id ? tree : treeOf(node, sharing));
  }
  results.remaining--;
  return candidate;
}

const treeOf = (node: TreeNode, sharing: Sharing): ProviderTree => sharing.trees.get(node.rootId)!;

async function* remainingCandidates(
  results: Results,
  current: Round,
  rounds: Rounds,
): AsyncGenerator<AllocationRequest, void> {
  for (let round: Round | undefined = current; round; round = await nextRound(rounds)) {
    for (const result of round) {
      if (!result) {
        await yieldToEventLoop();
        continue;
      }
      yield addResult(results, result);
      if (results.remaining <= 0) return;
    }
  }
}
