// The table of the seeds that a region has received.
import { text } from '../../../kernel/db/columns.ts';
import { isDuplicate } from '../../../kernel/db/errors.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { Table } from '../../../kernel/db/table.ts';

const seeds = new Table('compute_seeds', { name: text }, { key: 'name' });

/**
 * Records a seed. @returns whether the caller must write it: only one process does, and only once
 * until a reset
 */
export async function recordSeed(db: Db, name: string): Promise<boolean> {
  if (await seeds.exists(db, { name })) return false;
  try {
    await seeds.insert(db, { name });
    return true;
  } catch (error) {
    if (isDuplicate(error)) return false; // another process has just recorded it
    throw error;
  }
}
