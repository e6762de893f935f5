// The attributes of QoS policies and their rules. Upstream: neutron_lib/api/definitions/qos*.py.
import { qosRuleTypes, type QosRuleType } from '../../model.ts';
import { oneOf, range } from '../attributes/checks.ts';
import { hiddenProject, id, name, project, standard, tags } from '../attributes/common.ts';
import { toBoolean, toInteger } from '../attributes/convert.ts';
import {
  listable,
  type Attribute,
  type AttributeMap,
  type Attributes,
} from '../attributes/definitions.ts';

export const qosPolicyAttributes: AttributeMap = {
  resource: 'policy',
  collection: 'policies',
  attributes: {
    id,
    name,
    shared: { post: true, put: true, fallback: false, filter: true, convert: toBoolean },
    ...project,
    rules: {},
    is_default: { post: true, put: true, fallback: false, filter: true, convert: toBoolean },
    ...tags,
    ...standard,
  },
};

/** The marks that the six bits of a DSCP field can have. */
export const dscpMarks = [
  0, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 44, 46, 48, 56,
] as const;

export const directions = ['ingress', 'egress'] as const;
export const directionsAndAny = ['any', ...directions] as const;

export const maxRate = 2_147_483_647;

const sent: Attribute = { ...listable, post: true, put: true };
const rate: Attribute = { ...sent, convert: toInteger, check: range(0, maxRate) };
const burst: Attribute = { ...rate, fallback: 0 };
const direction: Attribute = { ...sent, fallback: 'egress', check: oneOf(...directions) };

/** The attributes of rules by type, besides those that all rules have. */
export const ruleParameters: Readonly<Record<QosRuleType, Attributes>> = {
  bandwidth_limit: { max_kbps: rate, max_burst_kbps: burst, direction },
  dscp_marking: { dscp_mark: { ...sent, convert: toInteger, check: oneOf(...dscpMarks) } },
  minimum_bandwidth: { min_kbps: rate, direction },
  minimum_packet_rate: {
    min_kpps: rate,
    direction: { ...direction, check: oneOf(...directionsAndAny) },
  },
  packet_rate_limit: { max_kpps: rate, max_burst_kpps: burst, direction },
};

const mapOf = (prefix: string, noun: string, type: QosRuleType): AttributeMap => ({
  resource: `${prefix}${type}_rule`,
  collection: `${prefix}${type}_rules`,
  noun: `${noun}${type}_rule`,
  attributes: { id, ...ruleParameters[type], ...hiddenProject },
});

const byType = (map: (type: QosRuleType) => AttributeMap): Record<QosRuleType, AttributeMap> =>
  Object.fromEntries(qosRuleTypes.map((type) => [type, map(type)])) as Record<
    QosRuleType,
    AttributeMap
  >;

/** The rules below a policy. */
export const ruleAttributes = byType((type) => mapOf('', 'policy_', type));

/** The rules at a path of their own. */
export const aliasAttributes = byType((type) => mapOf('alias_', 'alias_', type));
