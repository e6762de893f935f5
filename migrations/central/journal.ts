// The journal of requests. A reset of the whole cloud empties the table; it belongs to no service.
import type { Migration } from '../../src/kernel/db/database.ts';

export const journal: Migration = {
  name: 'journal-1',
  async up(db) {
    await db.schema.createTable('journal_requests', (table) => {
      table.increments('id');
      table.bigInteger('era').notNullable();
      table.string('request_id', 64).notNullable().index();
      table.string('service', 100);
      table.string('region', 100);
      table.text('entry', 'mediumtext').notNullable();
    });
  },
};
