// The tables of flavors, their extra specs and the projects that have access to them.
import type { Knex } from 'knex';
import type { Micros } from '../../../kernel/clock.ts';
import { boolean, integer, micros, nullable, real, text } from '../../../kernel/db/columns.ts';
import type { Row } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { bumpRevision } from '../../../kernel/db/optimistic-lock.ts';
import { RevisionTable } from '../../../kernel/db/revision-table.ts';
import { Recurring } from '../../../kernel/db/drivers/recurring.ts';
import { Table } from '../../../kernel/db/table.ts';
import { conflict, type ApiError } from '../../../kernel/errors.ts';
import type { Flavor, FlavorFields } from '../model.ts';

const recurring = new Recurring();

interface StoredFlavor extends Omit<Flavor, 'extraSpecs'> {
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
}

const flavors = new RevisionTable<StoredFlavor, 'id' | 'revision'>(
  'compute_flavors',
  {
    id: integer,
    flavorid: text,
    name: text,
    vcpus: integer,
    memoryMb: integer,
    rootGb: integer,
    ephemeralGb: integer,
    swap: integer,
    rxtxFactor: real,
    isPublic: boolean,
    description: nullable(text),
    revision: integer,
    createdAt: micros,
    updatedAt: nullable(micros),
  },
  { revision: 'revision' },
);
const extraSpecs = new Table(
  'compute_flavor_extra_specs',
  { flavorId: integer, name: text, value: text },
  { key: ['flavorId', 'name'] },
);
const access = new Table(
  'compute_flavor_access',
  { flavorId: integer, projectId: text },
  { key: ['flavorId', 'projectId'] },
);

/** The filters and the order of a list of flavors. */
export interface FlavorFilter {
  readonly isPublic?: boolean;
  /** With `isPublic`, includes the private flavors that this project has access to. */
  readonly projectId?: string | undefined;
  readonly minMemoryMb?: number;
  readonly minRootGb?: number;
  /** The name of a column. Flavors do not have some of upstream's columns: those do not sort. */
  readonly sortKey: string;
  readonly descending: boolean;
}

export async function listFlavors(db: Db, filter: FlavorFilter): Promise<Flavor[]> {
  const { minMemoryMb, minRootGb, isPublic, descending } = filter;
  const narrow = (query: Knex.QueryBuilder): void => {
    if (minMemoryMb !== undefined) void query.where('memory_mb', '>=', minMemoryMb);
    if (minRootGb !== undefined) void query.where('root_gb', '>=', minRootGb);
    if (isPublic !== undefined) void query.where((any) => visible(any, db, filter));
  };
  const fields = [flavors.fieldOf(filter.sortKey) ?? 'id', 'id'] as const;
  const sort = fields.map((field) => ({ field, descending }));
  return withSpecs(db, await flavors.list(db, { conditions: [narrow], sort }));
}

function visible(query: Knex.QueryBuilder, db: Db, { isPublic, projectId }: FlavorFilter): void {
  void query.where({ is_public: isPublic });
  if (isPublic && projectId !== undefined) void query.orWhereIn('id', accessible(db, projectId));
}

const accessible = (db: Db, projectId: string): Knex.QueryBuilder =>
  db('compute_flavor_access').where({ project_id: projectId }).select('flavor_id');

async function withSpecs(db: Db, found: readonly StoredFlavor[]): Promise<Flavor[]> {
  if (!found.length) return [];
  const specs = await extraSpecs.list(db, { where: { flavorId: found.map(({ id }) => id) } });
  const byFlavor = new Map<number, Record<string, string>>();
  for (const { flavorId, name, value } of specs)
    byFlavor.set(flavorId, { ...byFlavor.get(flavorId), [name]: value });
  return found.map((flavor) => ({ ...flavor, extraSpecs: byFlavor.get(flavor.id) ?? {} }));
}

/** A row of a flavor with one of its extra specs, or with none. */
interface FlavorRow extends Row {
  readonly spec: string | null;
  readonly value: string;
}

/** Finds a flavor by its id. With a project, finds a private flavor only if that has access. */
export async function findFlavor(
  db: Db,
  flavorid: string,
  projectId?: string,
): Promise<Flavor | undefined> {
  const isRestricted = projectId !== undefined;
  const values = isRestricted ? [flavorid, projectId] : [flavorid];
  const name = isRestricted ? 'flavor of a project' : 'flavor';
  const rows = await recurring.statement<FlavorRow[]>(db, name, values, ([id, project]) => {
    const query = db('compute_flavors as f')
      .leftJoin('compute_flavor_extra_specs as s', 's.flavor_id', 'f.id')
      .where('f.flavorid', id!)
      .orderBy('s.name')
      .select('f.*', 's.name as spec', 's.value');
    if (project === undefined) return query;
    return query.where(
      (any) => void any.where('f.is_public', true).orWhereIn('f.id', accessible(db, project)),
    );
  });
  const specs = rows.flatMap(({ spec, value }) => (spec === null ? [] : [[spec, value] as const]));
  return rows[0] && { ...flavors.record(rows[0]), extraSpecs: Object.fromEntries(specs) };
}

/** @throws the driver's duplicate error for the id or the name */
export async function insertFlavor(db: Db, fields: FlavorFields, now: Micros): Promise<Flavor> {
  const created = { ...fields, revision: 0 };
  const [id] = await flavors.insert(db, { ...created, createdAt: now, updatedAt: null });
  return { ...created, id: id!, extraSpecs: {} };
}

/** Inserts the flavors of a new region. */
export const insertFlavors = (db: Db, all: readonly FlavorFields[], now: Micros): Promise<void> =>
  flavors.insertAll(
    db,
    all.map((fields) => ({ ...fields, createdAt: now, updatedAt: null })),
  );

export async function updateDescription(
  db: Db,
  id: number,
  description: string | null,
  now: Micros,
): Promise<void> {
  await flavors.update(db, { id }, { description, updatedAt: now });
}

const raced = (): ApiError =>
  conflict('The flavor is being changed by others at the same time. Please try again.');

/**
 * Bumps the revision of a flavor that a new server depends on, so that a concurrent request cannot
 * delete the flavor without seeing the server.
 */
export async function bumpFlavorRevision(db: Db, { id, revision }: Flavor): Promise<void> {
  await bumpRevision(db, { name: flavors.name }, [id, revision], raced);
}

/** @returns false if the flavor does not exist */
export async function deleteFlavor(db: Db, flavorid: string): Promise<boolean> {
  const flavor = await flavors.find(db, { flavorid });
  if (!flavor) return false;
  await extraSpecs.remove(db, { flavorId: flavor.id });
  await access.remove(db, { flavorId: flavor.id });
  // A concurrent request may have replaced this flavor by another one with the same id, or may
  // have bumped its revision for a new server.
  await flavors.removeAtRevision(db, flavor, raced);
  return true;
}

/** Inserts or updates extra specs. All other specs of the flavor are kept. */
export const putExtraSpecs = (
  db: Db,
  flavorId: number,
  specs: Readonly<Record<string, string>>,
): Promise<void> =>
  extraSpecs.upsert(
    db,
    Object.entries(specs).map(([name, value]) => ({ flavorId, name, value })),
    ['flavorId', 'name'],
    ['value'],
  );

export async function deleteExtraSpec(db: Db, flavorId: number, name: string): Promise<void> {
  await extraSpecs.remove(db, { flavorId, name });
}

/** Lists the projects that have access to a private flavor. */
export const listAccess = async (db: Db, flavorId: number): Promise<string[]> =>
  (await access.list(db, { where: { flavorId } })).map(({ projectId }) => projectId);

/** @throws the driver's duplicate error if the project already has access */
export async function insertAccess(db: Db, flavorId: number, projectId: string): Promise<void> {
  await access.insert(db, { flavorId, projectId });
}

/** @returns false if the project did not have access */
export const deleteAccess = async (db: Db, flavorId: number, projectId: string): Promise<boolean> =>
  (await access.remove(db, { flavorId, projectId })) > 0;
