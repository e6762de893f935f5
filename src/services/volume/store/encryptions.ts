// The table of encryptions. A volume type has at most one.
import { integer, micros, nullable, text } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { Table } from '../../../kernel/db/table.ts';
import type { Encryption } from '../model.ts';

const encryptions = new Table<Encryption>(
  'volume_type_encryptions',
  {
    id: text,
    typeId: text,
    provider: text,
    controlLocation: text,
    cipher: nullable(text),
    keySize: nullable(integer),
    createdAt: micros,
    updatedAt: nullable(micros),
  },
  { key: 'typeId' },
);

export const encryptionOf = (db: Db, typeId: string): Promise<Encryption | undefined> =>
  encryptions.find(db, { typeId });

/** @throws the driver's duplicate error if the type has an encryption */
export async function insertEncryption(db: Db, encryption: Encryption): Promise<void> {
  await encryptions.insert(db, encryption);
}

export async function updateEncryption(db: Db, encryption: Encryption): Promise<void> {
  await encryptions.update(db, { typeId: encryption.typeId }, encryption);
}

export async function deleteEncryption(db: Db, typeId: string): Promise<void> {
  await encryptions.remove(db, { typeId });
}
