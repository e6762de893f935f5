// The search for allocation candidates: it reads trees in the order of their roots, and stops as soon as there are enough candidates.
import { filterRoots, listSharing, loadTrees, type RootFilter, type TreeDetails } from '../../store/candidates.ts';
import type { ProviderTree, TreeNode } from '../records.ts';
import { matchTree, type AllocationRequest } from './match.ts';
import type { ResolvedRequest } from './resolve.ts';
import { fits } from './tree.ts';
import type { Db } from '../../../../kernel/db/database.ts';

/** What a search found: candidates, and the trees of their providers. */
export interface AllocationCandidates {
  readonly candidates: readonly AllocationRequest[];
  /** By the id of the root. */
  readonly trees: ReadonlyMap<number, ProviderTree>;
}

export interface SearchOptions {
  /** Whether several providers of one tree may serve a request together (from 1.29). */
  readonly nested: boolean;
  /** Whether the reply shows traits: then all of them are read, also where the request names none. */
  readonly showTraits: boolean;
}

/** The sharing providers of the region (MISC_SHARES_VIA_AGGREGATE), and their trees by the id of the root. */
interface Sharing {
  readonly nodes: readonly TreeNode[];
  readonly trees: ReadonlyMap<number, ProviderTree>;
}

/** Finds candidates, in the order of the roots' ids, and within a tree in that of its providers. */
export async function search(db: Db, request: ResolvedRequest, options: SearchOptions): Promise<AllocationCandidates> {
  const sharing = await loadSharing(db);
  const details: TreeDetails = {
    traits: options.showTraits ? 'all' : traitsOf(request),
    aggregates: sharing.nodes.length > 0 || usesAggregates(request),
  };
  const candidates: AllocationRequest[] = [];
  const trees = new Map<number, ProviderTree>();
  const earlier = new Set<string>();
  const sharingNodes = new Set(sharing.nodes);
  const emit = (candidate: AllocationRequest): boolean => {
    if (!options.nested && usesTreeTwice(candidate)) return true;
    if (sharingNodes.size && isRepeated(candidate, sharingNodes, earlier)) return true;
    for (const { node } of candidate.resources)
      if (!trees.has(node.rootId)) trees.set(node.rootId, (sharing.trees.get(node.rootId) ?? current.get(node.rootId))!);
    candidates.push(candidate);
    return candidates.length !== request.limit;
  };
  let current: ReadonlyMap<number, ProviderTree> = new Map();
  for await (const loaded of chunksOfTrees(db, request, details, sharing, () => candidates.length)) {
    current = new Map(loaded.map((tree) => [tree.root.id, tree]));
    for (const tree of loaded) {
      const known = sharing.trees.get(tree.root.id) ?? tree;
      if (!matchTree(request, known, sharingWith(known, sharing), emit)) return { candidates, trees };
    }
  }
  return { candidates, trees };
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

/** The sharing providers outside of a tree that have an aggregate in common with any member of it. */
function sharingWith(tree: ProviderTree, sharing: Sharing): readonly TreeNode[] {
  if (!sharing.nodes.length) return [];
  const aggregatesOfTree = new Set(tree.nodes.flatMap(({ aggregates }) => aggregates));
  return sharing.nodes.filter((node) => node.rootId !== tree.root.id && node.aggregates.some((id) => aggregatesOfTree.has(id)));
}

/** How many trees are loaded together: few where the search may stop early, many where it will not. */
const smallChunk = 16;
const largeChunk = 500;

/**
 * The trees to look at, in order. At first all trees are loaded. Where fewer than one in eight of a chunk has a candidate, the database
 * filters the roots from there on, and only the trees that may have one are loaded.
 */
async function* chunksOfTrees(
  db: Db,
  request: ResolvedRequest,
  details: TreeDetails,
  sharing: Sharing,
  found: () => number,
): AsyncGenerator<readonly ProviderTree[]> {
  const filter = rootFilter(request, sharing);
  let after = 0;
  let size = request.limit === undefined ? largeChunk : Math.min(Math.max(request.limit, smallChunk), largeChunk);
  for (let unfiltered = filter.root === undefined; unfiltered; size = Math.min(size * 2, largeChunk)) {
    const before = found();
    const trees = await loadTrees(db, { after, limit: size }, details);
    if (!trees.length) return;
    yield trees;
    after = trees.at(-1)!.root.id;
    unfiltered = (found() - before) * 8 >= trees.length;
  }
  for (;;) {
    const roots = await filterRoots(db, after, filter, request.limit === undefined ? undefined : size);
    for (let at = 0; at < roots.length; at += size) yield await loadTrees(db, { roots: roots.slice(at, at + size) }, details);
    if (request.limit === undefined || roots.length < size) return;
    after = roots.at(-1)!;
    size = Math.min(size * 2, largeChunk);
  }
}

/** What a tree itself must have because no sharing provider has it. It lets too many trees pass: `matchTree` is exact. */
function rootFilter(request: ResolvedRequest, sharing: Sharing): RootFilter {
  const resources = request.groups.flatMap((group) => group.resources);
  const own = resources.filter(({ classId, amount }) => !sharing.nodes.some((node) => fits(node, classId, amount)));
  const pinned = request.groups.find(
    ({ treeRoot, suffix }) => treeRoot !== undefined && (suffix === '' || !sharing.nodes.length),
  );
  return { resources: own, required: request.rootRequired, forbidden: request.rootForbidden, root: pinned?.treeRoot };
}

function usesTreeTwice({ resources }: AllocationRequest): boolean {
  const byRoot = new Map<number, TreeNode>();
  return resources.some(({ node }) => {
    const other = byRoot.get(node.rootId);
    byRoot.set(node.rootId, node);
    return other !== undefined && other !== node;
  });
}

/** Whether an earlier tree gave the same candidate. Only a candidate whose providers are all sharing providers can come twice. */
function isRepeated(
  { resources, mappings }: AllocationRequest,
  sharingNodes: ReadonlySet<TreeNode>,
  earlier: Set<string>,
): boolean {
  if (!resources.every(({ node }) => sharingNodes.has(node)) || !mappings.flat().every((node) => sharingNodes.has(node)))
    return false;
  const amounts = resources.map(({ node, classId, amount }) => `${node.id}:${classId}:${amount}`).sort();
  const key = `${amounts.join()} ${mappings.map((nodes) => nodes.map(({ id }) => id).sort().join()).join('/')}`; // prettier-ignore
  if (earlier.has(key)) return true;
  earlier.add(key);
  return false;
}
