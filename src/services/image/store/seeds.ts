// The table of the images that a region was seeded with.
import { text } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { Table } from '../../../kernel/db/table.ts';

const seeds = new Table('image_seeds', { name: text }, { key: 'name' });

/**
 * Records a seed, which the kernel does under a lock. @returns whether the caller must write it,
 * which is only once until a reset
 */
export async function recordSeed(db: Db, name: string): Promise<boolean> {
  if (await seeds.exists(db, { name })) return false;
  await seeds.insert(db, { name });
  return true;
}
