// The rules of encryption. The encryption of a volume type cannot change while volumes have the
// type.
import { isDuplicate } from '../../../../kernel/db/errors.ts';
import { badRequest, notFound, type ApiError } from '../../../../kernel/errors.ts';
import { newUuid } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import {
  deleteEncryption,
  encryptionOf,
  insertEncryption,
  updateEncryption,
} from '../../store/encryptions.ts';
import { isTypeInUse } from '../../store/volumes.ts';
import type { Encryption } from '../../model.ts';

/** The id of the only key. Upstream: castellan's ConfKeyManager. */
export const fixedKey = '00000000-0000-0000-0000-000000000000';

/** The fields of an encryption that a request sets. */
export type EncryptionFields = Partial<
  Pick<Encryption, 'provider' | 'controlLocation' | 'cipher' | 'keySize'>
>;

export const noEncryption = (typeId: string): ApiError =>
  notFound(`Volume type encryption for type ${typeId} does not exist.`);

/** @throws 400 if any volume has the type */
export async function checkUnused(
  { db }: Context,
  typeId: string,
  verb: 'create' | 'update' | 'delete',
): Promise<void> {
  if (await isTypeInUse(db, typeId))
    throw badRequest(`Cannot ${verb} encryption specs. Volume type in use.`);
}

/** Returns the encryption of a type, if it has one. */
export const findEncryption = ({ db }: Context, typeId: string): Promise<Encryption | undefined> =>
  encryptionOf(db, typeId);

/** @throws 400 if the type has an encryption */
export async function createEncryption(
  { db, now }: Context,
  typeId: string,
  fields: EncryptionFields,
): Promise<Encryption> {
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
    throw isDuplicate(error)
      ? badRequest(`Volume type encryption for type ${typeId} already exists.`)
      : error;
  }
  return encryption;
}

/** @throws 404 */
export async function changeEncryption(
  { db, now }: Context,
  typeId: string,
  fields: EncryptionFields,
): Promise<void> {
  const before = await encryptionOf(db, typeId);
  if (!before) throw noEncryption(typeId);
  await updateEncryption(db, { ...before, ...fields, updatedAt: now });
}

/** @throws 404 */
export async function removeEncryption({ db }: Context, typeId: string): Promise<void> {
  if (!(await encryptionOf(db, typeId))) throw noEncryption(typeId);
  await deleteEncryption(db, typeId);
}
