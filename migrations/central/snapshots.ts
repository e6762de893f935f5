// Snapshots of the cloud: what is told of each, and what it holds in parts. They outlive resets,
// and are in no snapshot themselves.
import type { Migration } from '../../src/kernel/db/database.ts';

export const snapshots: Migration = {
  name: 'snapshots-1',
  async up(db) {
    await db.schema.createTable('cumulet_snapshots', (table) => {
      table.bigIncrements('id');
      // Null for one that is being taken, and for the seed.
      table.string('name', 64).unique();
      // Of the file that the cloud starts from, where the snapshot is that.
      table.string('digest', 64).unique();
      table.text('header', 'mediumtext').notNullable();
      table.bigInteger('size').notNullable();
      table.bigInteger('row_count').notNullable();
      table.bigInteger('created_at').notNullable();
    });
    // In parts, so that no row is larger than what databases take in one statement.
    await db.schema.createTable('cumulet_snapshot_parts', (table) => {
      table.bigInteger('snapshot_id').notNullable();
      table.integer('part').notNullable();
      table.string('of_database', 24).notNullable();
      table.specificType('bytes', 'mediumblob').notNullable();
      table.primary(['snapshot_id', 'part']);
    });
  },
};
