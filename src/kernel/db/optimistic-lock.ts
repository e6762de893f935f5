// Optimistic locking: writes a row only if no other transaction has changed it since it was read.
import { conflict, type ApiError } from '../errors.ts';
import type { Stored } from './columns.ts';
import type { Db } from './database.ts';
import { SerializationFailure } from './errors.ts';
import { guarded } from './guarded.ts';
import { deleteRows, updateRows, updateRowsAmong } from './drivers/recurring.ts';
import { deferred } from './transaction.ts';

/** A table whose rows count their updates in a column. */
export interface RevisionedTable {
  readonly name: string;
  /** The column of the primary key; `id` by default. */
  readonly key?: string;
  /** The column that counts the updates; `revision` by default. */
  readonly revision?: string;
}

/** A row that was read: its key, and its revision at that time. */
export type ReadRow = readonly [key: string | number, revision: number];

/** The most rows that one statement updates. */
const rowsPerUpdate = 500;

const at = (
  { key = 'id', revision = 'revision' }: RevisionedTable,
  [id, read]: ReadRow,
): Record<string, string | number> => ({
  [key]: id,
  [revision]: read,
});

/**
 * Updates columns of a row and increments its revision.
 * @returns the new revision
 * @throws SerializationFailure with `refusal` if another transaction has changed the row: the whole
 *   transaction runs again
 */
export async function updateAtRevision(
  db: Db,
  table: RevisionedTable,
  row: ReadRow,
  columns: Readonly<Record<string, Stored>>,
  refusal: () => ApiError,
): Promise<number> {
  const { name, revision = 'revision' } = table;
  const next = row[1] + 1;
  const write = updateRows(db, name, at(table, row), { ...columns, [revision]: next });
  await guarded(write, failureOf(table, row, refusal), 1);
  return next;
}

/** Rows that were read at the same revision. */
export interface ReadRows {
  readonly ids: readonly (string | number)[];
  readonly revision: number;
}

/**
 * Updates columns of several rows, and increments the revision of each.
 * @throws SerializationFailure as `updateAtRevision`, if any of the rows has been changed
 */
export async function updateRowsAtRevision(
  db: Db,
  table: RevisionedTable,
  { ids, revision: read }: ReadRows,
  columns: Readonly<Record<string, Stored>>,
  refusal: () => ApiError,
): Promise<void> {
  const { name, key = 'id', revision = 'revision' } = table;
  const changed = { ...columns, [revision]: read + 1 };
  for (let from = 0; from < ids.length; from += rowsPerUpdate) {
    const part = ids.slice(from, from + rowsPerUpdate);
    const failure = (): SerializationFailure =>
      new SerializationFailure(refusal(), async (retried) => {
        for (const id of part) await lock(retried, table, [id, read]);
      });
    const write = updateRowsAmong(db, name, [key, part], { [revision]: read }, changed);
    await guarded(write, failure, part.length);
  }
}

/** Deletes a row. @throws SerializationFailure as `updateAtRevision` */
export async function deleteAtRevision(
  db: Db,
  table: RevisionedTable,
  row: ReadRow,
  refusal: () => ApiError,
): Promise<void> {
  const write = deleteRows(db, table.name, at(table, row));
  await guarded(write, failureOf(table, row, refusal), 1);
}

/**
 * Increments the revision of a row that a write to another table depends on, to prevent write skew.
 * If two concurrent transactions depend on the same row, or one of them changes it, one runs again.
 * @returns the new revision
 * @throws SerializationFailure as `updateAtRevision`
 */
export const bumpRevision = (
  db: Db,
  table: RevisionedTable,
  row: ReadRow,
  refusal: () => ApiError,
): Promise<number> => updateAtRevision(db, table, row, {}, refusal);

/**
 * Locks a row against changes until this transaction ends, without incrementing its revision, which
 * clients may see. Other transactions may check the same row meanwhile. A transaction that changes
 * the row afterwards must search for the rows that depend on it with a statement that writes,
 * because its reads come from an older snapshot.
 * @throws SerializationFailure as `updateAtRevision`
 */
export async function checkRevision(
  db: Db,
  table: RevisionedTable,
  row: ReadRow,
  refusal: () => ApiError,
): Promise<void> {
  const { name, revision = 'revision' } = table;
  const write = updateRows(db, name, at(table, row), { [revision]: row[1] });
  await guarded(write, failureOf(table, row, refusal), 1);
}

/**
 * Waits for an update or delete of rows that this transaction has read, in a table without
 * revisions. `what` names the resource in the message.
 * @throws SerializationFailure if no row is left, because another transaction has deleted them
 */
export async function requireAffectedRow(write: PromiseLike<number>, what: string): Promise<void> {
  if (await write) return;
  throw new SerializationFailure(
    conflict(`The ${what} is being changed by others at the same time. Please try again.`),
  );
}

/** The failure of a write that finds the row at another revision. */
const failureOf =
  (table: RevisionedTable, row: ReadRow, refusal: () => ApiError) => (): SerializationFailure =>
    new SerializationFailure(refusal(), (retried) => lock(retried, table, row));

/**
 * Locks a row by its key alone, so that all transactions lock the row and its index entries in the
 * same order.
 */
async function lock(
  db: Db,
  { name, key = 'id', revision = 'revision' }: RevisionedTable,
  [id]: ReadRow,
): Promise<void> {
  const row = db(name).where({ [key]: id });
  await deferred(row.update({ [revision]: db.ref(revision) }));
}
