// Creates, renames and deletes custom resource classes. Standard classes cannot be changed.
import type { Db } from '../../../kernel/db/database.ts';
import { isDuplicate, isForeignKey } from '../../../kernel/db/errors.ts';
import { badRequest, conflict } from '../../../kernel/errors.ts';
import type { Context } from '../../../kernel/model.ts';
import { firstCustomId } from '../standard-names.ts';
import { classTable, deleteName, insertName, renameName } from '../store/names.ts';
import { noSuchObject } from './refusals.ts';
import type { Named } from '../model.ts';

/** Finds a class by name. @throws 404 */
export async function existingClass(db: Db, name: string): Promise<Named> {
  const found = await classTable.find(db, { name });
  if (!found) throw noSuchObject(`No such resource class ${name}.`);
  return found;
}

/** @throws 409 if the class exists */
export async function createClass(
  { db, now }: Pick<Context, 'db' | 'now'>,
  name: string,
): Promise<void> {
  try {
    await insertName(db, classTable, name, now);
  } catch (error) {
    throw isDuplicate(error)
      ? conflict(`Conflicting resource class already exists: ${name}`)
      : error;
  }
}

/** Creates a class if it does not exist. @returns whether it was created */
export async function ensureClass(
  context: Pick<Context, 'db' | 'now'>,
  name: string,
): Promise<boolean> {
  if (await classTable.exists(context.db, { name })) return false;
  await createClass(context, name);
  return true;
}

/** @throws 400 for a standard class, 404, 409 if the new name exists */
export async function renameClass(
  { db, now }: Pick<Context, 'db' | 'now'>,
  name: string,
  newName: string,
): Promise<Named> {
  const found = await existingClass(db, name);
  if (found.id < firstCustomId)
    throw badRequest(`Cannot update standard resource class ${found.name}`);
  try {
    await renameName(db, classTable, found.id, newName, now);
  } catch (error) {
    throw isDuplicate(error) ? conflict(`Resource class already exists: ${newName}`) : error;
  }
  return { ...found, name: newName };
}

/** @throws 400 for a standard class, 404, 409 if a provider has an inventory of the class */
export async function deleteClass(db: Db, name: string): Promise<void> {
  const found = await existingClass(db, name);
  const withReason = (why: string): string => `Error in delete resource class: ${why}`;
  if (found.id < firstCustomId)
    throw badRequest(withReason(`Cannot delete standard resource class ${found.name}.`));
  try {
    await deleteName(db, classTable, found.id);
  } catch (error) {
    throw isForeignKey(error)
      ? conflict(
          withReason(`Cannot delete resource class ${found.name}. Class is in use in inventory.`),
        )
      : error;
  }
}
