// The tables of migrations of servers and volumes from pod to pod.
import type { Migration } from '../../src/kernel/db/database.ts';

export const tricircleMigrations: Migration = {
  name: 'tricircle-migrations-1',
  async up(db) {
    await db.schema.createTable('tricircle_migrations', (table) => {
      // The order of creation, which a frozen clock does not give.
      table.bigIncrements('sequence');
      table.string('id', 36).notNullable().unique({ indexName: 'tricircle_migrations_id' });
      table.string('status', 16).notNullable();
      // What is migrated: the key of the request, such as `pod_id`, and its value.
      table.string('scope_key', 16).notNullable();
      table.string('scope_id', 255).notNullable();
      table.text('refused', 'mediumtext').notNullable();
      table.bigInteger('created_at').notNullable();
      table.bigInteger('finished_at');
      table.integer('revision').notNullable();
    });
    // The pods are no foreign keys here: a pod can be deleted after it has been drained.
    await db.schema.createTable('tricircle_moves', (table) => {
      table.string('id', 36).primary();
      table
        .string('migration_id', 36)
        .notNullable()
        .references('id')
        .inTable('tricircle_migrations')
        .onDelete('CASCADE');
      table.integer('position').notNullable();
      table.string('project_id', 255).notNullable();
      table.string('source_pod_id', 36).notNullable();
      table.string('target_pod_id', 36).notNullable();
      table.string('source_region', 255).notNullable();
      table.string('target_region', 255).notNullable();
      table.text('resources', 'mediumtext').notNullable();
      table.string('status', 16).notNullable();
      // The index of the step that runs next, or is undone next.
      table.integer('step').notNullable();
      // How often that step has failed.
      table.integer('attempts').notNullable();
      table.text('error');
      table.bigInteger('updated_at').notNullable();
      table.integer('revision').notNullable();
      table.index(['migration_id', 'position'], 'tricircle_moves_migration');
    });
    // What is being moved at present: a resource belongs to one move at a time.
    await db.schema.createTable('tricircle_moving', (table) => {
      table.string('resource_type', 64).notNullable();
      table.string('top_id', 127).notNullable();
      table
        .string('move_id', 36)
        .notNullable()
        .references('id')
        .inTable('tricircle_moves')
        .onDelete('CASCADE');
      // A target cannot be deleted meanwhile. The routings protect the source.
      table.string('target_pod_id', 36).notNullable().references('id').inTable('tricircle_pods');
      table.primary(['resource_type', 'top_id']);
      table.index(['move_id'], 'tricircle_moving_move');
    });
  },
};
