// Jobs of central services, and named locks.
import type { Migration } from '../../src/kernel/db/database.ts';

export const jobs: Migration = {
  name: 'jobs-1',
  async up(db) {
    await db.schema.createTable('jobs', (table) => {
      table.bigIncrements('id');
      table.bigInteger('due_at').notNullable();
      table.string('kind', 100).notNullable();
      table.string('subject', 255).notNullable();
      table.text('payload').notNullable();
      table.bigInteger('taken_at');
      table.index(['due_at', 'id']);
      table.index(['kind', 'subject']);
    });
    await db.schema.createTable('cumulet_turns', (table) => {
      table.string('name', 100).primary();
      table.bigInteger('turn').notNullable();
    });
  },
};
