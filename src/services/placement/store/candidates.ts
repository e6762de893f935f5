// Reading trees for a search: roots in order, and everything below them.
import type { Db } from '../../../kernel/db/open.ts';
import type { Node, Stock, Tree } from '../domain/candidates/forest.ts';
import { traitTable } from './names.ts';

const sharingTrait = traitTable.standard.get('MISC_SHARES_VIA_AGGREGATE')!;

/** Ids of roots after `after`, in order. */
export async function listRoots(db: Db, after: number, limit: number): Promise<number[]> {
  return (await db('placement_providers')
    .whereNull('parent_id')
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .pluck('id')) as number[];
}

/** What every root must have in its tree to be worth looking at. */
export interface RootFilter {
  readonly fits: readonly { readonly classId: number; readonly amount: number }[];
  readonly required: readonly number[];
  readonly forbidden: readonly number[];
  readonly only: number | undefined;
}

/** Ids of the roots after `after` that the filter lets through, in order. */
export async function filterRoots(db: Db, after: number, filter: RootFilter): Promise<number[]> {
  const query = db('placement_providers as r').whereNull('r.parent_id').where('r.id', '>', after).orderBy('r.id');
  if (filter.only !== undefined) query.where('r.id', filter.only);
  for (const { classId, amount } of filter.fits) {
    query.whereExists(
      db('placement_inventories as i')
        .whereRaw('i.root_id = r.id')
        .where({ 'i.class_id': classId })
        .where('i.min_unit', '<=', amount)
        .where('i.max_unit', '>=', amount)
        .whereRaw('i.used + ? <= (i.total - i.reserved) * i.allocation_ratio', [amount])
        .select(db.raw('1')),
    );
  }
  const holds = (trait: number): ReturnType<Db['queryBuilder']> =>
    db('placement_provider_traits as t')
      .whereRaw('t.provider_id = r.id')
      .where({ 't.trait_id': trait })
      .select(db.raw('1')) as never;
  for (const trait of filter.required) query.whereExists(holds(trait));
  for (const trait of filter.forbidden) query.whereNotExists(holds(trait));
  return (await query.pluck('r.id')) as number[];
}

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

/** The trees of these roots, in the order of the roots. Traits and aggregates are read where they are wanted. */
export async function loadTrees(
  db: Db,
  rootIds: readonly number[],
  want: { traits: boolean; aggregates: boolean },
): Promise<Tree[]> {
  if (!rootIds.length) return [];
  const rows = (await db('placement_providers')
    .whereIn('root_id', rootIds)
    .orderBy('id')
    .select('id', 'uuid', 'root_id', 'parent_id')) as NodeRow[];
  const nodes = new Map<number, Node>(rows.map((row) => [row.id, nodeOf(row)]));
  for (const node of nodes.values()) node.parent = node.parentId === null ? undefined : nodes.get(node.parentId);
  const stocks = (await db('placement_inventories')
    .whereIn('root_id', rootIds)
    .orderBy(['root_id', 'class_id', 'provider_id'])) as StockRow[];
  for (const row of stocks) nodes.get(row.provider_id)?.stocks.push(stockOf(row));
  for (const what of ['trait', 'aggregate'] as const) {
    if (!want[`${what}s`]) continue;
    const links = (await db(`placement_provider_${what}s as l`)
      .join('placement_providers as p', 'p.id', 'l.provider_id')
      .whereIn('p.root_id', rootIds)
      .orderBy(['l.provider_id', `l.${what}_id`])
      .select('l.provider_id', `l.${what}_id as id`)) as { provider_id: number; id: number }[];
    for (const link of links) nodes.get(link.provider_id)?.[`${what}s`].push(link.id);
  }
  return treesOf(rootIds, nodes);
}

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
