// Does something in a transaction that is rolled back, and collects the explanations of what the
// services decide on the way.
import { systemContext } from '../../kernel/context.ts';
import type { Db } from '../../kernel/db/database.ts';
import { outermostOf, transact } from '../../kernel/db/transaction.ts';
import type { Call, Context, Region } from '../../kernel/model.ts';
import type { Explanation } from './model.ts';

const collectedKey = Symbol('explanations of a dry run');
type Collecting = ReturnType<typeof outermostOf> & { [collectedKey]?: Explanation[] };

/** The explanations that a dry run has collected so far; undefined in any other transaction. */
export const collectedIn = (db: Db): Explanation[] | undefined =>
  db?.isTransaction ? (outermostOf(db) as Collecting)[collectedKey] : undefined;

/** Ends a dry run, so that its transaction is rolled back. */
class DryRunEnded<T> extends Error {
  readonly result: T;

  constructor(result: T) {
    super('a dry run has ended');
    this.result = result;
  }
}

/**
 * Runs a function as the cloud itself in a region, and undoes everything that it has written.
 * Nothing is kept of its explanations, which `run` gets as a list that grows. It must not call
 * other regions or services of other databases, whose writes would stay.
 */
export async function dryRun<T>(
  { cloud, now }: Pick<Call, 'cloud' | 'now'>,
  region: Region,
  run: (context: Context, explanations: readonly Explanation[]) => Promise<T>,
): Promise<T> {
  try {
    return await transact(region.database.db, async (db, attempt): Promise<T> => {
      const explanations: Explanation[] = [];
      (outermostOf(db) as Collecting)[collectedKey] = explanations;
      const context = systemContext(cloud, region, db, now, attempt);
      throw new DryRunEnded(await run(context, explanations));
    });
  } catch (error) {
    if (error instanceof DryRunEnded) return error.result as T;
    throw error;
  }
}
