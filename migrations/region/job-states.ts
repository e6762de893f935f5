// Jobs that are periodic, that failed, and that were set aside.
import type { Migration } from '../../src/kernel/db/database.ts';

export const jobStates: Migration = {
  name: 'jobs-3',
  async up(db) {
    await db.schema.alterTable('jobs', (table) => {
      // Microseconds between the rounds of a periodic job.
      table.bigInteger('period');
      // Until when its rounds change nothing, if that is known.
      table.bigInteger('steady_until').index('jobs_steady_until');
      table.integer('failures').notNullable().defaultTo(0);
      table.bigInteger('set_aside_at');
      table.text('error');
    });
  },
};
