// The rules of group types and of their specs. Upstream: cinder/volume/group_types.py.
import { isDuplicate } from '../../../../kernel/db/errors.ts';
import { badRequest, conflict, notFound, type ApiError } from '../../../../kernel/errors.ts';
import { newUuid } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import { consistencyGroupTypeName, type GroupSpecs, type GroupType } from '../../model.ts';
import {
  deleteGroupSpec,
  deleteGroupType,
  findGroupType,
  insertGroupType,
  listGroupTypes,
  updateGroupType,
  writeGroupSpecs,
} from '../../store/group-types.ts';
import { isGroupTypeInUse } from '../../store/groups.ts';
import { noGroupType } from '../errors.ts';

/** Only administrators see private group types: no API gives other projects access to them. */
const isVisible = ({ actor }: Context, type: GroupType): boolean => actor.isAdmin || type.isPublic;

/** Lists the group types that the actor may see, oldest first. */
export async function visibleGroupTypes(context: Context): Promise<GroupType[]> {
  return (await listGroupTypes(context.db)).filter((type) => isVisible(context, type));
}

/** Returns a group type that the actor may see. @throws 404 */
export async function groupTypeById(context: Context, id: string): Promise<GroupType> {
  const type = await findGroupType(context.db, { id });
  if (!type || !isVisible(context, type)) throw noGroupType(id);
  return type;
}

/** Returns a group type that the actor may see, by name. @throws 404 */
export async function groupTypeNamed(context: Context, name: string): Promise<GroupType> {
  const type = await findGroupType(context.db, { name });
  if (!type || !isVisible(context, type))
    throw notFound(`Group type with name ${name} could not be found.`);
  return type;
}

/**
 * Checks that a group type is not that of migrated consistency groups. The message of a group's
 * snapshot differs from that of a group.
 * @throws 400
 */
export async function checkNotConsistencyGroup(
  { db }: Context,
  groupTypeId: string,
  kind: 'group' | 'group snapshot' = 'group',
): Promise<void> {
  if ((await consistencyGroupTypeId({ db })) !== groupTypeId) return;
  const migrated =
    kind === 'group'
      ? 'Migrated group can only be operated by CG APIs.'
      : 'Migrated group snapshots can only be operated by CG snapshot APIs.';
  throw badRequest(
    `Group_type ${groupTypeId} is reserved for migrating CGs to groups. ${migrated}`,
  );
}

/** The id of the group type of migrated consistency groups, unless that was deleted. */
export const consistencyGroupTypeId = async ({
  db,
}: Pick<Context, 'db'>): Promise<string | undefined> =>
  (await findGroupType(db, { name: consistencyGroupTypeName }))?.id;

const duplicate = (error: unknown, name: string): unknown =>
  isDuplicate(error) ? conflict(`Group Type ${name} already exists.`) : error;

/** @throws 409 if another group type has the name */
export async function createGroupType(
  { db, now }: Context,
  fields: Pick<GroupType, 'name' | 'description' | 'isPublic' | 'specs'>,
): Promise<GroupType> {
  const type = { ...fields, id: newUuid(), createdAt: now, updatedAt: null };
  try {
    await insertGroupType(db, type);
  } catch (error) {
    throw duplicate(error, type.name);
  }
  return type;
}

/** @throws 409 if another group type has the name */
export async function changeGroupType({ db, now }: Context, type: GroupType): Promise<GroupType> {
  try {
    await updateGroupType(db, type, now);
  } catch (error) {
    throw duplicate(error, type.name);
  }
  return { ...type, updatedAt: now };
}

/** Deletes a group type. @throws 400 if any group has it */
export async function removeGroupType({ db }: Context, { id }: GroupType): Promise<void> {
  if (await isGroupTypeInUse(db, id))
    throw badRequest(
      `Target group type is still in use. Group Type ${id} deletion is not allowed with groups ` +
        'present with the type.',
    );
  await deleteGroupType(db, id);
}

/** The error for a spec that a group type does not have. */
export const noGroupSpec = ({ id }: GroupType, key: string): ApiError =>
  notFound(`Group Type ${id} has no extra spec with key ${key}.`);

/** Adds or replaces specs of a group type. */
export const changeGroupSpecs = (
  { db }: Context,
  { id }: GroupType,
  specs: GroupSpecs,
): Promise<void> => writeGroupSpecs(db, id, specs);

/** Deletes a spec of a group type. @throws 404 */
export async function removeGroupSpec(
  { db }: Context,
  { id, specs }: GroupType,
  key: string,
): Promise<void> {
  if (!Object.hasOwn(specs, key)) throw notFound(`Group Type ${id} has no specs with key ${key}.`);
  await deleteGroupSpec(db, id, key);
}

/** Whether a spec of a group type is true, in the form that drivers read. */
export const hasTrueSpec = (specs: GroupSpecs, name: string): boolean =>
  specs[name] === '<is> True';
