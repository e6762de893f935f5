// Optimistic locking: writes a row only if no other transaction has changed it since it was read.
import { conflict, type ApiError } from '../errors.ts';
import type { Db } from './database.ts';
import { SerializationFailure } from './errors.ts';
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
  columns: Readonly<Record<string, unknown>>,
  refusal: () => ApiError,
): Promise<number> {
  const { name, revision = 'revision' } = table;
  const next = row[1] + 1;
  const changed = await db(name)
    .where(at(table, row))
    .update({ ...columns, [revision]: next });
  if (!changed) throw new SerializationFailure(refusal(), (retried) => lock(retried, table, row));
  return next;
}

/** Deletes a row. @throws SerializationFailure as `updateAtRevision` */
export async function deleteAtRevision(
  db: Db,
  table: RevisionedTable,
  row: ReadRow,
  refusal: () => ApiError,
): Promise<void> {
  const deleted = await db(table.name).where(at(table, row)).delete();
  if (!deleted) throw new SerializationFailure(refusal(), (retried) => lock(retried, table, row));
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
  const locked = await db(name)
    .where(at(table, row))
    .update({ [revision]: row[1] });
  if (!locked) throw new SerializationFailure(refusal(), (retried) => lock(retried, table, row));
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
