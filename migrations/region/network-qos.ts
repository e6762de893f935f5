// QoS policies, their rules, and what they are attached to.
import type { Migration } from '../../src/kernel/db/database.ts';
import { standard, standardColumns } from './network.ts';

const values = [
  'max_kbps',
  'max_burst_kbps',
  'min_kbps',
  'dscp_mark',
  'min_kpps',
  'max_kpps',
  'max_burst_kpps',
];

export const networkQos: Migration = {
  name: 'network-11',
  async up(db) {
    await db.schema.createTable('network_qos_policies', (table) => {
      standard(table, 'qos_policies');
      table.string('name', 255).notNullable();
      table.string('default_of', 255).unique({ indexName: 'network_qos_policies_default' });
    });
    await db.schema.createTable('network_qos_rules', (table) => {
      standardColumns(table);
      table
        .string('qos_policy_id', 36)
        .notNullable()
        .references('network_qos_policies.id')
        .index('network_qos_rules_policy');
      table.string('type', 32).notNullable();
      table.string('direction', 16);
      for (const value of values) table.bigInteger(value);
    });
    for (const name of ['networks', 'ports', 'routers', 'floatingips'])
      await db.schema.alterTable(`network_${name}`, (table) => {
        table
          .string('qos_policy_id', 36)
          .references('network_qos_policies.id')
          .index(`network_${name}_qos_policy`);
      });
  },
};
