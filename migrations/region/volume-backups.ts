// The table of backups of volumes.
import type { Migration } from '../../src/kernel/db/database.ts';

export const volumeBackups: Migration = {
  name: 'volume-5',
  async up(db) {
    await db.schema.createTable('volume_backups', (table) => {
      table.string('id', 36).primary();
      table.string('project_id', 255).notNullable();
      table.string('user_id', 255).notNullable();
      table.string('name', 255);
      table.string('description', 255);
      // Neither the volume nor the snapshot need exist any more.
      table.string('volume_id', 36).notNullable();
      table.string('snapshot_id', 36);
      table.string('parent_id', 36);
      table.integer('size').notNullable();
      table.string('status', 20).notNullable();
      table.text('fail_reason');
      table.string('container', 255);
      table.integer('object_count').notNullable();
      table.string('availability_zone', 255);
      table.bigInteger('data_timestamp');
      // What a restore gives to the volume, besides the data.
      table.text('content', 'mediumtext').notNullable();
      table.string('restore_volume_id', 36);
      table.integer('revision').notNullable();
      table.bigInteger('created_at').notNullable();
      table.bigInteger('updated_at');
      table.index(['project_id', 'created_at', 'id'], 'volume_backups_project');
      table.index(['volume_id'], 'volume_backups_volume');
      table.index(['parent_id'], 'volume_backups_parent');
    });
  },
};
