// Names ignore case: two users, projects, groups, roles or application credentials of one owner
// cannot differ by case alone.
import type { Db, Migration } from '../../src/kernel/db/database.ts';

/** The tables with names, and the column of the owner within which a name is unique. */
const named = [
  ['identity_projects', 'domain_id'],
  ['identity_users', 'domain_id'],
  ['identity_groups', 'domain_id'],
  ['identity_roles', 'domain_id'],
  ['identity_application_credentials', 'user_id'],
] as const;

export const identityNames: Migration = {
  name: 'identity-3',
  async up(db) {
    for (const [name, owner] of named) {
      await db.schema.alterTable(name, (table) => {
        table.string('name_key', 512).notNullable().defaultTo('');
      });
      await fill(db, name, owner);
      await db.schema.alterTable(name, (table) => {
        table.unique([owner, 'name_key'], { indexName: `${name}_name_key` });
      });
    }
  },
};

/**
 * A cloud may already have names that differ only by case: the first gets the unique key, the
 * others can be found by id only.
 */
async function fill(db: Db, name: string, owner: string): Promise<void> {
  const rows = (await db(name).orderBy('id').select('id', 'name', owner)) as Record<
    string,
    string
  >[];
  const taken = new Set<string>();
  for (const row of rows) {
    const key = row['name']!.toLowerCase();
    const place = `${row[owner]} ${key}`;
    await db(name)
      .where({ id: row['id']! })
      .update({ name_key: taken.has(place) ? `${key} ${row['id']}` : key });
    taken.add(place);
  }
}
