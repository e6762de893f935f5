// The tokens that open consoles of servers.
import type { Migration } from '../../src/kernel/db/database.ts';

export const computeConsoles: Migration = {
  name: 'compute-consoles-1',
  async up(db) {
    await db.schema.createTable('compute_console_tokens', (table) => {
      // Like upstream, only a hash of the token is stored.
      table.string('token_hash', 64).primary();
      table.string('server_uuid', 36).notNullable().references('compute_servers.uuid');
      table.string('console_type', 20).notNullable();
      table.string('host', 255).notNullable();
      table.integer('port').notNullable();
      table.integer('tls_port');
      table.bigInteger('expires_at').notNullable();
      table.index(['server_uuid'], 'compute_console_tokens_server');
      table.index(['expires_at'], 'compute_console_tokens_expiry');
    });
  },
};
