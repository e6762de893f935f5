// QoS policies. Upstream: neutron/services/qos/qos_plugin.py and neutron/objects/qos/policy.py.
import type { Context } from '../../../../kernel/model.ts';
import type { QosPolicy } from '../../model.ts';
import {
  floatingipTable,
  networkTable,
  portTable,
  qosPolicyTable,
  qosRuleTable,
  routerTable,
} from '../../store/tables.ts';
import { setTags } from '../../store/tags.ts';
import type { Fields } from '../attributes/definitions.ts';
import { inConflict } from '../refusals.ts';
import { endSharing, removePolicies, share, shareNew } from '../sharing/shared-attributes.ts';
import { checkUse } from '../sharing/use.ts';
import { newStandard, storedFields } from '../standard.ts';

/** @throws 409 if the project has another default policy */
export async function createQosPolicy(context: Context, fields: Fields): Promise<QosPolicy> {
  const { db, now } = context;
  const standard = newStandard(fields, now);
  const policy: QosPolicy = {
    ...standard,
    name: fields['name'] as string,
    default_of: fields['is_default'] ? standard.project_id : null,
  };
  if (policy.default_of !== null) await checkOnlyDefault(context, policy.default_of);
  await qosPolicyTable.create(db, policy);
  if (fields['shared']) await shareNew(context, 'qos_policy', policy);
  return policy;
}

/** @throws 409 if other projects use a policy that would be shared no more */
export async function updateQosPolicy(
  context: Context,
  policy: QosPolicy,
  fields: Fields,
): Promise<QosPolicy> {
  const { db, now } = context;
  const isDefault = (fields['is_default'] ?? policy.default_of !== null) as boolean;
  if (isDefault && policy.default_of === null) await checkOnlyDefault(context, policy.project_id);
  const changed = await qosPolicyTable.change(
    db,
    policy,
    {
      ...storedFields(qosPolicyTable, fields),
      default_of: isDefault ? policy.project_id : null,
    },
    now,
  );
  if (fields['shared'] === true) await share(context, 'qos_policy', policy);
  if (fields['shared'] === false) await unshare(context, policy);
  return changed;
}

/** @throws 409 */
async function checkOnlyDefault({ db }: Context, project: string): Promise<void> {
  if (await qosPolicyTable.exists(db, { default_of: project }))
    throw inConflict(
      'QoSPolicyDefaultAlreadyExists',
      `A default QoS policy exists for project ${project}.`,
    );
}

/** Ends the sharing of a policy with all projects. @throws 409 if others depend on it */
async function unshare(context: Context, policy: QosPolicy): Promise<void> {
  const sharing = await endSharing(context, policy);
  if (sharing) await checkUse(context, sharing, policy);
}

/** What can have a QoS policy, by its name in error messages. */
const users = [
  ['port', portTable],
  ['network', networkTable],
  ['fip', floatingipTable],
  ['router', routerTable],
] as const;

/** Deletes a policy with its rules. @throws 409 if it is in use */
export async function deleteQosPolicy(context: Context, policy: QosPolicy): Promise<void> {
  const { db } = context;
  const { id } = policy;
  for (const [type, table] of users) {
    const user = await table.find(db, { qos_policy_id: id });
    if (user) throw inConflict('QosPolicyInUse', `QoS Policy ${id} is used by ${type} ${user.id}.`);
  }
  await setTags(db, id, []);
  await qosRuleTable.remove(db, { qos_policy_id: id });
  await qosPolicyTable.delete(db, policy);
  await removePolicies(context, id);
}
