// The bindings of ports to hosts on which they are not active, such as the destination of a live
// migration.
import type { Migration } from '../../src/kernel/db/database.ts';

export const networkPortBindings: Migration = {
  name: 'network-7',
  async up(db) {
    await db.schema.createTable('network_port_bindings', (table) => {
      table.string('port_id', 36).notNullable().references('network_ports.id');
      table.string('host', 255).notNullable().index('network_port_bindings_host');
      table.string('vnic_type', 64).notNullable();
      table.text('profile').notNullable();
      table.integer('is_bound').notNullable();
      table.primary(['port_id', 'host']);
    });
  },
};
