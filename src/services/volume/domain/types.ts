// The rules of volume types: who sees them, and which one a volume gets.
import type { Micros } from '../../../kernel/clock.ts';
import { isDuplicate } from '../../../kernel/db/errors.ts';
import { badRequest, conflict, notFound } from '../../../kernel/fault.ts';
import { newUuid } from '../../../kernel/ids.ts';
import { addProject, allTypes, deleteType, findType, insertType, removeProject, updateType } from '../store/types.ts';
import { isTypeInUse } from '../store/volumes.ts';
import { defaultTypeName, type VolumeType, type Viewer } from './records.ts';
import { noType, noTypeNamed } from './refusals.ts';
import type { Db } from '../../../kernel/db/database.ts';

const sees = (viewer: Viewer, type: VolumeType): boolean =>
  viewer.isAdmin || type.isPublic || (viewer.projectId !== undefined && type.projects.includes(viewer.projectId));

/** The types that somebody sees. */
export async function visibleTypes(db: Db, viewer: Viewer): Promise<VolumeType[]> {
  return (await allTypes(db)).filter((type) => sees(viewer, type));
}

/** @throws 404 */
export async function typeById(db: Db, viewer: Viewer, id: string): Promise<VolumeType> {
  const type = await findType(db, { id });
  if (!type || !sees(viewer, type)) throw noType(id);
  return type;
}

/** @throws 404 */
export async function typeNamed(db: Db, viewer: Viewer, nameOrId: string): Promise<VolumeType> {
  const type = (await findType(db, { id: nameOrId })) ?? (await findType(db, { name: nameOrId }));
  if (!type || !sees(viewer, type)) throw noTypeNamed(nameOrId);
  return type;
}

/** The type of those who do not choose. @throws 404 */
export async function defaultType(db: Db): Promise<VolumeType> {
  const type = (await findType(db, { name: defaultTypeName })) ?? (await findType(db, { name: '__DEFAULT__' }));
  if (!type) throw noTypeNamed(defaultTypeName);
  return type;
}

/** Makes a type. @throws 409 */
export async function createType(
  db: Db,
  fields: Omit<VolumeType, 'id' | 'createdAt' | 'updatedAt' | 'qosSpecsId' | 'projects'>,
  now: Micros,
): Promise<VolumeType> {
  const type = { ...fields, id: newUuid(), createdAt: now, updatedAt: null, qosSpecsId: null, projects: [] };
  try {
    await insertType(db, type);
  } catch (error) {
    throw isDuplicate(error) ? conflict(`Volume Type ${type.name} already exists.`) : error;
  }
  return type;
}

/** Changes a type. @throws 409 */
export async function changeType(db: Db, type: VolumeType, now: Micros): Promise<VolumeType> {
  try {
    await updateType(db, type, now);
  } catch (error) {
    throw isDuplicate(error) ? conflict(`Volume Type ${type.name} already exists.`) : error;
  }
  return { ...type, updatedAt: now };
}

/** Deletes a type that no volume has. @throws 400 */
export async function dropType(db: Db, type: VolumeType): Promise<void> {
  if (type.name === defaultTypeName)
    throw badRequest(`The volume type ${type.id} is the default volume type and cannot be deleted.`);
  if (await isTypeInUse(db, type.id)) throw badRequest('Target volume type is still in use.');
  await deleteType(db, type.id);
}

/** Whether volumes of a type may be attached to several servers. */
export const isMultiattach = (type: VolumeType): boolean => type.extraSpecs['multiattach'] === '<is> True';

/** Lets a project see a type, or no longer. @throws 400, 404, 409 */
export async function changeAccess(db: Db, type: VolumeType, projectId: string, verb: 'add' | 'remove'): Promise<void> {
  if (type.isPublic) throw badRequest('Invalid volume type: Type access modification is not applicable to public volume type.');
  if (verb === 'add') {
    if (type.projects.includes(projectId))
      throw conflict(`Volume type access for ${type.id} / ${projectId} combination already exists.`);
    return addProject(db, type.id, projectId);
  }
  if (!(await removeProject(db, type.id, projectId)))
    throw notFound(`Volume type access not found for ${type.id} / ${projectId} combination.`);
}
