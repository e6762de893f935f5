// Whether a project would lose what it uses if a policy ended.
import type { Context } from '../../../../kernel/model.ts';
import { deviceOwners, type Network, type RbacPolicy, type Standard } from '../../model.ts';
import { everyone, latest } from '../../store/sharing.ts';
import { portTable, rbacTable, routerTable } from '../../store/tables.ts';
import { inConflict } from '../refusals.ts';
import { sharedTypes } from './objects.ts';

const inUse = (id: string, details: string) =>
  inConflict(
    'RbacPolicyInUse',
    `RBAC policy on object ${id} cannot be removed because other objects depend on it.\n` +
      `Details: ${details}`,
  );

/**
 * The targets of the other policies with the same action on the same object, which stay until the
 * transaction ends.
 */
export async function keptTargets({ db }: Context, policy: RbacPolicy): Promise<Set<string>> {
  const { object_id, action } = policy;
  const all = await rbacTable.list(db, { where: { object_id, action }, conditions: [latest] });
  return new Set(all.filter(({ id }) => id !== policy.id).map((one) => one.target_tenant));
}

/**
 * Refuses to end a policy that others depend on. The transaction has already ended it, so no other
 * transaction can start to depend on it.
 * @param next the target that the policy has instead, if it does not end
 * @throws 409
 */
export async function checkUse(
  context: Context,
  policy: RbacPolicy,
  object: Standard,
  next?: string,
): Promise<void> {
  if (policy.action === 'access_as_external') {
    if (policy.target_tenant === everyone && (object as Network).is_default)
      throw inUse(object.id, 'Default external networks must be shared to everyone.');
    return checkGateways(context, policy, next);
  }
  const { object_type: type, object_id: id, target_tenant: target } = policy;
  if (target === object.project_id) return;
  const targets = await keptTargets(context, policy);
  if (targets.has(everyone)) return;
  const users = await sharedTypes[type].users(context.db, id);
  const isOwner = (user: string): boolean => type === 'network' && user === object.project_id;
  const isUsed =
    target === everyone
      ? [...users].some((user) => !targets.has(user) && !isOwner(user))
      : users.has(target);
  if (!isUsed) return;
  throw inUse(
    id,
    type === 'network'
      ? `Unable to reconfigure sharing settings for network ${id}. Multiple projects are using it.`
      : `project_id=${target}`,
  );
}

/** @throws 409 if routers have their gateway on a network that is external for them by a policy */
async function checkGateways(
  context: Context,
  policy: RbacPolicy,
  next: string | undefined,
): Promise<void> {
  const { db } = context;
  const { object_id: id, target_tenant: target } = policy;
  const targets = await keptTargets(context, policy);
  if (target !== everyone && targets.has(everyone)) return;
  if (next !== undefined) targets.add(next);
  const gateways = await portTable.list(db, {
    where: { network_id: id, device_owner: deviceOwners.routerGateway },
    conditions: [latest],
  });
  const routers = await routerTable.list(db, {
    where: { gw_port_id: gateways.map((port) => port.id) },
    conditions: [latest],
  });
  const isUsed = routers.some(({ project_id: user }) =>
    target === everyone ? !targets.has(user) : user === target,
  );
  if (isUsed)
    throw inUse(
      id,
      'There are routers attached to this network that depend on this policy for access.',
    );
}
