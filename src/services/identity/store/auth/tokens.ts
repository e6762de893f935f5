// The table of revoked tokens, and the key that tokens are signed with. Both outlive a reset, as
// the tokens of the first users do.
import type { Micros } from '../../../../kernel/clock.ts';
import { newSecret } from '../../../../kernel/ids.ts';
import type { Db } from '../../../../kernel/db/database.ts';

const revoked = (db: Db) => db<{ audit_id: string; expires_at: number }>('cumulet_revoked_tokens');
const secrets = (db: Db) => db<{ name: string; value: string }>('cumulet_secrets');

const keyName = 'identity.token_key';

/**
 * Stores a key to sign tokens with, where there is none. Of several processes that start together
 * one succeeds.
 */
export const ensureTokenKey = (db: Db): Promise<void> =>
  ensureSecret(db, keyName, () => newSecret(32));

/** Stores a secret where there is none. */
export async function ensureSecret(db: Db, name: string, make: () => string): Promise<void> {
  if (await readSecret(db, name)) return;
  await secrets(db).insert({ name, value: make() }).onConflict('name').ignore();
}

/** The key that tokens are signed with. */
export async function tokenKey(db: Db): Promise<Uint8Array> {
  return Buffer.from((await readSecret(db, keyName))!, 'base64url');
}

/** A secret that outlives resets; undefined where there is none. */
export async function readSecret(db: Db, name: string): Promise<string | undefined> {
  return (await secrets(db).where({ name }).first('value'))?.value;
}

/** Stores a secret, or replaces it. */
export async function writeSecret(db: Db, name: string, value: string): Promise<void> {
  await secrets(db).insert({ name, value }).onConflict('name').merge();
}

/**
 * Stores that a token is revoked, and deletes the revocations of tokens that expired before
 * `before`.
 */
export async function insertRevocation(
  db: Db,
  auditId: string,
  expiresAt: Micros,
  before: Micros,
): Promise<void> {
  await revoked(db).where('expires_at', '<', before).delete();
  await revoked(db)
    .insert({ audit_id: auditId, expires_at: expiresAt })
    .onConflict('audit_id')
    .ignore();
}

export async function isRevoked(db: Db, auditId: string): Promise<boolean> {
  return (await revoked(db).where({ audit_id: auditId }).first()) !== undefined;
}
