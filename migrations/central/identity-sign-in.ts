// When users chose their passwords, what has ended tokens, OAuth 1.0a, and federation.
import type { Knex } from 'knex';
import type { Migration } from '../../src/kernel/db/database.ts';

export const identityPasswordAges: Migration = {
  name: 'identity-password-ages-1',
  async up(db) {
    await db.schema.alterTable('identity_users', (table) => {
      table.bigInteger('password_chosen_at');
    });
  },
};

/** Revocation events, which say what has ended tokens. */
export const identityRevocationEvents: Migration = {
  name: 'identity-revocation-events-1',
  async up(db) {
    await db.schema.createTable('identity_revocation_events', (table) => {
      table.bigIncrements('id');
      for (const column of ['user_id', 'project_id', 'trust_id', 'audit_id'])
        table.string(column, 64);
      table.bigInteger('revoked_at').notNullable().index();
    });
  },
};

/** Consumers, request tokens and access tokens. */
export const identityOAuth: Migration = {
  name: 'identity-oauth-1',
  async up(db) {
    await db.schema.createTable('identity_consumers', (table) => {
      table.string('id', 64).primary();
      table.string('description', 64);
      table.string('secret', 64).notNullable();
      table.text('extra').notNullable();
    });
    await db.schema.createTable('identity_request_tokens', (table) => {
      tokenColumns(table);
      table.string('verifier', 64);
      table.string('user_id', 64);
    });
    await db.schema.createTable('identity_access_tokens', (table) => {
      tokenColumns(table);
      table.string('user_id', 64).notNullable().index();
    });
    await db.schema.alterTable('identity_revocation_events', (table) => {
      table.string('consumer_id', 64);
    });
  },
};

function tokenColumns(table: Knex.CreateTableBuilder): void {
  table.string('id', 64).primary();
  table.string('secret', 64).notNullable();
  table.string('project_id', 64).notNullable().index();
  table.text('role_ids').notNullable();
  table.bigInteger('expires_at');
  table.string('consumer_id', 64).notNullable();
  table.foreign('consumer_id').references('identity_consumers.id').onDelete('CASCADE');
}

/** Identity providers with their remote ids and protocols, mappings, and service providers. */
export const identityFederation: Migration = {
  name: 'identity-federation-1',
  async up(db) {
    await db.schema.createTable('identity_providers', (table) => {
      table.string('id', 64).primary();
      table.string('domain_id', 64).notNullable();
      table.foreign('domain_id').references('identity_projects.id');
      table.boolean('enabled').notNullable();
      table.text('description');
      table.integer('authorization_ttl');
    });
    await db.schema.createTable('identity_provider_remote_ids', (table) => {
      table.string('remote_id', 64).primary();
      table.string('provider_id', 64).notNullable();
      table.foreign('provider_id').references('identity_providers.id').onDelete('CASCADE');
    });
    await db.schema.createTable('identity_mappings', (table) => {
      table.string('id', 64).primary();
      table.text('rules', 'mediumtext').notNullable();
      table.string('schema_version', 5).notNullable();
    });
    await db.schema.createTable('identity_protocols', (table) => {
      table.string('provider_id', 64).notNullable();
      table.string('id', 64).notNullable();
      table.string('mapping_id', 64).notNullable();
      table.string('remote_id_attribute', 64);
      table.primary(['provider_id', 'id']);
      table.foreign('provider_id').references('identity_providers.id').onDelete('CASCADE');
    });
    await db.schema.createTable('identity_service_providers', (table) => {
      table.string('id', 64).primary();
      table.string('auth_url', 256).notNullable();
      table.string('sp_url', 256).notNullable();
      table.boolean('enabled').notNullable();
      table.text('description');
      table.string('relay_state_prefix', 256).notNullable();
    });
  },
};
