// Checks whether a database answers.
import type { Db } from '../../kernel/db/database.ts';

export async function isReachable(db: Db): Promise<boolean> {
  try {
    await db.raw('SELECT 1');
    return true;
  } catch {
    return false;
  }
}
