// Tables of Clustering.
import type { Knex } from 'knex';
import type { Migration } from '../../src/kernel/db/database.ts';

type Columns = Knex.CreateTableBuilder;

function owned(table: Columns): void {
  table.string('id', 36).primary();
  table.string('name', 255).notNullable();
  table.string('user_id', 64).notNullable();
  table.string('project_id', 64).notNullable();
  table.string('domain_id', 64);
  table.bigInteger('created_at');
  table.bigInteger('updated_at');
}

const json = (table: Columns, ...names: string[]): void => {
  for (const name of names) table.text(name, 'mediumtext').notNullable();
};

const status = (table: Columns): void => {
  table.string('status', 40).notNullable();
  table.text('status_reason').notNullable();
  table.integer('revision').notNullable().defaultTo(0);
};

export const clustering: Migration = {
  name: 'clustering-1',
  async up(db) {
    await db.schema.createTable('clustering_profiles', (table) => {
      owned(table);
      table.string('type', 255).notNullable();
      json(table, 'spec', 'metadata');
      table.index(['project_id', 'name'], 'clustering_profiles_name');
    });
    await db.schema.createTable('clustering_policies', (table) => {
      owned(table);
      table.string('type', 255).notNullable();
      json(table, 'spec', 'data');
      table.index(['project_id', 'name'], 'clustering_policies_name');
    });
    await db.schema.createTable('clustering_clusters', (table) => {
      owned(table);
      table.string('profile_id', 36).notNullable().references('clustering_profiles.id');
      table.bigInteger('init_at').notNullable();
      for (const name of ['min_size', 'max_size', 'desired_capacity', 'next_index', 'timeout'])
        table.integer(name).notNullable();
      status(table);
      json(table, 'metadata', 'data', 'dependents', 'config');
      table.index(['project_id', 'name'], 'clustering_clusters_name');
    });
    await db.schema.createTable('clustering_nodes', (table) => {
      owned(table);
      table.string('profile_id', 36).notNullable().references('clustering_profiles.id');
      // Empty for a node without a cluster.
      table.string('cluster_id', 36).notNullable();
      table.string('physical_id', 64);
      table.integer('index').notNullable();
      table.string('role', 64);
      table.bigInteger('init_at').notNullable();
      table.boolean('tainted').notNullable();
      status(table);
      json(table, 'metadata', 'data', 'dependents');
      table.index(['cluster_id', 'index'], 'clustering_nodes_cluster');
      table.index(['project_id', 'name'], 'clustering_nodes_name');
    });
    // One row for each locked cluster or node. A cluster is locked by one cluster action, or by any
    // number of node actions.
    await db.schema.createTable('clustering_locks', (table) => {
      table.string('target', 36).primary();
      table.boolean('exclusive').notNullable();
      json(table, 'action_ids');
    });
    await db.schema.createTable('clustering_bindings', (table) => {
      table.string('id', 36).primary();
      table.string('cluster_id', 36).notNullable().references('clustering_clusters.id');
      table.string('policy_id', 36).notNullable().references('clustering_policies.id');
      table.boolean('enabled').notNullable();
      table.integer('priority').notNullable();
      table.bigInteger('last_op');
      json(table, 'data');
      table.unique(['cluster_id', 'policy_id'], { indexName: 'clustering_bindings_pair' });
    });
    await db.schema.createTable('clustering_health_registry', (table) => {
      table.string('cluster_id', 36).primary().references('clustering_clusters.id');
      table.integer('interval').notNullable();
      json(table, 'params');
      table.boolean('enabled').notNullable();
      // Counts the registrations, so that the checks of an earlier one end.
      table.integer('round').notNullable();
    });
    await db.schema.createTable('clustering_receivers', (table) => {
      owned(table);
      table.string('type', 40).notNullable();
      table.string('cluster_id', 36);
      table.string('action', 40);
      json(table, 'actor', 'params', 'channel');
      table.index(['cluster_id'], 'clustering_receivers_cluster');
    });
    // On whose behalf actions run: the trust of the owner, and its roles.
    await db.schema.createTable('clustering_credentials', (table) => {
      table.string('user_id', 64).notNullable();
      table.string('project_id', 64).notNullable();
      table.string('trust_id', 64);
      json(table, 'roles');
      table.primary(['user_id', 'project_id']);
    });
    await db.schema.createTable('clustering_actions', (table) => {
      owned(table);
      table.string('cluster_id', 36).notNullable();
      table.string('target', 36).notNullable();
      table.string('action', 64).notNullable();
      table.string('cause', 64).notNullable();
      table.string('owner', 36);
      table.integer('timeout').notNullable();
      table.bigInteger('start_time');
      table.bigInteger('end_time');
      table.string('control', 20);
      status(table);
      json(table, 'inputs', 'outputs', 'data', 'memory');
      table.index(['target', 'status'], 'clustering_actions_target');
      table.index(['cluster_id'], 'clustering_actions_cluster');
      table.index(['project_id', 'created_at'], 'clustering_actions_project');
    });
    await db.schema.createTable('clustering_dependencies', (table) => {
      table.string('depended', 36).notNullable();
      table.string('dependent', 36).notNullable();
      table.primary(['depended', 'dependent']);
      table.index(['dependent'], 'clustering_dependencies_dependent');
    });
    await db.schema.createTable('clustering_events', (table) => {
      table.string('id', 36).primary();

      table.bigInteger('timestamp').notNullable();
      table.string('oid', 36).notNullable();
      table.string('oname', 255).notNullable();
      table.string('otype', 36).notNullable();
      table.string('cluster_id', 36).notNullable();
      table.integer('level').notNullable();
      table.string('user_id', 64).notNullable();
      table.string('project_id', 64).notNullable();
      table.string('action', 64).notNullable();
      table.string('status', 64).notNullable();
      table.text('status_reason').notNullable();
      json(table, 'meta_data');
      table.index(['project_id', 'timestamp'], 'clustering_events_project');
      table.index(['cluster_id'], 'clustering_events_cluster');
    });
  },
};
