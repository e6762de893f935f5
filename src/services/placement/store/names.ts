// Resource classes and traits by name and by id. Standard names have the same id in every database,
// so that looking them up needs no query.
import type { Knex } from 'knex';
import type { Micros } from '../../../kernel/clock.ts';
import { integer, micros, nullable, text } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { SerializationFailure, isDuplicate } from '../../../kernel/db/errors.ts';
import { Recurring } from '../../../kernel/db/drivers/recurring.ts';
import { Kept } from '../../../kernel/db/kept/kept.ts';
import { changeRevision } from '../../../kernel/db/kept/revisions.ts';
import { requireAffectedRow } from '../../../kernel/db/optimistic-lock.ts';
import { Table } from '../../../kernel/db/table.ts';
import { conflict } from '../../../kernel/errors.ts';
import type { Named } from '../model.ts';
import { firstCustomId, standardClasses, standardTraits } from '../standard-names.ts';

const recurring = new Recurring();

/** The revision of resource classes, traits and consumer types. */
export const namesRevision = 'placement.names';

/** Gives all names a new revision. Every write of one begins with this. */
export const namesChange = (db: Db): void => changeRevision(db, namesRevision);

/** The table of resource classes or of traits, with its standard names. */
export class NameTable extends Table<Named> {
  /** The standard names, by id. */
  readonly standardNames: readonly string[];
  readonly standardIds: ReadonlyMap<string, number>;
  /** All custom names, which processes keep in memory. */
  readonly custom = new Kept(namesRevision, async (db) => {
    const conditions = [(query: Knex.QueryBuilder) => void query.where('id', '>=', firstCustomId)];
    const all = await this.list(db, { conditions });
    return {
      ids: new Map(all.map(({ id, name }) => [name, id])),
      names: new Map(all.map(({ id, name }) => [id, name])),
    };
  });

  constructor(name: string, standardNames: readonly string[]) {
    super(name, { id: integer, name: text, createdAt: micros, updatedAt: nullable(micros) });
    this.standardNames = standardNames;
    this.standardIds = new Map(standardNames.map((standardName, id) => [standardName, id]));
  }
}

export const classTable = new NameTable('placement_resource_classes', standardClasses);
export const traitTable = new NameTable('placement_traits', standardTraits);

/** Looks up the ids of names. Unknown names are left out. */
export async function idsOf(
  db: Db,
  table: NameTable,
  names: Iterable<string>,
): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  const custom: string[] = [];
  for (const name of new Set(names)) {
    const id = table.standardIds.get(name);
    if (id === undefined) custom.push(name);
    else ids.set(name, id);
  }
  if (!custom.length) return ids;
  if (table.custom.isUsable(db)) {
    const kept = await table.custom.read(db);
    return new Map([...ids, ...entriesOf(kept.ids, custom)]);
  }
  for (const { id, name } of await table.list(db, { where: { name: custom } })) ids.set(name, id);
  return ids;
}

/** Looks up the names of ids. Unknown ids are left out. */
export async function namesOf(
  db: Db,
  table: NameTable,
  ids: Iterable<number>,
): Promise<Map<number, string>> {
  const names = new Map<number, string>();
  const custom: number[] = [];
  for (const id of new Set(ids)) {
    const name = table.standardNames[id];
    if (name === undefined) custom.push(id);
    else names.set(id, name);
  }
  if (!custom.length) return names;
  if (table.custom.isUsable(db)) {
    const kept = await table.custom.read(db);
    return new Map([...names, ...entriesOf(kept.names, custom)]);
  }
  for (const { id, name } of await table.list(db, { where: { id: custom } })) names.set(id, name);
  return names;
}

/** The entries of a map with these keys, as far as it has them. */
const entriesOf = <K, V>(map: ReadonlyMap<K, V>, keys: readonly K[]): (readonly [K, V])[] =>
  keys.flatMap((key) => {
    const value = map.get(key);
    return value === undefined ? [] : [[key, value] as const];
  });

/** The filters of a list of traits. */
export interface NameFilter {
  readonly names?: readonly string[];
  readonly prefix?: string;
  /** Lists only the traits that some provider has (true), or that no provider has (false). */
  readonly associated?: boolean;
}

/** Lists the names that pass the filter, in the order of their ids. */
export async function listNames(
  db: Db,
  table: NameTable,
  { names, prefix, associated }: NameFilter = {},
): Promise<Named[]> {
  const query = table.query(db).orderBy('id');
  if (names) query.whereIn('name', names);
  // As in upstream, `_` and `%` are wildcards and the case is ignored. All names are in capitals.
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
  return table.read(query);
}

/**
 * Inserts a custom name with the next free id.
 * @throws SerializationFailure if another transaction takes the id; the driver's duplicate error if
 *   the name exists
 */
export async function insertName(
  db: Db,
  table: NameTable,
  name: string,
  now: Micros,
): Promise<Named> {
  const [highest] = await recurring.statement<{ id: number | null }[]>(db, table.name, [], () =>
    db(table.name).max('id as id'),
  );
  const id = Math.max(firstCustomId, (highest?.id ?? 0) + 1);
  const inserted = { id, name, createdAt: now, updatedAt: null };
  namesChange(db);
  try {
    await table.insert(db, inserted);
  } catch (error) {
    if (isDuplicate(error) && !(await table.exists(db, { name }))) {
      throw new SerializationFailure(
        conflict(`${name} could not be created: others are being created at the same time.`),
      );
    }
    throw error;
  }
  return inserted;
}

export async function renameName(
  db: Db,
  table: NameTable,
  id: number,
  name: string,
  now: Micros,
): Promise<void> {
  namesChange(db);
  await requireAffectedRow(table.update(db, { id }, { name, updatedAt: now }), 'name');
}

/** @throws the driver's foreign key error if the name is in use */
export async function deleteName(db: Db, table: NameTable, id: number): Promise<void> {
  namesChange(db);
  await requireAffectedRow(table.remove(db, { id }), 'name');
}

/** Inserts the missing standard names. */
export async function insertStandardNames(db: Db, table: NameTable, now: Micros): Promise<void> {
  const { standardNames } = table;
  const isStandard = (query: Knex.QueryBuilder): void => void query.where('id', '<', firstCustomId);
  if ((await table.count(db, { conditions: [isStandard] })) === standardNames.length) return;
  await table.ensure(
    db,
    standardNames.map((name, id) => ({ id, name, createdAt: now, updatedAt: null })),
  );
}
