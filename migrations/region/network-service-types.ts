// Subnets get service types: the device owners of the ports that may use them.
import type { Migration } from '../../src/kernel/db/database.ts';

export const networkServiceTypes: Migration = {
  name: 'network-6',
  async up(db) {
    await db.schema.alterTable('network_subnets', (table) => {
      table.text('service_types');
    });
    await db('network_subnets').update({ service_types: '[]' });
  },
};
