// The search for candidates: a stream over the roots that stops as soon as there are enough.
import type { Db } from '../../../../kernel/db/open.ts';
import { filterRoots, listRoots, listSharing, loadTrees, type RootFilter } from '../../store/candidates.ts';
import { fits, type Node, type Tree } from './forest.ts';
import { matchTree, type Candidate } from './match.ts';
import type { Plan } from './plan.ts';

/** What was found, and the trees that it was found in. */
export interface Found {
  readonly candidates: readonly Candidate[];
  /** By id of the root; every provider of a candidate is in one of them. */
  readonly trees: ReadonlyMap<number, Tree>;
}

export interface SearchOptions {
  /** Whether providers of one tree may serve together (from 1.29). */
  readonly nested: boolean;
  /** Whether traits are shown, and so must be read in any case. */
  readonly showTraits: boolean;
}

/** Providers that share what they have, with the trees that they stand in. */
interface Sharing {
  readonly nodes: readonly Node[];
  readonly trees: ReadonlyMap<number, Tree>;
}

/** Finds candidates in the order of the roots' ids, and within a tree in that of its providers. */
export async function search(db: Db, plan: Plan, options: SearchOptions): Promise<Found> {
  const sharing = await loadSharing(db);
  const want = { traits: options.showTraits || usesTraits(plan), aggregates: sharing.nodes.length > 0 || usesAggregates(plan) };
  const candidates: Candidate[] = [];
  const trees = new Map<number, Tree>();
  const seen = new Set<string>();
  const shares = new Set(sharing.nodes);
  const emit = (candidate: Candidate): boolean => {
    if (!options.nested && usesTreeTwice(candidate)) return true;
    if (shares.size && isRepeated(candidate, shares, seen)) return true;
    for (const { node } of candidate.parts)
      if (!trees.has(node.rootId)) trees.set(node.rootId, (current.get(node.rootId) ?? sharing.trees.get(node.rootId))!);
    candidates.push(candidate);
    return candidates.length !== plan.limit;
  };
  let current: ReadonlyMap<number, Tree> = new Map();
  for await (const rootIds of chunksOfRoots(db, plan, sharing, () => candidates.length)) {
    const loaded = await loadTrees(db, rootIds.filter((id) => !sharing.trees.has(id)), want); // prettier-ignore
    current = new Map(loaded.map((tree) => [tree.root.id, tree]));
    for (const id of rootIds) {
      const tree = sharing.trees.get(id) ?? current.get(id);
      if (tree && !matchTree(plan, tree, sharersFor(tree, sharing), emit)) return { candidates, trees };
    }
  }
  return { candidates, trees };
}

const usesTraits = (plan: Plan): boolean =>
  plan.rootRequired.length + plan.rootForbidden.length > 0 ||
  plan.groups.some(({ required, forbidden }) => required.length + forbidden.length > 0);
const usesAggregates = (plan: Plan): boolean =>
  plan.groups.some(({ memberOf, notMemberOf }) => memberOf.length + notMemberOf.length > 0);

async function loadSharing(db: Db): Promise<Sharing> {
  const rows = await listSharing(db);
  const ids = new Set(rows.map(({ id }) => id));
  const loaded = await loadTrees(db, [...new Set(rows.map(({ rootId }) => rootId))], { traits: true, aggregates: true });
  return {
    nodes: loaded.flatMap(({ nodes }) => nodes.filter(({ id }) => ids.has(id))),
    trees: new Map(loaded.map((tree) => [tree.root.id, tree])),
  };
}

/** The providers outside of a tree that have an aggregate in common with any member of it. */
function sharersFor(tree: Tree, sharing: Sharing): readonly Node[] {
  if (!sharing.nodes.length) return [];
  const held = new Set(tree.nodes.flatMap(({ aggregates }) => aggregates));
  return sharing.nodes.filter((node) => node.rootId !== tree.root.id && node.aggregates.some((id) => held.has(id)));
}

/** How many roots are looked at together where the search may stop early, and where it will not. */
const smallChunk = 48;
const largeChunk = 500;

/**
 * The roots to look at, in order. A search with a limit takes them as they come while they yield; where few of them do, and
 * where all are wanted, the database sorts out first which are worth loading.
 */
async function* chunksOfRoots(db: Db, plan: Plan, sharing: Sharing, found: () => number): AsyncGenerator<readonly number[]> {
  let after = 0;
  const filter = rootFilter(plan, sharing);
  if (plan.limit !== undefined && filter.only === undefined) {
    for (let size = Math.min(Math.max(plan.limit, smallChunk), largeChunk); ; size = Math.min(size * 2, largeChunk)) {
      const before = found();
      const ids = await listRoots(db, after, size);
      if (!ids.length) return;
      yield ids;
      after = ids.at(-1)!;
      if ((found() - before) * 8 < ids.length) break;
    }
  }
  const rest = await filterRoots(db, after, filter);
  const size = plan.limit === undefined ? largeChunk : Math.min(Math.max(plan.limit, smallChunk), largeChunk);
  for (let at = 0; at < rest.length; at += size) yield rest.slice(at, at + size);
}

/** What the tree itself must have, because no one who shares has it. Not exact: the search in the tree is. */
function rootFilter(plan: Plan, sharing: Sharing): RootFilter {
  const demands = plan.groups.flatMap((group) => group.demands);
  const own = demands.filter(({ classId, amount }) => !sharing.nodes.some((node) => fits(node, classId, amount)));
  const pinned = plan.groups.find(({ inTree, suffix }) => inTree !== undefined && (suffix === '' || !sharing.nodes.length));
  return { fits: own, required: plan.rootRequired, forbidden: plan.rootForbidden, only: pinned?.inTree };
}

function usesTreeTwice({ parts }: Candidate): boolean {
  const byRoot = new Map<number, Node>();
  return parts.some(({ node }) => {
    const other = byRoot.get(node.rootId);
    byRoot.set(node.rootId, node);
    return other !== undefined && other !== node;
  });
}

/** Whether the same candidate came from another anchor before. That takes one of nothing but providers that share. */
function isRepeated({ parts, serving }: Candidate, shares: ReadonlySet<Node>, seen: Set<string>): boolean {
  if (!parts.every(({ node }) => shares.has(node)) || !serving.flat().every((node) => shares.has(node))) return false;
  const amounts = parts.map(({ node, classId, amount }) => `${node.id}:${classId}:${amount}`).sort();
  const key = `${amounts.join()} ${serving.map((nodes) => nodes.map(({ id }) => id).sort().join()).join('/')}`; // prettier-ignore
  if (seen.has(key)) return true;
  seen.add(key);
  return false;
}
