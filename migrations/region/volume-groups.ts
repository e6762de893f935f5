// Tables for the groups of Volume: their types, their snapshots, and the volumes in them.
import type { Migration } from '../../src/kernel/db/database.ts';

export const volumeGroups: Migration = {
  name: 'volume-4',
  async up(db) {
    await db.schema.createTable('volume_group_types', (table) => {
      table.string('id', 36).primary();
      table.string('name', 255).notNullable().unique({ indexName: 'volume_group_types_name' });
      table.string('description', 255);
      table.boolean('is_public').notNullable();
      table.bigInteger('created_at').notNullable();
      table.bigInteger('updated_at');
    });
    await db.schema.createTable('volume_group_type_specs', (table) => {
      table.string('type_id', 36).notNullable().references('volume_group_types.id');
      table.string('name', 255).notNullable();
      table.string('value', 255);
      table.primary(['type_id', 'name']);
    });
    await db.schema.createTable('volume_groups', (table) => {
      table.string('id', 36).primary();
      table.string('project_id', 255).notNullable();
      table.string('user_id', 255).notNullable();
      table.string('name', 255);
      table.string('description', 255);
      table.string('status', 20).notNullable();
      table.string('replication_status', 20).notNullable();
      table.string('group_type_id', 36).notNullable();
      table.string('availability_zone', 255);
      table.string('host', 255);
      table.string('group_snapshot_id', 36);
      table.string('source_group_id', 36);
      table.integer('revision').notNullable();
      table.bigInteger('created_at').notNullable();
      table.bigInteger('updated_at');
      table.index(['project_id', 'created_at', 'id'], 'volume_groups_project');
      table.index(['group_type_id'], 'volume_groups_type');
    });
    await db.schema.createTable('volume_group_volume_types', (table) => {
      table.string('group_id', 36).notNullable().references('volume_groups.id');
      table.string('type_id', 36).notNullable();
      table.primary(['group_id', 'type_id']);
    });
    await db.schema.createTable('volume_group_snapshots', (table) => {
      table.string('id', 36).primary();
      table.string('group_id', 36).notNullable().references('volume_groups.id');
      table.string('group_type_id', 36).notNullable();
      table.string('project_id', 255).notNullable();
      table.string('user_id', 255).notNullable();
      table.string('name', 255);
      table.string('description', 255);
      table.string('status', 20).notNullable();
      table.integer('revision').notNullable();
      table.bigInteger('created_at').notNullable();
      table.bigInteger('updated_at');
      table.index(['project_id', 'created_at', 'id'], 'volume_group_snapshots_project');
      table.index(['group_id'], 'volume_group_snapshots_group');
    });
    await db.schema.alterTable('volume_volumes', (table) => {
      table.string('group_id', 36);
      table.index(['group_id'], 'volume_volumes_group');
    });
    await db.schema.alterTable('volume_snapshots', (table) => {
      table.string('group_snapshot_id', 36);
      table.index(['group_snapshot_id'], 'volume_snapshots_group_snapshot');
    });
  },
};
