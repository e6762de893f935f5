// Address groups, and the rules of security groups that refer to them.
import type { Migration } from '../../src/kernel/db/database.ts';
import { standard } from './network.ts';

export const networkAddressGroups: Migration = {
  name: 'network-9',
  async up(db) {
    await db.schema.createTable('network_address_groups', (table) => {
      standard(table, 'address_groups');
      table.string('name', 255).notNullable();
      table.text('addresses', 'longtext').notNullable();
    });
    await db.schema.alterTable('network_security_group_rules', (table) => {
      table
        .string('remote_address_group_id', 36)
        .references('network_address_groups.id')
        .index('network_rules_address_group');
    });
  },
};
