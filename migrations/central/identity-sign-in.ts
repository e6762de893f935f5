// When users chose their passwords, what has ended tokens, OAuth 1.0a, federation and single
// sign-on.
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

/**
 * Users who come from identity providers, whose names are not unique, and the users of the OpenID
 * providers for tests.
 */
export const identityFederatedUsers: Migration = {
  name: 'identity-federated-users-1',
  async up(db) {
    await db.schema.alterTable('identity_users', (table) => {
      table.boolean('is_local').notNullable().defaultTo(true);
      table.dropUnique(['domain_id', 'name']);
    });
    await db.schema.createTable('identity_federated_users', (table) => {
      table.string('provider_id', 64).notNullable();
      table.string('protocol_id', 64).notNullable();
      table.string('unique_id', 255).notNullable();
      table.string('user_id', 64).notNullable().index();
      table.primary(['provider_id', 'protocol_id', 'unique_id']);
      table.foreign('user_id').references('identity_users.id').onDelete('CASCADE');
      table
        .foreign(['provider_id', 'protocol_id'], 'identity_federated_users_protocol')
        .references(['provider_id', 'id'])
        .inTable('identity_protocols')
        .onDelete('CASCADE');
    });
    await db.schema.createTable('identity_expiring_memberships', (table) => {
      table.string('user_id', 64).notNullable();
      table.string('group_id', 64).notNullable();
      table.string('provider_id', 64).notNullable();
      table.bigInteger('last_verified').notNullable();
      table.primary(['user_id', 'group_id', 'provider_id']);
      table.foreign('user_id').references('identity_users.id').onDelete('CASCADE');
      table.foreign('group_id').references('identity_groups.id').onDelete('CASCADE');
      table.foreign('provider_id').references('identity_providers.id').onDelete('CASCADE');
    });
    await db.schema.createTable('identity_oidc_users', (table) => {
      table.string('issuer', 64).notNullable();
      table.string('name', 255).notNullable();
      table.text('password_hash').notNullable();
      table.text('claims', 'mediumtext').notNullable();
      table.primary(['issuer', 'name']);
    });
  },
};

/** Federation by SAML: the sessions of users, and the identity providers that are trusted. */
export const identitySaml: Migration = {
  name: 'identity-saml-1',
  async up(db) {
    await db.schema.createTable('identity_saml_sessions', (table) => {
      table.string('id', 64).primary();
      table.string('assertion', 64).notNullable().unique();
      table.text('attributes', 'mediumtext').notNullable();
      table.bigInteger('expires_at').notNullable().index();
    });
    await db.schema.createTable('identity_saml_providers', (table) => {
      table.string('name', 64).primary();
      table.string('entity_id', 255).notNullable().unique();
      table.text('certificates', 'mediumtext').notNullable();
    });
  },
};

/** When users were created, and when they signed in last. */
export const identityActivity: Migration = {
  name: 'identity-activity-1',
  async up(db) {
    await db.schema.alterTable('identity_users', (table) => {
      table.bigInteger('created_at');
      table.bigInteger('last_active_at');
    });
  },
};

/** Single sign-ons that have ended. */
export const identitySingleSignOn: Migration = {
  name: 'identity-single-sign-on-1',
  async up(db) {
    await db.schema.createTable('identity_used_sso_states', (table) => {
      table.string('state', 64).primary();
      table.bigInteger('expires_at').notNullable().index();
    });
  },
};
