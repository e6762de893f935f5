// Tables for subnet pools, address scopes and DHCP options of ports.
import type { Migration } from '../../src/kernel/db/database.ts';
import { standard } from './network.ts';

export const networkSubnetpools: Migration = {
  name: 'network-2',
  async up(db) {
    await db.schema.createTable('network_address_scopes', (table) => {
      standard(table, 'address_scopes');
      table.string('name', 255).notNullable();
      table.integer('shared').notNullable();
      table.integer('ip_version').notNullable();
    });
    await db.schema.createTable('network_subnetpools', (table) => {
      standard(table, 'subnetpools');
      table
        .string('address_scope_id', 36)
        .references('network_address_scopes.id')
        .index('network_subnetpools_scope');
      table.string('name', 255).notNullable();
      table.text('prefixes').notNullable();
      table.integer('ip_version').notNullable();
      table.integer('default_prefixlen').notNullable();
      table.integer('min_prefixlen').notNullable();
      table.integer('max_prefixlen').notNullable();
      table.bigInteger('default_quota');
      table.integer('is_default').notNullable();
      table.integer('shared').notNullable();
    });
    await db.schema.alterTable('network_subnets', (table) => {
      table
        .string('subnetpool_id', 36)
        .references('network_subnetpools.id')
        .index('network_subnets_pool');
    });
    await db.schema.alterTable('network_ports', (table) => {
      table.text('extra_dhcp_opts');
    });
    await db('network_ports').update({ extra_dhcp_opts: '[]' });
  },
};
