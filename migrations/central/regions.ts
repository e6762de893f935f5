// The list of a cloud's regions, which outlives a reset and is the same for all of its processes.
import type { Migration } from '../../src/kernel/db/database.ts';

export const regions: Migration = {
  name: 'regions-1',
  async up(db) {
    await db.schema.createTable('cumulet_regions', (table) => {
      table.increments('id');
      table.string('name', 24).notNullable();
      // Files and MySQL's databases may not tell case apart, so regions' names do not either.
      table.string('folded_name', 24).notNullable().unique();
      table.boolean('is_central').notNullable();
      table.string('state', 10).notNullable();
    });
  },
};
