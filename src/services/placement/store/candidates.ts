// Reading trees for a search: roots in order, and everything below them.
import type { Knex } from 'knex';
import type { Node, Stock, Tree } from '../domain/candidates/forest.ts';
import { traitTable } from './names.ts';
import type { Db } from '../../../kernel/db/database.ts';

const sharingTrait = traitTable.standard.get('MISC_SHARES_VIA_AGGREGATE')!;

/** What every root must have in its tree to be worth looking at. */
export interface RootFilter {
  readonly fits: readonly { readonly classId: number; readonly amount: number }[];
  readonly required: readonly number[];
  readonly forbidden: readonly number[];
  readonly only: number | undefined;
}

/** Ids of the first `limit` roots after `after` that the filter lets through, in order; of all of them where there is no limit. */
export async function filterRoots(db: Db, after: number, filter: RootFilter, limit: number | undefined): Promise<number[]> {
  const query = db('placement_providers as r').whereNull('r.parent_id').where('r.id', '>', after).orderBy('r.id');
  if (limit !== undefined) query.limit(limit);
  if (filter.only !== undefined) query.where('r.id', filter.only);
  for (const { classId, amount } of filter.fits) {
    const fitting = db('placement_inventories as i')
      .whereRaw('i.root_id = r.id')
      .where({ 'i.class_id': classId })
      .where('i.min_unit', '<=', amount)
      .where('i.max_unit', '>=', amount)
      .whereRaw('i.used + ? <= (i.total - i.reserved) * i.allocation_ratio', [amount]);
    query.whereRaw('1 = ?', [one(db, fitting)]);
  }
  const holding = (trait: number): Knex.QueryBuilder =>
    one(db, db('placement_provider_traits as t').whereRaw('t.provider_id = r.id').where({ 't.trait_id': trait }));
  for (const trait of filter.required) query.whereRaw('1 = ?', [holding(trait)]);
  for (const trait of filter.forbidden) query.whereRaw('? IS NULL', [holding(trait)]);
  return (await query.pluck('r.id')) as number[];
}

/** One row at the most, as a value. MariaDB makes a join of EXISTS, and then reads every inventory before it finds the first root. */
const one = (db: Db, query: Knex.QueryBuilder): Knex.QueryBuilder => query.select(db.raw('1')).limit(1);

/** Ids of the roots of all providers that share, and of those providers themselves. */
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

interface StockRow {
  provider_id: number;
  class_id: number;
  total: number;
  reserved: number;
  min_unit: number;
  max_unit: number;
  step_size: number;
  allocation_ratio: number;
  used: number;
}

/** Which trees to load: those of given roots, or of the next so many roots after one. */
export type Which = { readonly roots: readonly number[] } | { readonly after: number; readonly limit: number };

/** Trees, in the order of their roots' ids. Traits and aggregates are read where they are wanted. */
export async function loadTrees(
  db: Db,
  which: Which,
  want: { traits: 'all' | readonly number[]; aggregates: boolean },
): Promise<Tree[]> {
  const rows = await nodeRows(db, which);
  if (!rows.length) return [];
  const nodes = new Map<number, Node>(rows.map((row) => [row.id, nodeOf(row)]));
  const roots = new Set<number>();
  for (const node of nodes.values()) {
    roots.add(node.rootId);
    node.parent = node.parentId === null ? undefined : nodes.get(node.parentId);
  }
  const rootIds = [...roots].sort((left, right) => left - right);
  // Sorted here, each provider's few by themselves: the database would sort thousands of rows.
  const members = membersOf(nodes, rootIds);
  const stocks = (await members(db('placement_inventories as l')).select(...stockColumns)) as StockRow[];
  for (const row of stocks) nodes.get(row.provider_id)?.stocks.push(stockOf(row));
  for (const { stocks: own } of nodes.values()) if (own.length > 1) own.sort((one, other) => one.classId - other.classId);
  const { traits, aggregates } = want;
  if (traits === 'all') await link(db, 'trait', members, nodes);
  else if (traits.length) await link(db, 'trait', (query) => members(query).whereIn('l.trait_id', traits), nodes);
  if (aggregates) await link(db, 'aggregate', members, nodes);
  return treesOf(rootIds, nodes);
}

type Narrow = (query: Knex.QueryBuilder) => Knex.QueryBuilder;

/** Reads what traits or aggregates providers have; here too each one's few are sorted by themselves. */
async function link(db: Db, what: 'trait' | 'aggregate', narrow: Narrow, nodes: ReadonlyMap<number, Node>): Promise<void> {
  const table = db(`placement_provider_${what}s as l`);
  const rows = (await narrow(table).select('l.provider_id', `l.${what}_id as id`)) as { provider_id: number; id: number }[];
  for (const row of rows) nodes.get(row.provider_id)?.[`${what}s`].push(row.id);
  for (const { [`${what}s` as const]: ids } of nodes.values()) if (ids.length > 1) ids.sort((one, other) => one - other);
}

/**
 * Narrows rows that belong to providers (`l.provider_id`) to those of the trees. Trees that were made one after the other lie side by
 * side in the tables, and are read in one run, with what little stands between them; others are looked up one by one.
 */
function membersOf(nodes: ReadonlyMap<number, Node>, rootIds: readonly number[]): Narrow {
  const ids = [...nodes.keys()];
  const [first, last] = [ids[0]!, ids.at(-1)!];
  if (last - first < ids.length * 2) return (query) => query.whereBetween('l.provider_id', [first, last]);
  return (query) => query.join('placement_providers as p', 'p.id', 'l.provider_id').whereIn('p.root_id', rootIds);
}

async function nodeRows(db: Db, which: Which): Promise<NodeRow[]> {
  const roots = 'roots' in which ? which.roots : await nextRoots(db, which.after, which.limit);
  if (!roots.length) return [];
  const rows = await db('placement_providers')
    .whereIn('root_id', roots)
    .orderBy('id')
    .select('id', 'uuid', 'root_id', 'parent_id');
  return rows as NodeRow[];
}

/** A query of its own: joined to the providers, MariaDB takes no notice of the limit and walks through all of them. */
async function nextRoots(db: Db, after: number, limit: number): Promise<number[]> {
  return (await db('placement_providers')
    .whereNull('parent_id')
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .pluck('id')) as number[];
}

const stockColumns = [
  'provider_id',
  'class_id',
  'total',
  'reserved',
  'min_unit',
  'max_unit',
  'step_size',
  'allocation_ratio',
  'used',
];

const nodeOf = (row: NodeRow): Node => ({
  id: row.id,
  uuid: row.uuid,
  rootId: row.root_id,
  parentId: row.parent_id,
  parent: undefined,
  stocks: [],
  traits: [],
  aggregates: [],
});

const stockOf = (row: StockRow): Stock => ({
  classId: row.class_id,
  total: row.total,
  reserved: row.reserved,
  minUnit: row.min_unit,
  maxUnit: row.max_unit,
  stepSize: row.step_size,
  ratio: row.allocation_ratio,
  used: Number(row.used),
});

function treesOf(rootIds: readonly number[], nodes: ReadonlyMap<number, Node>): Tree[] {
  const members = new Map<number, Node[]>(rootIds.map((id) => [id, []]));
  for (const node of nodes.values()) members.get(node.rootId)?.push(node);
  return rootIds.flatMap((id) => (nodes.has(id) ? [{ root: nodes.get(id)!, nodes: members.get(id)! }] : []));
}
