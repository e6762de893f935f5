// The trees of a search in chunks, and the providers that share with them.
import { keptTrees, type KeptTree, type KeptTrees } from '../../store/kept-trees.ts';
import { KnownUsage, readUsed, type UsedAt } from '../../store/used.ts';
import type { ProviderTree, TreeNode } from '../../model.ts';
import type { RequestedResource, ResolvedRequest } from './resolve.ts';
import { fits, hasTraits } from './tree.ts';
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
  const kept = await keptTrees(db);
  const roots = new Set(kept.sharing.map(({ rootId }) => rootId));
  const trees = [...roots].map((id) => kept.byRoot.get(id)!);
  return sharingIn(
    kept,
    await loadTrees(
      db,
      trees.sort((one, other) => one.root.id - other.root.id),
    ),
  );
}

/** The sharing providers in some trees, which include all trees that have one. */
export function sharingIn({ sharing }: KeptTrees, trees: readonly ProviderTree[]): Sharing {
  const ids = new Set(sharing.map(({ id }) => id));
  const roots = new Set(sharing.map(({ rootId }) => rootId));
  const those = trees.filter(({ root }) => roots.has(root.id));
  return {
    nodes: those.flatMap(({ nodes }) => nodes.filter(({ id }) => ids.has(id))),
    trees: new Map(those.map((tree) => [tree.root.id, tree])),
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

/**
 * Lists the trees to search for a request.
 * @param wanted how many more candidates the search wants, at the time of the call
 */
export function treesFor(
  db: Db,
  request: ResolvedRequest,
  { sharing, usage }: { readonly sharing: Sharing; readonly usage: KnownUsage },
  wanted: () => number,
): Trees {
  const chunks = chunksOfTrees(db, request, { sharing, usage }, wanted);
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

/** The fewest and the most trees in a chunk, and the most in the first one. */
const [smallestChunk, largestChunk, firstChunk] = [16, 1000, 128];

/**
 * How many trees the search probably still needs, if it wants some more candidates and has found
 * others in those that it has loaded.
 */
function sizeOfChunk(wanted: number, found: number, loaded: number): number {
  if (wanted === Infinity) return largestChunk;
  if (!loaded) return Math.min(Math.max(wanted, smallestChunk), firstChunk);
  const expected = Math.ceil((wanted * loaded) / Math.max(found, 1));
  return Math.min(Math.max(expected, smallestChunk), largestChunk);
}

/** Loads the trees that may have a candidate. The search in each of them is exact. */
async function* chunksOfTrees(
  db: Db,
  request: ResolvedRequest,
  { sharing, usage }: { readonly sharing: Sharing; readonly usage: KnownUsage },
  wanted: () => number,
): AsyncGenerator<readonly ProviderTree[], undefined> {
  const kept = await keptTrees(db);
  const { root: pinned, resources } = requirementOf(request, sharing);
  const trees =
    pinned === undefined
      ? treesWithTraits(kept, request)
      : [kept.byRoot.get(pinned)!].filter(({ root }) => hasTraits(root, request));
  const limit = wanted();
  let [next, loaded]: [KeptTree[], number] = [[], 0];
  // If the search may need all trees, one statement reads the usage of all.
  let size = limit >= trees.length ? largestChunk : sizeOfChunk(limit, 0, loaded);
  for (const tree of trees) {
    next.push(tree);
    if (next.length < size) continue;
    loaded += next.length;
    yield await loadTrees(db, next, { resources, usage });
    next = [];
    size = sizeOfChunk(wanted(), limit - wanted(), loaded);
  }
  if (next.length) yield await loadTrees(db, next, { resources, usage });
  return undefined;
}

/** The trees whose roots have the traits that a request needs of them, as those of Nova all do. */
function treesWithTraits(kept: KeptTrees, request: ResolvedRequest): readonly KeptTree[] {
  const { rootRequired, rootForbidden } = request;
  if (!rootRequired.length && !rootForbidden.length) return kept.all;
  const traits = `${rootRequired.join()} ${rootForbidden.join()}`;
  if (kept.lastWithTraits?.traits !== traits) {
    const trees = kept.all.filter(({ root }) => hasTraits(root, request));
    kept.lastWithTraits = { traits, trees };
  }
  return kept.lastWithTraits.trees;
}

/** What a tree needs for a request. */
interface Requirement {
  /** Amounts of classes, each of which one of its providers must have free. */
  readonly resources: readonly RequestedResource[];
  /** The root of the only tree to search. */
  readonly root: number | undefined;
}

/** What a tree itself must have for a request, because no sharing provider has it. */
function requirementOf(request: ResolvedRequest, sharing: Sharing): Requirement {
  const resources = request.groups.flatMap((group) => group.resources);
  const pinned = request.groups.find(
    ({ treeRoot, suffix }) => treeRoot !== undefined && (suffix === '' || !sharing.nodes.length),
  );
  return {
    resources: resources.filter(
      ({ classId, amount }) => !sharing.nodes.some((node) => fits(node, classId, amount)),
    ),
    root: pinned?.treeRoot,
  };
}

/**
 * Reads the usage of trees. Those without free resources are left out. Searches share the trees
 * whose usage has not changed in between, so nobody may change them.
 */
export async function loadTrees(
  db: Db,
  trees: readonly KeptTree[],
  {
    resources = [],
    usage = new KnownUsage(),
  }: { readonly resources?: readonly RequestedResource[]; readonly usage?: KnownUsage } = {},
): Promise<ProviderTree[]> {
  const usedAt = await readUsed(db, trees, usage);
  const loaded: ProviderTree[] = [];
  for (const tree of trees)
    if (resources.every((resource) => hasFree(tree, usedAt, resource)))
      loaded.push(sharedTree(tree, usedAt));
  return loaded;
}

/** Reads the usage of all trees, into objects that nobody else has. */
export async function loadOwnTrees(db: Db, trees: readonly KeptTree[]): Promise<ProviderTree[]> {
  const usedAt = await readUsed(db, trees, new KnownUsage());
  return trees.map((tree) => treeWith(tree, usedAt));
}

/** Whether a provider of a tree has an amount free. Each search asks this of each tree. */
function hasFree(
  { places, columns: { classIds, capacities } }: KeptTree,
  usedAt: UsedAt,
  { classId, amount }: RequestedResource,
): boolean {
  for (const [from, until] of places)
    for (let place = from; place < until; place++)
      if (classIds[place] === classId && usedAt(place) + amount <= capacities[place]!) return true;
  return false;
}

/** A tree with what is used of its inventories: the same object for as long as that is the same. */
function sharedTree(kept: KeptTree, usedAt: UsedAt): ProviderTree {
  const isSame = rememberUsed(kept, usedAt) && kept.lastLoaded;
  return isSame || (kept.lastLoaded = treeWith(kept, usedAt));
}

/** Remembers what is used of a tree. @returns whether it was the same when it was loaded last */
function rememberUsed({ places, columns: { lastUsed } }: KeptTree, usedAt: UsedAt): boolean {
  let isSame = true;
  for (const [from, until] of places)
    for (let place = from; place < until; place++) {
      const used = usedAt(place);
      isSame &&= used === lastUsed[place];
      lastUsed[place] = used;
    }
  return isSame;
}

/** A new tree with what is used of its inventories. */
function treeWith({ nodes: kept, places }: KeptTree, usedAt: UsedAt): ProviderTree {
  const nodes = kept.map((node, index): TreeNode => {
    const [first] = places[index]!;
    return {
      id: node.id,
      uuid: node.uuid,
      name: node.name,
      rootId: node.rootId,
      parentId: node.parentId,
      parent: undefined,
      inventories: node.inventories.map((inventory, offset) => ({
        classId: inventory.classId,
        total: inventory.total,
        reserved: inventory.reserved,
        min_unit: inventory.min_unit,
        max_unit: inventory.max_unit,
        step_size: inventory.step_size,
        allocation_ratio: inventory.allocation_ratio,
        used: usedAt(first + offset),
      })),
      traits: node.traits,
      aggregates: node.aggregates,
    };
  });
  if (nodes.length > 1) linkParents(nodes);
  return { root: nodes.find(({ id, rootId }) => id === rootId)!, nodes };
}

function linkParents(nodes: readonly TreeNode[]): void {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  for (const node of nodes) if (node.parentId !== null) node.parent = byId.get(node.parentId);
}
