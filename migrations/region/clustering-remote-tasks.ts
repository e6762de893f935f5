// Results of remote tasks in a region, for actions of other regions.
import type { Migration } from '../../src/kernel/db/database.ts';

export const clusteringErrands: Migration = {
  name: 'clustering-errands-1',
  async up(db) {
    await db.schema.createTable('clustering_errands', (table) => {
      table.string('id', 36).primary();
      table.bigInteger('created_at').notNullable();
      table.text('result', 'mediumtext').notNullable();
      table.index(['created_at'], 'clustering_errands_created');
    });
  },
};
