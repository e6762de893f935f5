// The rules of resource classes: custom classes are created, renamed and deleted; standard classes
// stay as they are.
import type { Db } from '../../../kernel/db/database.ts';
import { isDuplicate, isForeignKey } from '../../../kernel/db/errors.ts';
import { badRequest, conflict } from '../../../kernel/errors.ts';
import type { Context } from '../../../kernel/model.ts';
import { firstCustomId } from '../standard-names.ts';
import { classTable, deleteNamed, findNamed, insertNamed, renameNamed } from '../store/names.ts';
import { noSuchObject } from './refusals.ts';
import type { Named } from '../model.ts';

/** The class of that name. @throws 404 */
export async function existingClass(db: Db, name: string): Promise<Named> {
  const found = await findNamed(db, classTable, name);
  if (!found) throw noSuchObject(`No such resource class ${name}.`);
  return found;
}

/** @throws 409 where the class exists */
export async function createClass(
  { db, now }: Pick<Context, 'db' | 'now'>,
  name: string,
): Promise<void> {
  try {
    await insertNamed(db, classTable, name, now);
  } catch (error) {
    throw isDuplicate(error)
      ? conflict(`Conflicting resource class already exists: ${name}`)
      : error;
  }
}

/** Creates the class where it does not exist; returns whether it did not. */
export async function ensureClass(
  context: Pick<Context, 'db' | 'now'>,
  name: string,
): Promise<boolean> {
  if (await findNamed(context.db, classTable, name)) return false;
  await createClass(context, name);
  return true;
}

/** @throws 400 for a standard class, 404, 409 where the new name exists */
export async function renameClass(
  { db, now }: Pick<Context, 'db' | 'now'>,
  name: string,
  newName: string,
): Promise<Named> {
  const found = await existingClass(db, name);
  if (found.id < firstCustomId)
    throw badRequest(`Cannot update standard resource class ${found.name}`);
  try {
    await renameNamed(db, classTable, found.id, newName, now);
  } catch (error) {
    throw isDuplicate(error) ? conflict(`Resource class already exists: ${newName}`) : error;
  }
  return { ...found, name: newName };
}

/** @throws 400 for a standard class, 404, 409 where a provider has an inventory of the class */
export async function deleteClass(db: Db, name: string): Promise<void> {
  const found = await existingClass(db, name);
  const because = (why: string): string => `Error in delete resource class: ${why}`;
  if (found.id < firstCustomId)
    throw badRequest(because(`Cannot delete standard resource class ${found.name}.`));
  try {
    await deleteNamed(db, classTable, found.id);
  } catch (error) {
    throw isForeignKey(error)
      ? conflict(
          because(`Cannot delete resource class ${found.name}. Class is in use in inventory.`),
        )
      : error;
  }
}
