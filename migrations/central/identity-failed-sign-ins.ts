// Failed sign-ins, which lock accounts.
import type { Migration } from '../../src/kernel/db/database.ts';

export const identityFailedSignIns: Migration = {
  name: 'identity-failed-sign-ins-1',
  async up(db) {
    await db.schema.createTable('identity_failed_sign_ins', (table) => {
      table.string('user_id', 64).primary();
      table.integer('count').notNullable();
      table.bigInteger('last_at').notNullable();
      table.foreign('user_id').references('identity_users.id').onDelete('CASCADE');
    });
  },
};
