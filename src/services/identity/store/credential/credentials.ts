// The table of stored credentials. Their blobs are encrypted, as Keystone's are. Its keys are
// files; ours is among the secrets of the central database, because all state is in a database, and
// several processes share it. So the encryption keeps what is in the blobs from who sees this table
// alone, in a dump of it or in a log of statements; the modes of the files keep it from who would
// read it all.
import type { Credential } from '../../model.ts';
import type { Micros } from '../../../../kernel/clock.ts';
import { ensureSecret, readSecret } from '../auth/tokens.ts';
import { objectFrom, toJson } from '../columns.ts';
import { decryptFernet, encryptFernet, fernetKeyHash, newFernetKey } from './fernet.ts';
import type { Db } from '../../../../kernel/db/database.ts';

interface Row {
  id: string;
  user_id: string;
  project_id: string | null;
  type: string;
  blob: string;
  extra: string;
  key_hash: string | null;
}

const keyName = 'identity.credential_key';

/** Stores a key to encrypt with, where there is none, and encrypts what older versions stored. */
export async function ensureEncryption(db: Db, now: Micros): Promise<void> {
  await ensureSecret(db, keyName, newFernetKey);
  const key = await keyOf(db);
  for (const row of await table(db).whereNull('key_hash'))
    await table(db)
      .where({ id: row.id })
      .update({ blob: encryptFernet(key, row.blob, now), key_hash: fernetKeyHash(key) });
}

const keyOf = async (db: Db): Promise<string> => (await readSecret(db, keyName))!;

const table = (db: Db) => db<Row>('identity_credentials');

/** @throws Error where the key is not that of the blob */
const recordOf = (key: string, row: Row): Credential => ({
  id: row.id,
  userId: row.user_id,
  projectId: row.project_id,
  type: row.type,
  blob: blobOf(key, row),
  extra: objectFrom(row.extra),
});

function blobOf(key: string, { id, blob }: Row): string {
  const text = decryptFernet(key, blob);
  if (text === undefined)
    throw new Error(`The credential ${id} cannot be decrypted: it was stored with another key.`);
  return text;
}

const rowOf = (key: string, credential: Credential, now: Micros): Row => ({
  id: credential.id,
  user_id: credential.userId,
  project_id: credential.projectId,
  type: credential.type,
  blob: encryptFernet(key, credential.blob, now),
  extra: toJson(credential.extra),
  key_hash: fernetKeyHash(key),
});

/** @throws the driver's error of `isDuplicate` where the id is taken */
export async function insertCredential(db: Db, credential: Credential, now: Micros): Promise<void> {
  await table(db).insert(rowOf(await keyOf(db), credential, now));
}

export async function updateCredential(db: Db, credential: Credential, now: Micros): Promise<void> {
  await table(db)
    .where({ id: credential.id })
    .update(rowOf(await keyOf(db), credential, now));
}

export async function deleteCredential(db: Db, id: string): Promise<void> {
  await table(db).where({ id }).delete();
}

/** Deletes the credentials of a user or a project. */
export async function deleteCredentialsOf(
  db: Db,
  owner: { userId: string } | { projectId: string },
): Promise<void> {
  const where = 'userId' in owner ? { user_id: owner.userId } : { project_id: owner.projectId };
  await table(db).where(where).delete();
}

export async function findCredential(db: Db, id: string): Promise<Credential | undefined> {
  const row = await table(db).where({ id }).first();
  return row && recordOf(await keyOf(db), row);
}

export async function listCredentials(db: Db): Promise<Credential[]> {
  const key = await keyOf(db);
  return (await table(db).orderBy('id')).map((row) => recordOf(key, row));
}
