// What the contents of a namespace have in common: their names are unique in it, and they cannot be
// removed from a protected one. Whoever writes them has locked the namespace. Upstream:
// glance/db/sqlalchemy/metadef_api.
import type { Db } from '../../../../kernel/db/database.ts';
import { isDuplicate } from '../../../../kernel/db/errors.ts';
import { batchesOf } from '../../../../kernel/db/owned-rows.ts';
import { conflict, forbidden } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { Namespace } from '../../model.ts';
import { objects, properties, tags, type ContentTable } from '../../store/metadefs.ts';
import { checkUnprotected } from './namespaces.ts';

/** The message for a name that a namespace has. */
export type DuplicateMessage = (name: string, namespace: string) => string;

/** @throws 409 for a name that the namespace has, or that is listed twice */
export async function checkNames(
  { db }: Context,
  namespace: Namespace,
  table: ContentTable,
  names: readonly string[],
  duplicate: DuplicateMessage,
): Promise<void> {
  const taken = new Set(await namesAmong(db, namespace, table, names));
  for (const name of names) {
    if (taken.has(name)) throw conflict(duplicate(name, namespace.namespace));
    taken.add(name);
  }
}

/** Which of the names the namespace has. */
async function namesAmong(
  db: Db,
  { id }: Namespace,
  { name: table }: ContentTable,
  names: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  for (const batch of batchesOf(names)) {
    const query = db(table).where({ namespace_id: id }).whereIn('name', batch);
    found.push(...((await query.pluck('name')) as string[]));
  }
  return found;
}

/**
 * Writes names. The database may hold two texts for the same that differ, such as by a null
 * character.
 * @throws 409 with the message if the namespace has one of the names
 */
export async function writeName(write: PromiseLike<unknown>, message: string): Promise<void> {
  try {
    await write;
  } catch (error) {
    throw isDuplicate(error) ? conflict(message) : error;
  }
}

/** The message for an update that would give an object or a property the name of another one. */
export const invalidUpdate = (noun: string, name: string, { namespace }: Namespace): string =>
  `Invalid update. It would result in a duplicate metadata definition ${noun} with the same ` +
  `name=${name} in namespace=${namespace}.`;

/** @throws 403 if the namespace is protected, and keeps what it contains */
export function checkRemovable(namespace: Namespace, noun: string, name: string): void {
  if (namespace.isProtected)
    throw forbidden(`Metadata definition ${noun} ${name} is protected and cannot be deleted.`);
}

const tables = { objects, properties, tags } as const;

/** Removes all objects, properties or tags of a namespace. @throws 403 for a protected one */
export async function clearContents(
  context: Context,
  namespace: Namespace,
  kind: keyof typeof tables,
): Promise<void> {
  checkUnprotected(namespace);
  await tables[kind].remove(context.db, { namespaceId: namespace.id });
}
