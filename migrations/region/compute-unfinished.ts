// An index of the servers with a task, which are few: the scheduler counts them.
import type { Migration } from '../../src/kernel/db/database.ts';

export const computeUnfinished: Migration = {
  name: 'compute-unfinished-1',
  async up(db) {
    await db.schema.alterTable('compute_servers', (table) => {
      table.index(['task_state'], 'compute_servers_task');
    });
  },
};
