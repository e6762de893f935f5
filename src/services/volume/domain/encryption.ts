// The rules of encryption: it belongs to a type, and stands once volumes were made with it.
import type { Micros } from '../../../kernel/clock.ts';
import { isDuplicate } from '../../../kernel/db/errors.ts';
import { badRequest, notFound, type Fault } from '../../../kernel/fault.ts';
import { newUuid } from '../../../kernel/ids.ts';
import { deleteEncryption, encryptionOf, insertEncryption, updateEncryption } from '../store/encryptions.ts';
import { isTypeInUse } from '../store/volumes.ts';
import type { Encryption } from './records.ts';
import type { Db } from '../../../kernel/db/database.ts';

/** The one key that there is where nothing keeps keys. Upstream: castellan's ConfKeyManager. */
export const fixedKey = '00000000-0000-0000-0000-000000000000';

export type EncryptionFields = Partial<Pick<Encryption, 'provider' | 'controlLocation' | 'cipher' | 'keySize'>>;

export const noEncryption = (typeId: string): Fault => notFound(`Volume type encryption for type ${typeId} does not exist.`);

/** @throws 400 where volumes are of the type */
export async function checkUnused(db: Db, typeId: string, verb: 'create' | 'update' | 'delete'): Promise<void> {
  if (await isTypeInUse(db, typeId)) throw badRequest(`Cannot ${verb} encryption specs. Volume type in use.`);
}

/** @throws 400 where the type has one */
export async function createEncryption(db: Db, typeId: string, fields: EncryptionFields, now: Micros): Promise<Encryption> {
  const encryption: Encryption = {
    id: newUuid(),
    typeId,
    provider: fields.provider ?? '',
    controlLocation: fields.controlLocation ?? '',
    cipher: fields.cipher ?? null,
    keySize: fields.keySize ?? null,
    createdAt: now,
    updatedAt: null,
  };
  try {
    await insertEncryption(db, encryption);
  } catch (error) {
    throw isDuplicate(error) ? badRequest(`Volume type encryption for type ${typeId} already exists.`) : error;
  }
  return encryption;
}

/** @throws 404 */
export async function changeEncryption(db: Db, typeId: string, fields: EncryptionFields, now: Micros): Promise<void> {
  const before = await encryptionOf(db, typeId);
  if (!before) throw noEncryption(typeId);
  await updateEncryption(db, { ...before, ...fields, updatedAt: now });
}

/** @throws 404 */
export async function dropEncryption(db: Db, typeId: string): Promise<void> {
  if (!(await encryptionOf(db, typeId))) throw noEncryption(typeId);
  await deleteEncryption(db, typeId);
}
