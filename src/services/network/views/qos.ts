// The views of QoS policies and their rules, and what ports request of Placement.
import { uuidIn } from '../../../kernel/ids.ts';
import {
  effectivePolicy,
  qosRuleTypes,
  type Network,
  type Port,
  type PortDetails,
  type QosPolicy,
  type QosPolicyDetails,
  type QosRule,
} from '../model.ts';
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

/** The resource classes of guarantees, by direction. */
const resourceClasses: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  minimum_bandwidth: {
    ingress: 'NET_BW_IGR_KILOBIT_PER_SEC',
    egress: 'NET_BW_EGR_KILOBIT_PER_SEC',
  },
  minimum_packet_rate: {
    ingress: 'NET_PACKET_RATE_IGR_KILOPACKET_PER_SEC',
    egress: 'NET_PACKET_RATE_EGR_KILOPACKET_PER_SEC',
    any: 'NET_PACKET_RATE_KILOPACKET_PER_SEC',
  },
};

const customTrait = (name: string): string =>
  `CUSTOM_${name.toUpperCase().replace(/[^A-Z0-9_]+/g, '_')}`;

/**
 * What the host of a port must have: a group of resources for the bandwidth, and one for the packet
 * rate, that its QoS policy guarantees. Upstream: neutron/services/qos/qos_plugin.py.
 */
export function resourceRequestView(
  port: Port,
  network: Network,
  details: PortDetails,
): View | null {
  const rules = details.guarantees.get(effectivePolicy(port, network) ?? '') ?? [];
  const physical = network['provider:physical_network'];
  const onNetwork =
    physical === null ? 'CUSTOM_NETWORK_TUNNEL_PROVIDER' : customTrait(`PHYSNET_${physical}`);
  const ofType = customTrait(`VNIC_TYPE_${port['binding:vnic_type']}`);
  const groups = [
    groupView(port, rules, 'minimum_bandwidth', [onNetwork, ofType]),
    groupView(port, rules, 'minimum_packet_rate', [ofType]),
  ].flatMap((group) => group ?? []);
  return groups.length
    ? { request_groups: groups, same_subtree: groups.map(({ id }) => id) }
    : null;
}

interface RequestGroup {
  readonly id: string;
  readonly required: readonly string[];
  readonly resources: View;
}

function groupView(
  port: Port,
  guarantees: readonly QosRule[],
  type: QosRule['type'],
  required: readonly string[],
): RequestGroup | undefined {
  const rules = guarantees.filter((rule) => rule.type === type);
  if (!rules.length) return undefined;
  return {
    id: uuidIn(port.id, rules.map(({ id }) => id).join(':')),
    required,
    resources: Object.fromEntries(
      rules.map((rule) => [
        resourceClasses[type]![rule.direction!]!,
        rule.min_kbps ?? rule.min_kpps,
      ]),
    ),
  };
}
