// Flavors, with their extra specs and access.
import type { Knex } from 'knex';
import type { Micros } from '../../../kernel/clock.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { bumpRevision, deleteAtRevision } from '../../../kernel/db/optimistic-lock.ts';
import { conflict, type ApiError } from '../../../kernel/errors.ts';
import type { Flavor, FlavorFields } from '../model.ts';

interface Row {
  id: number;
  flavorid: string;
  name: string;
  vcpus: number;
  memory_mb: number;
  root_gb: number;
  ephemeral_gb: number;
  swap: number;
  rxtx_factor: number;
  is_public: number | boolean;
  description: string | null;
  revision: number;
}

const record = (row: Row, extraSpecs: Readonly<Record<string, string>>): Flavor => ({
  id: row.id,
  flavorid: row.flavorid,
  name: row.name,
  vcpus: row.vcpus,
  memoryMb: row.memory_mb,
  rootGb: row.root_gb,
  ephemeralGb: row.ephemeral_gb,
  swap: row.swap,
  rxtxFactor: Number(row.rxtx_factor),
  isPublic: Boolean(row.is_public),
  description: row.description,
  extraSpecs,
  revision: row.revision,
});

/** The filters and the order of a list of flavors. */
export interface FlavorFilter {
  readonly isPublic?: boolean;
  /** With `isPublic`, also the private ones that this project may use. */
  readonly projectId?: string | undefined;
  readonly minMemoryMb?: number;
  readonly minRootGb?: number;
  readonly sortKey: string;
  readonly descending: boolean;
}

/** Columns by the names that clients sort by. All flavors have the same in the others. */
const sortColumns: Readonly<Record<string, string>> = {
  flavorid: 'flavorid',
  id: 'id',
  name: 'name',
  memory_mb: 'memory_mb',
  root_gb: 'root_gb',
  vcpus: 'vcpus',
  swap: 'swap',
  ephemeral_gb: 'ephemeral_gb',
  is_public: 'is_public',
  rxtx_factor: 'rxtx_factor',
  description: 'description',
  created_at: 'created_at',
  updated_at: 'updated_at',
};

export async function listFlavors(db: Db, filter: FlavorFilter): Promise<Flavor[]> {
  const order = filter.descending ? 'desc' : 'asc';
  const query = db('compute_flavors').orderBy(sortColumns[filter.sortKey] ?? 'id', order);
  if (filter.sortKey !== 'id') query.orderBy('id', order);
  if (filter.minMemoryMb !== undefined) query.where('memory_mb', '>=', filter.minMemoryMb);
  if (filter.minRootGb !== undefined) query.where('root_gb', '>=', filter.minRootGb);
  if (filter.isPublic !== undefined) query.where((any) => visible(any, db, filter));
  return withSpecs(db, (await query) as Row[]);
}

function visible(query: Knex.QueryBuilder, db: Db, { isPublic, projectId }: FlavorFilter): void {
  void query.where({ is_public: isPublic });
  if (isPublic && projectId !== undefined) void query.orWhereIn('id', accessible(db, projectId));
}

const accessible = (db: Db, projectId: string): Knex.QueryBuilder =>
  db('compute_flavor_access').where({ project_id: projectId }).select('flavor_id');

async function withSpecs(db: Db, rows: readonly Row[]): Promise<Flavor[]> {
  if (!rows.length) return [];
  const specs = (await db('compute_flavor_extra_specs')
    .whereIn(
      'flavor_id',
      rows.map(({ id }) => id),
    )
    .orderBy(['flavor_id', 'name'])) as { flavor_id: number; name: string; value: string }[];
  const byFlavor = new Map<number, Record<string, string>>();
  for (const { flavor_id: id, name, value } of specs)
    byFlavor.set(id, { ...byFlavor.get(id), [name]: value });
  return rows.map((row) => record(row, byFlavor.get(row.id) ?? {}));
}

/** The flavor of that id; a private one only where the project may use it, or none is given. */
export async function findFlavor(
  db: Db,
  flavorid: string,
  projectId?: string,
): Promise<Flavor | undefined> {
  const query = db('compute_flavors as f')
    .leftJoin('compute_flavor_extra_specs as s', 's.flavor_id', 'f.id')
    .where('f.flavorid', flavorid)
    .orderBy('s.name')
    .select('f.*', 's.name as spec', 's.value');
  if (projectId !== undefined)
    query.where(
      (any) => void any.where('f.is_public', true).orWhereIn('f.id', accessible(db, projectId)),
    );
  const rows = (await query) as (Row & { spec: string | null; value: string })[];
  const specs = rows.flatMap(({ spec, value }) => (spec === null ? [] : [[spec, value] as const]));
  return rows[0] && record(rows[0], Object.fromEntries(specs));
}

const rowOf = (fields: FlavorFields): object => ({
  flavorid: fields.flavorid,
  name: fields.name,
  vcpus: fields.vcpus,
  memory_mb: fields.memoryMb,
  root_gb: fields.rootGb,
  ephemeral_gb: fields.ephemeralGb,
  swap: fields.swap,
  rxtx_factor: fields.rxtxFactor,
  is_public: fields.isPublic,
  description: fields.description,
});

/** @throws the driver's duplicate error for id or name */
export async function insertFlavor(db: Db, fields: FlavorFields, now: Micros): Promise<void> {
  await db('compute_flavors').insert({ ...rowOf(fields), created_at: now, updated_at: null });
}

/** Puts flavors into an empty table. */
export async function insertFlavors(
  db: Db,
  all: readonly FlavorFields[],
  now: Micros,
): Promise<void> {
  await db('compute_flavors').insert(
    all.map((fields) => ({ ...rowOf(fields), created_at: now, updated_at: null })),
  );
}

export async function updateDescription(
  db: Db,
  id: number,
  description: string | null,
  now: Micros,
): Promise<void> {
  await db('compute_flavors').where({ id }).update({ description, updated_at: now });
}

type ReadFlavor = Pick<Flavor, 'id' | 'revision'>;

const flavors = { name: 'compute_flavors' };
const raced = (): ApiError =>
  conflict('The flavor is being changed by others at the same time. Please try again.');

/**
 * Claims a flavor that a server rests on, so that nobody deletes it meanwhile without knowing of
 * the server.
 */
export async function bumpFlavorRevision(db: Db, { id, revision }: ReadFlavor): Promise<void> {
  await bumpRevision(db, flavors, [id, revision], raced);
}

/** @returns whether it was there */
export async function deleteFlavor(db: Db, flavorid: string): Promise<boolean> {
  const row = (await db('compute_flavors').where({ flavorid }).first('id', 'revision')) as
    ReadFlavor | undefined;
  if (!row) return false;
  for (const table of ['compute_flavor_extra_specs', 'compute_flavor_access'])
    await db(table).where({ flavor_id: row.id }).delete();
  // Another request may have put another flavor of the same id in its place, or claimed this one.
  await deleteAtRevision(db, flavors, [row.id, row.revision], raced);
  return true;
}

/** Inserts or updates extra specs; those with other names stay. */
export async function putExtraSpecs(
  db: Db,
  flavorId: number,
  specs: Readonly<Record<string, string>>,
): Promise<void> {
  const rows = Object.entries(specs).map(([name, value]) => ({ flavor_id: flavorId, name, value }));
  if (rows.length)
    await db('compute_flavor_extra_specs')
      .insert(rows)
      .onConflict(['flavor_id', 'name'])
      .merge(['value']);
}

export async function deleteExtraSpec(db: Db, flavorId: number, name: string): Promise<void> {
  await db('compute_flavor_extra_specs').where({ flavor_id: flavorId, name }).delete();
}

/** The projects that may use a private flavor. */
export async function listAccess(db: Db, flavorId: number): Promise<string[]> {
  return (await db('compute_flavor_access')
    .where({ flavor_id: flavorId })
    .orderBy('project_id')
    .pluck('project_id')) as string[];
}

/** @throws the driver's duplicate error where the project may use it already */
export async function insertAccess(db: Db, flavorId: number, projectId: string): Promise<void> {
  await db('compute_flavor_access').insert({ flavor_id: flavorId, project_id: projectId });
}

/** @returns whether the project might use it before */
export async function deleteAccess(db: Db, flavorId: number, projectId: string): Promise<boolean> {
  return (
    (await db('compute_flavor_access')
      .where({ flavor_id: flavorId, project_id: projectId })
      .delete()) > 0
  );
}
