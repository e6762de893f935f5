// Tables of Tricircle: pods and their usage, bindings of tenants, routings of resources, and
// asynchronous jobs.
import type { Db, Migration } from '../../src/kernel/db/database.ts';

export const tricircle: Migration = {
  name: 'tricircle-1',
  async up(db) {
    await createPods(db);
    await createBindings(db);
    await createRoutings(db);
    await createJobs(db);
    await db.schema.createTable('tricircle_settings', (table) => {
      table.string('name', 100).primary();
      table.text('value').notNullable();
    });
  },
};

async function createPods(db: Db): Promise<void> {
  await db.schema.createTable('tricircle_pods', (table) => {
    table.string('id', 36).primary();
    table.string('region_name', 255).notNullable().unique({ indexName: 'tricircle_pods_region' });
    table.string('pod_az_name', 255).notNullable();
    table.string('dc_name', 255).notNullable();
    table.string('az_name', 255).notNullable();
    // 1 for the central pod, of which there is at most one; null for all others.
    table.integer('top').unique({ indexName: 'tricircle_pods_top' });
    table.text('resource_affinity_tag').notNullable();
    table.string('affinity_group', 64).notNullable();
    table.boolean('is_under_maintenance').notNullable();
    table.bigInteger('create_time').notNullable();
    table.integer('weight');
    table.integer('threshold_percent');
    table.text('headroom');
    // Incremented by every update, for optimistic locking.
    table.integer('revision').notNullable();
    // Incremented by every new binding, because a write of the pod depends on its bindings.
    table.integer('bound').notNullable();
  });
  await db.schema.createTable('tricircle_pod_usages', (table) => {
    table
      .string('pod_id', 36)
      .primary()
      .references('id')
      .inTable('tricircle_pods')
      .onDelete('CASCADE');
    // Null until it is initialised, which counts as free.
    table.text('nova_usage', 'mediumtext');
    table.text('cinder_usage', 'mediumtext');
    table.bigInteger('collected_at');
    table.text('last_error');
  });
}

/** Current and past bindings. Those that an administrator has deleted stay for the history. */
async function createBindings(db: Db): Promise<void> {
  await db.schema.createTable('tricircle_bindings', (table) => {
    // The order of creation, which a frozen clock does not give.
    table.bigIncrements('sequence');
    table.string('id', 36).notNullable().unique({ indexName: 'tricircle_bindings_id' });
    table.string('tenant_id', 255).notNullable();
    table.string('pod_id', 36).notNullable();
    table.string('az_name', 255).notNullable();
    table.string('affinity_group', 64).notNullable();
    table.text('resource_affinity_tag').notNullable();
    // 1 while the tenant is bound, null afterwards: a unique key allows one active binding for each
    // tenant, zone and group.
    table.integer('active');
    table.bigInteger('start_binding_time').notNullable();
    table.bigInteger('end_binding_time');
    table.string('start_reason', 64).notNullable();
    table.string('end_reason', 64);
    table.boolean('deleted').notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at');
    table.integer('revision').notNullable();
    table.unique(['tenant_id', 'az_name', 'affinity_group', 'active'], {
      indexName: 'tricircle_bindings_active',
    });
    table.index(['pod_id', 'active'], 'tricircle_bindings_pod');
    table.index(['created_at', 'sequence'], 'tricircle_bindings_created');
    table.index(['start_binding_time', 'sequence'], 'tricircle_bindings_started');
  });
}

async function createRoutings(db: Db): Promise<void> {
  await db.schema.createTable('tricircle_routings', (table) => {
    table.bigIncrements('id');
    table.string('top_id', 127).notNullable();
    table.string('bottom_id', 36);
    table.string('pod_id', 36).notNullable().references('id').inTable('tricircle_pods');
    table.string('project_id', 64).notNullable();
    table.string('resource_type', 64).notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at');
    table.unique(['top_id', 'pod_id', 'resource_type'], { indexName: 'tricircle_routings_same' });
    table.index(['bottom_id'], 'tricircle_routings_bottom');
    table.index(['project_id', 'id'], 'tricircle_routings_project');
  });
}

async function createJobs(db: Db): Promise<void> {
  await db.schema.createTable('tricircle_jobs', (table) => {
    table.string('id', 36).primary();
    table.string('project_id', 64).notNullable();
    table.string('type', 36).notNullable();
    table.string('status', 36).notNullable();
    // The values of the resource as JSON, in the order of the type's keys.
    table.string('resource_id', 255).notNullable();
    table.bigInteger('timestamp').notNullable();
    // 1 while the job runs, null otherwise: a unique key allows one running job of a type for each
    // resource.
    table.integer('running');
    table.integer('revision').notNullable();
    table.unique(['type', 'resource_id', 'running'], { indexName: 'tricircle_jobs_running' });
    table.index(['project_id', 'timestamp', 'id'], 'tricircle_jobs_project');
  });
  await db.schema.createTable('tricircle_job_logs', (table) => {
    table.string('id', 36).primary();
    table.string('project_id', 64).notNullable();
    table.string('type', 36).notNullable();
    table.string('resource_id', 255).notNullable();
    table.bigInteger('timestamp').notNullable();
    table.index(['project_id', 'timestamp', 'id'], 'tricircle_job_logs_project');
  });
}
