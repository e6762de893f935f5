// What an empty Placement has: the standard resource classes and traits.
import type { Context } from '../../kernel/model.ts';
import { classTable, insertStandardNames, traitTable } from './store/names.ts';

/** Adds the standard names that are missing, with the ids that they have everywhere. */
export async function seedPlacement({ db, now }: Context): Promise<void> {
  for (const names of [classTable, traitTable]) await insertStandardNames(db, names, now);
}
