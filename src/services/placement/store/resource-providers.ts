// Resource providers: the rows of the trees.
import type { Knex } from 'knex';
import type { Micros } from '../../../kernel/clock.ts';
import { SerializationFailure } from '../../../kernel/db/errors.ts';
import { requireAffectedRow } from '../../../kernel/db/optimistic-lock.ts';
import type { ApiError } from '../../../kernel/errors.ts';
import type { ClassInventory, Provider } from '../model.ts';
import { classInventoryColumns, classInventoryOf, type ClassInventoryRow } from './inventories.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { deferred } from '../../../kernel/db/transaction.ts';

interface Row {
  id: number;
  uuid: string;
  name: string;
  generation: number;
  root_id: number;
  root_uuid: string;
  parent_id: number | null;
  parent_uuid: string | null;
  created_at: number;
  updated_at: number | null;
}

const record = (row: Row): Provider => ({
  id: row.id,
  uuid: row.uuid,
  name: row.name,
  generation: row.generation,
  rootId: row.root_id,
  rootUuid: row.root_uuid,
  parentId: row.parent_id,
  parentUuid: row.parent_uuid,
  createdAt: Number(row.created_at),
  updatedAt: row.updated_at === null ? null : Number(row.updated_at),
});

const select = (db: Db): Knex.QueryBuilder =>
  db('placement_providers as p')
    .join('placement_providers as r', 'r.id', 'p.root_id')
    .leftJoin('placement_providers as q', 'q.id', 'p.parent_id')
    .select('p.*', 'r.uuid as root_uuid', 'q.uuid as parent_uuid');

export async function findProvider(db: Db, uuid: string): Promise<Provider | undefined> {
  const row = (await select(db).where('p.uuid', uuid).first()) as Row | undefined;
  return row && record(row);
}

/** A provider, and what it has of each class. */
export interface StockedProvider extends Provider {
  readonly inventories: readonly ClassInventory[];
}

type StockRow = Row & (ClassInventoryRow | { class_id: null });

/**
 * The providers of these UUIDs that exist, by UUID, with their inventories: read by one statement,
 * they agree.
 */
export async function findStocked(
  db: Db,
  uuids: readonly string[],
): Promise<Map<string, StockedProvider>> {
  if (!uuids.length) return new Map();
  const rows = (await select(db)
    .leftJoin('placement_inventories as i', 'i.provider_id', 'p.id')
    .whereIn('p.uuid', [...new Set(uuids)])
    .orderBy(['p.id', 'i.class_id'])
    .select(classInventoryColumns.map((column) => `i.${column}`))) as StockRow[];
  const found = new Map<string, Provider & { inventories: ClassInventory[] }>();
  for (const row of rows) {
    const provider = found.get(row.uuid) ?? { ...record(row), inventories: [] };
    found.set(row.uuid, provider);
    if (row.class_id !== null) provider.inventories.push(classInventoryOf(row));
  }
  return found;
}

/** The providers of these UUIDs that exist, by UUID. */
export async function findProviders(
  db: Db,
  uuids: readonly string[],
): Promise<Map<string, Provider>> {
  if (!uuids.length) return new Map();
  const rows = (await select(db)
    .whereIn('p.uuid', [...new Set(uuids)])
    .orderBy('p.id')) as Row[];
  return new Map(rows.map((row) => [row.uuid, record(row)]));
}

export async function providersById(db: Db, ids: readonly number[]): Promise<Provider[]> {
  return ids.length
    ? ((await select(db).whereIn('p.id', ids).orderBy('p.id')) as Row[]).map(record)
    : [];
}

/** The providers of a tree, in the order of their ids. */
export async function listTree(db: Db, rootId: number): Promise<Provider[]> {
  return ((await select(db).where('p.root_id', rootId).orderBy('p.id')) as Row[]).map(record);
}

/** An amount of a resource class that must be free. */
export interface ResourceFilter {
  readonly classId: number;
  readonly amount: number;
}

/**
 * The filters of a list of providers, in ids. Of each set in a list of sets the provider must have
 * one.
 */
export interface ProviderFilter {
  readonly name?: string;
  readonly uuid?: string;
  readonly rootId?: number;
  readonly resources?: readonly ResourceFilter[];
  readonly requiredTraits?: readonly (readonly number[])[];
  readonly forbiddenTraits?: readonly number[];
  readonly aggregates?: readonly (readonly number[])[];
  readonly forbiddenAggregates?: readonly number[];
}

/** The providers that pass every filter themselves, in the order of their ids. */
export async function listProviders(db: Db, filter: ProviderFilter): Promise<Provider[]> {
  const query = select(db).orderBy('p.id');
  if (filter.name !== undefined) query.where('p.name', filter.name);
  if (filter.uuid !== undefined) query.where('p.uuid', filter.uuid);
  if (filter.rootId !== undefined) query.where('p.root_id', filter.rootId);
  for (const resource of filter.resources ?? []) query.whereIn('p.id', fitting(db, resource));
  for (const any of filter.requiredTraits ?? []) query.whereIn('p.id', holders(db, 'trait', any));
  if (filter.forbiddenTraits?.length)
    query.whereNotIn('p.id', holders(db, 'trait', filter.forbiddenTraits));
  for (const any of filter.aggregates ?? []) query.whereIn('p.id', holders(db, 'aggregate', any));
  if (filter.forbiddenAggregates?.length)
    query.whereNotIn('p.id', holders(db, 'aggregate', filter.forbiddenAggregates));
  return ((await query) as Row[]).map(record);
}

const holders = (db: Db, what: 'trait' | 'aggregate', ids: readonly number[]): Knex.QueryBuilder =>
  db(`placement_provider_${what}s`).whereIn(`${what}_id`, ids).select('provider_id');

/** The ids of providers that have the amount free and can allocate it to one consumer. */
const fitting = (db: Db, { classId, amount }: ResourceFilter): Knex.QueryBuilder =>
  db('placement_inventories')
    .where({ class_id: classId })
    .where('min_unit', '<=', amount)
    .where('max_unit', '>=', amount)
    .whereRaw('? % step_size = 0', [amount])
    .whereRaw('used + ? <= (total - reserved) * allocation_ratio', [amount])
    .select('provider_id');

/**
 * Writes a provider, in the tree of its parent where it has one.
 * @throws the driver's duplicate error for name or UUID
 */
export async function insertProvider(
  db: Db,
  fields: { uuid: string; name: string; parent: Provider | undefined; now: Micros },
): Promise<void> {
  const { uuid, name, parent, now } = fields;
  if (parent) {
    // The statement that writes the root also reads it: another request may be moving the parent to
    // another tree.
    const columns = ['uuid', 'name', 'generation', 'root_id', 'parent_id', 'created_at'];
    const values = db('placement_providers')
      .where({ id: parent.id })
      .select(db.raw('?, ?, 0', [uuid, name]), 'root_id', 'id', db.raw('?', [now]));
    await db(db.raw(`placement_providers (${columns.join(', ')})`) as unknown as string).insert(
      values,
    );
    return;
  }
  const [id] = (await db('placement_providers').insert({
    uuid,
    name,
    generation: 0,
    created_at: now,
  })) as number[];
  // Only a root is written twice, so only a root has a time of update from the start. Upstream does
  // the same.
  await deferred(db('placement_providers').where({ id }).update({ root_id: id, updated_at: now }));
}

/** An undefined parent stays as it is. @throws the driver's duplicate error for the name */
export async function updateProvider(
  db: Db,
  id: number,
  fields: { name: string; parentId: number | null | undefined; now: Micros },
): Promise<void> {
  const { name, parentId, now } = fields;
  const columns = {
    name,
    ...(parentId === undefined ? {} : { parent_id: parentId }),
    updated_at: now,
  };
  await requireAffectedRow(
    db('placement_providers').where({ id }).update(columns),
    'resource provider',
  );
}

/**
 * Writes another root for the providers of a subtree, and for providers that were just created
 * below them.
 */
export async function moveToRoot(
  db: Db,
  ids: readonly number[],
  rootId: number,
  now: Micros,
): Promise<void> {
  await db('placement_providers')
    .whereIn('id', ids)
    .orWhereIn('parent_id', ids)
    .update({ root_id: rootId, updated_at: now });
  await db('placement_inventories').whereIn('provider_id', ids).update({ root_id: rootId });
}

export async function hasChildren(db: Db, id: number): Promise<boolean> {
  return (await db('placement_providers').where({ parent_id: id }).first('id')) !== undefined;
}

/**
 * Locks providers against other writers until the end of the transaction, where the database has
 * row locks (on Galera within a node). Allocations write providers in the same order, that of their
 * ids: two transactions then wait for each other and do not deadlock.
 */
export async function lockProviders(db: Db, ids: readonly number[]): Promise<void> {
  for (const id of [...new Set(ids)].sort((one, other) => one - other)) {
    const own = db('placement_providers').where({ id });
    await deferred(own.update({ generation: db.ref('generation') }));
  }
}

/**
 * Deletes a provider with its inventories, traits and aggregates.
 * @throws the driver's foreign key error where it has children or allocations
 */
export async function deleteProviderRow(db: Db, id: number): Promise<void> {
  for (const table of [
    'placement_inventories',
    'placement_provider_traits',
    'placement_provider_aggregates',
  ]) {
    await db(table).where({ provider_id: id }).delete();
  }
  await requireAffectedRow(db('placement_providers').where({ id }).delete(), 'resource provider');
}

/**
 * Increments the provider's generation if it still is the one that was read. Every write of a
 * provider's inventories, traits, aggregates or allocations goes through this compare-and-swap.
 * @param refusal what the client is told after the last retry
 * @param together the ids of all providers that the request writes, where it writes several:
 *   retries lock them first
 * @throws Contention where another writer was faster
 */
export async function bumpGeneration(
  db: Db,
  provider: Provider,
  now: Micros,
  refusal: ApiError,
  together: readonly number[] = [provider.id],
): Promise<Provider> {
  const { id, generation, rootId } = provider;
  // `+ 0` keeps the index of `root_id` out: MariaDB locks its entry before the row, and deadlocks
  // with a transaction that has the row.
  const changed = await db('placement_providers')
    .where({ id, generation })
    .whereRaw('root_id + 0 = ?', [rootId])
    .update({ generation: generation + 1, updated_at: now });
  if (!changed)
    throw new SerializationFailure(refusal, (retried) => lockProviders(retried, together));
  return { ...provider, generation: generation + 1, updatedAt: now };
}
