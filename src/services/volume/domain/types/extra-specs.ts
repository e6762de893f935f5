// The rules of extra specs, the requirements of a volume type for schedulers and drivers.
import { badRequest, notFound, type ApiError } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { deleteSpec, writeSpecs } from '../../store/types.ts';
import { isTypeInUse } from '../../store/volumes.ts';
import type { Metadata, VolumeType } from '../../model.ts';

export const noSpec = (type: VolumeType, key: string): ApiError =>
  notFound(`Volume Type ${type.id} has no extra specs with key ${key}.`);

/** Checks that no volume has the type: its extra specs cannot change then. @throws 400 */
export async function checkSpecsChangeable({ db }: Context, type: VolumeType): Promise<void> {
  if (await isTypeInUse(db, type.id)) throw badRequest('Volume Type is currently in use.');
}

/** Adds or replaces extra specs. @throws 400 for two that exclude each other */
export async function writeExtraSpecs(
  { db }: Context,
  type: VolumeType,
  written: Metadata,
): Promise<void> {
  const specs = { ...type.extraSpecs, ...written };
  if (specs['multiattach'] === '<is> True' && specs['cacheable'] === '<is> True')
    throw badRequest('cacheable cannot be set with multiattach.');
  await writeSpecs(db, type.id, written);
}

/** Deletes an extra spec. @throws 404 */
export async function removeExtraSpec(
  { db }: Context,
  type: VolumeType,
  key: string,
): Promise<void> {
  if (!Object.hasOwn(type.extraSpecs, key)) throw noSpec(type, key);
  await deleteSpec(db, type.id, key);
}
