// The tables of a database as the database itself describes them: columns, keys, and which give
// ids.
import type { Database, Db } from './database.ts';

/** A column. A generated one is none: nobody writes it. */
export interface ColumnShape {
  readonly name: string;
  readonly type: 'number' | 'text' | 'bytes';
  readonly nullable: boolean;
  /** How many characters a text may have, where it has a limit of its own. */
  readonly longest?: number | undefined;
}

export interface TableShape {
  readonly name: string;
  /** In the order in which the table has them. */
  readonly columns: readonly ColumnShape[];
  /** The columns of the primary key, in order. */
  readonly key: readonly string[];
  /** The column whose values the table gives by itself, each once. */
  readonly counter?: string | undefined;
}

/** The tables, by name. */
export const shapesOf = ({ kind }: Database, db: Db): Promise<TableShape[]> =>
  kind === 'sqlite' ? sqliteShapes(db) : mysqlShapes(db);

/** A column as either database tells of it. */
interface Told {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly nullable: number;
  /** Its place in the primary key, from 1 on; 0 where it is not in it. */
  readonly place: number;
  readonly counts: number;
}

async function sqliteShapes(db: Db): Promise<TableShape[]> {
  const told = (await db.raw(`
    SELECT m.name AS "table", c.name AS name, c.type AS type, c."notnull" = 0 AND c.pk = 0 AS nullable, c.pk AS place,
      c.pk = 1 AND m.sql LIKE '%autoincrement%' AS counts
    FROM sqlite_master m JOIN pragma_table_info(m.name) c
    WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY m.name, c.cid`)) as Told[];
  return shaped(told);
}

/** Three queries, because a join of these views takes twenty times as long. */
async function mysqlShapes(db: Db): Promise<TableShape[]> {
  const [[tables], [keys], [columns]] = (await Promise.all([
    db.raw(`
      SELECT table_name AS name FROM information_schema.tables
      WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE'`),
    db.raw(`
      SELECT table_name AS \`table\`, column_name AS name, seq_in_index AS place FROM information_schema.statistics
      WHERE table_schema = DATABASE() AND index_name = 'PRIMARY'`),
    db.raw(`
      SELECT table_name AS \`table\`, column_name AS name, column_type AS type, is_nullable = 'YES' AS nullable,
        extra LIKE '%auto_increment%' AS counts
      FROM information_schema.columns
      WHERE table_schema = DATABASE() AND extra NOT LIKE '%VIRTUAL GENERATED%' AND extra NOT LIKE '%STORED GENERATED%'
      ORDER BY table_name, ordinal_position`),
  ])) as [
    [{ name: string }[]],
    [Pick<Told, 'table' | 'name' | 'place'>[]],
    [Omit<Told, 'place'>[]],
  ];
  const names = new Set(tables.map(({ name }) => name));
  const places = new Map(keys.map(({ table, name, place }) => [`${table}.${name}`, place]));
  const told = columns.filter(({ table }) => names.has(table));
  return shaped(
    told.map((column) => ({ ...column, place: places.get(`${column.table}.${column.name}`) ?? 0 })),
  );
}

function shaped(told: readonly Told[]): TableShape[] {
  const tables = new Map<string, Told[]>();
  for (const one of told) tables.set(one.table, [...(tables.get(one.table) ?? []), one]);
  // By the names themselves: the databases sort them each in its own way.
  const sorted = [...tables].sort(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([name, columns]) => ({
    name,
    columns: columns.map((column) => ({
      name: column.name,
      type: typeOf(column.type),
      nullable: Boolean(Number(column.nullable)),
      longest: lengthOf(column.type),
    })),
    key: columns
      .filter(({ place }) => Number(place) > 0)
      .toSorted((one, other) => Number(one.place) - Number(other.place))
      .map((column) => column.name),
    counter: columns.find(({ counts }) => Number(counts))?.name,
  }));
}

function typeOf(told: string): 'number' | 'text' | 'bytes' {
  if (/char|text/i.test(told)) return 'text';
  return /blob|binary/i.test(told) ? 'bytes' : 'number';
}

function lengthOf(told: string): number | undefined {
  const length = /char\((\d+)\)/i.exec(told)?.[1];
  return length === undefined ? undefined : Number(length);
}
