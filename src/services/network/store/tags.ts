// The tags of resources of all kinds. A resource has each of its tags once.
import { deferred } from '../../../kernel/db/transaction.ts';
import { referring, text } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { retryOnConstraint } from '../../../kernel/db/errors.ts';
import { idsWithAll, type ChildTable } from '../../../kernel/db/has-all.ts';
import type { Condition } from '../../../kernel/db/listing.ts';
import { Table } from '../../../kernel/db/table.ts';
import { beingChanged } from './conflicts.ts';
import { groupedValues } from '../../../kernel/db/grouping.ts';

/** The ids of the resources that can have tags. */
const taggable = [
  'networks',
  'subnets',
  'ports',
  'routers',
  'floatingips',
  'security_groups',
  'security_group_rules',
  'subnetpools',
  'address_scopes',
  'trunks',
  'qos_policies',
].map((name) => `network_${name}.id`);

const tagTable = new Table(
  'network_tags',
  { resource_id: referring(text, ...taggable), tag: text },
  { key: ['resource_id', 'tag'] },
);

const tagColumns: ChildTable = { name: tagTable.name, id: 'resource_id', columns: ['tag'] };

/** The tags of resources by id, sorted. */
export async function tagsOf(db: Db, ids: readonly string[]): Promise<Map<string, string[]>> {
  return groupedValues(
    await tagTable.among(db, 'resource_id', ids),
    (row) => row.resource_id,
    (row) => row.tag,
  );
}

/** Gives a resource exactly these tags. */
export async function setTags(db: Db, id: string, tags: readonly string[]): Promise<void> {
  await deferred(tagTable.remove(db, { resource_id: id }));
  await insertTags(db, id, tags);
}

export async function insertTags(db: Db, id: string, tags: readonly string[]): Promise<void> {
  const rows = tags.map((tag) => ({ resource_id: id, tag }));
  await retryOnConstraint(tagTable.insertAll(db, rows), () => beingChanged('tags'));
}

export async function deleteTag(db: Db, id: string, tag: string): Promise<void> {
  await tagTable.remove(db, { resource_id: id, tag });
}

/** Resources that have all of the tags, or any of them; with `not`, those that do not. */
export const tagged =
  (
    db: Db,
    owner: string,
    tags: readonly string[],
    { any = false, not = false }: { any?: boolean; not?: boolean },
  ): Condition =>
  (query) => {
    const ids = any
      ? db(tagTable.name)
          .select('resource_id')
          .whereIn('tag', [...new Set(tags)])
      : idsWithAll(
          db,
          tagColumns,
          tags.map((tag) => [tag]),
        );
    void query[not ? 'whereNotIn' : 'whereIn'](`${owner}.id`, ids);
  };
