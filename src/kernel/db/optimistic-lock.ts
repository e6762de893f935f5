// Rows that are changed by compare-and-swap: only where they are still as they were read.
import { conflict, type ApiError } from '../errors.ts';
import type { Db } from './database.ts';
import { SerializationFailure } from './errors.ts';
import { deferred } from './transaction.ts';

/** A table of which each row counts its changes. */
export interface RevisionedTable {
  readonly name: string;
  /** The column that tells rows apart; `id`, where none is given. */
  readonly key?: string;
  /** The column that counts the changes; `revision`, where none is given. */
  readonly revision?: string;
}

/** A row as it was read: its key and its version. */
export type ReadRow = readonly [key: string | number, version: number];

const at = (
  { key = 'id', revision: version = 'revision' }: RevisionedTable,
  [id, read]: ReadRow,
): Record<string, string | number> => ({
  [key]: id,
  [version]: read,
});

/**
 * Writes columns over a row and counts its version up.
 * @returns the new version
 * @throws Contention with `fault` where another writer was faster: the whole transaction is done
 *   again
 */
export async function updateAtRevision(
  db: Db,
  table: RevisionedTable,
  row: ReadRow,
  columns: Readonly<Record<string, unknown>>,
  fault: () => ApiError,
): Promise<number> {
  const { name, revision: version = 'revision' } = table;
  const next = row[1] + 1;
  const changed = await db(name)
    .where(at(table, row))
    .update({ ...columns, [version]: next });
  if (!changed) throw new SerializationFailure(fault(), (retried) => lock(retried, table, row));
  return next;
}

/** Deletes a row. @throws Contention with `fault` where another writer was faster */
export async function deleteAtRevision(
  db: Db,
  table: RevisionedTable,
  row: ReadRow,
  fault: () => ApiError,
): Promise<void> {
  const deleted = await db(table.name).where(at(table, row)).delete();
  if (!deleted) throw new SerializationFailure(fault(), (retried) => lock(retried, table, row));
}

/**
 * Claims a row that a write of another table rests on: counts its version up, and changes nothing
 * else. Of two transactions that rest on the same row, or of which one changes it, one is done
 * again.
 * @returns the new version
 * @throws Contention with `fault` where another writer was faster
 */
export const bumpRevision = (
  db: Db,
  table: RevisionedTable,
  row: ReadRow,
  fault: () => ApiError,
): Promise<number> => updateAtRevision(db, table, row, {}, fault);

/**
 * Holds a row that must stay as it was read until this transaction is done, and does not count its
 * version up, which clients may see: others may rest on it meanwhile. Who changes the row
 * afterwards must look for what rests on it by a statement that writes, because one that reads sees
 * the past.
 * @throws Contention with `fault` where another writer was faster
 */
export async function checkRevision(
  db: Db,
  table: RevisionedTable,
  row: ReadRow,
  fault: () => ApiError,
): Promise<void> {
  const { name, revision: version = 'revision' } = table;
  const held = await db(name)
    .where(at(table, row))
    .update({ [version]: row[1] });
  if (!held) throw new SerializationFailure(fault(), (retried) => lock(retried, table, row));
}

/**
 * Changes or deletes rows that this transaction has read, in a table without versions. `what` is
 * what a row is.
 * @throws Contention where no row is left: another transaction has deleted what this one read
 */
export async function requireAffectedRow(write: PromiseLike<number>, what: string): Promise<void> {
  if (await write) return;
  throw new SerializationFailure(
    conflict(`The ${what} is being changed by others at the same time. Please try again.`),
  );
}

/**
 * Locks a row by its key alone, so that every transaction takes the locks of the row and its
 * indexes in one order.
 */
async function lock(
  db: Db,
  { name, key = 'id', revision: version = 'revision' }: RevisionedTable,
  [id]: ReadRow,
): Promise<void> {
  const own = db(name).where({ [key]: id });
  await deferred(own.update({ [version]: db.ref(version) }));
}
