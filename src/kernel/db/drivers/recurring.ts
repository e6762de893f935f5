// Compiles the statements that recur in the same form once. Knex takes longer to compile a short
// statement than SQLite takes to run it.
import type { Knex } from 'knex';
import type { Stored, StoredRow } from '../columns.ts';
import type { Db } from '../database.ts';

/** A statement to run: await it, or pass it to `deferred`. Nothing can be added to it. */
export interface Statement<Result> extends PromiseLike<Result> {
  queryContext(context: object): PromiseLike<Result>;
}

/** A statement of Knex, as its runner reads it. */
interface Compiled {
  readonly bindings: readonly unknown[];
}

/** A compiled statement, and which of the values each binding is. */
interface Form {
  readonly compiled: Compiled;
  /** The index of a value, or a binding that is always the same. */
  readonly slots: readonly (number | { readonly constant: unknown })[];
}

/** The most forms that are kept. Clients choose what they sort by, and so make new ones. */
const maxForms = 500;

/** Forms of more values are not kept: lists of the same length hardly ever recur. */
const maxValues = 100;

/** The statements of a store that recur. Their names need only differ from each other. */
export class Recurring {
  private readonly forms = new Map<string, Form>();

  /**
   * Builds a statement.
   * @param name names its form: statements of the same name differ in their values only
   * @param build builds the statement with some values. It is called for the first one of each
   *   form, and must use every value as a binding
   */
  statement<Result>(
    db: Db,
    name: string,
    values: readonly Stored[],
    build: (values: readonly string[]) => Knex.QueryBuilder,
  ): Statement<Result> {
    if (values.length > maxValues) return build(values as readonly string[]);
    const { driverName } = db.client as { driverName: string };
    const key = `${driverName} ${name}`;
    let form = this.forms.get(key);
    if (!form) {
      form = formOf(build, values.length);
      this.keep(key, form);
    }
    const { compiled, slots } = form;
    const bindings = slots.map((slot) => (typeof slot === 'number' ? values[slot] : slot.constant));
    const statement: Knex.QueryBuilder = db.queryBuilder();
    return Object.assign(statement, { toSQL: () => ({ ...compiled, bindings }) }) as never;
  }

  private keep(key: string, form: Form): void {
    if (this.forms.size >= maxForms) this.forms.delete(this.forms.keys().next().value!);
    this.forms.set(key, form);
  }
}

const [inserts, updates, deletions] = [new Recurring(), new Recurring(), new Recurring()];

/** Inserts a row. Resolves to the generated id, in a list, if the table has one. */
export const insertRow = (db: Db, table: string, row: StoredRow): Statement<number[]> =>
  insertRows(db, table, [row]);

/** Inserts rows with the same columns. Resolves to a generated id, as `insertRow`. */
export function insertRows(db: Db, table: string, rows: readonly StoredRow[]): Statement<number[]> {
  return insertCompleted(db, table, rows, 'as they are', (row) => row);
}

/** A row to insert, in which some values may be queries. */
type Completed = Readonly<Record<string, string | Knex.QueryBuilder>>;

/**
 * Inserts rows with the same columns, to which a function adds queries for others.
 * @param how names what the function does
 */
export const insertCompleted = (
  db: Db,
  table: string,
  rows: readonly StoredRow[],
  how: string,
  complete: (row: Readonly<Record<string, string>>) => Completed,
): Statement<number[]> =>
  writeRows(db, table, rows, how, (given) => {
    const built = given.map(complete);
    return db(table).insert(built.length === 1 ? built[0] : built);
  });

/**
 * Writes rows with the same columns by a statement that a function builds.
 * @param how names what the function does
 */
export function writeRows(
  db: Db,
  table: string,
  rows: readonly StoredRow[],
  how: string,
  build: (rows: readonly Readonly<Record<string, string>>[]) => Knex.QueryBuilder,
): Statement<number[]> {
  const names = Object.keys(rows[0]!);
  const values: Stored[] = []; // flatMap takes as long as all the rest
  for (const row of rows) for (const name of names) values.push(row[name]!);
  const form = `${rows.length} ${table} ${how} ${names.join(' ')}`;
  return inserts.statement(db, form, values, (given) => {
    const rowAt = (at: number): Readonly<Record<string, string>> =>
      Object.fromEntries(names.map((name, offset) => [name, given[at * names.length + offset]!]));
    return build(rows.map((_, at) => rowAt(at)));
  });
}

/** Updates columns of the rows whose other columns have these values. Resolves to their number. */
export const updateRows = (
  db: Db,
  table: string,
  where: Readonly<Record<string, NonNullable<Stored>>>,
  columns: StoredRow,
): Statement<number> => updateRowsAmong(db, table, undefined, where, columns);

/**
 * Updates columns as `updateRows`, of the rows with certain keys.
 * @param among the column of the key, and its values
 */
export function updateRowsAmong(
  db: Db,
  table: string,
  among: readonly [key: string, values: readonly NonNullable<Stored>[]] | undefined,
  where: Readonly<Record<string, NonNullable<Stored>>>,
  columns: StoredRow,
): Statement<number> {
  const [key, found] = among ?? ['', []];
  const [keys, names] = [Object.keys(where), Object.keys(columns)];
  const values = [...found, ...Object.values(where), ...Object.values(columns)];
  const form = `${table} ${found.length} ${key} ${keys.join(' ')} set ${names.join(' ')}`;
  return updates.statement(db, form, values, (given) => {
    const [own, others] = [given.slice(0, found.length), given.slice(found.length)];
    const query = db(table).where(Object.fromEntries(keys.map((name, at) => [name, others[at]])));
    if (among) void query.whereIn(key, own);
    return query.update(
      Object.fromEntries(names.map((name, at) => [name, others[keys.length + at]])),
    );
  });
}

/** Deletes the rows whose columns have these values. Resolves to their number. */
export function deleteRows(
  db: Db,
  table: string,
  where: Readonly<Record<string, NonNullable<Stored>>>,
): Statement<number> {
  const keys = Object.keys(where);
  return deletions.statement(db, `${table} ${keys.join(' ')}`, Object.values(where), (given) =>
    db(table)
      .where(Object.fromEntries(keys.map((name, at) => [name, given[at]])))
      .delete(),
  );
}

/** Compiles a statement with a marker for each value, and finds the markers in the bindings. */
function formOf(build: (values: readonly string[]) => Knex.QueryBuilder, count: number): Form {
  const markers = Array.from({ length: count }, (_, index) => `value ${index}`);
  const compiled = build(markers).toSQL() as unknown as Compiled;
  const slots = compiled.bindings.map((binding) => {
    const index = markers.indexOf(binding as string);
    return index < 0 ? { constant: binding } : index;
  });
  return { compiled, slots };
}
