// Flavors of service plugins, service profiles, and which profiles flavors have.
import type { Migration } from '../../src/kernel/db/database.ts';
import { link, standardColumns } from './network.ts';

export const networkFlavors: Migration = {
  name: 'network-15',
  async up(db) {
    await db.schema.createTable('network_flavors', (table) => {
      standardColumns(table, 1024);
      table.integer('enabled').notNullable();
      table.string('name', 255).notNullable();
      table.string('service_type', 36).notNullable();
    });
    await db.schema.createTable('network_service_profiles', (table) => {
      standardColumns(table, 1024);
      table.integer('enabled').notNullable();
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
