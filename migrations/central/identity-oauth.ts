// Identity's tables for OAuth 1.0a: consumers, request tokens and access tokens.
import type { Knex } from 'knex';
import type { Migration } from '../../src/kernel/db/database.ts';

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
