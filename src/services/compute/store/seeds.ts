// The seeds that the region has had.
import { isDuplicate } from '../../../kernel/db/errors.ts';
import type { Db } from '../../../kernel/db/database.ts';

/** Whether the caller seeds: once until a reset, and only one of all processes. */
export async function recordSeed(db: Db, name: string): Promise<boolean> {
  if (await db('compute_seeds').where({ name }).first('name')) return false;
  try {
    await db('compute_seeds').insert({ name });
    return true;
  } catch (error) {
    if (isDuplicate(error)) return false; // another process that starts at the same moment does it
    throw error;
  }
}
