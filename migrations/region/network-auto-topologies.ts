// The default external network, and the topologies that projects were given automatically.
import type { Migration } from '../../src/kernel/db/database.ts';

export const networkAutoTopologies: Migration = {
  name: 'network-14',
  async up(db) {
    await db.schema.alterTable('network_networks', (table) => {
      table.integer('is_default').unique({ indexName: 'network_networks_default' });
    });
    await db.schema.createTable('network_auto_topologies', (table) => {
      table.string('project_id', 255).primary();
      table
        .string('network_id', 36)
        .notNullable()
        .references('network_networks.id')
        .onDelete('CASCADE')
        .index('network_auto_topologies_network');
      table
        .string('router_id', 36)
        .references('network_routers.id')
        .onDelete('SET NULL')
        .index('network_auto_topologies_router');
    });
  },
};
