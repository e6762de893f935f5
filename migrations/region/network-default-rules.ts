// The rules that new security groups get. Regions that have been seeded get those that were fixed
// before; others get them when they are seeded.
import type { Migration } from '../../src/kernel/db/database.ts';
import { newUuid } from '../../src/kernel/ids.ts';
import { standardColumns } from './network.ts';

export const networkDefaultRules: Migration = {
  name: 'network-13',
  async up(db) {
    await db.schema.createTable('network_default_rules', (table) => {
      standardColumns(table);
      table.string('direction', 16).notNullable();
      table.string('ethertype', 16).notNullable();
      table.string('protocol', 40);
      table.integer('port_range_min');
      table.integer('port_range_max');
      table.string('remote_ip_prefix', 64);
      table.string('remote_group_id', 36);
      table.string('remote_address_group_id', 36);
      table.boolean('used_in_default_sg').notNullable();
      table.boolean('used_in_non_default_sg').notNullable();
    });
    const seeded = (await db('network_projects').where({ project_id: '' })) as unknown[];
    if (!seeded.length) return;
    for (const direction of ['egress', 'ingress'])
      for (const ethertype of ['IPv4', 'IPv6'])
        await db('network_default_rules').insert({
          id: newUuid(),
          project_id: '',
          description: `Legacy default SG rule for ${direction} traffic`,
          revision_number: 0,
          created_at: 0,
          updated_at: 0,
          direction,
          ethertype,
          remote_group_id: direction === 'ingress' ? 'PARENT' : null,
          used_in_default_sg: 1,
          used_in_non_default_sg: Number(direction === 'egress'),
        });
  },
};
