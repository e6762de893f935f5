// When users chose their passwords.
import type { Migration } from '../../src/kernel/db/database.ts';

export const identityPasswordAges: Migration = {
  name: 'identity-password-ages-1',
  async up(db) {
    await db.schema.alterTable('identity_users', (table) => {
      table.bigInteger('password_chosen_at');
    });
  },
};
