// When passwords expire, and the hashes of previous ones.
import type { Migration } from '../../src/kernel/db/database.ts';

export const identityPasswords: Migration = {
  name: 'identity-passwords-1',
  async up(db) {
    await db.schema.alterTable('identity_users', (table) => {
      table.bigInteger('password_expires_at');
      // A list as JSON, oldest first.
      table.text('previous_hashes', 'mediumtext');
    });
  },
};
