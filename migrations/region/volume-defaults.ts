// The default types of projects, and whether a backend is frozen.
import type { Migration } from '../../src/kernel/db/database.ts';

export const volumeDefaults: Migration = {
  name: 'volume-3',
  async up(db) {
    await db.schema.createTable('volume_default_types', (table) => {
      table.string('project_id', 255).primary();
      // A type that is a default cannot be deleted, also where both happen at once.
      table.string('type_id', 36).notNullable().references('volume_types.id');
    });
    await db.schema.alterTable('volume_services', (table) => {
      table.boolean('frozen').notNullable().defaultTo(false);
    });
  },
};
