// Trunks, and the ports in them.
import type { Migration } from '../../src/kernel/db/database.ts';
import { standard } from './network.ts';

export const networkTrunks: Migration = {
  name: 'network-10',
  async up(db) {
    await db.schema.createTable('network_trunks', (table) => {
      standard(table, 'trunks');
      table.string('name', 255).notNullable();
      table.integer('admin_state_up').notNullable();
      table
        .string('port_id', 36)
        .notNullable()
        .unique('network_trunks_port')
        .references('network_ports.id');
      table.string('status', 16).notNullable();
    });
    await db.schema.createTable('network_subports', (table) => {
      table.string('port_id', 36).primary().references('network_ports.id');
      table.string('trunk_id', 36).notNullable().references('network_trunks.id');
      table.string('segmentation_type', 32).notNullable();
      table.integer('segmentation_id').notNullable();
      table.unique(['trunk_id', 'segmentation_type', 'segmentation_id'], {
        indexName: 'network_subports_segmentation',
      });
    });
  },
};
