// The conntrack helpers of routers.
import type { Migration } from '../../src/kernel/db/database.ts';
import { standardColumns } from './network.ts';

export const networkConntrackHelpers: Migration = {
  name: 'network-18',
  async up(db) {
    await db.schema.createTable('network_conntrack_helpers', (table) => {
      standardColumns(table);
      table.index(['project_id'], 'network_conntrack_helpers_project');
      table.string('router_id', 36).notNullable().references('network_routers.id');
      table.string('protocol', 40).notNullable();
      table.integer('port').notNullable();
      table.string('helper', 64).notNullable();
      table.unique(['router_id', 'protocol', 'port', 'helper'], {
        indexName: 'network_conntrack_helpers_unique',
      });
    });
  },
};
