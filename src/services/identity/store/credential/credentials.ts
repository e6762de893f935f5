// The table of stored credentials, whose blobs are encrypted like Keystone's. Keystone keeps its
// keys in files; Cumulet keeps its key among the secrets of the central database, because all state
// is in a database and several processes share it. The encryption therefore protects the blobs in a
// dump of this table or in a log of statements; the modes of the database files protect them from
// anyone who could read the whole database.
import type { Micros } from '../../../../kernel/clock.ts';
import { jsonObject, nullable, text } from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { Table } from '../../../../kernel/db/table.ts';
import type { Credential } from '../../model.ts';
import { ensureSecret, readSecret } from '../auth/tokens.ts';
import { decryptFernet, encryptFernet, fernetKeyHash, isFernet, newFernetKey } from './fernet.ts';

/** A credential with an encrypted blob. */
interface EncryptedCredential extends Credential {
  /** Null if a version of Cumulet without encryption stored the blob. */
  readonly keyHash: string | null;
}

const credentials = new Table<EncryptedCredential>('identity_credentials', {
  id: text,
  userId: text,
  projectId: nullable(text),
  type: text,
  blob: {
    ...text,
    mismatch: (stored, row) =>
      row['key_hash'] === null || isFernet(String(stored)) ? undefined : 'a Fernet token',
  },
  extra: jsonObject(),
  keyHash: nullable({
    ...text,
    mismatch: (stored) => (/^[0-9a-f]{40}$/.test(String(stored)) ? undefined : 'a SHA-1 hash'),
  }),
});

const keyName = 'identity.credential_key';

const readKey = async (db: Db): Promise<string> => (await readSecret(db, keyName))!;

/** Creates the encryption key, if none is stored, and encrypts blobs that are still plain text. */
export async function ensureEncryption(db: Db, now: Micros): Promise<void> {
  await ensureSecret(db, keyName, newFernetKey);
  const key = await readKey(db);
  for (const { id, blob } of await credentials.list(db, { where: { keyHash: null } }))
    await credentials.update(db, { id }, encryptedBlob(key, blob, now));
}

const encryptedBlob = (
  key: string,
  blob: string,
  now: Micros,
): Pick<EncryptedCredential, 'blob' | 'keyHash'> => ({
  blob: encryptFernet(key, blob, now),
  keyHash: fernetKeyHash(key),
});

async function encrypted(
  db: Db,
  credential: Credential,
  now: Micros,
): Promise<EncryptedCredential> {
  return { ...credential, ...encryptedBlob(await readKey(db), credential.blob, now) };
}

/** @throws Error if the blob was encrypted with another key */
function decrypted(key: string, { keyHash, ...credential }: EncryptedCredential): Credential {
  const blob = keyHash === null ? credential.blob : decryptFernet(key, credential.blob);
  if (blob === undefined)
    throw new Error(
      `The credential ${credential.id} cannot be decrypted: it was stored with another key.`,
    );
  return { ...credential, blob };
}

/** @throws the driver's error of `isDuplicate` if a credential has that id */
export async function insertCredential(db: Db, credential: Credential, now: Micros): Promise<void> {
  await credentials.insert(db, await encrypted(db, credential, now));
}

export async function updateCredential(db: Db, credential: Credential, now: Micros): Promise<void> {
  await credentials.update(db, { id: credential.id }, await encrypted(db, credential, now));
}

export async function deleteCredential(db: Db, id: string): Promise<void> {
  await credentials.remove(db, { id });
}

/** Deletes the credentials of a user or a project. */
export async function deleteCredentialsOf(
  db: Db,
  owner: { userId: string } | { projectId: string },
): Promise<void> {
  await credentials.remove(db, owner);
}

export async function findCredential(db: Db, id: string): Promise<Credential | undefined> {
  const credential = await credentials.find(db, { id });
  return credential && decrypted(await readKey(db), credential);
}

/** The credentials that match, ordered by id. */
export async function listCredentials(
  db: Db,
  where: { readonly userId?: string; readonly type?: string } = {},
): Promise<Credential[]> {
  const key = await readKey(db);
  return (await credentials.list(db, { where })).map((credential) => decrypted(key, credential));
}
