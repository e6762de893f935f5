// Flavors get a revision, so that the deletion of one conflicts with the concurrent creation of a
// server that uses it.
import type { Migration } from '../../src/kernel/db/database.ts';

export const computeFlavorRevisions: Migration = {
  name: 'compute-flavor-revisions-1',
  async up(db) {
    await db.schema.alterTable('compute_flavors', (table) => {
      table.integer('revision').notNullable().defaultTo(0);
    });
  },
};
