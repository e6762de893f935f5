// Guarded writes: the database checks what a write has done, so that a transaction that loses a
// race fails without waiting for the result of each write.
import { isRefusedByConstraint, type SerializationFailure } from './errors.ts';
import type { Statement } from './drivers/recurring.ts';

/** What a write must do for its transaction to go on. */
export interface Guard {
  /** The number of rows that it must change; undefined if only constraints matter. */
  readonly rows: number | undefined;
  /** The error of the transaction if the write changes another number, or violates a constraint. */
  readonly failure: () => SerializationFailure;
}

/**
 * Writes, and fails the transaction if the write changes another number of rows than `rows`, or
 * violates a unique or foreign key. MySQL gets the write and its check in one packet with the next
 * statement of the transaction, or with COMMIT, which then throws `failure`: the server runs nothing
 * after a check that fails. SQLite, and MySQL outside of a transaction, write at once.
 * @throws `failure`, here or from a later statement of the transaction
 */
export async function guarded(
  write: Statement<unknown>,
  failure: Guard['failure'],
  rows?: number,
): Promise<void> {
  const guard: Guard = { rows, failure };
  let changed: unknown;
  try {
    changed = await write.queryContext({ guard });
  } catch (error) {
    throw isRefusedByConstraint(error) ? failure() : error;
  }
  if (rows !== undefined && changed !== rows) throw failure();
}
