// The views of QoS policies and their rules.
import { qosRuleTypes, type QosPolicy, type QosPolicyDetails, type QosRule } from '../model.ts';
import { standardView, tagsView, type View } from './view.ts';

/** The values of rules by type, in upstream's order. */
const valuesOf = {
  bandwidth_limit: ['max_kbps', 'max_burst_kbps', 'direction'],
  dscp_marking: ['dscp_mark'],
  minimum_bandwidth: ['min_kbps', 'direction'],
  minimum_packet_rate: ['min_kpps', 'direction'],
  packet_rate_limit: ['max_kpps', 'max_burst_kpps', 'direction'],
} as const;

export function qosPolicyView(policy: QosPolicy, details: QosPolicyDetails): View {
  const rules = details.rules.get(policy.id) ?? [];
  return {
    ...standardView(policy),
    name: policy.name,
    is_default: policy.default_of !== null,
    rules: qosRuleTypes.flatMap((type) =>
      rules.filter((rule) => rule.type === type).map(ruleOfPolicyView),
    ),
    ...tagsView(policy, details),
  };
}

const ruleOfPolicyView = (rule: QosRule): View => ({
  id: rule.id,
  qos_policy_id: rule.qos_policy_id,
  type: rule.type,
  ...qosRuleView(rule),
});

export const qosRuleView = (rule: QosRule): View => ({
  id: rule.id,
  ...Object.fromEntries(valuesOf[rule.type].map((name) => [name, rule[name]])),
});
