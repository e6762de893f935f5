// Identity's tables for trusts, policies, endpoint filters, domain configurations and limits.
import type { Knex } from 'knex';
import type { Db, Migration } from '../../src/kernel/db/database.ts';

export const identityDelegation: Migration = {
  name: 'identity-2',
  async up(db) {
    await createTrusts(db);
    await createEndpointFilters(db);
    await createPolicies(db);
    await createDomainConfigs(db);
    await createLimits(db);
  },
};

type Table = Knex.CreateTableBuilder;

const id = (table: Table, name = 'id'): Knex.ColumnBuilder => table.string(name, 64).notNullable();

/**
 * Deleted trusts stay, because the unique key includes them: upstream rejects a trust that equals a
 * deleted one.
 */
async function createTrusts(db: Db): Promise<void> {
  await db.schema.createTable('identity_trusts', (table) => {
    id(table).primary();
    id(table, 'trustor_user_id');
    id(table, 'trustee_user_id');
    table.string('project_id', 64);
    table.boolean('impersonation').notNullable();
    table.bigInteger('expires_at');
    table.integer('remaining_uses');
    table.string('redelegated_trust_id', 64);
    table.integer('redelegation_count').notNullable();
    table.boolean('deleted').notNullable();
    table.text('role_ids').notNullable();
    table.text('extra').notNullable();
    table.unique(
      ['trustor_user_id', 'trustee_user_id', 'project_id', 'impersonation', 'expires_at'],
      {
        indexName: 'identity_trusts_same',
      },
    );
    table.index(['trustee_user_id']);
    table.index(['project_id']);
  });
}

async function createEndpointFilters(db: Db): Promise<void> {
  await db.schema.createTable('identity_endpoint_groups', (table) => {
    id(table).primary();
    table.string('name', 255).notNullable();
    table.text('description');
    table.text('filters').notNullable();
  });
  await db.schema.createTable('identity_project_endpoint_groups', (table) => {
    id(table, 'project_id').references('id').inTable('identity_projects').onDelete('CASCADE');
    id(table, 'endpoint_group_id');
    table.primary(['project_id', 'endpoint_group_id']);
    table
      .foreign('endpoint_group_id', 'identity_project_endpoint_groups_foreign')
      .references('id')
      .inTable('identity_endpoint_groups')
      .onDelete('CASCADE');
  });
  await db.schema.createTable('identity_project_endpoints', (table) => {
    id(table, 'project_id').references('id').inTable('identity_projects').onDelete('CASCADE');
    id(table, 'endpoint_id').references('id').inTable('identity_endpoints').onDelete('CASCADE');
    table.primary(['project_id', 'endpoint_id']);
  });
}

/**
 * A policy is associated with an endpoint, with a service, or with a service in a region; unused
 * columns are empty.
 */
async function createPolicies(db: Db): Promise<void> {
  await db.schema.createTable('identity_policies', (table) => {
    id(table).primary();
    table.string('type', 255).notNullable();
    table.text('blob', 'mediumtext').notNullable();
    table.text('extra').notNullable();
  });
  await db.schema.createTable('identity_policy_associations', (table) => {
    id(table, 'policy_id').references('id').inTable('identity_policies').onDelete('CASCADE');
    id(table, 'endpoint_id');
    id(table, 'service_id');
    table.string('region_id', 255).notNullable();
    table.primary(['endpoint_id', 'service_id', 'region_id']);
  });
}

async function createDomainConfigs(db: Db): Promise<void> {
  await db.schema.createTable('identity_domain_configs', (table) => {
    id(table, 'domain_id').references('id').inTable('identity_projects').onDelete('CASCADE');
    table.string('group', 255).notNullable();
    table.string('option', 255).notNullable();
    table.text('value', 'mediumtext').notNullable();
    table.primary(['domain_id', 'group', 'option']);
  });
}

/**
 * Absent values are empty instead of null, so that the unique keys apply: the region, and for a
 * limit either the project or the domain. Services and regions can be deleted before their limits,
 * as upstream.
 */
async function createLimits(db: Db): Promise<void> {
  await db.schema.createTable('identity_registered_limits', (table) => {
    id(table).primary();
    id(table, 'service_id');
    table.string('region_id', 255).notNullable();
    table.string('resource_name', 255).notNullable();
    table.integer('default_limit').notNullable();
    table.text('description');
    table.unique(['service_id', 'region_id', 'resource_name'], {
      indexName: 'identity_registered_limits_same',
    });
  });
  await db.schema.createTable('identity_limits', (table) => {
    id(table).primary();
    id(table, 'registered_limit_id').references('id').inTable('identity_registered_limits');
    id(table, 'project_id');
    id(table, 'domain_id');
    table.integer('resource_limit').notNullable();
    table.text('description');
    table.unique(['registered_limit_id', 'project_id', 'domain_id'], {
      indexName: 'identity_limits_same',
    });
  });
}
