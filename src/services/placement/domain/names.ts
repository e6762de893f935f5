// Resource classes and traits have standard names, or names that begin with CUSTOM_.
import { conflict } from '../../../kernel/errors.ts';
import type { Context } from '../../../kernel/model.ts';
import { idsOf, insertName, type NameTable } from '../store/names.ts';

export const isCustomName = (name: string): boolean => /^CUSTOM_[A-Z0-9_]+$/.test(name);

/**
 * Looks up the ids of names, and creates the custom names that do not exist.
 * @throws 409 for a name that is neither standard nor custom
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
    ids.set(name, (await insertName(db, table, name, now)).id);
  }
  return ids;
}
