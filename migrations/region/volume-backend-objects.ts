// The table of volumes and snapshots that the backend has and Volume does not manage.
import type { Migration } from '../../src/kernel/db/database.ts';

export const volumeBackendObjects: Migration = {
  name: 'volume-6',
  async up(db) {
    await db.schema.createTable('volume_backend_objects', (table) => {
      table.string('host', 255).notNullable();
      table.string('name', 255).notNullable();
      table.string('kind', 20).notNullable();
      table.integer('size').notNullable();
      // The name of a snapshot's volume at the backend.
      table.string('source', 255);
      table.primary(['host', 'name']);
    });
  },
};
