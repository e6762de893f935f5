// The one store of all resources: their attributes as columns; found, listed in order, and changed
// by compare-and-swap of the revision.
import type { Knex } from 'knex';
import { SerializationFailure, isDuplicate, isForeignKey } from '../../../kernel/db/errors.ts';
import { orderBy } from '../../../kernel/db/keyset.ts';
import {
  deleteAtRevision,
  checkRevision,
  updateAtRevision,
} from '../../../kernel/db/optimistic-lock.ts';
import { NetworkError } from '../network-error.ts';
import type { ApiError } from '../../../kernel/errors.ts';
import type { Standard } from '../model.ts';
import type { Db } from '../../../kernel/db/database.ts';

/** What a driver stores. */
type Stored = string | number | null;

/** How the values of an attribute stand in a column. */
export interface Column<V> {
  readonly read: (stored: unknown) => V;
  readonly write: (value: V) => Stored;
  /**
   * The stored form of a value from a query string, which `convert` of the attribute has made one
   * of the attribute's own.
   */
  readonly match: (value: unknown) => Stored;
}

const asStored = (value: unknown): Stored =>
  typeof value === 'boolean'
    ? Number(value)
    : typeof value === 'number' || value === null
      ? value
      : String(value);

const numberOf = (stored: unknown): number => Number(stored);

export const text: Column<string> = { read: String, write: asStored, match: asStored };
export const textOrNull: Column<string | null> = {
  read: (stored) => (stored === null ? null : String(stored)),
  write: asStored,
  match: asStored,
};
export const number: Column<number> = { read: numberOf, write: asStored, match: asStored };
export const numberOrNull: Column<number | null> = {
  read: (stored) => (stored === null ? null : numberOf(stored)),
  write: asStored,
  match: asStored,
};
export const boolean: Column<boolean> = { read: Boolean, write: asStored, match: asStored };
/** Lists and objects, as JSON. */
export const json = <V>(): Column<V> => ({
  read: (stored) => JSON.parse(String(stored)) as V,
  write: (value) => JSON.stringify(value),
  match: (value) => JSON.stringify(value),
});

/** A column of the right type for each attribute of the record. */
export type Columns<T> = { readonly [K in keyof T]-?: Column<T[K]> };

/** A table of resources. */
export interface Table<T extends Standard> {
  readonly name: string;
  /** What a row is, in the words of refusals. */
  readonly noun: string;
  readonly columns: Columns<T>;
  /** The names of the attributes. */
  readonly attributes: readonly (keyof T & string)[];
}

export const tableOf = <T extends Standard>(
  name: string,
  noun: string,
  columns: Columns<T>,
): Table<T> => ({
  name,
  noun,
  columns,
  attributes: Object.keys(columns) as (keyof T & string)[],
});

type Row = Record<string, unknown>;

/** The column of an attribute: `router:external` is `router_external`. */
export const columnOf = (attribute: string): string => attribute.replaceAll(':', '_');

function recordOf<T extends Standard>({ attributes, columns }: Table<T>, row: Row): T {
  const record: Partial<T> = {};
  for (const name of attributes) record[name] = columns[name].read(row[columnOf(name)]);
  return record as T;
}

/** The row of a record, or of the part of one that changes. */
function rowOf<T extends Standard>(
  { attributes, columns }: Table<T>,
  record: Partial<T>,
): Record<string, Stored> {
  const row: Record<string, Stored> = {};
  for (const name of attributes) {
    const value = record[name];
    if (value !== undefined) row[columnOf(name)] = columns[name].write(value);
  }
  return row;
}

/** The answer to a request that lost against others at every attempt. */
export const beingChanged = (what: string): ApiError =>
  new NetworkError(
    409,
    'Conflict',
    `The ${what} is being changed by others at the same time. Please try again.`,
  );

/**
 * Writes; what a unique or a foreign key refuses is tried again in a new transaction, which sees
 * the row that was in the way.
 */
export async function contended<R>(apiError: ApiError, write: () => PromiseLike<R>): Promise<R> {
  try {
    return await write();
  } catch (error) {
    throw isDuplicate(error) || isForeignKey(error) ? new SerializationFailure(apiError) : error;
  }
}

export async function insert<T extends Standard>(
  db: Db,
  table: Table<T>,
  record: T,
): Promise<void> {
  await contended(beingChanged(table.noun), () => db(table.name).insert(rowOf(table, record)));
}

const versionedBy = 'revision_number';

/**
 * Changes a resource that has the revision it was read with.
 * @returns it as it is then.
 * @throws Contention
 */
export async function change<T extends Standard>(
  db: Db,
  table: Table<T>,
  record: T,
  fields: Partial<T>,
  now: number,
): Promise<T> {
  const { name, noun } = table;
  const row = { ...rowOf(table, fields), updated_at: now };
  const revision = await contended(beingChanged(noun), () =>
    updateAtRevision(
      db,
      { name, revision: versionedBy },
      [record.id, record.revision_number],
      row,
      () => beingChanged(noun),
    ),
  );
  return { ...record, ...fields, updated_at: now, revision_number: revision };
}

/**
 * Counts the revision of a resource up because something that belongs to it changes, so that no two
 * transactions do that on the same state.
 * @throws Contention
 */
export const touch = <T extends Standard>(
  db: Db,
  table: Table<T>,
  record: T,
  now: number,
): Promise<T> => change(db, table, record, {}, now);

/**
 * Keeps a resource as it was read until the transaction is done; clients see nothing of that.
 * @throws Contention
 */
export const checkUnchanged = <T extends Standard>(
  db: Db,
  { name, noun }: Table<T>,
  record: T,
): Promise<void> =>
  checkRevision(db, { name, revision: versionedBy }, [record.id, record.revision_number], () =>
    beingChanged(noun),
  );

/** Deletes a resource that has the revision it was read with. @throws Contention */
export async function erase<T extends Standard>(
  db: Db,
  { name, noun }: Table<T>,
  record: T,
): Promise<void> {
  await contended(beingChanged(noun), () =>
    deleteAtRevision(db, { name, revision: versionedBy }, [record.id, record.revision_number], () =>
      beingChanged(noun),
    ),
  );
}

/** The resource with that id, where the conditions hold for it too. */
export async function find<T extends Standard>(
  db: Db,
  table: Table<T>,
  id: string,
  conditions: readonly Condition[] = [],
): Promise<T | undefined> {
  const query = db(table.name).where({ id }) as Knex.QueryBuilder;
  for (const condition of conditions) condition(query);
  const row = (await query.first()) as Row | undefined;
  return row && recordOf(table, row);
}

/** How many values one query names: databases have a limit. */
const mostInQuery = 500;

/** The resources of these ids, as far as they exist, in the order of ids. */
export async function findAll<T extends Standard>(
  db: Db,
  table: Table<T>,
  ids: Iterable<string>,
): Promise<T[]> {
  const rows = await inParts<Row>([...new Set(ids)], (part) =>
    db(table.name).whereIn('id', part).orderBy('id'),
  );
  return rows.map((row) => recordOf(table, row));
}

/** Runs a query that names many values, a part of them at a time. */
export async function inParts<R>(
  values: readonly string[],
  query: (part: readonly string[]) => PromiseLike<readonly R[]>,
): Promise<R[]> {
  const found: R[] = [];
  for (let at = 0; at < values.length; at += mostInQuery)
    found.push(...(await query(values.slice(at, at + mostInQuery))));
  return found;
}

/** Values by key, each list in the order of the values. */
export function grouped<V>(values: readonly V[], keyOf: (value: V) => string): Map<string, V[]> {
  const found = new Map<string, V[]>();
  for (const value of values) {
    const group = found.get(keyOf(value));
    if (group) group.push(value);
    else found.set(keyOf(value), [value]);
  }
  return found;
}

/** Narrows a query further than `where` can. */
export type Condition = (query: Knex.QueryBuilder) => void;

/** What a list is narrowed to, its order, and which page of it is read. */
export interface Listing<T extends Standard> {
  /** Attributes, and the values of which each has one. */
  readonly where?: { readonly [K in keyof T]?: readonly T[K][] };
  readonly conditions?: readonly Condition[];
  /** Attributes to sort by; the id is added at the end. */
  readonly sorts?: readonly Sort[];
  readonly limit?: number | undefined;
  /** Only what comes after this one. */
  readonly after?: T | undefined;
  readonly reverse?: boolean;
}

export interface Sort {
  readonly key: string;
  readonly ascending: boolean;
}

/** Resources in order. */
export async function list<T extends Standard>(
  db: Db,
  table: Table<T>,
  listing: Listing<T> = {},
): Promise<T[]> {
  const { sorts = [], limit, after, reverse = false } = listing;
  const keys = sorts.some(({ key }) => key === 'id')
    ? sorts
    : [...sorts, { key: 'id', ascending: true }];
  const order = keys.map(({ key, ascending }) => ({
    column: `${table.name}.${columnOf(key)}`,
    descending: ascending === reverse,
  }));
  const query = narrowed(db, table, listing);
  const from = after && rowOf(table, after);
  orderBy(query, order, from && keys.map(({ key }) => from[columnOf(key)]!));
  if (limit !== undefined) void query.limit(limit);
  const rows = ((await query.select(`${table.name}.*`)) as Row[]).map((row) =>
    recordOf(table, row),
  );
  return reverse ? rows.toReversed() : rows;
}

export async function count<T extends Standard>(
  db: Db,
  table: Table<T>,
  listing: Listing<T> = {},
): Promise<number> {
  const [row] = (await narrowed(db, table, listing).count('* as count')) as { count: number }[];
  return Number(row!.count);
}

function narrowed<T extends Standard>(
  db: Db,
  table: Table<T>,
  { where = {}, conditions = [] }: Listing<T>,
): Knex.QueryBuilder {
  const query = db(table.name) as Knex.QueryBuilder;
  for (const name of table.attributes) {
    const values = where[name];
    if (values)
      oneOf(query, `${table.name}.${columnOf(name)}`, values.map(table.columns[name].write));
  }
  for (const condition of conditions) condition(query);
  return query;
}

/** Resources whose attribute has one of the values, which come from a query string. */
export function matching<T extends Standard>(
  table: Table<T>,
  attribute: string,
  values: readonly unknown[],
): Condition {
  const name = table.attributes.find((one) => one === attribute);
  if (name === undefined) throw new Error(`${table.name} has no column for ${attribute}`);
  return (query) =>
    oneOf(query, `${table.name}.${columnOf(name)}`, values.map(table.columns[name].match));
}

function oneOf(query: Knex.QueryBuilder, column: string, values: readonly Stored[]): void {
  const known = values.filter((value) => value !== null);
  if (known.length === values.length) void query.whereIn(column, known);
  else void query.where((any) => void any.whereNull(column).orWhereIn(column, known));
}
