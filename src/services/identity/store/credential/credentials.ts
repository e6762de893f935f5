// The table of stored credentials. Unlike upstream it keeps them unencrypted: they are an emulator's.
import type { Credential } from '../../domain/records.ts';
import { objectFrom, toJson } from '../columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';

interface Row {
  id: string;
  user_id: string;
  project_id: string | null;
  type: string;
  blob: string;
  extra: string;
}

const table = (db: Db) => db<Row>('identity_credentials');

const recordOf = (row: Row): Credential => ({
  id: row.id,
  userId: row.user_id,
  projectId: row.project_id,
  type: row.type,
  blob: row.blob,
  extra: objectFrom(row.extra),
});

const rowOf = (credential: Credential): Row => ({
  id: credential.id,
  user_id: credential.userId,
  project_id: credential.projectId,
  type: credential.type,
  blob: credential.blob,
  extra: toJson(credential.extra),
});

/** @throws the driver's error of `isDuplicate` where the id is taken */
export async function insertCredential(db: Db, credential: Credential): Promise<void> {
  await table(db).insert(rowOf(credential));
}

export async function updateCredential(db: Db, credential: Credential): Promise<void> {
  await table(db).where({ id: credential.id }).update(rowOf(credential));
}

export async function deleteCredential(db: Db, id: string): Promise<void> {
  await table(db).where({ id }).delete();
}

/** Deletes the credentials of a user or a project. */
export async function deleteCredentialsOf(db: Db, owner: { userId: string } | { projectId: string }): Promise<void> {
  const where = 'userId' in owner ? { user_id: owner.userId } : { project_id: owner.projectId };
  await table(db).where(where).delete();
}

export async function findCredential(db: Db, id: string): Promise<Credential | undefined> {
  const row = await table(db).where({ id }).first();
  return row && recordOf(row);
}

export async function listCredentials(db: Db): Promise<Credential[]> {
  return (await table(db).orderBy('id')).map((row) => recordOf(row));
}
