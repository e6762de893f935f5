// Stored credentials are encrypted: the key that a blob is encrypted with. Older blobs have none,
// and are encrypted at the next start.
import type { Migration } from '../../src/kernel/db/database.ts';

export const identityCredentialKeys: Migration = {
  name: 'identity-credential-keys-1',
  async up(db) {
    await db.schema.alterTable('identity_credentials', (table) => {
      table.string('key_hash', 64);
    });
  },
};
