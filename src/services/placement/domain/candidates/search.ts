// The search for candidates: a stream over the roots that stops as soon as there are enough.
import { filterRoots, listSharing, loadTrees, type RootFilter } from '../../store/candidates.ts';
import { fits, type Node, type Tree } from './forest.ts';
import { matchTree, type Candidate } from './match.ts';
import type { Plan } from './plan.ts';
import type { Db } from '../../../../kernel/db/database.ts';

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

/** What of the trees is to be read. */
interface Want {
  /** All of them, or only these, by id. */
  readonly traits: 'all' | readonly number[];
  readonly aggregates: boolean;
}

/** Providers that share what they have, with the trees that they stand in. */
interface Sharing {
  readonly nodes: readonly Node[];
  readonly trees: ReadonlyMap<number, Tree>;
}

/** Finds candidates in the order of the roots' ids, and within a tree in that of its providers. */
export async function search(db: Db, plan: Plan, options: SearchOptions): Promise<Found> {
  const sharing = await loadSharing(db);
  const want: Want = {
    traits: options.showTraits ? 'all' : traitsOf(plan),
    aggregates: sharing.nodes.length > 0 || usesAggregates(plan),
  };
  const candidates: Candidate[] = [];
  const trees = new Map<number, Tree>();
  const seen = new Set<string>();
  const shares = new Set(sharing.nodes);
  const emit = (candidate: Candidate): boolean => {
    if (!options.nested && usesTreeTwice(candidate)) return true;
    if (shares.size && isRepeated(candidate, shares, seen)) return true;
    for (const { node } of candidate.parts)
      if (!trees.has(node.rootId)) trees.set(node.rootId, (sharing.trees.get(node.rootId) ?? current.get(node.rootId))!);
    candidates.push(candidate);
    return candidates.length !== plan.limit;
  };
  let current: ReadonlyMap<number, Tree> = new Map();
  for await (const loaded of chunksOfTrees(db, plan, want, sharing, () => candidates.length)) {
    current = new Map(loaded.map((tree) => [tree.root.id, tree]));
    for (const tree of loaded) {
      const known = sharing.trees.get(tree.root.id) ?? tree;
      if (!matchTree(plan, known, sharersFor(known, sharing), emit)) return { candidates, trees };
    }
  }
  return { candidates, trees };
}

/** The traits that a plan asks about. */
const traitsOf = ({ rootRequired, rootForbidden, groups }: Plan): number[] => [
  ...new Set([
    ...rootRequired,
    ...rootForbidden,
    ...groups.flatMap(({ required, forbidden }) => [...required.flat(), ...forbidden]),
  ]),
];
const usesAggregates = (plan: Plan): boolean =>
  plan.groups.some(({ memberOf, notMemberOf }) => memberOf.length + notMemberOf.length > 0);

async function loadSharing(db: Db): Promise<Sharing> {
  const rows = await listSharing(db);
  const ids = new Set(rows.map(({ id }) => id));
  const loaded = await loadTrees(
    db,
    { roots: [...new Set(rows.map(({ rootId }) => rootId))] },
    { traits: 'all', aggregates: true },
  );
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

/** How many trees are looked at together: few where the search may stop early, many where it will not. */
const smallChunk = 16;
const largeChunk = 500;

/**
 * The trees to look at, in order: as they come while they yield; where few of them do, the database sorts out first which are
 * worth loading.
 */
async function* chunksOfTrees(
  db: Db,
  plan: Plan,
  want: Want,
  sharing: Sharing,
  found: () => number,
): AsyncGenerator<readonly Tree[]> {
  const filter = rootFilter(plan, sharing);
  let after = 0;
  let size = plan.limit === undefined ? largeChunk : Math.min(Math.max(plan.limit, smallChunk), largeChunk);
  for (let plentiful = filter.only === undefined; plentiful; size = Math.min(size * 2, largeChunk)) {
    const before = found();
    const trees = await loadTrees(db, { after, limit: size }, want);
    if (!trees.length) return;
    yield trees;
    after = trees.at(-1)!.root.id;
    plentiful = (found() - before) * 8 >= trees.length;
  }
  for (;;) {
    const roots = await filterRoots(db, after, filter, plan.limit === undefined ? undefined : size);
    for (let at = 0; at < roots.length; at += size) yield await loadTrees(db, { roots: roots.slice(at, at + size) }, want);
    if (plan.limit === undefined || roots.length < size) return;
    after = roots.at(-1)!;
    size = Math.min(size * 2, largeChunk);
  }
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
