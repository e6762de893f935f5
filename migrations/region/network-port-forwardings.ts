// The port forwardings of floating IPs.
import type { Migration } from '../../src/kernel/db/database.ts';
import { standard } from './network.ts';

export const networkPortForwardings: Migration = {
  name: 'network-12',
  async up(db) {
    await db.schema.createTable('network_port_forwardings', (table) => {
      standard(table, 'port_forwardings');
      table.string('floatingip_id', 36).notNullable().references('network_floatingips.id');
      table.string('protocol', 40).notNullable();
      table.string('internal_port_id', 36).notNullable().references('network_ports.id');
      table.string('internal_ip_address', 64).notNullable();
      for (const side of ['internal', 'external']) {
        table.integer(`${side}_port_start`).notNullable();
        table.integer(`${side}_port_end`).notNullable();
      }
      table.unique(['floatingip_id', 'protocol', 'external_port_start', 'external_port_end'], {
        indexName: 'network_port_forwardings_external',
      });
      table.unique(
        [
          'internal_port_id',
          'protocol',
          'internal_ip_address',
          'internal_port_start',
          'internal_port_end',
        ],
        { indexName: 'network_port_forwardings_internal' },
      );
    });
  },
};
