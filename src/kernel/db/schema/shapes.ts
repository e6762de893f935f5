// Reads the schema of a database: its tables with columns, primary keys and auto-increment columns.
import type { Database, Db } from '../database.ts';

/** A column that can be written, so not a generated one. */
export interface ColumnShape {
  readonly name: string;
  readonly type: 'number' | 'text' | 'bytes';
  readonly nullable: boolean;
  /** The greatest number of characters of a text, if the column limits it. */
  readonly longest?: number | undefined;
  /** The greatest value of a number, if the column has 32 bits. */
  readonly largest?: number | undefined;
}

export interface TableShape {
  readonly name: string;
  /** In the table's order. */
  readonly columns: readonly ColumnShape[];
  /** The columns of the primary key, in its order. */
  readonly key: readonly string[];
  /** The auto-increment column. */
  readonly counter?: string | undefined;
}

/** The tables, by name. */
export const shapesOf = ({ kind }: Database, db: Db): Promise<TableShape[]> =>
  kind === 'sqlite' ? sqliteShapes(db) : mysqlShapes(db);

/** What either database reports of a column. */
interface ColumnRow {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly nullable: number;
  /** Its position in the primary key, from 1 on; 0 if it is not part of it. */
  readonly place: number;
  readonly isAutoIncrement: number;
}

async function sqliteShapes(db: Db): Promise<TableShape[]> {
  const rows = (await db.raw(`
    SELECT m.name AS "table", c.name AS name, c.type AS type,
      c."notnull" = 0 AND c.pk = 0 AS nullable, c.pk AS place,
      c.pk = 1 AND m.sql LIKE '%autoincrement%' AS isAutoIncrement
    FROM sqlite_master m JOIN pragma_table_info(m.name) c
    WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY m.name, c.cid`)) as ColumnRow[];
  return shapesOfColumns(rows);
}

/** Runs three queries, because a join of these views takes twenty times as long. */
async function mysqlShapes(db: Db): Promise<TableShape[]> {
  const [[tables], [keys], [columns]] = (await Promise.all([
    db.raw(`
      SELECT table_name AS name FROM information_schema.tables
      WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE'`),
    db.raw(`
      SELECT table_name AS \`table\`, column_name AS name, seq_in_index AS place
      FROM information_schema.statistics
      WHERE table_schema = DATABASE() AND index_name = 'PRIMARY'`),
    db.raw(`
      SELECT table_name AS \`table\`, column_name AS name, column_type AS type, is_nullable = 'YES' AS nullable,
        extra LIKE '%auto_increment%' AS isAutoIncrement
      FROM information_schema.columns
      WHERE table_schema = DATABASE() AND extra NOT LIKE '%VIRTUAL GENERATED%' AND extra NOT LIKE '%STORED GENERATED%'
      ORDER BY table_name, ordinal_position`),
  ])) as [
    [{ name: string }[]],
    [Pick<ColumnRow, 'table' | 'name' | 'place'>[]],
    [Omit<ColumnRow, 'place'>[]],
  ];
  const names = new Set(tables.map(({ name }) => name));
  const places = new Map(keys.map(({ table, name, place }) => [`${table}.${name}`, place]));
  const rows = columns.filter(({ table }) => names.has(table));
  return shapesOfColumns(
    rows.map((column) => ({ ...column, place: places.get(`${column.table}.${column.name}`) ?? 0 })),
  );
}

function shapesOfColumns(rows: readonly ColumnRow[]): TableShape[] {
  const tables = new Map<string, ColumnRow[]>();
  for (const one of rows) tables.set(one.table, [...(tables.get(one.table) ?? []), one]);
  // Sorted here by code unit, because each database sorts names in its own way.
  const sorted = [...tables].sort(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([name, columns]) => ({
    name,
    columns: columns.map((column) => ({
      name: column.name,
      type: typeOf(column.type),
      nullable: Boolean(Number(column.nullable)),
      longest: lengthOf(column.type),
      largest: /^int/i.test(column.type) ? 2 ** 31 - 1 : undefined,
    })),
    key: columns
      .filter(({ place }) => Number(place) > 0)
      .toSorted((one, other) => Number(one.place) - Number(other.place))
      .map((column) => column.name),
    counter: columns.find(({ isAutoIncrement }) => Number(isAutoIncrement))?.name,
  }));
}

function typeOf(sqlType: string): 'number' | 'text' | 'bytes' {
  if (/char|text/i.test(sqlType)) return 'text';
  return /blob|binary/i.test(sqlType) ? 'bytes' : 'number';
}

function lengthOf(sqlType: string): number | undefined {
  const length = /char\((\d+)\)/i.exec(sqlType)?.[1];
  return length === undefined ? undefined : Number(length);
}
