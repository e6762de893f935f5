// The rules of QoS policies. Each change of a rule increments the revision of its policy, so that
// two transactions cannot both change the rules of one. Upstream:
// neutron/services/qos/qos_plugin.py.
import type { Context } from '../../../../kernel/model.ts';
import type { QosPolicy, QosRule, QosRuleType } from '../../model.ts';
import { qosPolicyTable, qosRuleTable } from '../../store/tables.ts';
import { NetworkError } from '../../network-error.ts';
import type { Fields } from '../attributes/definitions.ts';
import { absent } from '../refusals.ts';
import { newStandard, storedFields } from '../standard.ts';
import { getQosPolicy } from '../visibility.ts';
import { checkBandwidths, checkDuplicates, checkPacketRates } from './conflicts.ts';
import { checkSupported, portsWithPolicy } from './support.ts';

const ruleNotFound = (ruleId: string, policyId: string) =>
  absent('QosRuleNotFound', `QoS rule ${ruleId} for policy ${policyId} could not be found.`);

const noValues = {
  direction: null,
  max_kbps: null,
  max_burst_kbps: null,
  min_kbps: null,
  dscp_mark: null,
  min_kpps: null,
  max_kpps: null,
  max_burst_kpps: null,
};

/** Finds a rule of a policy. @throws 404 */
export async function getQosRule(
  { db }: Context,
  type: QosRuleType,
  policyId: string,
  id: string,
): Promise<QosRule> {
  const rule = await qosRuleTable.find(db, { id, type, qos_policy_id: policyId });
  if (!rule) throw ruleNotFound(id, policyId);
  return rule;
}

/** Finds a rule by its id alone; the actor must see its policy. @throws 404 */
export async function getQosRuleOfAny(
  context: Context,
  type: QosRuleType,
  id: string,
): Promise<QosRule> {
  const rule = await qosRuleTable.find(context.db, { id, type });
  if (!rule) throw ruleNotFound(id, '');
  await getQosPolicy(context, rule.qos_policy_id);
  return rule;
}

/** @throws 404 if the actor does not see the policy; 409, 501 */
export async function createQosRule(
  context: Context,
  type: QosRuleType,
  policyId: string,
  fields: Fields,
): Promise<QosRule> {
  const { db, now } = context;
  const policy = await getQosPolicy(context, policyId);
  const rules = await rulesOf(context, policy);
  checkBandwidths(rules, fields);
  const rule: QosRule = {
    ...newStandard({ project_id: policy.project_id }, now),
    ...noValues,
    ...withoutProject(storedFields(qosRuleTable, fields)),
    qos_policy_id: policy.id,
    type,
  };
  checkPacketRates(rules, rule);
  checkDuplicates(rules, rule);
  await qosPolicyTable.touch(db, policy, now);
  await qosRuleTable.create(db, rule);
  await checkPorts(context, policy, rule);
  return rule;
}

const withoutProject = ({ project_id: _, ...fields }: Partial<QosRule>): Partial<QosRule> => fields;

/** @throws 409, 501 */
export async function updateQosRule(
  context: Context,
  rule: QosRule,
  fields: Fields,
): Promise<QosRule> {
  const { db, now } = context;
  const policy = await getQosPolicy(context, rule.qos_policy_id);
  const rules = await rulesOf(context, policy);
  checkBandwidths(rules, fields);
  const changes = storedFields(qosRuleTable, fields);
  checkPacketRates(rules, { ...rule, ...changes });
  checkDuplicates(rules, { ...rule, ...changes });
  await qosPolicyTable.touch(db, policy, now);
  const changed = await qosRuleTable.change(db, rule, changes, now);
  await checkPorts(context, policy, changed);
  return changed;
}

/** @throws 501 */
export async function deleteQosRule(context: Context, rule: QosRule): Promise<void> {
  const { db, now } = context;
  const policy = await getQosPolicy(context, rule.qos_policy_id);
  await qosPolicyTable.touch(db, policy, now);
  await qosRuleTable.delete(db, rule);
  await refuseForServers(context, policy, rule);
}

const rulesOf = ({ db }: Context, policy: QosPolicy): Promise<QosRule[]> =>
  qosRuleTable.list(db, { where: { qos_policy_id: policy.id } });

/** Checks the ports with a policy that has got a rule. @throws 409, 501 */
async function checkPorts(context: Context, policy: QosPolicy, rule: QosRule): Promise<void> {
  for (const port of await portsWithPolicy(context, policy.id))
    await checkSupported(context, policy.id, port);
  await refuseForServers(context, policy, rule);
}

/**
 * Refuses to change what Placement may have allocated to servers.
 * @throws 501 if a port of a server has a policy whose guarantees change
 */
async function refuseForServers(
  context: Context,
  policy: QosPolicy,
  { type }: QosRule,
): Promise<void> {
  if (type !== 'minimum_bandwidth' && type !== 'minimum_packet_rate') return;
  const ports = await portsWithPolicy(context, policy.id);
  if (ports.some((port) => port.device_owner.startsWith('compute:')))
    throw new NetworkError(
      501,
      'NotImplementedError',
      'Cannot update QoS policies/rules backed by resources tracked in Placement',
    );
}
