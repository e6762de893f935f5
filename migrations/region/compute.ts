// Tables of Compute, except those of servers.
import type { Db, Migration } from '../../src/kernel/db/database.ts';

export const compute: Migration = {
  name: 'compute-1',
  async up(db) {
    await hosts(db);
    await flavors(db);
    await groups(db);
    await aggregates(db);
    await quotas(db);
    await db.schema.createTable('compute_keypairs', (table) => {
      table.increments('id');
      table.string('user_id', 255).notNullable();
      table.string('name', 255).notNullable();
      table.string('type', 16).notNullable();
      table.string('fingerprint', 255).notNullable();
      table.text('public_key', 'mediumtext').notNullable();
      table.bigInteger('created_at').notNullable();
      table.unique(['user_id', 'name'], { indexName: 'compute_keypairs_name' });
    });
    // What a new region has been seeded with, so that deleted records are not created again.
    await db.schema.createTable('compute_seeds', (table) => {
      table.string('name', 64).primary();
    });
  },
};

async function hosts(db: Db): Promise<void> {
  await db.schema.createTable('compute_services', (table) => {
    table.increments('id');
    table.string('uuid', 36).notNullable().unique({ indexName: 'compute_services_uuid' });
    table.string('host', 255).notNullable();
    table.string('binary', 64).notNullable();
    table.boolean('disabled').notNullable().defaultTo(false);
    table.string('disabled_reason', 255);
    table.boolean('forced_down').notNullable().defaultTo(false);
    table.bigInteger('created_at').notNullable();
    table.unique(['host', 'binary'], { indexName: 'compute_services_host' });
  });
  await db.schema.createTable('compute_hosts', (table) => {
    table.increments('id');
    // The same UUID as the provider in Placement.
    table.string('uuid', 36).notNullable().unique({ indexName: 'compute_hosts_uuid' });
    table.string('name', 255).notNullable().unique({ indexName: 'compute_hosts_name' });
    table.integer('service_id').unsigned().notNullable().references('compute_services.id');
    for (const name of ['vcpus', 'memory_mb', 'disk_gb']) table.integer(name).notNullable();
    table.bigInteger('created_at').notNullable();
  });
}

async function flavors(db: Db): Promise<void> {
  await db.schema.createTable('compute_flavors', (table) => {
    table.increments('id');
    table.string('flavorid', 255).notNullable().unique({ indexName: 'compute_flavors_flavorid' });
    table.string('name', 255).notNullable().unique({ indexName: 'compute_flavors_name' });
    for (const name of ['vcpus', 'memory_mb', 'root_gb', 'ephemeral_gb', 'swap'])
      table.integer(name).notNullable();
    table.double('rxtx_factor').notNullable();
    table.boolean('is_public').notNullable();
    table.text('description', 'mediumtext');
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at');
  });
  await db.schema.createTable('compute_flavor_extra_specs', (table) => {
    table
      .integer('flavor_id')
      .unsigned()
      .notNullable()
      .references('compute_flavors.id')
      .onDelete('CASCADE');
    table.string('name', 255).notNullable();
    table.string('value', 255).notNullable();
    table.primary(['flavor_id', 'name']);
  });
  await db.schema.createTable('compute_flavor_access', (table) => {
    table
      .integer('flavor_id')
      .unsigned()
      .notNullable()
      .references('compute_flavors.id')
      .onDelete('CASCADE');
    table.string('project_id', 255).notNullable();
    table.primary(['flavor_id', 'project_id']);
  });
}

async function groups(db: Db): Promise<void> {
  await db.schema.createTable('compute_server_groups', (table) => {
    table.increments('id');
    table.string('uuid', 36).notNullable().unique({ indexName: 'compute_server_groups_uuid' });
    table.string('name', 255).notNullable();
    table.string('policy', 32).notNullable();
    // Null if there is no such rule.
    table.integer('max_server_per_host').unsigned();
    table.string('project_id', 255).notNullable();
    table.string('user_id', 255).notNullable();
    table.bigInteger('created_at').notNullable();
    table.index(['project_id', 'id'], 'compute_server_groups_project');
  });
  await db.schema.createTable('compute_server_group_members', (table) => {
    table
      .integer('group_id')
      .unsigned()
      .notNullable()
      .references('compute_server_groups.id')
      .onDelete('CASCADE');
    // A server is in one group at most.
    table
      .string('server_uuid', 36)
      .notNullable()
      .unique({ indexName: 'compute_server_group_members_server' });
    table.string('user_id', 255).notNullable();
    table.primary(['group_id', 'server_uuid']);
  });
}

async function aggregates(db: Db): Promise<void> {
  await db.schema.createTable('compute_aggregates', (table) => {
    table.increments('id');
    table.string('uuid', 36).notNullable().unique({ indexName: 'compute_aggregates_uuid' });
    table.string('name', 255).notNullable().unique({ indexName: 'compute_aggregates_name' });
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at');
  });
  await db.schema.createTable('compute_aggregate_hosts', (table) => {
    table.integer('aggregate_id').unsigned().notNullable().references('compute_aggregates.id');
    table.string('host', 255).notNullable();
    table.primary(['aggregate_id', 'host']);
    table.index(['host', 'aggregate_id'], 'compute_aggregate_hosts_host');
  });
  await db.schema.createTable('compute_aggregate_metadata', (table) => {
    table
      .integer('aggregate_id')
      .unsigned()
      .notNullable()
      .references('compute_aggregates.id')
      .onDelete('CASCADE');
    table.string('name', 255).notNullable();
    table.string('value', 255).notNullable();
    table.primary(['aggregate_id', 'name']);
  });
}

async function quotas(db: Db): Promise<void> {
  await db.schema.createTable('compute_quotas', (table) => {
    table.string('project_id', 255).notNullable();
    // Empty for a project's own limit.
    table.string('user_id', 255).notNullable();
    table.string('resource', 64).notNullable();
    table.bigInteger('hard_limit').notNullable();
    table.primary(['project_id', 'user_id', 'resource']);
  });
  await db.schema.createTable('compute_quota_classes', (table) => {
    table.string('class_name', 255).notNullable();
    table.string('resource', 64).notNullable();
    table.bigInteger('hard_limit').notNullable();
    table.primary(['class_name', 'resource']);
  });
}
