// Jobs that are periodic, that failed, and that were set aside: the same columns in the central
// database and in those of regions.
import type { Migration } from '../src/kernel/db/database.ts';

export const jobStates = (name: string): Migration => ({
  name,
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
});
