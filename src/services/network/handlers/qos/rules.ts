// The rules of QoS policies, below their policy and at paths of their own.
import type { PlainHandler, PlainHandlers } from '../../../../kernel/http/plain-resource.ts';
import type { Call } from '../../../../kernel/model.ts';
import { aliasAttributes, ruleAttributes } from '../../domain/qos/attributes.ts';
import {
  createQosRule,
  deleteQosRule,
  getQosRule,
  getQosRuleOfAny,
  updateQosRule,
} from '../../domain/qos/rules.ts';
import { qosPolicyNotFound } from '../../domain/refusals.ts';
import { getQosPolicy } from '../../domain/visibility.ts';
import type { QosRule, QosRuleType } from '../../model.ts';
import { qosPolicyTable, qosRuleTable } from '../../store/tables.ts';
import { qosRuleView } from '../../views/qos.ts';
import { resourceHandlers, sequentially, type UpdatableResource } from '../resources.ts';

/** What rules have at both paths. Whoever sees a QoS policy finds its rules. */
const shared = {
  table: qosRuleTable,
  visibility: () => () => undefined,
  unknownMarkers: 'ignored' as const,
  update: updateQosRule,
  delete: deleteQosRule,
  views: (_db: unknown, rules: readonly QosRule[]) => Promise.resolve(rules.map(qosRuleView)),
};

/** The rules of a type below the policy of a path, whose owner the policy rules see. */
function rulesOfPolicy(call: Call, type: QosRuleType): UpdatableResource<QosRule> {
  const policyId = call.params['policy_id']!;
  return {
    ...shared,
    map: ruleAttributes[type],
    within: (query) => void query.where({ qos_policy_id: policyId, type }),
    async get(context, id) {
      await getQosPolicy(context, policyId);
      return getQosRule(context, type, policyId, id);
    },
    async parents({ db }, rules) {
      const policy = await qosPolicyTable.find(db, { id: policyId });
      if (!policy) throw qosPolicyNotFound(policyId);
      return rules.map(() => ({ 'ext_parent:project_id': policy.project_id }));
    },
    create: sequentially((context, fields) => createQosRule(context, type, policyId, fields)),
    beforeList: async () => void (await getQosPolicy(call, policyId)),
  };
}

export function ruleHandlers(type: QosRuleType): PlainHandlers<Call> {
  const handler =
    (operation: keyof PlainHandlers<Call>): PlainHandler<Call> =>
    (call) =>
      resourceHandlers(rulesOfPolicy(call, type))[operation](call);
  return {
    list: handler('list'),
    show: handler('show'),
    create: handler('create'),
    update: handler('update'),
    remove: handler('remove'),
  };
}

/** Rules at paths of their own can be shown, updated and deleted there. */
export function aliasHandlers(
  type: QosRuleType,
): Pick<PlainHandlers<Call>, 'show' | 'update' | 'remove'> {
  return resourceHandlers<QosRule>({
    ...shared,
    map: aliasAttributes[type],
    get: (context, id) => getQosRuleOfAny(context, type, id),
    // A rule belongs to the project of its policy.
    parents: (_context, rules) =>
      Promise.resolve(rules.map((rule) => ({ 'ext_parent:project_id': rule['project_id'] }))),
    create: () => Promise.resolve([]),
  });
}
