// The table of the encryptions of volume types, at most one for each.
import type { Encryption } from '../model.ts';
import type { Db } from '../../../kernel/db/database.ts';

interface Row {
  type_id: string;
  id: string;
  provider: string;
  control_location: string;
  cipher: string | null;
  key_size: number | null;
  created_at: number;
  updated_at: number | null;
}

const rowOf = (encryption: Encryption): Row => ({
  type_id: encryption.typeId,
  id: encryption.id,
  provider: encryption.provider,
  control_location: encryption.controlLocation,
  cipher: encryption.cipher,
  key_size: encryption.keySize,
  created_at: encryption.createdAt,
  updated_at: encryption.updatedAt,
});

const record = (row: Row): Encryption => ({
  id: row.id,
  typeId: row.type_id,
  provider: row.provider,
  controlLocation: row.control_location,
  cipher: row.cipher,
  keySize: row.key_size,
  createdAt: Number(row.created_at),
  updatedAt: row.updated_at === null ? null : Number(row.updated_at),
});

/** The encryption of a type; undefined where it has none. */
export async function encryptionOf(db: Db, typeId: string): Promise<Encryption | undefined> {
  const row = (await db('volume_type_encryptions').where({ type_id: typeId }).first()) as
    Row | undefined;
  return row && record(row);
}

/** @throws the driver's duplicate error */
export async function insertEncryption(db: Db, encryption: Encryption): Promise<void> {
  await db('volume_type_encryptions').insert(rowOf(encryption));
}

export async function updateEncryption(db: Db, encryption: Encryption): Promise<void> {
  await db('volume_type_encryptions')
    .where({ type_id: encryption.typeId })
    .update(rowOf(encryption));
}

export async function deleteEncryption(db: Db, typeId: string): Promise<void> {
  await db('volume_type_encryptions').where({ type_id: typeId }).delete();
}
