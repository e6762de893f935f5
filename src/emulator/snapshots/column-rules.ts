// What the stores declare about the columns of their tables, for checking the rows of a document.
import type { ColumnRules, Stored, StoredRow } from '../../kernel/db/columns.ts';
import { Table } from '../../kernel/db/table.ts';
import type { Reference } from './store/references.ts';

const columnsOf = (table: string, column: string): readonly ColumnRules[] =>
  Table.declared.get(`${table}.${column}`) ?? [];

/** What a value of a column must be; undefined if it is. */
export function mismatchIn(
  table: string,
  column: string,
  value: Stored,
  row: StoredRow,
): string | undefined {
  for (const { mismatch } of columnsOf(table, column)) {
    const expected = mismatch?.(value, row);
    if (expected !== undefined) return expected;
  }
  return undefined;
}

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
