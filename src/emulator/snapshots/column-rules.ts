// Checks the values of a row: against the types of its columns, and against what the stores declare
// about them.
import type { ColumnRules } from '../../kernel/db/columns.ts';
import type { Database } from '../../kernel/db/database.ts';
import type { ColumnShape } from '../../kernel/db/schema/shapes.ts';
import { Table } from '../../kernel/db/table.ts';
import { decode } from './document.ts';
import type { Value } from './model.ts';
import type { Reference } from './store/references.ts';

/** A value that is not what its column requires. */
export interface WrongValue {
  readonly column: string;
  readonly expected: string;
}

/**
 * Finds the first wrong value of a row in a document.
 * @param kind the kind of database that the row has to fit into
 * @param values the parsed values, in the order of the columns
 */
export function wrongValue(
  kind: Database['kind'],
  table: string,
  columns: readonly ColumnShape[],
  values: readonly unknown[],
): WrongValue | undefined {
  for (const [index, shape] of columns.entries()) {
    const expected = wrongType(kind, values[index], shape);
    if (expected !== undefined) return { column: shape.name, expected };
  }
  const names = columns.map(({ name }) => name);
  return brokenRule(table, names, values.map(decode));
}

/** Finds the first value of a row that breaks a rule of its store. */
export function brokenRule(
  table: string,
  columns: readonly string[],
  values: readonly Value[],
): WrongValue | undefined {
  const row = Object.fromEntries(columns.map((column, index) => [column, values[index]!]));
  for (const column of columns)
    for (const { mismatch } of rulesOf(table, column)) {
      const expected = mismatch?.(row[column]!, row);
      if (expected !== undefined) return { column, expected };
    }
  return undefined;
}

const rulesOf = (table: string, column: string): readonly ColumnRules[] =>
  Table.declared.get(`${table}.${column}`) ?? [];

/** What a value should be; undefined if it is. SQLite itself does not check types and lengths. */
function wrongType(
  kind: Database['kind'],
  value: unknown,
  { type, nullable, longest = Infinity, largest = Infinity }: ColumnShape,
): string | undefined {
  if (value === null) return nullable ? undefined : 'a value other than null';
  if (type === 'number') {
    if (!Number.isFinite(value)) return 'a number';
    return Math.abs(value as number) <= largest ? undefined : `a number of up to ${largest}`;
  }
  if (type === 'bytes')
    return isBase64((value as { base64?: unknown }).base64)
      ? undefined
      : 'bytes in {"base64": ...}';
  if (typeof value !== 'string') return 'a text';
  const isLong = kind === 'mysql' && value.length > longest && Array.from(value).length > longest;
  return isLong ? `a text of up to ${longest} characters` : undefined;
}

const isBase64 = (text: unknown): boolean =>
  typeof text === 'string' && text.length % 4 === 0 && !/[^A-Za-z0-9+/=]/.test(text);

/** The references of tables to each other that no foreign key holds. */
export function references(): Reference[] {
  return [...Table.declared].flatMap(([name, columns]) => {
    const targets = columns.flatMap((column) => column.references ?? []);
    return targets.length ? [{ from: split(name), to: targets.map(split) }] : [];
  });
}

function split(name: string): Reference['from'] {
  const [table, column] = name.split('.') as [string, string];
  return { table, column };
}
