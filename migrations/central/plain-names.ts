// Renames tables, columns and shared values of the central database to standard terms.
import type { Migration } from '../../src/kernel/db/database.ts';

const renamedValues = { 'journal.era': 'journal.generation', 'journal.keep': 'journal.limit' };

export const plainNames: Migration = {
  name: 'plain-names-1',
  async up(db) {
    await db.schema.renameTable('cumulet_turns', 'cumulet_locks');
    await db.schema.alterTable('cumulet_locks', (table) => table.renameColumn('turn', 'acquired'));
    await db.schema.alterTable('jobs', (table) => table.renameColumn('taken_at', 'claimed_at'));
    await db.schema.alterTable('journal_requests', (table) => {
      table.renameColumn('era', 'generation');
    });
    for (const [from, to] of Object.entries(renamedValues))
      await db('cumulet_state').where({ name: from }).update({ name: to });
  },
};
