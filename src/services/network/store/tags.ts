// Tags, whatever they are on: a thing has each of its tags once.
import { contended, inParts, type Narrow } from './table.ts';
import { beingChanged } from '../domain/refusals.ts';
import type { Db } from '../../../kernel/db/database.ts';

interface Row {
  resource_id: string;
  tag: string;
}

const table = (db: Db) => db<Row>('network_tags');

/** The tags of things, by id, in order. */
export async function tagsOf(db: Db, ids: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await inParts<Row>([...ids], (part) =>
    table(db)
      .whereIn('resource_id', [...part])
      .orderBy(['resource_id', 'tag']),
  );
  const found = new Map<string, string[]>();
  for (const { resource_id: id, tag } of rows) found.set(id, [...(found.get(id) ?? []), tag]);
  return found;
}

/** Gives a thing exactly these tags. */
export async function setTags(db: Db, id: string, tags: readonly string[]): Promise<void> {
  await table(db).where({ resource_id: id }).delete();
  await addTags(db, id, tags);
}

export async function addTags(db: Db, id: string, tags: readonly string[]): Promise<void> {
  if (!tags.length) return;
  await contended(beingChanged('tags'), () => table(db).insert(tags.map((tag) => ({ resource_id: id, tag }))));
}

export async function removeTag(db: Db, id: string, tag: string): Promise<void> {
  await table(db).where({ resource_id: id, tag }).delete();
}

/** Things with all of the tags, or with any of them; `not` turns it round. */
export const tagged =
  (db: Db, owner: string, tags: readonly string[], { any = false, not = false }: { any?: boolean; not?: boolean }): Narrow =>
  (query) => {
    const wanted = [...new Set(tags)];
    const ask = table(db).select('resource_id').whereIn('tag', wanted);
    if (!any) void ask.groupBy('resource_id').having(db.raw('count(*)'), '=', wanted.length);
    void query[not ? 'whereNotIn' : 'whereIn'](`${owner}.id`, ask);
  };
