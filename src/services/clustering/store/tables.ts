// How records stand in rows: names in snake case, JSON as text, booleans as 0 and 1; and how lists
// are read.
import type { Db } from '../../../kernel/db/database.ts';
import { orderBy, type SortColumn } from '../../../kernel/db/keyset.ts';

export type Row = Record<string, unknown>;

/** What stands in the columns of a table. */
interface Shape {
  readonly name: string;
  readonly json?: readonly string[];
  readonly booleans?: readonly string[];
  readonly numbers?: readonly string[];
}

/** Which rows a list is about. */
export interface Listing {
  /** Undefined: of all projects. */
  readonly projectId: string | undefined;
  /** Column -> its possible values. */
  readonly filters: Readonly<Record<string, readonly (string | number)[]>>;
  readonly sort: readonly SortColumn[];
  readonly limit: number | undefined;
  readonly marker: string | undefined;
}

const snake = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camel = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

const times = [
  'created_at',
  'updated_at',
  'init_at',
  'start_time',
  'end_time',
  'timestamp',
  'last_op',
];

/** A table and the records in it. */
export class Table<T extends object> {
  readonly name: string;
  private readonly json: ReadonlySet<string>;
  private readonly booleans: ReadonlySet<string>;
  private readonly numbers: ReadonlySet<string>;

  constructor({ name, json = [], booleans = [], numbers = [] }: Shape) {
    this.name = name;
    this.json = new Set(json);
    this.booleans = new Set(booleans);
    this.numbers = new Set([...times, ...numbers]);
  }

  record(row: Row): T {
    return Object.fromEntries(
      Object.entries(row).map(([column, value]) => [camel(column), this.valueOf(column, value)]),
    ) as T;
  }

  private valueOf(column: string, value: unknown): unknown {
    if (this.json.has(column)) return JSON.parse(value as string) as unknown;
    if (this.booleans.has(column)) return Boolean(value);
    return this.numbers.has(column) && value !== null ? Number(value) : value;
  }

  /** The fields that are there, as columns. */
  columns(fields: object): Row {
    const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
    return Object.fromEntries(
      entries.map(([name, value]: [string, unknown]) => {
        const column = snake(name);
        return [
          column,
          this.json.has(column)
            ? JSON.stringify(value)
            : this.booleans.has(column)
              ? Number(value)
              : value,
        ];
      }),
    );
  }

  async insert(db: Db, ...records: readonly T[]): Promise<void> {
    for (let at = 0; at < records.length; at += 50)
      await db(this.name).insert(records.slice(at, at + 50).map((record) => this.columns(record)));
  }

  async find(db: Db, where: Row): Promise<T | undefined> {
    const row = (await db(this.name).where(where).first()) as Row | undefined;
    return row && this.record(row);
  }

  async all(db: Db, where: Row, ...order: readonly string[]): Promise<T[]> {
    const query = db(this.name).where(where);
    for (const column of order) void query.orderBy(column);
    return ((await query) as Row[]).map((row) => this.record(row));
  }

  async among(db: Db, column: string, values: readonly string[]): Promise<T[]> {
    const found: T[] = [];
    for (let at = 0; at < values.length; at += 200) {
      const rows = (await db(this.name)
        .whereIn(column, values.slice(at, at + 200))
        .orderBy(column)) as Row[];
      found.push(...rows.map((row) => this.record(row)));
    }
    return found;
  }

  async update(db: Db, where: Row, fields: Partial<T>): Promise<number> {
    return db(this.name).where(where).update(this.columns(fields));
  }

  async remove(db: Db, where: Row): Promise<number> {
    return db(this.name).where(where).delete();
  }

  async count(db: Db, where: Row): Promise<number> {
    const row = (await db(this.name).where(where).count({ n: '*' }).first()) as { n: number };
    return Number(row.n);
  }

  /**
   * The rows that a client names: by id where it looks like one, else by name, else by the
   * beginning of an id.
   * @returns at most two
   */
  async named(
    db: Db,
    identity: string,
    isUuid: boolean,
    projectId: string | undefined,
  ): Promise<T[]> {
    const scoped = (): ReturnType<Db> => {
      const query = db(this.name).orderBy('id').limit(2);
      if (projectId !== undefined) void query.where('project_id', projectId);
      return query;
    };
    const by = async (column: string): Promise<Row[]> =>
      (await scoped().where(column, identity)) as Row[];
    let rows = isUuid ? await by('id') : [];
    if (!rows.length) rows = await by('name');
    if (!rows.length && !isUuid && /^[0-9a-f-]{1,36}$/.test(identity))
      rows = (await scoped().where('id', 'like', `${identity}%`)) as Row[];
    return rows.map((row) => this.record(row));
  }

  /** A page of a list. A marker that is not there is ignored. */
  async list(db: Db, { projectId, filters, sort, limit, marker }: Listing): Promise<T[]> {
    const query = db(this.name);
    if (projectId !== undefined) void query.where('project_id', projectId);
    for (const [column, values] of Object.entries(filters)) void query.whereIn(column, values);
    if (limit !== undefined) void query.limit(limit);
    const at =
      marker === undefined
        ? undefined
        : ((await db(this.name).where({ id: marker }).first()) as Row | undefined);
    orderBy(query, sort, at && sort.map(({ column }) => at[column] as string | number | null));
    return ((await query) as Row[]).map((row) => this.record(row));
  }
}
