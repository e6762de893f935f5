// Flavors of service plugins, service profiles, and which profiles flavors have.
import type { Knex } from 'knex';
import type { Migration } from '../../src/kernel/db/database.ts';

/** The columns of `standard`, with the longer descriptions of these resources. */
function columns(table: Knex.CreateTableBuilder): void {
  table.string('id', 36).primary();
  table.string('project_id', 255).notNullable();
  table.string('description', 1024).notNullable();
  table.bigInteger('revision_number').notNullable();
  table.bigInteger('created_at').notNullable();
  table.bigInteger('updated_at').notNullable();
  table.integer('enabled').notNullable();
}

const link = (
  table: Knex.CreateTableBuilder,
  column: string,
  to: string,
): Knex.ReferencingColumnBuilder =>
  table.string(column, 36).notNullable().references(`network_${to}.id`);

export const networkFlavors: Migration = {
  name: 'network-15',
  async up(db) {
    await db.schema.createTable('network_flavors', (table) => {
      columns(table);
      table.string('name', 255).notNullable();
      table.string('service_type', 36).notNullable();
    });
    await db.schema.createTable('network_service_profiles', (table) => {
      columns(table);
      table.string('driver', 1024).notNullable();
      table.text('metainfo', 'longtext').notNullable();
    });
    await db.schema.createTable('network_flavor_profiles', (table) => {
      link(table, 'flavor_id', 'flavors').onDelete('CASCADE');
      link(table, 'service_profile_id', 'service_profiles').index(
        'network_flavor_profiles_profile',
      );
      table.primary(['flavor_id', 'service_profile_id']);
    });
  },
};
