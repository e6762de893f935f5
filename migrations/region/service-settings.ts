// The settings that operators change at runtime, of the services of a region.
import type { Migration } from '../../src/kernel/db/database.ts';

export const serviceSettings: Migration = {
  name: 'service-settings',
  async up(db) {
    for (const service of ['clustering', 'compute', 'image', 'network', 'volume'])
      await db.schema.createTable(`${service}_settings`, (table) => {
        table.string('name', 64).primary();
        table.text('value', 'mediumtext').notNullable();
      });
  },
};
