// The revisions of what processes keep in memory of a database: docs/internals/host-state.md.
import type { Migration } from '../src/kernel/db/database.ts';

export const revisions: Migration = {
  name: 'revisions-1',
  async up(db) {
    await db.schema.createTable('cumulet_revisions', (table) => {
      table.string('name', 64).primary();
      table.string('revision', 36).notNullable();
    });
  },
};
