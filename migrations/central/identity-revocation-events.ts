// Revocation events, which say what has ended tokens.
import type { Migration } from '../../src/kernel/db/database.ts';

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
