// Renames tables and columns of the region's database to standard terms.
import type { Migration } from '../../src/kernel/db/database.ts';

export const plainNames: Migration = {
  name: 'plain-names-1',
  async up(db) {
    await db.schema.renameTable('cumulet_turns', 'cumulet_locks');
    await db.schema.alterTable('cumulet_locks', (table) => table.renameColumn('turn', 'acquired'));
    await db.schema.alterTable('jobs', (table) => table.renameColumn('taken_at', 'claimed_at'));
    await db.schema.renameTable('clustering_errands', 'clustering_remote_tasks');
    await db('jobs')
      .where({ kind: 'clustering.errands' })
      .update({ kind: 'clustering.remote_tasks' });
  },
};
