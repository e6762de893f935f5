// Which tables a SQLite connection has written, so that the restore of an image looks at no others.

/** What a statement writes: a table by its name, or any table. */
export type WriteTarget = string | typeof anyTable;

const anyTable = Symbol('any table');

const writes = [
  String.raw`insert(?:\s+or\s+\w+)?\s+into`,
  String.raw`replace\s+into`,
  String.raw`update(?:\s+or\s+\w+)?`,
  String.raw`delete\s+from`,
];
const writesTable = new RegExp(
  String.raw`^\s*(?:${writes.join('|')})\s+(?:main\.)?["\x60]?(\w+)`, // \x60 is a backquote
  'i',
);
const onlyReads =
  /^\s*(?:select|values|pragma|explain|begin|commit|end|rollback|savepoint|release)\b/i;

/**
 * What a statement writes, besides the tables to which foreign keys cascade; undefined if it writes
 * nothing. A statement that is not plain, such as a change of the schema, may write any table.
 */
export function targetOf(sql: string): WriteTarget | undefined {
  if (onlyReads.test(sql)) return undefined;
  return writesTable.exec(sql)?.[1] ?? anyTable;
}

/** Counts the writes of a connection, and knows the last one to each table. */
export class TableWrites {
  /** How many writes there have been. */
  count = 0;
  private lastToAny = 0;
  private readonly last = new Map<string, number>();

  note(target: WriteTarget): void {
    this.count++;
    if (target === anyTable) this.lastToAny = this.count;
    else this.last.set(target, this.count);
  }

  /** Whether there may have been a write to a table after the first `count` writes. */
  hasWritten(table: string, count: number): boolean {
    return Math.max(this.lastToAny, this.last.get(table) ?? 0) > count;
  }
}
