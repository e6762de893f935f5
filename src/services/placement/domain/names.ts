// The rule of names of resource classes and traits: a name is a standard one, or begins with
// CUSTOM_.
import { conflict } from '../../../kernel/errors.ts';
import type { Context } from '../../../kernel/model.ts';
import { idsOf, insertNamed, type NameTable } from '../store/names.ts';

export const isCustomName = (name: string): boolean => /^CUSTOM_[A-Z0-9_]+$/.test(name);

/**
 * The ids of names. Custom names that do not exist are created.
 * @throws 409 for a name that can be neither
 */
export async function ensureNames(
  { db, now }: Pick<Context, 'db' | 'now'>,
  table: NameTable,
  names: readonly string[],
): Promise<Map<string, number>> {
  const ids = await idsOf(db, table, names);
  for (const name of new Set(names)) {
    if (ids.has(name)) continue;
    if (!isCustomName(name))
      throw conflict(`${name} is neither a standard name nor begins with CUSTOM_.`);
    ids.set(name, (await insertNamed(db, table, name, now)).id);
  }
  return ids;
}
