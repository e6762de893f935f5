// Tables for the administration of Volume: QoS specs, encryption of types, transfers, services,
// messages, quota classes.
import type { Migration } from '../../src/kernel/db/database.ts';

export const volumeAdministration: Migration = {
  name: 'volume-2',
  async up(db) {
    await db.schema.createTable('volume_qos_specs', (table) => {
      table.string('id', 36).primary();
      table.string('name', 255).notNullable().unique({ indexName: 'volume_qos_specs_name' });
      table.string('consumer', 20).notNullable();
      table.text('specs', 'mediumtext').notNullable();
      table.bigInteger('created_at').notNullable();
      table.bigInteger('updated_at');
    });
    await db.schema.alterTable('volume_types', (table) => {
      table.string('qos_specs_id', 36);
    });
    await db.schema.createTable('volume_type_encryptions', (table) => {
      table.string('type_id', 36).primary().references('volume_types.id');
      table.string('id', 36).notNullable();
      table.string('provider', 255).notNullable();
      table.string('control_location', 20).notNullable();
      table.string('cipher', 255);
      table.integer('key_size');
      table.bigInteger('created_at').notNullable();
      table.bigInteger('updated_at');
    });
    await db.schema.alterTable('volume_volumes', (table) => {
      table.boolean('encrypted').notNullable().defaultTo(0);
    });
    await db.schema.createTable('volume_transfers', (table) => {
      table.string('id', 36).primary();
      table.string('volume_id', 36).notNullable().references('volume_volumes.id');
      table.string('name', 255);
      table.string('salt', 16).notNullable();
      table.string('crypt_hash', 40).notNullable();
      table.boolean('no_snapshots').notNullable();
      table.string('source_project_id', 255).notNullable();
      table.bigInteger('created_at').notNullable();
      table.index(['volume_id'], 'volume_transfers_volume');
    });
    // Only services that an administrator has disabled or enabled; all others are enabled.
    await db.schema.createTable('volume_services', (table) => {
      table.string('binary_name', 64).notNullable();
      table.string('host', 255).notNullable();
      table.boolean('disabled').notNullable();
      table.string('disabled_reason', 255);
      table.primary(['binary_name', 'host']);
    });
    await db.schema.createTable('volume_messages', (table) => {
      table.string('id', 36).primary();
      table.string('project_id', 255).notNullable();
      table.string('request_id', 64).notNullable();
      table.string('resource_type', 40).notNullable();
      table.string('resource_uuid', 36).notNullable();
      table.string('action_id', 10).notNullable();
      table.string('detail_id', 10).notNullable();
      table.string('event_id', 255).notNullable();
      table.string('message_level', 20).notNullable();
      table.bigInteger('created_at').notNullable();
      table.bigInteger('expires_at').notNullable();
      table.index(['project_id', 'created_at', 'id'], 'volume_messages_project');
    });
    await db.schema.createTable('volume_quota_classes', (table) => {
      table.string('class_name', 255).notNullable();
      table.string('resource', 255).notNullable();
      table.bigInteger('hard_limit').notNullable();
      table.primary(['class_name', 'resource']);
    });
  },
};
