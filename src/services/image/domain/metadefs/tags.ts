// The rules of the tags of a namespace. Upstream: glance/db/sqlalchemy/metadef_api/tag.py.
import { badRequest, notFound } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { MetadefTag, Namespace } from '../../model.ts';
import { tags } from '../../store/metadefs.ts';
import { checkRemovable, checkNames, writeName } from './contents.ts';

/** The order of a list of tags, and its position. */
export interface TagQuery {
  readonly sortKey: string;
  readonly descending: boolean;
  /** The name of the last tag of the previous page. */
  readonly marker: string | undefined;
  readonly limit: number | undefined;
}

/** Lists the tags of a namespace. @throws 400 for an unknown sort key, 404 for an unknown marker */
export async function listTags(
  context: Context,
  namespace: Namespace,
  { sortKey, descending, marker, limit }: TagQuery,
): Promise<MetadefTag[]> {
  const field = tags.fieldOf(sortKey);
  if (!field) throw badRequest(`Invalid sort key: ${sortKey}.`);
  const fields = [...new Set([field, 'createdAt', 'id'] as const)];
  return tags.list(context.db, {
    where: { namespaceId: namespace.id },
    sort: fields.map((one) => ({ field: one, descending, fill: 0 })),
    after: marker === undefined ? undefined : await tagNamed(context, namespace, marker),
    limit,
  });
}

/** @throws 404 */
export async function tagNamed(
  { db }: Context,
  { id }: Namespace,
  name: string,
): Promise<MetadefTag> {
  const tag = await tags.find(db, { namespaceId: id, name });
  if (!tag) throw notFound(`Could not find metadata tag ${name}`);
  return tag;
}

/** @throws 409 for a name that the namespace has, or that is there twice */
export async function addTags(
  context: Context,
  namespace: Namespace,
  names: readonly string[],
): Promise<void> {
  const { db, now } = context;
  await checkNames(context, namespace, tags, names, duplicate);
  const rest = { namespaceId: namespace.id, createdAt: now, updatedAt: now };
  const write = tags.insertAll(
    db,
    names.map((name) => ({ name, ...rest })),
  );
  await writeName(write, duplicate(names.join(', '), namespace.namespace));
}

/**
 * Replaces the tags of a namespace, even a protected one. Like upstream's, an empty list changes
 * nothing.
 * @throws 409 for a name that is there twice
 */
export async function replaceTags(
  context: Context,
  namespace: Namespace,
  names: readonly string[],
): Promise<void> {
  if (names.length) await tags.remove(context.db, { namespaceId: namespace.id });
  await addTags(context, namespace, names);
}

const duplicate = (name: string, namespace: string): string =>
  `A metadata tag with name=${name} already exists in namespace=${namespace}. (Please note ` +
  'that metadata tag names are case insensitive).';

/** Renames a tag. @throws 409 */
export async function renameTag(
  context: Context,
  namespace: Namespace,
  before: MetadefTag,
  name: string,
): Promise<MetadefTag> {
  const { db, now } = context;
  const after = { ...before, name, updatedAt: now };
  await writeName(tags.update(db, { id: before.id }, after), duplicate(name, namespace.namespace));
  return after;
}

/** @throws 403 if the namespace is protected */
export async function removeTag(
  context: Context,
  namespace: Namespace,
  { id, name }: MetadefTag,
): Promise<void> {
  checkRemovable(namespace, 'tag', name);
  await tags.remove(context.db, { id });
}
