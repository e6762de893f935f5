// Whether ports propagate the status of their uplink, and hints for their backend.
import type { Migration } from '../../src/kernel/db/database.ts';

export const networkPortUplinks: Migration = {
  name: 'network-port-uplinks-1',
  async up(db) {
    await db.schema.alterTable('network_ports', (table) => {
      table.integer('propagate_uplink_status').notNullable().defaultTo(1);
      table.text('hints');
    });
  },
};
