// The default types of projects, and whether a backend is frozen.
import type { Migration } from '../../src/kernel/db/database.ts';

export const volumeDefaults: Migration = {
  name: 'volume-3',
  async up(db) {
    await db.schema.createTable('volume_default_types', (table) => {
      table.string('project_id', 255).primary();
      // The foreign key prevents that a default type is deleted, even by a concurrent request.
      table.string('type_id', 36).notNullable().references('volume_types.id');
    });
    await db.schema.alterTable('volume_services', (table) => {
      table.boolean('frozen').notNullable().defaultTo(false);
    });
  },
};
