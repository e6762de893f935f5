// Maps a table's rows to records. Its typed columns give all the plain queries that a store needs.
import type { Knex } from 'knex';
import { compileRecord, snakeCase } from './columns.ts';
import type { ColumnRules, Columns, Field, Row, Stored } from './columns.ts';
import type { Db } from './database.ts';
import { orderBy, type SortColumn } from './keyset.ts';
import { definite, whereOneOf } from './listing.ts';
import type { Condition, Filter, Listing, Sort, Where } from './listing.ts';
import { insertRow, Recurring, writeRows, type Statement } from './drivers/recurring.ts';

/** The record type of a table: `type Snapshot = RecordOf<typeof snapshots>`. */
export type RecordOf<Of extends { readonly record: (row: Row) => object }> = Readonly<
  ReturnType<Of['record']>
>;

/** A record to insert: the database gives the `Generated` fields if they are absent. */
export type NewRecord<T, Generated extends keyof T> = Omit<T, Generated> & Readonly<Partial<T>>;

export interface TableOptions<T, Generated extends keyof T> {
  /** The fields of the primary key; `id` by default. */
  readonly key?: Field<T> | readonly Field<T>[];
  /** A field that the database fills on insert, such as an auto-increment id. */
  readonly generated?: Generated;
  /**
   * Columns that are written but never read, computed from the fields being written. Absent fields
   * are unchanged.
   */
  readonly derived?: (fields: Readonly<Partial<T>>) => Readonly<Record<string, Stored>>;
  /** Joins the tables of columns named `table.column`. */
  readonly join?: Condition;
}

/** The most values or rows that one statement names: databases limit the number of parameters. */
const [valuesPerQuery, rowsPerInsert] = [500, 100];

/** The most values in a condition whose statement is compiled once. */
const maxKnownValues = 20;

/** A column that is written: its field, its name, and what a value is stored as. */
type OwnColumn<T> = readonly [Field<T>, string, (value: T[Field<T>]) => Stored];

/** A condition on fields of a table, apart from the values: it recurs with others. */
interface Form<T> {
  readonly name: string;
  readonly parts: readonly {
    readonly field: Field<T>;
    /** How many values the field may have, besides null. */
    readonly known: number;
    readonly orNull: boolean;
  }[];
  /** The values of all parts. */
  readonly values: readonly Stored[];
}

/**
 * A table whose rows map to records of type `T`. Methods that return a statement run when awaited,
 * and can be passed to `deferred`. Fields of a record that are not columns are ignored
 * when writing. The drivers' errors pass through unchanged; `retryOnConstraint` turns those of a
 * unique or foreign key into a retry.
 */
export class Table<T extends object, Generated extends Field<T> = never> {
  /**
   * The columns of all tables, by `table.column`: complete once the stores are loaded. Several
   * tables may declare the same column, if each reads a part of the rows.
   */
  static readonly declared: ReadonlyMap<string, readonly ColumnRules[]> = new Map();

  readonly name: string;
  readonly fields: readonly Field<T>[];
  /**
   * Turns a row into a record, ignoring other columns. A property, so that `rows.map(table.record)`
   * works.
   */
  readonly record = (row: Row): T =>
    (this.compiled ??= compileRecord(this.columns, this.labels))(row);
  /** Compiled on first use: a start reads a tenth of the tables. */
  private compiled: ((row: Row) => T) | undefined;
  private written: readonly OwnColumn<T>[] | undefined;
  private readonly recurring = new Recurring();
  private readonly columns: Columns<T>;
  private readonly options: TableOptions<T, Generated>;
  protected readonly key: readonly Field<T>[];
  /** The name that each field's value has in rows. */
  private readonly labels: ReadonlyMap<Field<T>, string>;

  constructor(name: string, columns: Columns<T>, options: TableOptions<T, Generated> = {}) {
    this.name = name;
    this.columns = columns;
    this.options = options;
    this.fields = Object.keys(columns) as Field<T>[];
    const key = options.key ?? this.fields.filter((field) => field === 'id');
    this.key = typeof key === 'string' ? [key] : key;
    this.labels = new Map(this.fields.map((field) => [field, labelOf(field, columns[field].name)]));
    this.declare();
  }

  private declare(): void {
    const declared = Table.declared as Map<string, readonly ColumnRules[]>;
    for (const field of this.fields) {
      const name = this.column(field);
      declared.set(name, [...(declared.get(name) ?? []), this.columns[field]]);
    }
  }

  /**
   * The qualified column of a field, for queries that a store writes itself. The queries of this
   * class qualify columns only if the table has joins: Knex quotes each part of each name again for
   * every query, which took a fifth of the time of reading one row.
   */
  column(field: Field<T>): string {
    const { name } = this.columns[field];
    return isJoined(name) ? name : `${this.name}.${this.label(field)}`;
  }

  /** The field with this name or column name, such as a sort key that a client names. */
  fieldOf(name: string): Field<T> | undefined {
    return this.fields.find((field) => field === name || this.label(field) === name);
  }

  /**
   * The row of a record, or the columns of some of its fields. Undefined fields and joined columns
   * are left out.
   */
  row(fields: Readonly<Partial<T>>): Record<string, Stored> {
    const row: Record<string, Stored> = {};
    for (const [field, label, write] of (this.written ??= this.ownColumns())) {
      const value = fields[field];
      if (value !== undefined) row[label] = write(value);
    }
    return this.options.derived ? Object.assign(row, this.options.derived(fields)) : row;
  }

  /** The columns of the table itself. */
  private ownColumns(): OwnColumn<T>[] {
    const own = this.fields.filter((field) => !isJoined(this.columns[field].name));
    return own.map((field) => [field, this.label(field), this.columns[field].write]);
  }

  /**
   * A query for all records, to which a store adds its own conditions and order. Read its result
   * with `read`.
   */
  query(db: Db): Knex.QueryBuilder {
    const joined = this.fields.filter((field) => isJoined(this.columns[field].name));
    const names = joined.map((field) => `${this.column(field)} as ${this.label(field)}`);
    const query: Knex.QueryBuilder = db(this.name);
    if (!this.options.join) return query;
    void query.select(`${this.name}.*`, ...names);
    this.options.join(query);
    return query;
  }

  /** Runs a query and turns its rows into records. */
  async read(query: PromiseLike<unknown>): Promise<T[]> {
    return ((await query) as Row[]).map(this.record);
  }

  /** Restricts a query to the rows that match. */
  narrow(query: Knex.QueryBuilder, where: Filter<T>): void {
    for (const field of this.fields) {
      const wanted = where[field];
      if (wanted === undefined) continue;
      const { write } = this.columns[field];
      const values = listOf<T[Field<T>]>(wanted).map((value) => scalar(write(value)));
      whereOneOf(query, this.nameOf(field), values);
    }
  }

  /** The first record that matches, which should be the only one. */
  async find(
    db: Db,
    where: Where<T>,
    conditions: readonly Condition[] = [],
  ): Promise<T | undefined> {
    const form = conditions.length ? undefined : this.formOf(definite(where));
    if (form) return (await this.read(this.foundOne(db, form)))[0];
    const query = this.query(db).limit(1);
    this.narrow(query, definite(where));
    for (const condition of conditions) condition(query);
    return (await this.read(query))[0];
  }

  private foundOne(db: Db, form: Form<T>): Statement<Row[]> {
    return this.recurring.statement(db, `find ${form.name}`, form.values, (wanted) => {
      const query = this.query(db).limit(1);
      this.match(query, form, wanted);
      return query;
    });
  }

  /** Whether any record matches. */
  async exists(db: Db, where: Where<T>): Promise<boolean> {
    const found = this.about<Row[]>(db, 'exists', definite(where), (query) =>
      query.select(db.raw('1 as found')).limit(1),
    );
    return (await found).length > 0;
  }

  /** The records whose field has one of the values, ordered by that field and the key. */
  async among<F extends Field<T>>(
    db: Db,
    field: F,
    values: Iterable<T[F]>,
    where: Filter<T> = {},
  ): Promise<T[]> {
    const sorted = [...new Set(values)].sort((one, other) => (one < other ? -1 : 1));
    const found: T[][] = [];
    for (let at = 0; at < sorted.length; at += valuesPerQuery) {
      const part = sorted.slice(at, at + valuesPerQuery);
      found.push(await this.list(db, { where: { ...where, [field]: part }, sort: [field] }));
    }
    return found.flat();
  }

  /** The records of a listing, in its order. */
  async list(db: Db, listing: Listing<T> = {}): Promise<T[]> {
    const { where = {}, conditions = [], sort = [], reverse = false } = listing;
    const { after, limit, offset } = listing;
    const sorts = sort.map((one): Sort<T> => (typeof one === 'string' ? { field: one } : one));
    for (const field of this.key)
      if (!sorts.some((one) => one.field === field)) sorts.push({ field });
    const order = sorts.map(({ field, descending = false, fill }) => ({
      column: this.nameOf(field),
      descending: descending !== reverse,
      fill,
    }));
    const query = (): Knex.QueryBuilder => {
      const built = this.query(db);
      this.restrict(built, listing);
      orderBy(built, order, after && sorts.map(({ field }) => this.stored(after, field)));
      if (limit !== undefined) void built.limit(limit);
      if (offset) void built.offset(offset);
      return built;
    };
    const isWhole = !after && limit === undefined && !offset && !conditions.length;
    const form = isWhole ? this.formOf(where) : undefined;
    const records = await this.read(form ? this.listed(db, form, order) : query());
    return reverse ? records.toReversed() : records;
  }

  private listed(db: Db, form: Form<T>, order: readonly SortColumn[]): Statement<Row[]> {
    const sorts = order.map(({ column, descending, fill }) => `${column} ${descending} ${fill}`);
    const name = `list ${form.name} by ${sorts.join(' ')}`;
    return this.recurring.statement(db, name, form.values, (wanted) => {
      const query = this.query(db);
      this.match(query, form, wanted);
      orderBy(query, order);
      return query;
    });
  }

  /** How many records match. */
  async count(db: Db, listing: Pick<Listing<T>, 'where' | 'conditions'> = {}): Promise<number> {
    const { where = {}, conditions = [] } = listing;
    const counting = (query: Knex.QueryBuilder): Knex.QueryBuilder => {
      this.options.join?.(query);
      return query.count('* as count');
    };
    const query = (): Knex.QueryBuilder => {
      const restricted: Knex.QueryBuilder = db(this.name);
      this.restrict(restricted, listing);
      return counting(restricted);
    };
    const rows = conditions.length ? query() : this.about<Row[]>(db, 'count', where, counting);
    return Number(((await rows) as Row[])[0]?.['count']);
  }

  /** Inserts a record. Resolves to the generated id, in a list, if the table has one. */
  insert(db: Db, record: NewRecord<T, Generated>): Statement<number[]> {
    return insertRow(db, this.name, this.row(record));
  }

  /** Inserts any number of records, in several statements if they are many. */
  async insertAll(db: Db, records: readonly NewRecord<T, Generated>[]): Promise<void> {
    for (const rows of this.chunks(records))
      await (rows.length === 1 ? insertRow(db, this.name, rows[0]!) : db(this.name).insert(rows));
  }

  /** Inserts the records whose keys are free, and leaves the others alone. */
  async ensure(db: Db, records: readonly NewRecord<T, Generated>[]): Promise<void> {
    for (const rows of this.chunks(records)) await db(this.name).insert(rows).onConflict().ignore();
  }

  /**
   * Inserts records, or updates those that exist.
   * @param conflict the fields of the unique key by which a record exists
   * @param updated the fields to update; all, if none is named
   */
  async upsert(
    db: Db,
    records: readonly NewRecord<T, Generated>[],
    conflict: readonly Field<T>[] = this.key,
    updated: readonly Field<T>[] = [],
  ): Promise<void> {
    const [key, changed] = [conflict, updated].map((fields) =>
      fields.map((field) => this.label(field)),
    );
    const how = `if free by ${key!.join(' ')}, else ${changed!.join(' ')}`;
    for (const rows of this.chunks(records))
      await writeRows(db, this.name, rows, how, (given) => {
        const insert = db(this.name).insert(given).onConflict(key!);
        return changed!.length ? insert.merge(changed!) : insert.merge();
      });
  }

  /** Updates fields of the rows that match. Resolves to their number. */
  update(db: Db, where: Where<T>, fields: Readonly<Partial<T>>): Statement<number> {
    const row = this.row(fields);
    const form = this.formOf(definite(where));
    if (!form) return this.matching(db, where).update(row);
    const [names, { length }] = [Object.keys(row), form.values];
    const name = `update ${names.join(' ')} of ${form.name}`;
    return this.recurring.statement(db, name, [...form.values, ...Object.values(row)], (given) => {
      const query: Knex.QueryBuilder = db(this.name);
      this.match(query, form, given);
      return query.update(Object.fromEntries(names.map((one, at) => [one, given[length + at]])));
    });
  }

  /**
   * Deletes the rows that match; all of them, if no condition is given. Resolves to their number.
   */
  remove(db: Db, where: Where<T>): Statement<number> {
    return this.about<number>(db, 'delete', definite(where), (query) => query.delete());
  }

  /** A statement about the rows that match. It is compiled once, unless it has many values. */
  private about<Result>(
    db: Db,
    verb: string,
    where: Filter<T>,
    ask: (query: Knex.QueryBuilder) => Knex.QueryBuilder,
  ): Statement<Result> {
    const form = this.formOf(where);
    if (!form) {
      const query: Knex.QueryBuilder = db(this.name);
      this.narrow(query, where);
      return ask(query);
    }
    return this.recurring.statement(db, `${verb} ${form.name}`, form.values, (values) => {
      const matching: Knex.QueryBuilder = db(this.name);
      this.match(matching, form, values);
      return ask(matching);
    });
  }

  /** The name of a field's column in the queries of this class. */
  private nameOf(field: Field<T>): string {
    return this.options.join ? this.column(field) : this.label(field);
  }

  protected label(field: Field<T>): string {
    return this.labels.get(field)!;
  }

  protected stored(record: Readonly<Partial<T>>, field: Field<T>): string | number | null {
    const value = record[field];
    return value === undefined ? null : scalar(this.columns[field].write(value));
  }

  private matching(db: Db, where: Where<T>): Knex.QueryBuilder {
    const query: Knex.QueryBuilder = db(this.name);
    this.narrow(query, definite(where));
    return query;
  }

  /** Restricts a query to the rows that match a condition with these values. */
  private match(query: Knex.QueryBuilder, { parts }: Form<T>, values: readonly string[]): void {
    let at = 0;
    for (const { field, known, orNull } of parts) {
      const own = values.slice(at, (at += known));
      whereOneOf(query, this.nameOf(field), orNull ? [...own, null] : own);
    }
  }

  /** The form of a condition; undefined if it has many values, and so hardly ever recurs. */
  private formOf(where: Filter<T>): Form<T> | undefined {
    const parts: Form<T>['parts'][number][] = [];
    const values: Stored[] = [];
    let name = '';
    for (const field of this.fields) {
      const wanted = where[field];
      if (wanted === undefined) continue;
      const all = listOf<T[Field<T>]>(wanted);
      const before = values.length;
      for (const one of all) {
        const value = scalar(this.columns[field].write(one));
        if (value !== null) values.push(value);
      }
      if (values.length > maxKnownValues) return undefined;
      const known = values.length - before;
      const orNull = known < all.length;
      parts.push({ field, known, orNull });
      name += ` ${field} ${known}${orNull ? ' or null' : ''}`;
    }
    return { name, parts, values };
  }

  private restrict(query: Knex.QueryBuilder, { where = {}, conditions = [] }: Listing<T>): void {
    this.narrow(query, where);
    for (const condition of conditions) condition(query);
  }

  private *chunks(
    records: readonly NewRecord<T, Generated>[],
  ): Generator<Record<string, Stored>[]> {
    for (let at = 0; at < records.length; at += rowsPerInsert)
      yield records.slice(at, at + rowsPerInsert).map((record) => this.row(record));
  }
}

const isJoined = (name: string | undefined): name is string => name?.includes('.') ?? false;

const labelOf = (field: string, name: string | undefined): string =>
  isJoined(name) ? snakeCase(field) : (name ?? snakeCase(field));

function scalar(value: Stored): string | number | null {
  if (value instanceof Uint8Array) throw new Error('Bytes cannot be a key or a sort field');
  return value;
}

/** A list stays a list, so that a JSON column that holds lists cannot be searched by value. */
const listOf = <V>(value: V | readonly V[]): readonly V[] =>
  (Array.isArray(value) ? value : [value]) as readonly V[];
