// Jobs that reach beyond their database: when a process took one.
import type { Migration } from '../../src/kernel/db/database.ts';

export const jobs: Migration = {
  name: 'jobs-2',
  async up(db) {
    await db.schema.alterTable('jobs', (table) => {
      table.bigInteger('taken_at');
    });
  },
};
