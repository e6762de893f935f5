// Identity's tables: users, projects, their roles, and the catalog.
import type { Knex } from 'knex';
import type { Db, Migration } from '../../src/kernel/db/database.ts';

export const identity: Migration = {
  name: 'identity-1',
  async up(db) {
    await createScopes(db);
    await createActors(db);
    await createRoles(db);
    await createCatalog(db);
    await createCredentials(db);
  },
};

type Table = Knex.CreateTableBuilder;

const id = (table: Table, name = 'id'): Knex.ColumnBuilder => table.string(name, 64).notNullable();

/**
 * Incremented when all tokens that depend on the row expire; a token carries the value at which it
 * was issued.
 */
const tokenEpoch = (table: Table): Knex.ColumnBuilder =>
  table.integer('token_epoch').notNullable().defaultTo(0);

/**
 * Domains are projects that act as a domain, as upstream. The domain_id of a domain is empty, so
 * that the unique key applies.
 */
async function createScopes(db: Db): Promise<void> {
  await db.schema.createTable('identity_projects', (table) => {
    id(table).primary();
    table.string('name', 64).notNullable();
    table.string('domain_id', 64).notNullable();
    table.string('parent_id', 64).references('id').inTable('identity_projects');
    table.boolean('is_domain').notNullable();
    table.boolean('enabled').notNullable();
    table.text('description');
    table.text('tags').notNullable();
    table.text('options').notNullable();
    table.text('extra').notNullable();
    tokenEpoch(table);
    table.unique(['domain_id', 'name']);
  });
}

async function createActors(db: Db): Promise<void> {
  await db.schema.createTable('identity_users', (table) => {
    id(table).primary();
    table.string('name', 255).notNullable();
    id(table, 'domain_id').references('id').inTable('identity_projects');
    table.boolean('enabled').notNullable();
    table.string('default_project_id', 64);
    table.text('password_hash');
    table.text('options').notNullable();
    table.text('extra').notNullable();
    tokenEpoch(table);
    table.unique(['domain_id', 'name']);
  });
  await db.schema.createTable('identity_groups', (table) => {
    id(table).primary();
    table.string('name', 255).notNullable();
    id(table, 'domain_id').references('id').inTable('identity_projects');
    table.text('description');
    table.text('extra').notNullable();
    table.unique(['domain_id', 'name']);
  });
  await db.schema.createTable('identity_memberships', (table) => {
    id(table, 'user_id').references('id').inTable('identity_users').onDelete('CASCADE');
    id(table, 'group_id').references('id').inTable('identity_groups').onDelete('CASCADE');
    table.primary(['user_id', 'group_id']);
    table.index(['group_id']);
  });
}

/** The domain_id of a role for all domains is empty, so that the unique key applies. */
async function createRoles(db: Db): Promise<void> {
  await db.schema.createTable('identity_roles', (table) => {
    id(table).primary();
    table.string('name', 255).notNullable();
    table.string('domain_id', 64).notNullable();
    table.text('description');
    table.text('options').notNullable();
    table.text('extra').notNullable();
    table.unique(['domain_id', 'name']);
  });
  await db.schema.createTable('identity_implied_roles', (table) => {
    id(table, 'prior_role_id').references('id').inTable('identity_roles').onDelete('CASCADE');
    id(table, 'implied_role_id').references('id').inTable('identity_roles').onDelete('CASCADE');
    table.primary(['prior_role_id', 'implied_role_id']);
  });
  // actor: a user or a group; target: a project, a domain, or 'system'.
  await db.schema.createTable('identity_assignments', (table) => {
    table.string('actor_type', 8).notNullable();
    id(table, 'actor_id');
    table.string('target_type', 8).notNullable();
    id(table, 'target_id');
    id(table, 'role_id').references('id').inTable('identity_roles').onDelete('CASCADE');
    table.boolean('inherited').notNullable();
    table.primary(['actor_id', 'actor_type', 'target_type', 'target_id', 'role_id', 'inherited']);
    table.index(['target_id']);
  });
}

async function createCatalog(db: Db): Promise<void> {
  await db.schema.createTable('identity_regions', (table) => {
    table.string('id', 255).primary();
    table.text('description').notNullable();
    table.string('parent_region_id', 255).references('id').inTable('identity_regions');
    table.text('extra').notNullable();
  });
  await db.schema.createTable('identity_services', (table) => {
    id(table).primary();
    table.string('type', 255).notNullable();
    table.boolean('enabled').notNullable();
    table.text('extra').notNullable();
  });
  await db.schema.createTable('identity_endpoints', (table) => {
    id(table).primary();
    id(table, 'service_id').references('id').inTable('identity_services').onDelete('CASCADE');
    table.string('interface', 8).notNullable();
    table.string('region_id', 255).references('id').inTable('identity_regions');
    table.text('url').notNullable();
    table.boolean('enabled').notNullable();
    table.text('extra').notNullable();
  });
}

async function createCredentials(db: Db): Promise<void> {
  await db.schema.createTable('identity_application_credentials', (table) => {
    id(table).primary();
    table.string('name', 255).notNullable();
    id(table, 'user_id').references('id').inTable('identity_users').onDelete('CASCADE');
    id(table, 'project_id').references('id').inTable('identity_projects').onDelete('CASCADE');
    table.text('secret_hash').notNullable();
    table.text('description');
    table.text('system');
    table.bigInteger('expires_at');
    table.boolean('unrestricted').notNullable();
    table.unique(['user_id', 'name'], { indexName: 'identity_app_creds_user_id_name_unique' });
  });
  await db.schema.createTable('identity_application_credential_roles', (table) => {
    id(table, 'application_credential_id');
    id(table, 'role_id').references('id').inTable('identity_roles').onDelete('CASCADE');
    table.primary(['application_credential_id', 'role_id']);
    table
      .foreign('application_credential_id', 'identity_app_cred_roles_foreign')
      .references('id')
      .inTable('identity_application_credentials')
      .onDelete('CASCADE');
  });
  await db.schema.createTable('identity_access_rules', (table) => {
    id(table).primary();
    id(table, 'user_id').references('id').inTable('identity_users').onDelete('CASCADE');
    table.string('service', 64).notNullable();
    table.string('path', 225).notNullable();
    table.string('method', 16).notNullable();
    table.unique(['user_id', 'service', 'path', 'method']);
  });
  await db.schema.createTable('identity_application_credential_access_rules', (table) => {
    id(table, 'application_credential_id');
    id(table, 'access_rule_id');
    table.primary(['application_credential_id', 'access_rule_id']);
    table
      .foreign('application_credential_id', 'identity_app_cred_rules_foreign')
      .references('id')
      .inTable('identity_application_credentials')
      .onDelete('CASCADE');
    table
      .foreign('access_rule_id', 'identity_used_rules_foreign')
      .references('id')
      .inTable('identity_access_rules');
  });
  await db.schema.createTable('identity_credentials', (table) => {
    id(table).primary();
    table.string('user_id', 255).notNullable();
    table.string('project_id', 64);
    table.string('type', 255).notNullable();
    table.text('blob', 'mediumtext').notNullable();
    table.text('extra').notNullable();
    table.index(['user_id']);
  });
  await db.schema.createTable('identity_revoked_tokens', (table) => {
    table.string('audit_id', 64).primary();
    table.bigInteger('expires_at').notNullable();
  });
}
