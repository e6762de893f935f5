// The settings of Identity that operators change at runtime.
import type { Migration } from '../../src/kernel/db/database.ts';

export const serviceSettings: Migration = {
  name: 'service-settings',
  async up(db) {
    await db.schema.createTable('identity_settings', (table) => {
      table.string('name', 64).primary();
      table.text('value', 'mediumtext').notNullable();
    });
  },
};
