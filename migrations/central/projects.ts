// The throw-away projects. A reset empties the table; it belongs to no service.
import type { Migration } from '../../src/kernel/db/database.ts';

export const projects: Migration = {
  name: 'projects-1',
  async up(db) {
    await db.schema.createTable('throwaway_projects', (table) => {
      table.increments('number');
      table.string('id', 64).notNullable().unique('throwaway_projects_id');
      table.string('name', 64).notNullable();
      table.string('domain_id', 64).notNullable();
      table.string('user_id', 64).notNullable();
      table.bigInteger('created_at').notNullable();
    });
  },
};
