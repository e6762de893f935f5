// Tables of Compute's servers.
import type { Migration } from '../../src/kernel/db/database.ts';

export const computeServers: Migration = {
  name: 'compute-servers-1',
  async up(db) {
    await db.schema.createTable('compute_servers', (table) => {
      table.increments('id');
      table.string('uuid', 36).notNullable().unique({ indexName: 'compute_servers_uuid' });
      // Incremented by every write, for optimistic locking.
      table.integer('revision').notNullable().defaultTo(0);
      table.string('name', 255).notNullable();
      table.text('description');
      table.string('hostname', 255).notNullable();
      table.string('project_id', 64).notNullable();
      table.string('user_id', 64).notNullable();
      table.string('vm_state', 32).notNullable();
      table.string('task_state', 64);
      table.integer('power_state').notNullable();
      table.integer('progress').notNullable().defaultTo(0);
      table.string('image_id', 64).notNullable();
      table.text('image_properties').notNullable();
      // The flavor at the time when the server got it, and those of its values that are added up.
      table.text('flavor').notNullable();
      table.string('flavor_id', 255).notNullable();
      table.integer('vcpus').notNullable();
      table.integer('ram').notNullable();
      table.string('host', 255);
      table.string('node', 255);
      table.string('zone', 255);
      table.string('pinned_zone', 255);
      table.string('key_name', 255);
      table.string('config_drive', 8).notNullable();
      table.text('user_data', 'mediumtext');
      table.string('access_ip_v4', 64);
      table.string('access_ip_v6', 64);
      table.string('disk_config', 8).notNullable();
      table.integer('launch_index').notNullable();
      table.string('reservation_id', 32).notNullable();
      table.string('root_device_name', 64);
      table.string('locked_by', 8);
      table.string('locked_reason', 255);
      table.text('metadata').notNullable();
      table.text('tags').notNullable();
      table.text('hints').notNullable();
      table.text('trusted_certs');
      table.string('group_id', 36);
      table.text('security_groups').notNullable();
      table.text('fault');
      // The current action: a task that belongs to another action is out of date.
      table.integer('action_id').unsigned();
      table.bigInteger('created_at').notNullable();
      table.bigInteger('updated_at').notNullable();
      table.bigInteger('launched_at');
      table.bigInteger('terminated_at');
      table.bigInteger('deleted_at');
      table.index(['project_id', 'deleted_at', 'created_at', 'id'], 'compute_servers_project');
      table.index(['deleted_at', 'created_at', 'id'], 'compute_servers_created');
      table.index(['host', 'deleted_at'], 'compute_servers_host');
      table.index(['group_id', 'deleted_at'], 'compute_servers_group');
    });
    await db.schema.createTable('compute_server_volumes', (table) => {
      table.increments('id');
      table.string('uuid', 36).notNullable().unique({ indexName: 'compute_server_volumes_uuid' });
      table.string('server_uuid', 36).notNullable();
      table.string('volume_id', 36).notNullable();
      table.string('attachment_id', 36);
      table.string('device', 255);
      table.string('tag', 255);
      table.boolean('delete_on_termination').notNullable();
      table.integer('boot_index');
      table.index(['server_uuid', 'id'], 'compute_server_volumes_server');
      table.index(['volume_id'], 'compute_server_volumes_volume');
    });
    await db.schema.createTable('compute_server_interfaces', (table) => {
      table.increments('id');
      table.string('server_uuid', 36).notNullable();
      table.string('port_id', 36).notNullable();
      table.string('tag', 255);
      // A port that existed before the server is kept when the server is deleted.
      table.boolean('own').notNullable();
      table.unique(['server_uuid', 'port_id'], { indexName: 'compute_server_interfaces_port' });
    });
    await db.schema.createTable('compute_server_migrations', (table) => {
      table.increments('id');
      table
        .string('uuid', 36)
        .notNullable()
        .unique({ indexName: 'compute_server_migrations_uuid' });
      table.string('server_uuid', 36).notNullable();
      table.string('type', 32).notNullable();
      table.string('status', 32).notNullable();
      table.string('source_host', 255);
      table.string('source_node', 255);
      table.string('dest_host', 255);
      table.string('dest_node', 255);
      table.text('old_flavor').notNullable();
      table.text('new_flavor').notNullable();
      // The state before a resize, to which a reverted or failed resize returns.
      table.string('old_vm_state', 32).notNullable();
      table.string('project_id', 64).notNullable();
      table.string('user_id', 64).notNullable();
      table.bigInteger('created_at').notNullable();
      table.bigInteger('updated_at').notNullable();
      table.index(['server_uuid', 'id'], 'compute_server_migrations_server');
      table.index(['status', 'dest_host'], 'compute_server_migrations_status');
    });
    await db.schema.createTable('compute_server_actions', (table) => {
      table.increments('id');
      table.string('server_uuid', 36).notNullable();
      table.string('action', 64).notNullable();
      table.string('request_id', 64).notNullable();
      table.string('project_id', 64);
      table.string('user_id', 64);
      table.string('message', 255);
      table.bigInteger('started_at').notNullable();
      table.bigInteger('updated_at').notNullable();
      table.index(['server_uuid', 'id'], 'compute_server_actions_server');
    });
    await db.schema.createTable('compute_server_events', (table) => {
      table.increments('id');
      table.integer('action_id').unsigned().notNullable();
      table.string('event', 255).notNullable();
      table.string('result', 32);
      table.text('details');
      table.string('host', 255);
      table.bigInteger('started_at').notNullable();
      table.bigInteger('finished_at');
      table.index(['action_id', 'id'], 'compute_server_events_action');
    });
    // Incremented when servers of a group get hosts: a request that has counted the members starts
    // over if this has changed.
    await db.schema.createTable('compute_server_group_placings', (table) => {
      table.string('group_id', 36).primary();
      table.integer('count').notNullable();
    });
  },
};
