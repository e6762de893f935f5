// Flavors count their changes, so that who deletes one knows of a server that was asked for with it
// at the same time.
import type { Migration } from '../../src/kernel/db/database.ts';

export const computeFlavorRevisions: Migration = {
  name: 'compute-flavor-revisions-1',
  async up(db) {
    await db.schema.alterTable('compute_flavors', (table) => {
      table.integer('revision').notNullable().defaultTo(0);
    });
  },
};
