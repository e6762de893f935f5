// Reads provider trees for the search for allocation candidates.
import type { Knex } from 'knex';
import type { ProviderTree, TreeNode } from '../model.ts';
import { classInventoryColumns, classInventoryOf } from './inventories.ts';
import { traitTable } from './names.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { pipelined } from '../../../kernel/db/pipelined.ts';

const sharingTrait = traitTable.standardIds.get('MISC_SHARES_VIA_AGGREGATE')!;

/** The conditions, as ids, that a tree must meet to be searched. */
export interface RootFilter {
  /** Amounts of classes, each of which some provider of the tree must have free. */
  readonly resources: readonly { readonly classId: number; readonly amount: number }[];
  /** Traits of the root. */
  readonly required: readonly number[];
  readonly forbidden: readonly number[];
  /** The only root to search. */
  readonly root: number | undefined;
}

/** Lists the ids of the roots after `after` that pass the filter, in order and up to `limit`. */
export async function filterRoots(
  db: Db,
  after: number,
  filter: RootFilter,
  limit: number | undefined,
): Promise<number[]> {
  const query = db('placement_providers as r')
    .whereNull('r.parent_id')
    .where('r.id', '>', after)
    .orderBy('r.id');
  if (limit !== undefined) query.limit(limit);
  if (filter.root !== undefined) query.where('r.id', filter.root);
  for (const { classId, amount } of filter.resources) {
    const withFreeAmount = db('placement_inventories as i')
      .whereRaw('i.root_id = r.id')
      .where({ 'i.class_id': classId })
      .where('i.min_unit', '<=', amount)
      .where('i.max_unit', '>=', amount)
      .whereRaw('i.used + ? <= (i.total - i.reserved) * i.allocation_ratio', [amount]);
    query.whereRaw('1 = ?', [oneOf(db, withFreeAmount)]);
  }
  const linkTo = (trait: number): Knex.QueryBuilder =>
    oneOf(
      db,
      db('placement_provider_traits as t')
        .whereRaw('t.provider_id = r.id')
        .where({ 't.trait_id': trait }),
    );
  for (const trait of filter.required) query.whereRaw('1 = ?', [linkTo(trait)]);
  for (const trait of filter.forbidden) query.whereRaw('? IS NULL', [linkTo(trait)]);
  return (await query.pluck('r.id')) as number[];
}

/**
 * Selects 1 if the query finds a row, and NULL otherwise. It replaces EXISTS, which MariaDB turns
 * into a join that reads every inventory before it finds the first root.
 */
const oneOf = (db: Db, query: Knex.QueryBuilder): Knex.QueryBuilder =>
  query.select(db.raw('1')).limit(1);

/** Lists the sharing providers (MISC_SHARES_VIA_AGGREGATE). */
export async function listSharing(db: Db): Promise<{ id: number; rootId: number }[]> {
  return db('placement_provider_traits as t')
    .join('placement_providers as p', 'p.id', 't.provider_id')
    .where('t.trait_id', sharingTrait)
    .orderBy('p.id')
    .select('p.id', 'p.root_id as rootId');
}

/** Selects the trees of some roots, or of the next `limit` roots after the root `after`. */
export type TreeSelection =
  { readonly roots: readonly number[] } | { readonly after: number; readonly limit: number };

/** What to load in addition to providers and inventories. */
export interface TreeDetails {
  /** All traits, or only those with these ids. */
  readonly traits: 'all' | readonly number[];
  readonly aggregates: boolean;
}

/** Loads trees in the order of their roots' ids. */
export async function loadTrees(
  db: Db,
  selection: TreeSelection,
  { traits, aggregates }: TreeDetails,
): Promise<ProviderTree[]> {
  const rows = await listNodes(db, selection);
  if (!rows.length) return [];
  const nodes = new Map<number, TreeNode>(rows.map((row) => [row.id, nodeOf(row)]));
  const roots = new Set<number>();
  for (const node of nodes.values()) {
    roots.add(node.rootId);
    node.parent = node.parentId === null ? undefined : nodes.get(node.parentId);
  }
  const rootIds = [...roots].sort((left, right) => left - right);
  // Each provider's few inventories are sorted here, because the database would sort thousands of
  // rows at once.
  const members = membersOf(nodes, rootIds);
  const loading = [loadInventories(db, members, nodes)];
  if (traits === 'all') loading.push(loadLinks(db, 'trait', members, nodes));
  else if (traits.length)
    loading.push(
      loadLinks(db, 'trait', (query) => members(query).whereIn('l.trait_id', traits), nodes),
    );
  if (aggregates) loading.push(loadLinks(db, 'aggregate', members, nodes));
  await pipelined(loading);
  return treesOf(rootIds, nodes);
}

type Narrow = (query: Knex.QueryBuilder) => Knex.QueryBuilder;

async function loadInventories(
  db: Db,
  members: Narrow,
  nodes: ReadonlyMap<number, TreeNode>,
): Promise<void> {
  const query = members(db('placement_inventories as l')).select(
    'provider_id',
    ...classInventoryColumns,
  );
  for (const row of (await query) as { provider_id: number }[])
    nodes.get(row.provider_id)?.inventories.push(classInventoryOf(row));
  for (const { inventories } of nodes.values())
    if (inventories.length > 1) inventories.sort((one, other) => one.classId - other.classId);
}

/** Loads the traits or aggregates of providers, and sorts them as well. */
async function loadLinks(
  db: Db,
  kind: 'trait' | 'aggregate',
  narrow: Narrow,
  nodes: ReadonlyMap<number, TreeNode>,
): Promise<void> {
  const table = db(`placement_provider_${kind}s as l`);
  const rows = (await narrow(table).select('l.provider_id', `l.${kind}_id as id`)) as {
    provider_id: number;
    id: number;
  }[];
  for (const row of rows) nodes.get(row.provider_id)?.[`${kind}s`].push(row.id);
  for (const { [`${kind}s` as const]: ids } of nodes.values())
    if (ids.length > 1) ids.sort((one, other) => one - other);
}

/**
 * Narrows rows that belong to providers (`l.provider_id`) to those of the trees. Trees that were
 * created in succession have adjacent ids, so the query reads one range of ids, including a few
 * rows of other trees. Otherwise it joins the rows with the providers.
 */
function membersOf(nodes: ReadonlyMap<number, TreeNode>, rootIds: readonly number[]): Narrow {
  const ids = [...nodes.keys()];
  const [first, last] = [ids[0]!, ids.at(-1)!];
  if (last - first < ids.length * 2)
    return (query) => query.whereBetween('l.provider_id', [first, last]);
  return (query) =>
    query.join('placement_providers as p', 'p.id', 'l.provider_id').whereIn('p.root_id', rootIds);
}

type Node = Pick<TreeNode, 'id' | 'uuid' | 'rootId' | 'parentId'>;

async function listNodes(db: Db, selection: TreeSelection): Promise<Node[]> {
  if ('roots' in selection && !selection.roots.length) return [];
  const query = db('placement_providers')
    .orderBy('id')
    .select('id', 'uuid', 'root_id as rootId', 'parent_id as parentId');
  if ('roots' in selection) return query.whereIn('root_id', selection.roots);
  // The next roots are all roots up to the last of them. The database reads a range faster than
  // hundreds of ids.
  const last = await lastOfNextRoots(db, selection.after, selection.limit);
  query.where('root_id', '>', selection.after);
  if (last !== undefined) query.where('root_id', '<=', last);
  return query;
}

/**
 * Finds the id of the last of the next `limit` roots; undefined if there are fewer. This is a
 * separate query, because MariaDB ignores the limit in a join with the providers and reads all of
 * them.
 */
async function lastOfNextRoots(db: Db, after: number, limit: number): Promise<number | undefined> {
  const roots = db('placement_providers')
    .whereNull('parent_id')
    .where('id', '>', after)
    .orderBy('id');
  const [last] = (await roots
    .offset(limit - 1)
    .limit(1)
    .pluck('id')) as number[];
  return last;
}

const nodeOf = ({ id, uuid, rootId, parentId }: Node): TreeNode => ({
  id,
  uuid,
  rootId,
  parentId,
  parent: undefined,
  inventories: [],
  traits: [],
  aggregates: [],
});

function treesOf(rootIds: readonly number[], nodes: ReadonlyMap<number, TreeNode>): ProviderTree[] {
  const members = new Map<number, TreeNode[]>(rootIds.map((id) => [id, []]));
  for (const node of nodes.values()) members.get(node.rootId)?.push(node);
  return rootIds.flatMap((id) =>
    nodes.has(id) ? [{ root: nodes.get(id)!, nodes: members.get(id)! }] : [],
  );
}
