// When a client has deleted a server softly.
import type { Migration } from '../../src/kernel/db/database.ts';

export const computeSoftDeletion: Migration = {
  name: 'compute-soft-deletion-1',
  async up(db) {
    await db.schema.alterTable('compute_servers', (table) => {
      table.bigInteger('soft_deleted_at');
    });
  },
};
