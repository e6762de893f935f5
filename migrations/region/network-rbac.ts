// The policies by which projects share networks, subnet pools, address scopes and security groups.
import type { Migration } from '../../src/kernel/db/database.ts';
import { newUuid } from '../../src/kernel/ids.ts';
import { standard } from './network.ts';

/** The tables of objects that had a column `shared`, and the names of their type in policies. */
const sharedTables = [
  ['network_networks', 'network'],
  ['network_subnetpools', 'subnetpool'],
  ['network_address_scopes', 'address_scope'],
] as const;

interface Shared {
  readonly id: string;
  readonly project_id: string;
  readonly created_at: number;
}

export const networkRbac: Migration = {
  name: 'network-8',
  async up(db) {
    await db.schema.createTable('network_rbac_policies', (table) => {
      standard(table, 'rbac_policies');
      table.string('object_type', 32).notNullable();
      table.string('object_id', 36).notNullable();
      table.string('action', 32).notNullable();
      table.string('target_tenant', 255).notNullable();
      table.index(['object_type', 'target_tenant'], 'network_rbac_policies_target');
      table.unique(['object_id', 'action', 'target_tenant'], {
        indexName: 'network_rbac_policies_object',
      });
    });
    const share = async (rows: readonly Shared[], type: string, action: string): Promise<void> => {
      for (const { id, project_id, created_at } of rows)
        await db('network_rbac_policies').insert({
          id: newUuid(),
          project_id,
          description: '',
          revision_number: 0,
          created_at,
          updated_at: created_at,
          object_type: type,
          object_id: id,
          action,
          target_tenant: '*',
        });
    };
    const columns = ['id', 'project_id', 'created_at'];
    for (const [table, type] of sharedTables) {
      const shared = (await db(table).where({ shared: 1 }).select(columns)) as Shared[];
      await share(shared, type, 'access_as_shared');
      await db.raw('ALTER TABLE ?? DROP COLUMN shared', [table]);
    }
    const external = db('network_networks').where({ router_external: 1 }).select(columns);
    await share((await external) as Shared[], 'network', 'access_as_external');
  },
};
