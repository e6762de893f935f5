// One way to keep every kind of thing: its attributes as columns, found, changed by compare-and-swap, and listed in order.
import type { Knex } from 'knex';
import { Contention, isDuplicate, isForeignKey } from '../../../kernel/db/errors.ts';
import type { Fault } from '../../../kernel/fault.ts';
import { beingChanged } from '../domain/refusals.ts';
import type { Standard } from '../domain/records.ts';
import type { Db } from '../../../kernel/db/database.ts';

/** How an attribute stands in its column. */
export type Column = 'text' | 'number' | 'boolean' | 'json';

/** A table: its attributes, each with the kind of its column. */
export interface Table<T extends Standard> {
  readonly name: string;
  /** What it holds, in the words of refusals. */
  readonly noun: string;
  readonly columns: Readonly<Record<Exclude<keyof T, symbol | number>, Column>>;
}

type Row = Record<string, unknown>;

/** The column of an attribute: `router:external` is `router_external`. */
export const columnOf = (attribute: string): string => attribute.replaceAll(':', '_');

const fromColumn: Readonly<Record<Column, (value: unknown) => unknown>> = {
  text: (value) => value,
  number: (value) => (value === null ? null : Number(value)),
  boolean: Boolean,
  json: (value) => JSON.parse(value as string) as unknown,
};

const toColumn: Readonly<Record<Column, (value: unknown) => unknown>> = {
  text: (value) => value,
  number: (value) => value,
  boolean: Number,
  json: (value) => JSON.stringify(value),
};

const columnsOf = <T extends Standard>(table: Table<T>): [string, Column][] =>
  Object.entries(table.columns) as [string, Column][];

function recordOf<T extends Standard>(table: Table<T>, row: Row): T {
  return Object.fromEntries(
    columnsOf(table).map(([name, kind]) => [name, fromColumn[kind](row[columnOf(name)])]),
  ) as unknown as T;
}

function rowOf<T extends Standard>(table: Table<T>, record: Partial<T>): Row {
  const given = record as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    columnsOf(table)
      .filter(([name]) => name in given)
      .map(([name, kind]) => [columnOf(name), toColumn[kind](given[name])]),
  );
}

/** Writes; what a unique or a foreign key refuses is tried again in a new transaction, which sees what was in the way. */
export async function contended<R>(fault: Fault, write: () => PromiseLike<R>): Promise<R> {
  try {
    return await write();
  } catch (error) {
    throw isDuplicate(error) || isForeignKey(error) ? new Contention(fault) : error;
  }
}

export async function insert<T extends Standard>(db: Db, table: Table<T>, record: T): Promise<void> {
  await contended(beingChanged(table.noun), () => db(table.name).insert(rowOf(table, record)));
}

/** Changes a thing that nobody has changed since it was read, and gives it back as it is then. @throws Contention */
export async function change<T extends Standard>(
  db: Db,
  table: Table<T>,
  record: T,
  fields: Partial<T>,
  now: number,
): Promise<T> {
  const next = { ...record, ...fields, updated_at: now, revision_number: record.revision_number + 1 };
  const row = rowOf(table, { ...fields, updated_at: next.updated_at, revision_number: next.revision_number } as Partial<T>);
  const { id, revision_number } = record;
  const changed = await contended(beingChanged(table.noun), () => db(table.name).where({ id, revision_number }).update(row));
  if (!changed) throw new Contention(beingChanged(table.noun));
  return next;
}

/** Marks a thing as changed, because something of it did: two such changes never happen on the same state. @throws Contention */
export const touch = <T extends Standard>(db: Db, table: Table<T>, record: T, now: number): Promise<T> =>
  change(db, table, record, {}, now);

/** Takes a thing away that nobody has changed since it was read. @throws Contention */
export async function erase<T extends Standard>(db: Db, table: Table<T>, { id, revision_number }: T): Promise<void> {
  const gone = await contended(beingChanged(table.noun), () => db(table.name).where({ id, revision_number }).delete());
  if (!gone) throw new Contention(beingChanged(table.noun));
}

export async function find<T extends Standard>(db: Db, table: Table<T>, id: string): Promise<T | undefined> {
  const row = (await db(table.name).where({ id }).first()) as Row | undefined;
  return row && recordOf(table, row);
}

/** How many ids one query names: databases have a limit. */
const most = 500;

/** Those of the ids that are there. */
export async function findAll<T extends Standard>(db: Db, table: Table<T>, ids: Iterable<string>): Promise<T[]> {
  return (await inParts([...new Set(ids)], (part) => db(table.name).whereIn('id', part).orderBy('id'))).map((row) =>
    recordOf(table, row as Row),
  );
}

/** Asks with few values at a time. */
export async function inParts<R>(
  values: readonly string[],
  ask: (part: readonly string[]) => PromiseLike<readonly R[]>,
): Promise<R[]> {
  const found: R[] = [];
  for (let at = 0; at < values.length; at += most) found.push(...(await ask(values.slice(at, at + most))));
  return found;
}

/** Narrows a query further than attributes can. */
export type Narrow = (query: Knex.QueryBuilder) => void;

export interface Listing<T extends Standard> {
  /** Attributes and the values of which one is wanted. */
  readonly where?: Readonly<Record<string, readonly unknown[]>>;
  readonly narrow?: readonly Narrow[];
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

/** Things in order. */
export async function list<T extends Standard>(db: Db, table: Table<T>, listing: Listing<T> = {}): Promise<T[]> {
  const { sorts = [], limit, after, reverse = false } = listing;
  const keys = sorts.some(({ key }) => key === 'id') ? sorts : [...sorts, { key: 'id', ascending: true }];
  const order = keys.map(({ key, ascending }) => ({ key, ascending: ascending !== reverse }));
  const query = narrowed(db, table, listing);
  if (after) beyond(query, table, order, after);
  for (const { key, ascending } of order) void query.orderBy(`${table.name}.${columnOf(key)}`, ascending ? 'asc' : 'desc');
  if (limit !== undefined) void query.limit(limit);
  const rows = ((await query.select(`${table.name}.*`)) as Row[]).map((row) => recordOf(table, row));
  return reverse ? rows.toReversed() : rows;
}

export async function count<T extends Standard>(db: Db, table: Table<T>, listing: Listing<T> = {}): Promise<number> {
  const [row] = (await narrowed(db, table, listing).count('* as count')) as { count: number }[];
  return Number(row!.count);
}

function narrowed<T extends Standard>(db: Db, table: Table<T>, { where = {}, narrow = [] }: Listing<T>): Knex.QueryBuilder {
  const query = db(table.name) as Knex.QueryBuilder;
  for (const [name, values] of Object.entries(where)) {
    const kind = (table.columns as Readonly<Record<string, Column>>)[name]!;
    const wanted = values.map((value) => (value === null ? null : toColumn[kind](value)));
    matches(query, `${table.name}.${columnOf(name)}`, wanted);
  }
  for (const step of narrow) step(query);
  return query;
}

function matches(query: Knex.QueryBuilder, column: string, values: readonly unknown[]): void {
  const known = values.filter((value) => value !== null);
  if (known.length === values.length) void query.whereIn(column, known as string[]);
  else void query.where((one) => void one.whereNull(column).orWhereIn(column, known as string[]));
}

/** Only what comes after a thing in this order. Nothing (NULL) comes first in both databases. */
function beyond<T extends Standard>(query: Knex.QueryBuilder, table: Table<T>, order: readonly Sort[], after: T): void {
  const row = rowOf(table, after as Partial<T>);
  void query.where((any) => {
    order.forEach(({ key, ascending }, index) => {
      void any.orWhere((all) => {
        for (const before of order.slice(0, index)) {
          const column = columnOf(before.key);
          if (row[column] === null) void all.whereNull(`${table.name}.${column}`);
          else void all.where(`${table.name}.${column}`, row[column] as string);
        }
        const column = `${table.name}.${columnOf(key)}`;
        const value = row[columnOf(key)];
        if (value === null) void (ascending ? all.whereNotNull(column) : all.whereRaw('1 = 0'));
        else if (ascending) void all.where(column, '>', value as string);
        else void all.where((one) => void one.where(column, '<', value as string).orWhereNull(column));
      });
    });
  });
}
