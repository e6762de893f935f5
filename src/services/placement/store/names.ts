// Resource classes and traits by name and by id. Standard names have the same id in every database
// and cost no query.
import type { Micros } from '../../../kernel/clock.ts';
import { SerializationFailure, isDuplicate } from '../../../kernel/db/errors.ts';
import { requireAffectedRow } from '../../../kernel/db/optimistic-lock.ts';
import { conflict } from '../../../kernel/errors.ts';
import type { Named } from '../model.ts';
import { firstCustomId, standardClasses, standardTraits } from '../standard-names.ts';
import type { Db } from '../../../kernel/db/database.ts';

/**
 * The table of resource classes or that of traits, with its standard names, which cost no query.
 */
export interface NameTable {
  readonly table: 'placement_resource_classes' | 'placement_traits';
  /** The ids of the standard names. */
  readonly standard: ReadonlyMap<string, number>;
  /** The standard names, by id. */
  readonly standardNames: readonly string[];
}

export const classTable: NameTable = tableOf('placement_resource_classes', standardClasses);
export const traitTable: NameTable = tableOf('placement_traits', standardTraits);

function tableOf(table: NameTable['table'], names: readonly string[]): NameTable {
  return {
    table,
    standard: new Map(names.map((name, index) => [name, index])),
    standardNames: names,
  };
}

interface Row {
  id: number;
  name: string;
  created_at: number;
  updated_at: number | null;
}

const record = (row: Row): Named => ({
  id: row.id,
  name: row.name,
  createdAt: Number(row.created_at),
  updatedAt: row.updated_at && Number(row.updated_at),
});

/** The ids of those names that exist. */
export async function idsOf(
  db: Db,
  { table, standard }: NameTable,
  names: Iterable<string>,
): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  const unknown: string[] = [];
  for (const name of new Set(names)) {
    const id = standard.get(name);
    if (id === undefined) unknown.push(name);
    else ids.set(name, id);
  }
  if (!unknown.length) return ids;
  const rows = (await db(table)
    .whereIn('name', unknown)
    .orderBy('id')
    .select('id', 'name')) as Row[];
  for (const row of rows) ids.set(row.name, row.id);
  return ids;
}

/** The names of those ids that exist. */
export async function namesOf(
  db: Db,
  { table, standardNames }: NameTable,
  ids: Iterable<number>,
): Promise<Map<number, string>> {
  const names = new Map<number, string>();
  const unknown: number[] = [];
  for (const id of new Set(ids)) {
    const name = standardNames[id];
    if (name === undefined) unknown.push(id);
    else names.set(id, name);
  }
  if (!unknown.length) return names;
  const rows = (await db(table).whereIn('id', unknown).orderBy('id').select('id', 'name')) as Row[];
  for (const row of rows) names.set(row.id, row.name);
  return names;
}

export async function findNamed(
  db: Db,
  { table }: NameTable,
  name: string,
): Promise<Named | undefined> {
  const row = (await db(table).where({ name }).first()) as Row | undefined;
  return row && record(row);
}

/** The filters of a list of traits. */
export interface NameFilter {
  readonly names?: readonly string[];
  readonly prefix?: string;
  /** Only traits that some provider has (true), or that no provider has (false). */
  readonly associated?: boolean;
}

/** The names that pass the filter, in the order of their ids. */
export async function listNamed(
  db: Db,
  { table }: NameTable,
  { names, prefix, associated }: NameFilter = {},
): Promise<Named[]> {
  const query = db(table).orderBy('id');
  if (names) query.whereIn('name', names);
  // As upstream, `_` and `%` are wildcards and case does not matter: all names are in capitals.
  if (prefix !== undefined)
    query.whereRaw("?? LIKE ? ESCAPE '|'", [
      'name',
      `${prefix.toUpperCase().replaceAll('|', '||')}%`,
    ]);
  if (associated !== undefined)
    query[associated ? 'whereIn' : 'whereNotIn'](
      'id',
      db('placement_provider_traits').distinct('trait_id'),
    );
  return ((await query) as Row[]).map(record);
}

/**
 * Writes a custom name.
 * @throws Contention where another request has just taken the id; the driver's duplicate error for
 *   the name
 */
export async function insertNamed(
  db: Db,
  names: NameTable,
  name: string,
  now: Micros,
): Promise<Named> {
  const { table } = names;
  const [highest] = (await db(table).max('id as id')) as { id: number | null }[];
  const id = Math.max(firstCustomId, (highest?.id ?? 0) + 1);
  try {
    await db(table).insert({ id, name, created_at: now, updated_at: null });
  } catch (error) {
    if (isDuplicate(error) && !(await findNamed(db, names, name))) {
      throw new SerializationFailure(
        conflict(`${name} could not be created: others are being created at the same time.`),
      );
    }
    throw error;
  }
  return { id, name, createdAt: now, updatedAt: null };
}

export async function renameNamed(
  db: Db,
  { table }: NameTable,
  id: number,
  name: string,
  now: Micros,
): Promise<void> {
  await requireAffectedRow(db(table).where({ id }).update({ name, updated_at: now }), 'name');
}

/** @throws the driver's foreign key error where the name is in use */
export async function deleteNamed(db: Db, { table }: NameTable, id: number): Promise<void> {
  await requireAffectedRow(db(table).where({ id }).delete(), 'name');
}

/** Writes the standard names that are missing. */
export async function insertStandardNames(
  db: Db,
  { table, standardNames }: NameTable,
  now: Micros,
): Promise<void> {
  const [row] = (await db(table).where('id', '<', firstCustomId).count('* as count')) as {
    count: number;
  }[];
  if (Number(row?.count) === standardNames.length) return;
  const rows = standardNames.map((name, id) => ({ id, name, created_at: now, updated_at: null }));
  for (let at = 0; at < rows.length; at += 200)
    await db(table)
      .insert(rows.slice(at, at + 200))
      .onConflict('id')
      .ignore();
}
