// The list of a cloud's regions, which a reset keeps and all of its processes share.
import type { Migration } from '../../src/kernel/db/database.ts';

export const regions: Migration = {
  name: 'regions-1',
  async up(db) {
    await db.schema.createTable('cumulet_regions', (table) => {
      table.increments('id');
      table.string('name', 24).notNullable();
      // File systems and MySQL may ignore the case of names, so the names of regions do too.
      table.string('folded_name', 24).notNullable().unique();
      table.boolean('is_central').notNullable();
      table.string('state', 10).notNullable();
    });
  },
};
