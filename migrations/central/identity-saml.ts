// Federation by SAML: the sessions of users, and the identity providers that are trusted.
import type { Migration } from '../../src/kernel/db/database.ts';

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
