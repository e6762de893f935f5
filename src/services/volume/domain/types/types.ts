// The rules of volume types, and of the projects' access to private types.
import { isDuplicate } from '../../../../kernel/db/errors.ts';
import { badRequest, conflict, notFound, type ApiError } from '../../../../kernel/errors.ts';
import { newUuid } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import { findDefaultType, isDefaultOfProject } from '../../store/default-types.ts';
import { isTypeInGroup } from '../../store/groups.ts';
import {
  deleteAccess,
  deleteType,
  findType,
  insertAccess,
  insertType,
  listTypes,
  updateType,
} from '../../store/types.ts';
import { isTypeInUse } from '../../store/volumes.ts';
import { noType, noTypeNamed } from '../errors.ts';
import { defaultTypeName, type VolumeType } from '../../model.ts';

const isVisible = ({ actor: { isAdmin, projectId } }: Context, type: VolumeType): boolean =>
  isAdmin || type.isPublic || (projectId !== undefined && type.projects.includes(projectId));

/** Lists the types that the actor may see, oldest first. */
export async function visibleTypes(context: Context): Promise<VolumeType[]> {
  return (await listTypes(context.db)).filter((type) => isVisible(context, type));
}

/** Returns a type that the actor may see. @throws 404 */
export async function typeById(context: Context, id: string): Promise<VolumeType> {
  const type = await findType(context.db, { id });
  if (!type || !isVisible(context, type)) throw noType(id);
  return type;
}

/** Returns a type that the actor may see, by id or name. @throws 404 */
export async function typeNamed(context: Context, nameOrId: string): Promise<VolumeType> {
  const { db } = context;
  const type = (await findType(db, { id: nameOrId })) ?? (await findType(db, { name: nameOrId }));
  if (!type || !isVisible(context, type)) throw noTypeNamed(nameOrId);
  return type;
}

/**
 * Returns the type for a new volume of the actor's project whose request does not name one: the
 * project's default type, or the global one.
 * @throws 404
 */
export async function defaultType({ db, actor: { projectId } }: Context): Promise<VolumeType> {
  const ofProject = projectId === undefined ? undefined : await findDefaultType(db, projectId);
  const projectType = ofProject && (await findType(db, { id: ofProject.typeId }));
  if (projectType) return projectType;
  const type =
    (await findType(db, { name: defaultTypeName })) ??
    (await findType(db, { name: '__DEFAULT__' }));
  if (!type) throw noTypeNamed(defaultTypeName);
  return type;
}

/** @throws 409 if another type has the name */
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

/** @throws 409 if another type has the name */
export async function changeType({ db, now }: Context, type: VolumeType): Promise<VolumeType> {
  try {
    await updateType(db, type, now);
  } catch (error) {
    throw isDuplicate(error) ? conflict(`Volume Type ${type.name} already exists.`) : error;
  }
  return { ...type, updatedAt: now };
}

const defaultTypeInUse = ({ id }: VolumeType): ApiError =>
  badRequest(`The volume type ${id} is a default volume type and cannot be deleted.`);

/** Deletes a type. @throws 400 if it is a default type, any volume has it, or a group allows it */
export async function removeType({ db }: Context, type: VolumeType): Promise<void> {
  if (type.name === defaultTypeName) throw defaultTypeInUse(type);
  if (await isDefaultOfProject(db, type.id)) throw defaultTypeInUse(type);
  if ((await isTypeInUse(db, type.id)) || (await isTypeInGroup(db, type.id)))
    throw badRequest('Target volume type is still in use.');
  await deleteType(db, type.id);
}

/** Returns whether volumes of a type may be attached to several servers. */
export const isMultiattach = (type: VolumeType): boolean =>
  type.extraSpecs['multiattach'] === '<is> True';

/** Gives a project access to a private type. @throws 400, 409 */
export async function addAccess(
  { db }: Context,
  type: VolumeType,
  projectId: string,
): Promise<void> {
  checkPrivate(type);
  if (type.projects.includes(projectId))
    throw conflict(`Volume type access for ${type.id} / ${projectId} combination already exists.`);
  await insertAccess(db, type.id, projectId);
}

/** @throws 400 */
function checkPrivate({ isPublic }: VolumeType): void {
  if (isPublic)
    throw badRequest(
      'Invalid volume type: Type access modification is not applicable to public volume type.',
    );
}

/** Removes a project's access to a private type. @throws 400, 404 */
export async function removeAccess(
  { db }: Context,
  type: VolumeType,
  projectId: string,
): Promise<void> {
  checkPrivate(type);
  if (!(await deleteAccess(db, type.id, projectId)))
    throw notFound(`Volume type access not found for ${type.id} / ${projectId} combination.`);
}
