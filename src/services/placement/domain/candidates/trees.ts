// The trees that a search looks at, read in chunks, and the providers that share with them.
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

/**
 * The sharing providers outside of a tree that have an aggregate in common with any member of it.
 */
export function sharingWith(tree: ProviderTree, sharing: Sharing): readonly TreeNode[] {
  if (!sharing.nodes.length) return [];
  const aggregatesOfTree = new Set(tree.nodes.flatMap(({ aggregates }) => aggregates));
  return sharing.nodes.filter(
    (node) =>
      node.rootId !== tree.root.id && node.aggregates.some((id) => aggregatesOfTree.has(id)),
  );
}

/** Trees in chunks, in the order of their roots' ids. */
export interface Trees extends AsyncIterable<readonly ProviderTree[]> {
  /** Reads all that have not been read: from then on no database is needed. */
  loadAll(): Promise<void>;
  /** The last chunk that was given. */
  given(): readonly ProviderTree[];
  /** What has been read and not given. */
  ahead(): readonly ProviderTree[];
}

/** The trees to look at for a request. @param found how many candidates there are so far */
export function treesFor(
  db: Db,
  request: ResolvedRequest,
  details: TreeDetails,
  sharing: Sharing,
  found: () => number,
): Trees {
  const chunks = chunksOfTrees(db, request, details, sharing, found);
  const ahead: (readonly ProviderTree[])[] = [];
  let given: readonly ProviderTree[] = [];
  // A sharing provider is the same object in the trees and in the list.
  const known = (trees: readonly ProviderTree[]): readonly ProviderTree[] =>
    sharing.nodes.length ? trees.map((tree) => sharing.trees.get(tree.root.id) ?? tree) : trees;
  return {
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const next = ahead.shift() ?? (await chunks.next()).value;
        if (!next) return;
        yield (given = known(next));
      }
    },
    loadAll: async () => {
      for await (const trees of chunks) ahead.push(trees);
    },
    given: () => given,
    ahead: () => known(ahead.flat()),
  };
}

/**
 * How many trees are loaded together: few where the search may stop early, many where it will not.
 */
const smallChunk = 16;
const largeChunk = 500;

/**
 * At first all trees are loaded. Where fewer than one in eight of a chunk has a candidate, the
 * database filters the roots from there on, and only the trees that may have one are loaded.
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
 * What a tree itself must have because no sharing provider has it. It lets too many trees pass: the
 * search in the tree is exact.
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
