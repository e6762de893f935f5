// Resource providers and their trees.
import type { Knex } from 'knex';
import type { Micros } from '../../../kernel/clock.ts';
import {
  integer,
  micros,
  named,
  nullable,
  referring,
  text,
  uuid,
  type Row,
} from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { SerializationFailure } from '../../../kernel/db/errors.ts';
import { grouped } from '../../../kernel/db/grouping.ts';
import { guarded } from '../../../kernel/db/guarded.ts';
import { requireAffectedRow } from '../../../kernel/db/optimistic-lock.ts';
import { batchesOf } from '../../../kernel/db/owned-rows.ts';
import { insertRow, Recurring } from '../../../kernel/db/drivers/recurring.ts';
import { SharedReads } from '../../../kernel/db/shared-reads.ts';
import { Table } from '../../../kernel/db/table.ts';
import { deferred } from '../../../kernel/db/transaction.ts';
import type { ApiError } from '../../../kernel/errors.ts';
import type {
  ClaimedProvider,
  ClassInventory,
  Provider,
  ProviderWithInventories,
} from '../model.ts';
import { classInventoryColumns, classInventoryOf, hasRoom } from './inventories.ts';
import { allProvidersChange, providerChange } from './trees-revision.ts';

const recurring = new Recurring();

const tableName = 'placement_providers';

const providers = new Table<Provider, 'id'>(
  tableName,
  {
    id: integer,
    uuid,
    name: text,
    generation: integer,
    rootId: referring(integer, 'placement_providers.id'),
    rootUuid: named('root.uuid', text),
    parentId: nullable(integer),
    parentUuid: named('parent.uuid', nullable(text)),
    createdAt: micros,
    updatedAt: nullable(micros),
  },
  {
    generated: 'id',
    join: (query) =>
      void query
        .join(`${tableName} as root`, 'root.id', `${tableName}.root_id`)
        .leftJoin(`${tableName} as parent`, 'parent.id', `${tableName}.parent_id`),
  },
);

const idColumn = providers.column('id');

const sharedProviders = new SharedReads(findProviders);

export const findProvider = (db: Db, uuid: string): Promise<Provider | undefined> =>
  sharedProviders.find(db, uuid);

/** A provider with one of its inventories, or with none. */
interface InventoryRow extends Row {
  readonly id: number;
  readonly uuid: string;
  readonly class_id: number | null;
}

/**
 * Finds providers and their inventories by UUID. Unknown UUIDs are left out. A single statement
 * reads all of it, so that generations and inventories are consistent.
 */
export async function findProvidersWithInventories(
  db: Db,
  uuids: readonly string[],
): Promise<Map<string, ProviderWithInventories>> {
  if (!uuids.length) return new Map();
  const distinct = [...new Set(uuids)];
  const name = `${distinct.length} providers with inventories`;
  const rows = await recurring.statement<InventoryRow[]>(db, name, distinct, (wanted) =>
    providers
      .query(db)
      .leftJoin('placement_inventories as i', 'i.provider_id', idColumn)
      .whereIn(providers.column('uuid'), wanted)
      .orderBy([idColumn, 'i.class_id'])
      .select(classInventoryColumns.map((column) => `i.${column}`)),
  );
  return byUuid(rows, providers.record);
}

/**
 * Finds what a claim has to know of providers, by UUID. Unknown UUIDs are left out. A single
 * statement reads all of it, without the names and the times that a claim does not need.
 */
export async function findClaimedProviders(
  db: Db,
  uuids: readonly string[],
): Promise<Map<string, ClaimedProvider>> {
  const distinct = [...new Set(uuids)];
  if (!distinct.length) return new Map();
  const name = `${distinct.length} claimed providers`;
  const rows = await recurring.statement<InventoryRow[]>(db, name, distinct, (wanted) =>
    db(`${tableName} as p`)
      .leftJoin('placement_inventories as i', 'i.provider_id', 'p.id')
      .whereIn('p.uuid', wanted)
      .orderBy(['p.id', 'i.class_id'])
      .select('p.id', 'p.uuid', ...classInventoryColumns.map((column) => `i.${column}`)),
  );
  return byUuid(rows, ({ id, uuid }) => ({ id, uuid }));
}

/** Collects the inventories of each provider, by its UUID. */
function byUuid<P, Of extends InventoryRow>(
  rows: readonly Of[],
  providerOf: (row: Of) => P,
): Map<string, P & { inventories: ClassInventory[] }> {
  const found = new Map<string, P & { inventories: ClassInventory[] }>();
  for (const row of rows) {
    const provider = found.get(row.uuid) ?? { ...providerOf(row), inventories: [] };
    found.set(row.uuid, provider);
    if (row.class_id !== null) provider.inventories.push(classInventoryOf(row));
  }
  return found;
}

/** Finds providers by UUID. Unknown UUIDs are left out. */
export async function findProviders(
  db: Db,
  uuids: readonly string[],
): Promise<Map<string, Provider>> {
  if (!uuids.length) return new Map();
  const found = await providers.list(db, { where: { uuid: [...new Set(uuids)] } });
  return new Map(found.map((provider) => [provider.uuid, provider]));
}

export const findProvidersNamed = async (db: Db, names: readonly string[]): Promise<Provider[]> =>
  names.length ? providers.list(db, { where: { name: names } }) : [];

export const providersById = async (db: Db, ids: readonly number[]): Promise<Provider[]> =>
  ids.length ? providers.list(db, { where: { id: ids } }) : [];

/** Lists the providers of a tree in the order of their ids. */
export const listTree = (db: Db, rootId: number): Promise<Provider[]> =>
  providers.list(db, { where: { rootId } });

/** An amount of a resource class that must be free. */
export interface ResourceFilter {
  readonly classId: number;
  readonly amount: number;
}

/**
 * The filters of a list of providers, as ids. In a list of sets, a provider must have at least one
 * id of each set.
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

/** Lists the providers that pass every filter by themselves, in the order of their ids. */
export async function listProviders(db: Db, filter: ProviderFilter): Promise<Provider[]> {
  const { name, uuid, rootId } = filter;
  const query = providers.query(db).orderBy(idColumn);
  providers.narrow(query, { name, uuid, rootId });
  for (const resource of filter.resources ?? [])
    query.whereIn(idColumn, withFreeResource(db, resource));
  for (const any of filter.requiredTraits ?? [])
    query.whereIn(idColumn, linkedTo(db, 'trait', any));
  if (filter.forbiddenTraits?.length)
    query.whereNotIn(idColumn, linkedTo(db, 'trait', filter.forbiddenTraits));
  for (const any of filter.aggregates ?? [])
    query.whereIn(idColumn, linkedTo(db, 'aggregate', any));
  if (filter.forbiddenAggregates?.length)
    query.whereNotIn(idColumn, linkedTo(db, 'aggregate', filter.forbiddenAggregates));
  return providers.read(query);
}

/** Selects the ids of the providers that have one of these traits or aggregates. */
const linkedTo = (db: Db, kind: 'trait' | 'aggregate', ids: readonly number[]): Knex.QueryBuilder =>
  db(`placement_provider_${kind}s`).whereIn(`${kind}_id`, ids).select('provider_id');

/** Selects the ids of the providers that can allocate the amount to one consumer. */
const withFreeResource = (db: Db, { classId, amount }: ResourceFilter): Knex.QueryBuilder =>
  db('placement_inventories')
    .where({ class_id: classId })
    .where('min_unit', '<=', amount)
    .where('max_unit', '>=', amount)
    .whereRaw('? % step_size = 0', [amount])
    .whereRaw(hasRoom, [amount])
    .select('provider_id');

/**
 * Inserts a provider into the tree of its parent, or as a root.
 * @returns undefined if another transaction has just deleted the parent
 * @throws the driver's duplicate error if the name or the UUID exists
 */
export async function insertProvider(
  db: Db,
  fields: { uuid: string; name: string; parent: Provider | undefined; now: Micros },
): Promise<Provider | undefined> {
  const { uuid, name, parent, now } = fields;
  const common = { uuid, name, generation: 0, createdAt: now };
  if (parent) {
    // The root's id is read in the statement that writes it, because another transaction may be
    // moving the parent to another tree.
    const columns = 'uuid, name, generation, root_id, parent_id, created_at';
    const values = [uuid, name, now, parent.id];
    const [id] = await recurring.statement<number[]>(db, 'insert a child', values, (given) => {
      const [newUuid, newName, createdAt, parentId] = given as [string, string, string, string];
      const row = db(tableName)
        .where({ id: parentId })
        .select(db.raw('?, ?, 0', [newUuid, newName]), 'root_id', 'id', db.raw('?', [createdAt]));
      return db(db.raw(`${tableName} (${columns})`)).insert(row);
    });
    if (!id) return undefined;
    providerChange(db, id);
    // If another transaction has just moved the parent, this is the tree that it was in before, as
    // if the provider had been inserted first.
    const { id: parentId, uuid: parentUuid, rootId, rootUuid } = parent;
    return { ...common, id, rootId, rootUuid, parentId, parentUuid, updatedAt: null };
  }
  const row = providers.row(common);
  const [id] = await insertRow(db, tableName, row);
  providerChange(db, id!);
  // Only a root is written twice, so only a root has an update time from the start. Upstream does
  // the same.
  await deferred(providers.update(db, { id: id! }, { rootId: id!, updatedAt: now }));
  const root = { rootId: id!, rootUuid: uuid, parentId: null, parentUuid: null };
  return { ...common, id: id!, ...root, updatedAt: now };
}

/** A provider without a parent, to insert. */
export type NewRoot = Pick<Provider, 'uuid' | 'name' | 'generation'>;

/**
 * Inserts providers without parents.
 * @returns them by UUID
 * @throws the driver's duplicate error if a name or a UUID exists
 */
export async function insertRoots(
  db: Db,
  roots: readonly NewRoot[],
  now: Micros,
): Promise<Map<string, Provider>> {
  allProvidersChange(db);
  for (const batch of batchesOf(roots)) {
    const uuids = batch.map(({ uuid }) => uuid);
    await db(tableName).insert(batch.map((root) => providers.row({ ...root, createdAt: now })));
    const inserted = db(tableName).whereIn('uuid', uuids);
    await inserted.update({ root_id: db.ref('id'), updated_at: now });
  }
  const uuids = roots.map(({ uuid }) => uuid);
  const found = await providers.among(db, 'uuid', uuids);
  return new Map(found.map((provider) => [provider.uuid, provider]));
}

/** Finds the first of these names that a provider has. */
export const findTakenName = async (
  db: Db,
  names: readonly string[],
): Promise<string | undefined> => (await providers.among(db, 'name', names))[0]?.name;

/**
 * Updates the name of a provider, and its parent if `parentId` is given.
 * @throws the driver's duplicate error if the name exists
 */
export async function updateProvider(
  db: Db,
  id: number,
  fields: { name: string; parentId?: number | null; updatedAt: Micros },
): Promise<void> {
  providerChange(db, id);
  await requireAffectedRow(providers.update(db, { id }, fields), 'resource provider');
}

/**
 * Changes the root of the providers of a subtree, including children that other transactions have
 * just created below them.
 */
export async function moveToRoot(
  db: Db,
  ids: readonly number[],
  rootId: number,
  now: Micros,
): Promise<void> {
  allProvidersChange(db); // those of children that other transactions have just created, too
  await db(tableName)
    .whereIn('id', ids)
    .orWhereIn('parent_id', ids)
    .update({ root_id: rootId, updated_at: now });
  await db('placement_inventories').whereIn('provider_id', ids).update({ root_id: rootId });
}

export const hasChildren = (db: Db, id: number): Promise<boolean> =>
  providers.exists(db, { parentId: id });

/**
 * Locks providers against other writers until the end of the transaction, if the database has row
 * locks (on Galera, within one node). Allocations write providers in the same order, by id, so that
 * two transactions wait for each other instead of deadlocking.
 */
export async function lockProviders(db: Db, ids: readonly number[]): Promise<void> {
  for (const id of [...new Set(ids)].sort((one, other) => one - other)) {
    const provider = db(tableName).where({ id });
    await deferred(provider.update({ generation: db.ref('generation') }));
  }
}

/**
 * Deletes a provider with its inventories, traits and aggregates.
 * @throws the driver's foreign key error if it has children or allocations
 */
export async function deleteProviderRow(db: Db, id: number): Promise<void> {
  providerChange(db, id);
  for (const table of [
    'placement_inventories',
    'placement_provider_traits',
    'placement_provider_aggregates',
  ]) {
    await db(table).where({ provider_id: id }).delete();
  }
  await requireAffectedRow(providers.remove(db, { id }), 'resource provider');
}

/**
 * Increments a provider's generation if no other transaction has changed the provider since it was
 * read. Every write to a provider's inventories, traits or aggregates begins with this
 * compare-and-swap.
 * @param refusal the error that the client gets if every attempt fails
 * @throws SerializationFailure with `refusal` if another transaction has changed the provider, as
 *   `guarded`
 */
export async function bumpGeneration(
  db: Db,
  provider: Provider,
  now: Micros,
  refusal: () => ApiError,
): Promise<Provider> {
  const { id, generation, rootId } = provider;
  // `+ 0` prevents the use of the index on `root_id`. MariaDB would lock its entry before the row,
  // and deadlock with a transaction that has locked the row.
  const values = [id, generation, rootId, generation + 1, now];
  const write = recurring.statement<number>(db, 'bump a generation', values, (given) => {
    const [providerId, before, root, after, updatedAt] = given as string[];
    return db(tableName)
      .where({ id: providerId, generation: before })
      .whereRaw('root_id + 0 = ?', [root!])
      .update({ generation: after, updated_at: updatedAt });
  });
  await guarded(write, generationFailure([id], refusal), 1);
  return { ...provider, generation: generation + 1, updatedAt: now };
}

/**
 * Increments the generations of several providers, each if no other transaction has changed it
 * since it was read: as `bumpGeneration`, but without a check of the roots, so it does not protect
 * writes to inventories.
 */
export async function bumpGenerations(
  db: Db,
  changed: readonly Provider[],
  now: Micros,
  refusal: () => ApiError,
): Promise<void> {
  for (const [generation, same] of grouped(changed, (provider) => provider.generation))
    for (const batch of batchesOf(same)) {
      const ids = batch.map(({ id }) => id);
      const write = db(tableName)
        .whereIn('id', ids)
        .where({ generation })
        .update({ generation: generation + 1, updated_at: now });
      await guarded(write, generationFailure(ids, refusal), ids.length);
    }
}

/**
 * Increments the generation of providers whose allocations change, without a check: other
 * transactions may allocate from the same providers. The provider exists as long as it has
 * inventories, which the transaction has to check.
 */
export async function incrementGenerations(
  db: Db,
  ids: readonly number[],
  now: Micros,
): Promise<void> {
  for (const batch of batchesOf(ids)) {
    const name = `increment ${batch.length} generations`;
    const write = recurring.statement<number>(db, name, [now, ...batch], ([time, ...wanted]) =>
      db(tableName)
        .whereIn('id', wanted)
        .update({ generation: db.raw('generation + 1'), updated_at: time }),
    );
    await deferred(write);
  }
}

/** The failure of a write that depends on providers. The next attempt locks them first. */
export const generationFailure =
  (ids: readonly number[], refusal: () => ApiError) => (): SerializationFailure =>
    new SerializationFailure(refusal(), (retried) => lockProviders(retried, ids));
