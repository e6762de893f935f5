// Labels by which traffic is metered, and the rules that say which traffic.
import type { Migration } from '../../src/kernel/db/database.ts';
import { standardColumns } from './network.ts';

export const networkMetering: Migration = {
  name: 'network-16',
  async up(db) {
    await db.schema.createTable('network_metering_labels', (table) => {
      standardColumns(table, 1024);
      table.index(['project_id'], 'network_metering_labels_project');
      table.string('name', 255).notNullable();
      table.integer('shared').notNullable();
    });
    await db.schema.createTable('network_metering_label_rules', (table) => {
      standardColumns(table);
      table.index(['project_id'], 'network_metering_rules_project');
      table
        .string('metering_label_id', 36)
        .notNullable()
        .references('network_metering_labels.id')
        .index('network_metering_rules_label');
      table.string('direction', 8).notNullable();
      table.integer('excluded').notNullable();
      for (const prefix of ['remote', 'source', 'destination'])
        table.string(`${prefix}_ip_prefix`, 64);
    });
  },
};
