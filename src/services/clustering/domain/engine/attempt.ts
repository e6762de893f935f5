// Runs code in a savepoint, so that its failure undoes its own changes and nothing else.
import { contextWith } from '../../../../kernel/context.ts';
import { SerializationFailure, isDeadlock, isUnreachable } from '../../../../kernel/db/errors.ts';
import type { Context } from '../../../../kernel/model.ts';

/**
 * Runs a function in a savepoint. If it throws, all of its changes are undone, and the error is
 * returned. Conflicts with other transactions are thrown all the same, because the whole
 * transaction has to run again.
 */
export async function attempt<T>(
  context: Context,
  run: (context: Context) => Promise<T>,
): Promise<{ readonly value: T } | { readonly error: Error }> {
  // The first error counts: the rollback may fail as well, and its error would hide the cause.
  let thrown: { error: unknown } | undefined;
  try {
    return {
      value: await context.db.transaction(async (db) => {
        try {
          return await run(contextWith(context, { db }));
        } catch (error) {
          thrown ??= { error };
          throw error;
        }
      }),
    };
  } catch (last) {
    const error = thrown ? thrown.error : last;
    const isConflict =
      error instanceof SerializationFailure || isDeadlock(error) || isUnreachable(error);
    if (isConflict || !(error instanceof Error)) throw error;
    return { error };
  }
}
