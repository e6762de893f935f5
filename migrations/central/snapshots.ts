// Snapshots of the cloud: their descriptions, and their contents in chunks. Resets keep them, and
// no snapshot contains them.
import type { Migration } from '../../src/kernel/db/database.ts';

export const snapshots: Migration = {
  name: 'snapshots-1',
  async up(db) {
    await db.schema.createTable('cumulet_snapshots', (table) => {
      table.bigIncrements('id');
      // Null for a snapshot that is being taken, and for the seed.
      table.string('name', 64).unique();
      // The hash of the file that the cloud starts from, if this is its snapshot.
      table.string('digest', 64).unique();
      table.text('header', 'mediumtext').notNullable();
      table.bigInteger('size').notNullable();
      table.bigInteger('row_count').notNullable();
      table.bigInteger('created_at').notNullable();
    });
    // Split into chunks, so that no row exceeds the size of a statement that databases accept.
    await db.schema.createTable('cumulet_snapshot_parts', (table) => {
      table.bigInteger('snapshot_id').notNullable();
      table.integer('part').notNullable();
      table.string('of_database', 24).notNullable();
      table.specificType('bytes', 'mediumblob').notNullable();
      table.primary(['snapshot_id', 'part']);
    });
  },
};
