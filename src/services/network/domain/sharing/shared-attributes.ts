// The attributes `shared` and `router:external` of objects. True means that a policy shares the
// object with all projects.
import { newUuid, uuidFor } from '../../../../kernel/ids.ts';
import { beforeCommit } from '../../../../kernel/db/transaction.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { ObjectType, RbacAction, RbacPolicy, Standard } from '../../model.ts';
import { everyone } from '../../store/sharing.ts';
import { rbacTable } from '../../store/tables.ts';
import { newStandard } from '../standard.ts';

/**
 * Shares a new object with all projects. The id of the policy is derived, so that a reset gives
 * those of the seed the same ids.
 */
export const shareNew = (
  context: Context,
  type: ObjectType,
  object: Standard,
  action: RbacAction = 'access_as_shared',
): Promise<void> =>
  insert(context, type, object, action, uuidFor(`network.rbac.${object.id}.${action}`));

/** Shares an object with all projects, unless it already is. */
export async function share(
  context: Context,
  type: ObjectType,
  object: Standard,
  action: RbacAction = 'access_as_shared',
): Promise<void> {
  const where = { object_id: object.id, action, target_tenant: everyone };
  if (!(await rbacTable.exists(context.db, where)))
    await insert(context, type, object, action, newUuid());
}

/**
 * Ends the policy that shares an object with all projects. That locks the policy, so no other
 * transaction can start to depend on it.
 * @returns the policy that has ended, if there was one
 */
export async function endSharing(
  { db }: Context,
  { id }: Standard,
): Promise<RbacPolicy | undefined> {
  const policy = await rbacTable.find(db, {
    object_id: id,
    action: 'access_as_shared',
    target_tenant: everyone,
  });
  if (policy) await rbacTable.delete(db, policy);
  return policy;
}

const insert = (
  { db, now }: Context,
  type: ObjectType,
  { id: objectId, project_id }: Standard,
  action: RbacAction,
  id: string,
): Promise<void> =>
  rbacTable.create(db, {
    ...newStandard({ project_id }, now, id),
    object_type: type,
    object_id: objectId,
    action,
    target_tenant: everyone,
  });

/**
 * Deletes the policies of an object. Call it after deleting the object: a transaction that creates
 * a policy locks the object, so none can be added any more.
 */
export const removePolicies = async ({ db }: Context, id: string): Promise<void> =>
  void (await rbacTable.remove(db, { object_id: id }));

/**
 * Checks before the commit that the policy which shares another project's object still exists. If
 * no policy shares it, the actor is an administrator or a service, who needs none.
 */
export async function requireStillShared(
  { db }: Context,
  object: Standard,
  projectId: string,
  action: RbacAction = 'access_as_shared',
): Promise<void> {
  if (!projectId || object.project_id === projectId) return;
  const policy = await rbacTable.find(db, {
    object_id: object.id,
    action,
    target_tenant: [everyone, projectId],
  });
  if (!policy) return;
  beforeCommit(db, `network.rbac.${policy.id}`, (trx) => rbacTable.checkUnchanged(trx, policy));
}
