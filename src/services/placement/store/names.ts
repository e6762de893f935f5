// Resource classes and traits by name and by id. Standard ones have the same id in every database and cost no query.
import type { Micros } from '../../../kernel/clock.ts';
import { Contention, isDuplicate } from '../../../kernel/db/errors.ts';
import { conflict } from '../../../kernel/fault.ts';
import { firstCustomId, standardClasses } from '../domain/standard-classes.ts';
import { standardTraits } from '../domain/standard-traits.ts';
import type { Db } from '../../../kernel/db/database.ts';

/** A resource class or a trait. */
export interface Named {
  readonly id: number;
  readonly name: string;
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
}

/** One of the two tables of names, with what is known of it without asking. */
export interface NameTable {
  readonly table: 'placement_resource_classes' | 'placement_traits';
  readonly standard: ReadonlyMap<string, number>;
  readonly standardNames: readonly string[];
}

export const classTable: NameTable = tableOf('placement_resource_classes', standardClasses);
export const traitTable: NameTable = tableOf('placement_traits', standardTraits);

function tableOf(table: NameTable['table'], names: readonly string[]): NameTable {
  return { table, standard: new Map(names.map((name, index) => [name, index])), standardNames: names };
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
export async function idsOf(db: Db, { table, standard }: NameTable, names: Iterable<string>): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  const unknown: string[] = [];
  for (const name of new Set(names)) {
    const id = standard.get(name);
    if (id === undefined) unknown.push(name);
    else ids.set(name, id);
  }
  if (!unknown.length) return ids;
  const rows = (await db(table).whereIn('name', unknown).orderBy('id').select('id', 'name')) as Row[];
  for (const row of rows) ids.set(row.name, row.id);
  return ids;
}

/** The names of ids. */
export async function namesOf(db: Db, { table, standardNames }: NameTable, ids: Iterable<number>): Promise<Map<number, string>> {
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

export async function findNamed(db: Db, { table }: NameTable, name: string): Promise<Named | undefined> {
  const row = (await db(table).where({ name }).first()) as Row | undefined;
  return row && record(row);
}

/** What narrows a list of traits. */
export interface NameFilter {
  readonly names?: readonly string[];
  readonly prefix?: string;
  /** Only those that some provider has (true), or none has (false). */
  readonly associated?: boolean;
}

/** All names, by id. */
export async function listNamed(db: Db, { table }: NameTable, { names, prefix, associated }: NameFilter = {}): Promise<Named[]> {
  const query = db(table).orderBy('id');
  if (names) query.whereIn('name', names);
  // As upstream, `_` and `%` stand for anything, and small letters for the capitals that all names consist of.
  if (prefix !== undefined) query.whereRaw("?? LIKE ? ESCAPE '|'", ['name', `${prefix.toUpperCase().replaceAll('|', '||')}%`]);
  if (associated !== undefined)
    query[associated ? 'whereIn' : 'whereNotIn']('id', db('placement_provider_traits').distinct('trait_id'));
  return ((await query) as Row[]).map(record);
}

/** Makes a custom one. @throws Contention where another request has just taken the id, and the driver's error for the name */
export async function insertNamed(db: Db, { table }: NameTable, name: string, now: Micros): Promise<Named> {
  const [highest] = (await db(table).max('id as id')) as { id: number | null }[];
  const id = Math.max(firstCustomId, (highest?.id ?? 0) + 1);
  try {
    await db(table).insert({ id, name, created_at: now, updated_at: null });
  } catch (error) {
    if (isDuplicate(error) && !(await findNamed(db, { table, standard: new Map(), standardNames: [] }, name))) {
      throw new Contention(conflict(`${name} could not be created: others are being created at the same time.`));
    }
    throw error;
  }
  return { id, name, createdAt: now, updatedAt: null };
}

export async function renameNamed(db: Db, { table }: NameTable, id: number, name: string, now: Micros): Promise<void> {
  await db(table).where({ id }).update({ name, updated_at: now });
}

/** @throws the driver's foreign key error where it is in use */
export async function deleteNamed(db: Db, { table }: NameTable, id: number): Promise<void> {
  await db(table).where({ id }).delete();
}
