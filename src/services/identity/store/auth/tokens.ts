// The tables of revoked tokens and of secrets, such as the key that signs tokens. A reset keeps
// both, because it keeps the tokens of the seeded users valid.
import type { Micros } from '../../../../kernel/clock.ts';
import {
  jsonObject,
  micros,
  text,
  textOf,
  type Stored,
  type StoredRow,
} from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { Table } from '../../../../kernel/db/table.ts';
import { newSecret } from '../../../../kernel/ids.ts';

const revocations = new Table(
  'cumulet_revoked_tokens',
  { auditId: text, expiresAt: micros },
  { key: 'auditId' },
);

/** The secrets that are keys of 32 bytes, in base64. The others are JSON objects. */
const keyNames = ['identity.token_key', 'identity.credential_key'];

const state = jsonObject();
const secrets = new Table(
  'cumulet_secrets',
  {
    name: textOf([
      ...keyNames,
      'identity.saml_key',
      'identity.token_epochs',
      'identity.seed_password',
    ]),
    value: {
      ...text,
      mismatch: (stored: Stored, row: StoredRow) =>
        keyNames.includes(String(row['name']))
          ? keyMismatch(String(stored))
          : state.mismatch?.(stored, row),
    },
  },
  { key: 'name' },
);

const keyMismatch = (key: string): string | undefined =>
  Buffer.from(key, 'base64url').length === 32 ? undefined : 'a key of 32 bytes in base64';

const keyName = 'identity.token_key';

/** Creates the key that signs tokens, if none is stored. */
export const ensureTokenKey = (db: Db): Promise<void> =>
  ensureSecret(db, keyName, () => newSecret(32));

/**
 * Creates a secret, if it is not stored. If several processes start at the same time, the secret of
 * one of them is stored, and all of them use it.
 */
export async function ensureSecret(db: Db, name: string, make: () => string): Promise<void> {
  if (await readSecret(db, name)) return;
  await secrets.ensure(db, [{ name, value: make() }]);
}

/** The key that signs tokens. */
export async function tokenKey(db: Db): Promise<Uint8Array> {
  return Buffer.from((await readSecret(db, keyName))!, 'base64url');
}

/** A secret, or undefined if none is stored under that name. */
export async function readSecret(db: Db, name: string): Promise<string | undefined> {
  return (await secrets.find(db, { name }))?.value;
}

/** All secrets, sorted by name. */
export const listSecrets = (db: Db): Promise<{ readonly name: string; readonly value: string }[]> =>
  secrets.list(db);

/** Stores a secret, or replaces it. */
export const writeSecret = (db: Db, name: string, value: string): Promise<void> =>
  secrets.upsert(db, [{ name, value }]);

/**
 * Stores the revocation of a token, and deletes the revocations of tokens that expired before
 * `before`.
 */
export async function insertRevocation(
  db: Db,
  auditId: string,
  expiresAt: Micros,
  before: Micros,
): Promise<void> {
  await db(revocations.name).where('expires_at', '<', before).delete();
  await revocations.ensure(db, [{ auditId, expiresAt }]);
}

export const isRevoked = (db: Db, auditId: string): Promise<boolean> =>
  revocations.exists(db, { auditId });
