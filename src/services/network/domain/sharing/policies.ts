// RBAC policies, by which a project lets others use its objects, or its networks as external ones.
// Upstream: neutron/db/rbac_db_mixin.py, neutron/objects/rbac_db.py,
// neutron/db/external_net_db.py.
import type { Context } from '../../../../kernel/model.ts';
import {
  rbacActions,
  type ObjectType,
  type RbacAction,
  type RbacPolicy,
  type Standard,
  type Subnetpool,
} from '../../model.ts';
import { everyone, sharedWith } from '../../store/sharing.ts';
import { networkTable, rbacTable } from '../../store/tables.ts';
import type { Fields } from '../attributes/definitions.ts';
import { visibility, visibleTo } from '../visibility.ts';
import { bad, inConflict, invalidInput } from '../refusals.ts';
import { newStandard } from '../standard.ts';
import { sharedTypes } from './objects.ts';
import { checkUse } from './use.ts';

const duplicate = () =>
  inConflict('DuplicateRbacPolicy', 'An RBAC policy already exists with those values.');

/** The actions of each type. */
const actionsOf = (type: ObjectType): readonly RbacAction[] =>
  type === 'network' ? rbacActions : ['access_as_shared'];

/** @throws 400, 409 */
export async function createPolicy(context: Context, fields: Fields): Promise<RbacPolicy> {
  const { db, now } = context;
  const type = fields['object_type'] as ObjectType;
  const target = fields['target_tenant'] as string;
  const action = fields['action'] as string;
  const object = await findObject(context, type, fields['object_id'] as string);
  checkOwner(context, type, object);
  if (type === 'subnetpool') await checkScopeOf(context, object as Subnetpool, target);
  const known = actionsOf(type).find((one) => one === action);
  if (!known)
    throw bad(
      'InvalidActionForType',
      `Invalid action '${action}' for object type '${type}'. Valid actions: ` +
        `(${actionsOf(type)
          .map((one) => `'${one}'`)
          .join(', ')}${type === 'network' ? '' : ','})`,
    );
  const policy: RbacPolicy = {
    ...newStandard(fields, now),
    object_type: type,
    object_id: object.id,
    action: known,
    target_tenant: target,
  };
  await refuseDuplicate(context, policy);
  await sharedTypes[type].lock(context, object);
  await rbacTable.create(db, policy);
  if (known === 'access_as_external') await setExternal(context, object.id, true);
  return policy;
}

/** Changes the target of a policy. @throws 409 */
export async function updatePolicy(
  context: Context,
  policy: RbacPolicy,
  fields: Fields,
): Promise<RbacPolicy> {
  const target = fields['target_tenant'] as string | undefined;
  if (target === undefined || target === policy.target_tenant) return policy;
  const { object_type: type } = policy;
  const object = (await sharedTypes[type].find(context.db, policy.object_id))!;
  checkOwner(context, type, object);
  await refuseDuplicate(context, { ...policy, target_tenant: target });
  const changed = { target_tenant: target };
  const updated = await rbacTable.change(context.db, policy, changed, context.now);
  if (type === 'network' || target !== everyone) await checkUse(context, policy, object, target);
  await sharedTypes[type].lock(context, object);
  return updated;
}

/**
 * Deletes a policy. A network whose last policy for external use ends is no longer external.
 * @throws 409
 */
export async function deletePolicy(context: Context, policy: RbacPolicy): Promise<void> {
  const { object_type: type, object_id: id, action } = policy;
  const object = (await sharedTypes[type].find(context.db, id))!;
  await rbacTable.delete(context.db, policy);
  await checkUse(context, policy, object);
  await sharedTypes[type].lock(context, object);
  if (action !== 'access_as_external') return;
  if (!(await rbacTable.exists(context.db, { object_id: id, action })))
    await setExternal(context, id, false);
}

/** Finds the object of a new policy; its network only if the actor sees it. @throws 400 */
async function findObject(context: Context, type: ObjectType, id: string): Promise<Standard> {
  const object =
    type === 'network'
      ? await networkTable.findById(context.db, id, visibleTo(context, visibility.network))
      : await sharedTypes[type].find(context.db, id);
  if (!object) throw invalidInput(sharedTypes[type].notFound(id).message);
  return object;
}

/** @throws 400 if the actor does not own the object */
function checkOwner({ actor }: Context, type: ObjectType, object: Standard): void {
  if (actor.isAdmin || object.project_id === actor.projectId) return;
  const kind = type === 'network' ? 'networks' : 'objects';
  throw invalidInput(`Only admins can manipulate policies on ${kind} they do not own`);
}

/** @throws 400 if the target does not see the address scope of a pool */
async function checkScopeOf(
  { db }: Context,
  { id, address_scope_id: scope }: Subnetpool,
  target: string,
): Promise<void> {
  if (scope === null || (await sharedWith(db, target, [scope])).has(scope)) return;
  throw bad(
    'RbacPolicyInitError',
    `Failed to create RBAC policy on object ${id} because target project doesn't have access to ` +
      'associated address scope..',
  );
}

/** @throws 409 */
async function refuseDuplicate({ db }: Context, policy: RbacPolicy): Promise<void> {
  const { object_id, action, target_tenant } = policy;
  if (await rbacTable.exists(db, { object_id, action, target_tenant })) throw duplicate();
}

async function setExternal({ db, now }: Context, id: string, isExternal: boolean): Promise<void> {
  const network = (await networkTable.find(db, { id }))!;
  if (network['router:external'] !== isExternal)
    await networkTable.change(
      db,
      network,
      { 'router:external': isExternal, is_default: isExternal && network.is_default },
      now,
    );
}
