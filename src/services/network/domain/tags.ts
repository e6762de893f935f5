// The tags of resources. A resource has each tag once, and each change of its tags increments its
// revision. Upstream: neutron/services/tag/tag_plugin.py.
import type { Context } from '../../../kernel/model.ts';
import { insertTags, deleteTag, setTags, tagsOf } from '../store/tags.ts';
import type { Standard } from '../model.ts';
import { absent, badResource } from './refusals.ts';
import type { ResourceTable } from '../store/resource-table.ts';

const maxTags = 50;

/** A resource whose tags are changed. */
export interface Tagged<T extends Standard> {
  readonly table: ResourceTable<T>;
  readonly record: T;
  /** The name of the collection in error messages: `ports`. */
  readonly collection: string;
}

export const tagsOfResource = async (
  { db }: Context,
  { id }: Standard,
): Promise<readonly string[]> => (await tagsOf(db, [id])).get(id) ?? [];

/** @throws 400 */
function checkNumber(collection: string, tags: readonly string[]): void {
  if (new Set(tags).size > maxTags)
    throw badResource(collection, `The number of tags exceed the per-resource limit of ${maxTags}`);
}

const tagNotFound = (tag: string) => absent('TagNotFound', `Tag ${tag} could not be found.`);

/** @throws 404 */
export async function checkTag(context: Context, record: Standard, tag: string): Promise<void> {
  if (!(await tagsOfResource(context, record)).includes(tag)) throw tagNotFound(tag);
}

/** Gives a resource exactly these tags. @throws 400 */
export async function replaceTags<T extends Standard>(
  context: Context,
  tagged: Tagged<T>,
  tags: readonly string[],
): Promise<void> {
  const { table, record, collection } = tagged;
  checkNumber(collection, tags);
  await setTags(context.db, record.id, tags);
  await table.touch(context.db, record, context.now);
}

/** Adds tags to a resource. As upstream, the limit applies to the added tags alone. @throws 400 */
export async function addTags<T extends Standard>(
  context: Context,
  tagged: Tagged<T>,
  tags: readonly string[],
): Promise<void> {
  const { table, record, collection } = tagged;
  const before = new Set(await tagsOfResource(context, record));
  checkNumber(collection, tags);
  const added = tags.filter((tag) => !before.has(tag));
  await insertTags(context.db, record.id, added);
  await table.touch(context.db, record, context.now);
}

/** Adds one tag. The limit applies to all tags of the resource. @throws 400 */
export async function addTag<T extends Standard>(
  context: Context,
  tagged: Tagged<T>,
  tag: string,
): Promise<void> {
  checkNumber(tagged.collection, [...(await tagsOfResource(context, tagged.record)), tag]);
  await addTags(context, tagged, [tag]);
}

/** @throws 404 if the resource does not have the tag */
export async function removeTag<T extends Standard>(
  context: Context,
  { table, record }: Tagged<T>,
  tag: string,
): Promise<void> {
  await checkTag(context, record, tag);
  await deleteTag(context.db, record.id, tag);
  await table.touch(context.db, record, context.now);
}
