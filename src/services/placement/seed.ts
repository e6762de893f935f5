// What an empty Placement has: the standard resource classes and traits.
import { firstCustomId } from './domain/standard-classes.ts';
import { classTable, traitTable } from './store/names.ts';
import type { Work } from '../../kernel/model.ts';

/** Adds the standard names that are missing, with the ids that they have everywhere. */
export async function seedPlacement({ db, now }: Work): Promise<void> {
  for (const { table, standardNames } of [classTable, traitTable]) {
    const [row] = (await db(table).where('id', '<', firstCustomId).count('* as count')) as { count: number }[];
    if (Number(row?.count) === standardNames.length) continue;
    const rows = standardNames.map((name, id) => ({ id, name, created_at: now, updated_at: null }));
    for (let at = 0; at < rows.length; at += 200)
      await db(table)
        .insert(rows.slice(at, at + 200))
        .onConflict('id')
        .ignore();
  }
}
