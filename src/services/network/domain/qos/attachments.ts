// Attaches QoS policies to networks, ports, floating IPs and gateways. Upstream:
// neutron/core_extensions/qos.py, neutron/db/l3_gateway_ip_qos.py.
import type { Context } from '../../../../kernel/model.ts';
import { qosPolicyTable } from '../../store/tables.ts';
import type { Fields } from '../attributes/definitions.ts';
import { denied } from '../refusals.ts';
import { requireStillShared } from '../sharing/shared-attributes.ts';
import { getQosPolicy, visibility, visibleTo } from '../visibility.ts';

interface Owner {
  readonly project_id: string;
  readonly qos_policy_id: string | null;
}

/**
 * The policy that a new resource gets, if its fields name one. The foreign key keeps it.
 * @throws 404 if the actor does not see it
 */
export async function attachedPolicy(
  context: Context,
  projectId: string,
  id: unknown,
): Promise<string | null> {
  if (id === null || id === undefined) return null;
  const policy = await getQosPolicy(context, id as string);
  await requireStillShared(context, policy, projectId);
  return policy.id;
}

/** The policy of a new network: the one that its fields name, or the default one of the project. */
export async function policyOfNetwork(
  context: Context,
  projectId: string,
  id: unknown,
): Promise<string | null> {
  const fallback = id
    ? undefined
    : await qosPolicyTable.find(context.db, { default_of: projectId });
  return attachedPolicy(context, projectId, id || fallback?.id);
}

/**
 * Checks that an update of a network or a port may replace its policy, if it does.
 * @throws 403 if the actor does not see the previous policy; 404 for the next one
 */
export async function checkReplaced(context: Context, owner: Owner, fields: Fields): Promise<void> {
  if (!('qos_policy_id' in fields)) return;
  const { project_id: projectId, qos_policy_id: previous } = owner;
  const visible = visibleTo(context, visibility.qosPolicy);
  if (previous !== null && !(await qosPolicyTable.findById(context.db, previous, visible)))
    throw denied(
      'PolicyRemoveAuthorizationError',
      `Failed to remove provided policy ${previous} because you are not authorized.`,
    );
  await attachedPolicy(context, projectId, fields['qos_policy_id']);
}

/**
 * Checks that an update of a floating IP or a gateway may replace its policy, if it does.
 * @throws 404 if the actor does not see the previous or the next policy
 */
export async function checkExchanged(
  context: Context,
  { project_id: projectId, qos_policy_id: previous }: Owner,
  next: string | null,
): Promise<void> {
  if (next === previous) return;
  if (previous !== null) await getQosPolicy(context, previous);
  await attachedPolicy(context, projectId, next);
}
