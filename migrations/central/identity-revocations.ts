// A reset keeps revocations, because it keeps the tokens of the seeded users: their table becomes
// one of the emulator's own.
import type { Migration } from '../../src/kernel/db/database.ts';

export const identityRevocations: Migration = {
  name: 'identity-revocations-1',
  async up(db) {
    await db.schema.renameTable('identity_revoked_tokens', 'cumulet_revoked_tokens');
  },
};
