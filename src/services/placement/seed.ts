// Seeds an empty Placement with the standard resource classes and traits.
import type { Context } from '../../kernel/model.ts';
import { classTable, insertStandardNames, traitTable } from './store/names.ts';

/** Inserts the missing standard names, whose ids are the same in every database. */
export async function seedPlacement({ db, now }: Context): Promise<void> {
  for (const table of [classTable, traitTable]) await insertStandardNames(db, table, now);
}
