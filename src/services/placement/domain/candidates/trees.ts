// Loads the trees of a search in chunks, and the providers that share with them.
import {
  filterRoots,
  listSharing,
  loadTrees,
  type RootFilter,
  type TreeDetails,
} from '../../store/candidates.ts';
import type { ProviderTree, TreeNode } from '../../model.ts';
import type { ResolvedRequest } from './resolve.ts';
import { fits } from './tree.ts';
import type { Db } from '../../../../kernel/db/database.ts';

/**
 * The sharing providers of the region (MISC_SHARES_VIA_AGGREGATE), and their trees by the id of the
 * root.
 */
export interface Sharing {
  readonly nodes: readonly TreeNode[];
  readonly trees: ReadonlyMap<number, ProviderTree>;
}

export async function loadSharing(db: Db): Promise<Sharing> {
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

/** Lists the sharing providers outside of a tree that have an aggregate in common with it. */
export function sharingWith(tree: ProviderTree, sharing: Sharing): readonly TreeNode[] {
  if (!sharing.nodes.length) return [];
  const aggregatesOfTree = new Set(tree.nodes.flatMap(({ aggregates }) => aggregates));
  return sharing.nodes.filter(
    (node) =>
      node.rootId !== tree.root.id && node.aggregates.some((id) => aggregatesOfTree.has(id)),
  );
}

/** Loads trees in chunks, in the order of their roots' ids. */
export interface Trees extends AsyncIterable<readonly ProviderTree[]> {
  /** Loads all remaining trees. From then on the database is not needed. */
  loadAll(): Promise<void>;
  /** The chunk that the iteration returned last. */
  current(): readonly ProviderTree[];
  /** The trees that are loaded, but not returned yet. */
  unread(): readonly ProviderTree[];
}

/** Lists the trees to search for a request. @param found counts the candidates so far */
export function treesFor(
  db: Db,
  request: ResolvedRequest,
  details: TreeDetails,
  sharing: Sharing,
  found: () => number,
): Trees {
  const chunks = chunksOfTrees(db, request, details, sharing, found);
  const unread: (readonly ProviderTree[])[] = [];
  let current: readonly ProviderTree[] = [];
  // A sharing provider must be the same object in its tree and in the list of sharing providers.
  const withSharing = (trees: readonly ProviderTree[]): readonly ProviderTree[] =>
    sharing.nodes.length ? trees.map((tree) => sharing.trees.get(tree.root.id) ?? tree) : trees;
  return {
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const next = unread.shift() ?? (await chunks.next()).value;
        if (!next) return;
        yield (current = withSharing(next));
      }
    },
    loadAll: async () => {
      for await (const trees of chunks) unread.push(trees);
    },
    current: () => current,
    unread: () => withSharing(unread.flat()),
  };
}

/** The number of trees in a chunk: small if the search may stop early, large if it will not. */
const smallChunk = 16;
const largeChunk = 500;

/**
 * Loads all trees at first. If fewer than one in eight trees of a chunk have a candidate, the
 * database filters the roots from there on, so that only trees that may have a candidate are
 * loaded.
 */
async function* chunksOfTrees(
  db: Db,
  request: ResolvedRequest,
  details: TreeDetails,
  sharing: Sharing,
  found: () => number,
): AsyncGenerator<readonly ProviderTree[], undefined> {
  const filter = rootFilter(request, sharing);
  let after = 0;
  let size =
    request.limit === undefined
      ? largeChunk
      : Math.min(Math.max(request.limit, smallChunk), largeChunk);
  for (
    let unfiltered = filter.root === undefined;
    unfiltered;
    size = Math.min(size * 2, largeChunk)
  ) {
    const before = found();
    const trees = await loadTrees(db, { after, limit: size }, details);
    if (!trees.length) return undefined;
    yield trees;
    if (trees.length < size) return undefined;
    after = trees.at(-1)!.root.id;
    unfiltered = (found() - before) * 8 >= trees.length;
  }
  for (;;) {
    const roots = await filterRoots(
      db,
      after,
      filter,
      request.limit === undefined ? undefined : size,
    );
    for (let at = 0; at < roots.length; at += size)
      yield await loadTrees(db, { roots: roots.slice(at, at + size) }, details);
    if (request.limit === undefined || roots.length < size) return undefined;
    after = roots.at(-1)!;
    size = Math.min(size * 2, largeChunk);
  }
}

/**
 * Makes a filter of what a tree itself must have, because no sharing provider has it. The filter
 * may pass too many trees, but the search in each tree is exact.
 */
function rootFilter(request: ResolvedRequest, sharing: Sharing): RootFilter {
  const resources = request.groups.flatMap((group) => group.resources);
  const own = resources.filter(
    ({ classId, amount }) => !sharing.nodes.some((node) => fits(node, classId, amount)),
  );
  const pinned = request.groups.find(
    ({ treeRoot, suffix }) => treeRoot !== undefined && (suffix === '' || !sharing.nodes.length),
  );
  return {
    resources: own,
    required: request.rootRequired,
    forbidden: request.rootForbidden,
    root: pinned?.treeRoot,
  };
}
