// Reading provider trees for the search for allocation candidates: roots in order, and everything
// below them.
import type { Knex } from 'knex';
import type { ProviderTree, TreeNode } from '../model.ts';
import { classInventoryColumns, classInventoryOf, type ClassInventoryRow } from './inventories.ts';
import { traitTable } from './names.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { pipelined } from '../../../kernel/db/pipelined.ts';

const sharingTrait = traitTable.standard.get('MISC_SHARES_VIA_AGGREGATE')!;

/** What a tree must have for the search to look at it. All are ids. */
export interface RootFilter {
  /** Amounts of classes that some provider of the tree must have free. */
  readonly resources: readonly { readonly classId: number; readonly amount: number }[];
  /** Traits of the root. */
  readonly required: readonly number[];
  readonly forbidden: readonly number[];
  /** The only root to look at. */
  readonly root: number | undefined;
}

/**
 * The ids of the first `limit` roots after `after` that pass the filter, in order; all of them
 * where there is no limit.
 */
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
    const fitting = db('placement_inventories as i')
      .whereRaw('i.root_id = r.id')
      .where({ 'i.class_id': classId })
      .where('i.min_unit', '<=', amount)
      .where('i.max_unit', '>=', amount)
      .whereRaw('i.used + ? <= (i.total - i.reserved) * i.allocation_ratio', [amount]);
    query.whereRaw('1 = ?', [one(db, fitting)]);
  }
  const holding = (trait: number): Knex.QueryBuilder =>
    one(
      db,
      db('placement_provider_traits as t')
        .whereRaw('t.provider_id = r.id')
        .where({ 't.trait_id': trait }),
    );
  for (const trait of filter.required) query.whereRaw('1 = ?', [holding(trait)]);
  for (const trait of filter.forbidden) query.whereRaw('? IS NULL', [holding(trait)]);
  return (await query.pluck('r.id')) as number[];
}

/**
 * At most one row, as a value. MariaDB turns EXISTS into a join, and then reads every inventory
 * before it finds the first root.
 */
const one = (db: Db, query: Knex.QueryBuilder): Knex.QueryBuilder =>
  query.select(db.raw('1')).limit(1);

/** The ids of all sharing providers (MISC_SHARES_VIA_AGGREGATE), each with the id of its root. */
export async function listSharing(db: Db): Promise<{ id: number; rootId: number }[]> {
  const rows = (await db('placement_provider_traits as t')
    .join('placement_providers as p', 'p.id', 't.provider_id')
    .where('t.trait_id', sharingTrait)
    .orderBy('p.id')
    .select('p.id', 'p.root_id')) as { id: number; root_id: number }[];
  return rows.map((row) => ({ id: row.id, rootId: row.root_id }));
}

interface NodeRow {
  id: number;
  uuid: string;
  root_id: number;
  parent_id: number | null;
}

type InventoryRow = ClassInventoryRow & { provider_id: number };

/**
 * Which trees to load: those of these roots, or those of the next `limit` roots after the root
 * `after`.
 */
export type TreeSelection =
  { readonly roots: readonly number[] } | { readonly after: number; readonly limit: number };

/** What of the trees to load beside providers and inventories. */
export interface TreeDetails {
  /** All traits, or only these, by id. */
  readonly traits: 'all' | readonly number[];
  readonly aggregates: boolean;
}

/** Loads trees, in the order of their roots' ids. */
export async function loadTrees(
  db: Db,
  which: TreeSelection,
  { traits, aggregates }: TreeDetails,
): Promise<ProviderTree[]> {
  const rows = await nodeRows(db, which);
  if (!rows.length) return [];
  const nodes = new Map<number, TreeNode>(rows.map((row) => [row.id, nodeOf(row)]));
  const roots = new Set<number>();
  for (const node of nodes.values()) {
    roots.add(node.rootId);
    node.parent = node.parentId === null ? undefined : nodes.get(node.parentId);
  }
  const rootIds = [...roots].sort((left, right) => left - right);
  // Each provider's few inventories are sorted here: the database would sort thousands of rows.
  const members = membersOf(nodes, rootIds);
  const asked = [loadInventories(db, members, nodes)];
  if (traits === 'all') asked.push(loadLinks(db, 'trait', members, nodes));
  else if (traits.length)
    asked.push(
      loadLinks(db, 'trait', (query) => members(query).whereIn('l.trait_id', traits), nodes),
    );
  if (aggregates) asked.push(loadLinks(db, 'aggregate', members, nodes));
  await pipelined(asked);
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
  for (const row of (await query) as InventoryRow[])
    nodes.get(row.provider_id)?.inventories.push(classInventoryOf(row));
  for (const { inventories } of nodes.values())
    if (inventories.length > 1) inventories.sort((one, other) => one.classId - other.classId);
}

/** Loads the traits or aggregates of providers. These are sorted here too. */
async function loadLinks(
  db: Db,
  what: 'trait' | 'aggregate',
  narrow: Narrow,
  nodes: ReadonlyMap<number, TreeNode>,
): Promise<void> {
  const table = db(`placement_provider_${what}s as l`);
  const rows = (await narrow(table).select('l.provider_id', `l.${what}_id as id`)) as {
    provider_id: number;
    id: number;
  }[];
  for (const row of rows) nodes.get(row.provider_id)?.[`${what}s`].push(row.id);
  for (const { [`${what}s` as const]: ids } of nodes.values())
    if (ids.length > 1) ids.sort((one, other) => one - other);
}

/**
 * Narrows rows that belong to providers (`l.provider_id`) to those of the trees. Trees that were
 * created one after the other have adjacent ids: one range of ids is read, with the few rows of
 * other trees in it. Otherwise the rows are joined with the providers.
 */
function membersOf(nodes: ReadonlyMap<number, TreeNode>, rootIds: readonly number[]): Narrow {
  const ids = [...nodes.keys()];
  const [first, last] = [ids[0]!, ids.at(-1)!];
  if (last - first < ids.length * 2)
    return (query) => query.whereBetween('l.provider_id', [first, last]);
  return (query) =>
    query.join('placement_providers as p', 'p.id', 'l.provider_id').whereIn('p.root_id', rootIds);
}

async function nodeRows(db: Db, which: TreeSelection): Promise<NodeRow[]> {
  if ('roots' in which && !which.roots.length) return [];
  const query = db('placement_providers')
    .orderBy('id')
    .select('id', 'uuid', 'root_id', 'parent_id');
  if ('roots' in which) return query.whereIn('root_id', which.roots);
  // The next roots are all that there are up to the last of them: a range is read faster than
  // hundreds of ids.
  const last = await lastOfNextRoots(db, which.after, which.limit);
  query.where('root_id', '>', which.after);
  if (last !== undefined) query.where('root_id', '<=', last);
  return query;
}

/**
 * The id of the last of the next `limit` roots; undefined where there are not that many. A query of
 * its own: in a join with the providers, MariaDB ignores the limit and reads all of them.
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

const nodeOf = (row: NodeRow): TreeNode => ({
  id: row.id,
  uuid: row.uuid,
  rootId: row.root_id,
  parentId: row.parent_id,
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
