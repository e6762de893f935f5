// The tags of resources of all kinds: a resource has each of its tags once.
import { idsWithAll, type ChildTable } from '../../../kernel/db/has-all.ts';
import { beingChanged, contended, grouped, inParts, type Condition } from './table.ts';
import type { Db } from '../../../kernel/db/database.ts';

interface Row {
  resource_id: string;
  tag: string;
}

const tagTable: ChildTable = { name: 'network_tags', id: 'resource_id', columns: ['tag'] };
const table = (db: Db) => db<Row>(tagTable.name);

/** The tags of resources by id, in order. */
export async function tagsOf(db: Db, ids: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await inParts<Row>([...ids], (part) =>
    table(db)
      .whereIn('resource_id', [...part])
      .orderBy(['resource_id', 'tag']),
  );
  return new Map(
    [...grouped(rows, (row) => row.resource_id)].map(([id, own]) => [
      id,
      own.map(({ tag }) => tag),
    ]),
  );
}

/** Gives a resource exactly these tags. */
export async function setTags(db: Db, id: string, tags: readonly string[]): Promise<void> {
  await table(db).where({ resource_id: id }).delete();
  await insertTags(db, id, tags);
}

export async function insertTags(db: Db, id: string, tags: readonly string[]): Promise<void> {
  if (!tags.length) return;
  await contended(beingChanged('tags'), () =>
    table(db).insert(tags.map((tag) => ({ resource_id: id, tag }))),
  );
}

export async function deleteTag(db: Db, id: string, tag: string): Promise<void> {
  await table(db).where({ resource_id: id, tag }).delete();
}

/** Resources with all of the tags, with any of them, or (`not`) without. */
export const tagged =
  (
    db: Db,
    owner: string,
    tags: readonly string[],
    { any = false, not = false }: { any?: boolean; not?: boolean },
  ): Condition =>
  (query) => {
    const withAny = () =>
      table(db)
        .select('resource_id')
        .whereIn('tag', [...new Set(tags)]);
    const ids = any
      ? withAny()
      : idsWithAll(
          db,
          tagTable,
          tags.map((tag) => [tag]),
        );
    void query[not ? 'whereNotIn' : 'whereIn'](`${owner}.id`, ids);
  };
