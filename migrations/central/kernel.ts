// The emulator's own tables in the central database.
import type { Migration } from '../../src/kernel/db/database.ts';

export const kernel: Migration = {
  name: 'kernel-1',
  async up(db) {
    await db.schema.createTable('cumulet_state', (table) => {
      table.string('name', 100).primary();
      table.text('value').notNullable();
      table.bigInteger('updated_at').notNullable();
    });
    await db.schema.createTable('cumulet_secrets', (table) => {
      table.string('name', 100).primary();
      table.text('value').notNullable();
    });
  },
};
