// Tables of Network.
import type { Knex } from 'knex';
import type { Migration } from '../../src/kernel/db/database.ts';

/** The columns that all resources have, and an index of their projects. */
export function standard(table: Knex.CreateTableBuilder, name: string): void {
  standardColumns(table);
  table.index(['project_id'], `network_${name}_project`);
}

/** The columns that all resources have. */
export function standardColumns(table: Knex.CreateTableBuilder, descriptionLength = 255): void {
  table.string('id', 36).primary();
  table.string('project_id', 255).notNullable();
  table.string('description', descriptionLength).notNullable();
  table.bigInteger('revision_number').notNullable();
  table.bigInteger('created_at').notNullable();
  table.bigInteger('updated_at').notNullable();
}

/** A column that refers to a resource of another table. */
export const link = (
  table: Knex.CreateTableBuilder,
  column: string,
  to: string,
): Knex.ReferencingColumnBuilder =>
  table.string(column, 36).notNullable().references(`network_${to}.id`);

export const network: Migration = {
  name: 'network-1',
  async up(db) {
    await db.schema.createTable('network_networks', (table) => {
      standard(table, 'networks');
      table.string('name', 255).notNullable();
      table.integer('admin_state_up').notNullable();
      table.string('status', 16).notNullable();
      table.integer('shared').notNullable();
      table.integer('router_external').notNullable();
      table.integer('mtu').notNullable();
      table.integer('port_security_enabled').notNullable();
      table.string('provider_network_type', 32).notNullable();
      table.string('provider_physical_network', 64);
      table.bigInteger('provider_segmentation_id');
      table.text('availability_zone_hints').notNullable();
    });
    await db.schema.createTable('network_segments', (table) => {
      // The segment, of which the network is the only user: a type, a physical network and a
      // number.
      table.string('network_type', 32).notNullable();
      table.string('physical_network', 64).notNullable();
      table.bigInteger('segmentation_id').notNullable();
      link(table, 'network_id', 'networks').index('network_segments_network');
      table.primary(['network_type', 'physical_network', 'segmentation_id']);
    });
    await db.schema.createTable('network_subnets', (table) => {
      standard(table, 'subnets');
      table.string('name', 255).notNullable();
      link(table, 'network_id', 'networks').index('network_subnets_network');
      table.integer('ip_version').notNullable();
      table.string('cidr', 64).notNullable();
      table.string('gateway_ip', 64);
      table.integer('enable_dhcp').notNullable();
      table.string('ipv6_ra_mode', 16);
      table.string('ipv6_address_mode', 16);
      table.text('allocation_pools').notNullable();
      table.text('dns_nameservers').notNullable();
      table.text('host_routes').notNullable();
    });
    await db.schema.createTable('network_ports', (table) => {
      standard(table, 'ports');
      table.string('name', 255).notNullable();
      link(table, 'network_id', 'networks');
      table.string('mac_address', 32).notNullable();
      table.integer('admin_state_up').notNullable();
      table.string('status', 16).notNullable();
      table.string('device_id', 255).notNullable().index('network_ports_device');
      table.string('device_owner', 255).notNullable();
      table.integer('port_security_enabled').notNullable();
      table.text('allowed_address_pairs').notNullable();
      table.string('binding_host_id', 255).notNullable();
      table.string('binding_vnic_type', 64).notNullable();
      table.text('binding_profile').notNullable();
      table.unique(['network_id', 'mac_address'], { indexName: 'network_ports_mac' });
    });
    await db.schema.createTable('network_addresses', (table) => {
      link(table, 'subnet_id', 'subnets');
      // The address in hexadecimal digits, which sort like addresses.
      table.string('sort_key', 32).notNullable();
      table.string('ip_address', 64).notNullable().index('network_addresses_ip');
      link(table, 'port_id', 'ports').index('network_addresses_port');
      table.integer('place').notNullable();
      table.primary(['subnet_id', 'sort_key']);
    });
    await db.schema.createTable('network_security_groups', (table) => {
      standard(table, 'security_groups');
      table.string('name', 255).notNullable();
      table.integer('stateful').notNullable();
    });
    await db.schema.createTable('network_default_groups', (table) => {
      table.string('project_id', 255).primary();
      link(table, 'security_group_id', 'security_groups').index('network_default_groups_group');
    });
    await db.schema.createTable('network_security_group_rules', (table) => {
      standard(table, 'rules');
      link(table, 'security_group_id', 'security_groups').index('network_rules_group');
      table.string('direction', 10).notNullable();
      table.string('ethertype', 10).notNullable();
      table.string('protocol', 40);
      table.integer('port_range_min');
      table.integer('port_range_max');
      table.string('remote_ip_prefix', 64);
      table
        .string('remote_group_id', 36)
        .references('network_security_groups.id')
        .index('network_rules_remote');
    });
    await db.schema.createTable('network_port_groups', (table) => {
      link(table, 'port_id', 'ports');
      link(table, 'security_group_id', 'security_groups').index('network_port_groups_group');
      table.primary(['port_id', 'security_group_id']);
    });
    await db.schema.createTable('network_routers', (table) => {
      standard(table, 'routers');
      table.string('name', 255).notNullable();
      table.integer('admin_state_up').notNullable();
      table.string('status', 16).notNullable();
      table
        .string('gw_port_id', 36)
        .references('network_ports.id')
        .index('network_routers_gateway');
      table.integer('enable_snat').notNullable();
      table.text('routes').notNullable();
      table.text('availability_zone_hints').notNullable();
    });
    await db.schema.createTable('network_floatingips', (table) => {
      standard(table, 'floatingips');
      link(table, 'floating_network_id', 'networks').index('network_floatingips_network');
      table.string('floating_ip_address', 64).notNullable();
      link(table, 'floating_port_id', 'ports').index('network_floatingips_floating_port');
      table.string('port_id', 36).references('network_ports.id');
      table.string('fixed_ip_address', 64);
      table
        .string('router_id', 36)
        .references('network_routers.id')
        .index('network_floatingips_router');
      table.string('status', 16).notNullable();
      table.unique(['port_id', 'fixed_ip_address', 'floating_network_id'], {
        indexName: 'network_floatingips_fixed',
      });
    });
    await db.schema.createTable('network_tags', (table) => {
      table.string('resource_id', 36).notNullable();
      table.string('tag', 255).notNullable();
      table.primary(['resource_id', 'tag']);
      table.index(['tag'], 'network_tags_tag');
    });
    await db.schema.createTable('network_quotas', (table) => {
      table.string('project_id', 255).notNullable();
      table.string('resource', 64).notNullable();
      table.integer('amount').notNullable();
      table.primary(['project_id', 'resource']);
    });
    await db.schema.createTable('network_projects', (table) => {
      // One row for each project with counted resources. A request that comes near a quota locks
      // the row.
      table.string('project_id', 255).primary();
      table.bigInteger('turn').notNullable();
    });
  },
};
