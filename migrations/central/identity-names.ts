// Names without regard to case: two users, projects, groups, roles or application credentials of
// one owner do not differ by it alone.
import type { Db, Migration } from '../../src/kernel/db/database.ts';

/** The tables of what has names, with the column of the owner in whom they are unique. */
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
 * A cloud may have names already that only their case tells apart: the first keeps the key, the
 * others are found by id.
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
