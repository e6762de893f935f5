// Tables of Volume.
import type { Migration } from '../../src/kernel/db/database.ts';

export const volume: Migration = {
  name: 'volume-1',
  async up(db) {
    await db.schema.createTable('volume_types', (table) => {
      table.string('id', 36).primary();
      table.string('name', 255).notNullable().unique({ indexName: 'volume_types_name' });
      table.string('description', 255);
      table.boolean('is_public').notNullable();
      table.bigInteger('created_at').notNullable();
      table.bigInteger('updated_at');
    });
    await db.schema.createTable('volume_type_specs', (table) => {
      table.string('type_id', 36).notNullable().references('volume_types.id');
      table.string('name', 255).notNullable();
      table.string('value', 255).notNullable();
      table.primary(['type_id', 'name']);
    });
    await db.schema.createTable('volume_type_projects', (table) => {
      table.string('type_id', 36).notNullable().references('volume_types.id');
      table.string('project_id', 255).notNullable();
      table.primary(['type_id', 'project_id']);
    });
    await db.schema.createTable('volume_volumes', (table) => {
      table.string('id', 36).primary();
      table.string('project_id', 255).notNullable();
      table.string('user_id', 255).notNullable();
      table.string('name', 255);
      table.string('description', 255);
      table.integer('size').notNullable();
      table.string('status', 40).notNullable();
      table.string('previous_status', 40);
      table.string('attach_status', 40).notNullable();
      table.string('migration_status', 40);
      table.string('type_id', 36).notNullable().references('volume_types.id');
      table.string('availability_zone', 255).notNullable();
      table.string('host', 255);
      table.string('snapshot_id', 36);
      table.string('source_volid', 36);
      table.boolean('bootable').notNullable();
      table.boolean('multiattach').notNullable();
      // Metadata that only administrators set, and that everybody sees.
      table.boolean('readonly');
      table.string('attached_mode', 10);
      table.text('image_metadata', 'mediumtext').notNullable();
      // Incremented by every update, for optimistic locking.
      table.integer('revision').notNullable();
      table.bigInteger('created_at').notNullable();
      table.bigInteger('updated_at');
      table.index(['project_id', 'created_at', 'id'], 'volume_volumes_project');
      table.index(['created_at', 'id'], 'volume_volumes_created');
    });
    await db.schema.createTable('volume_snapshots', (table) => {
      table.string('id', 36).primary();
      table.string('volume_id', 36).notNullable().references('volume_volumes.id');
      table.string('project_id', 255).notNullable();
      table.string('user_id', 255).notNullable();
      table.string('name', 255);
      table.string('description', 255);
      table.integer('size').notNullable();
      table.string('status', 40).notNullable();
      table.string('progress', 10).notNullable();
      table.string('type_id', 36).notNullable();
      table.integer('revision').notNullable();
      table.bigInteger('created_at').notNullable();
      table.bigInteger('updated_at');
      table.index(['project_id', 'created_at', 'id'], 'volume_snapshots_project');
      table.index(['volume_id'], 'volume_snapshots_volume');
    });
    // Metadata of volumes and of snapshots.
    await db.schema.createTable('volume_metadata', (table) => {
      table.string('subject_id', 36).notNullable();
      table.string('name', 255).notNullable();
      table.string('value', 255).notNullable();
      table.primary(['subject_id', 'name']);
    });
    await db.schema.createTable('volume_attachments', (table) => {
      table.string('id', 36).primary();
      table.string('volume_id', 36).notNullable().references('volume_volumes.id');
      table.string('project_id', 255).notNullable();
      table.string('instance_uuid', 36);
      table.string('host_name', 255);
      table.string('mountpoint', 255);
      table.string('mode', 10);
      table.string('status', 40).notNullable();
      table.text('connector', 'mediumtext');
      table.text('connection_info', 'mediumtext').notNullable();
      // Created by Compute, and deleted only by Compute.
      table.boolean('by_compute').notNullable();
      table.bigInteger('attached_at');
      table.bigInteger('created_at').notNullable();
      table.bigInteger('updated_at');
      table.index(['volume_id'], 'volume_attachments_volume');
      table.index(['project_id'], 'volume_attachments_project');
      table.index(['instance_uuid'], 'volume_attachments_instance');
    });
    await db.schema.createTable('volume_quotas', (table) => {
      table.string('project_id', 255).notNullable();
      table.string('resource', 255).notNullable();
      table.bigInteger('hard_limit').notNullable();
      table.primary(['project_id', 'resource']);
    });
  },
};
