// The rules of volume types, and of the access of projects to private types.
import { isDuplicate } from '../../../../kernel/db/errors.ts';
import { badRequest, conflict, notFound, type ApiError } from '../../../../kernel/errors.ts';
import { newUuid } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import { selectDefaultTypes } from '../../store/default-types.ts';
import {
  addProject,
  allTypes,
  deleteType,
  findType,
  insertType,
  removeProject,
  updateType,
} from '../../store/types.ts';
import { isTypeInUse } from '../../store/volumes.ts';
import { noType, noTypeNamed } from '../errors.ts';
import { defaultTypeName, type VolumeType } from '../../model.ts';

const isVisible = ({ actor: { isAdmin, projectId } }: Context, type: VolumeType): boolean =>
  isAdmin || type.isPublic || (projectId !== undefined && type.projects.includes(projectId));

/** The types that the actor sees, oldest first. */
export async function visibleTypes(context: Context): Promise<VolumeType[]> {
  return (await allTypes(context.db)).filter((type) => isVisible(context, type));
}

/** The type with that id, which the actor sees. @throws 404 */
export async function typeById(context: Context, id: string): Promise<VolumeType> {
  const type = await findType(context.db, { id });
  if (!type || !isVisible(context, type)) throw noType(id);
  return type;
}

/** The type with that id or name, which the actor sees. @throws 404 */
export async function typeNamed(context: Context, nameOrId: string): Promise<VolumeType> {
  const { db } = context;
  const type = (await findType(db, { id: nameOrId })) ?? (await findType(db, { name: nameOrId }));
  if (!type || !isVisible(context, type)) throw noTypeNamed(nameOrId);
  return type;
}

/** The type of volumes of the actor's project whose request names none. @throws 404 */
export async function defaultType({ db, actor: { projectId } }: Context): Promise<VolumeType> {
  const [own] = projectId === undefined ? [] : await selectDefaultTypes(db, { projectId });
  const chosen = own && (await findType(db, { id: own.typeId }));
  if (chosen) return chosen;
  const type =
    (await findType(db, { name: defaultTypeName })) ??
    (await findType(db, { name: '__DEFAULT__' }));
  if (!type) throw noTypeNamed(defaultTypeName);
  return type;
}

/** @throws 409 for a name that exists */
export async function createType(
  { db, now }: Context,
  fields: Pick<VolumeType, 'name' | 'description' | 'isPublic' | 'extraSpecs'>,
): Promise<VolumeType> {
  const type = {
    ...fields,
    id: newUuid(),
    createdAt: now,
    updatedAt: null,
    qosSpecsId: null,
    projects: [],
  };
  try {
    await insertType(db, type);
  } catch (error) {
    throw isDuplicate(error) ? conflict(`Volume Type ${type.name} already exists.`) : error;
  }
  return type;
}

/** @throws 409 for a name that exists */
export async function changeType({ db, now }: Context, type: VolumeType): Promise<VolumeType> {
  try {
    await updateType(db, type, now);
  } catch (error) {
    throw isDuplicate(error) ? conflict(`Volume Type ${type.name} already exists.`) : error;
  }
  return { ...type, updatedAt: now };
}

const isDefault = ({ id }: VolumeType): ApiError =>
  badRequest(`The volume type ${id} is a default volume type and cannot be deleted.`);

/** Deletes a type that no volume has. @throws 400 */
export async function removeType({ db }: Context, type: VolumeType): Promise<void> {
  if (type.name === defaultTypeName) throw isDefault(type);
  if ((await selectDefaultTypes(db, { typeId: type.id })).length) throw isDefault(type);
  if (await isTypeInUse(db, type.id)) throw badRequest('Target volume type is still in use.');
  await deleteType(db, type.id);
}

/** Whether volumes of a type may be attached to several servers. */
export const isMultiattach = (type: VolumeType): boolean =>
  type.extraSpecs['multiattach'] === '<is> True';

/** Lets a project see a private type. @throws 400, 409 */
export async function addAccess(
  { db }: Context,
  type: VolumeType,
  projectId: string,
): Promise<void> {
  checkPrivate(type);
  if (type.projects.includes(projectId))
    throw conflict(`Volume type access for ${type.id} / ${projectId} combination already exists.`);
  await addProject(db, type.id, projectId);
}

/** @throws 400 */
function checkPrivate({ isPublic }: VolumeType): void {
  if (isPublic)
    throw badRequest(
      'Invalid volume type: Type access modification is not applicable to public volume type.',
    );
}

/** Takes the access to a private type from a project. @throws 400, 404 */
export async function removeAccess(
  { db }: Context,
  type: VolumeType,
  projectId: string,
): Promise<void> {
  checkPrivate(type);
  if (!(await removeProject(db, type.id, projectId)))
    throw notFound(`Volume type access not found for ${type.id} / ${projectId} combination.`);
}
