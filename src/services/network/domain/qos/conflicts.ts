// Conflicts between the rules of a QoS policy. Upstream:
// neutron/objects/qos/qos_policy_validator.py.
import type { QosRule } from '../../model.ts';
import type { Fields } from '../attributes/definitions.ts';
import { inConflict } from '../refusals.ts';

const parameterConflict = (value: unknown, existing: QosRule, its: unknown) =>
  inConflict(
    'QoSRuleParameterConflict',
    `Unable to add the rule with value ${String(value)} to the policy ${existing.qos_policy_id} as ` +
      `the existing rule of type ${existing.type} has value ${String(its)}.`,
  );

/**
 * Compares what was sent for a rule with the other rules of its policy. A rule that is updated
 * without a direction is compared with those of both directions, as upstream.
 * @throws 409 if a guaranteed bandwidth would be higher than the limit
 */
export function checkBandwidths(rules: readonly QosRule[], sent: Fields): void {
  const { direction, max_kbps: max, min_kbps: min } = sent as Partial<QosRule>;
  for (const rule of rules) {
    if (rule.type === 'dscp_marking' || (direction && rule.direction !== direction)) continue;
    if (rule.type === 'minimum_bandwidth' && max != null && rule.min_kbps! > max)
      throw parameterConflict(max, rule, rule.min_kbps);
    if (rule.type === 'bandwidth_limit' && min != null && rule.max_kbps! < min)
      throw parameterConflict(min, rule, rule.max_kbps);
  }
}

/**
 * @throws 409 if a policy would guarantee packet rates both by direction and for both directions
 *   together
 */
export function checkPacketRates(rules: readonly QosRule[], rule: QosRule): void {
  if (rule.type !== 'minimum_packet_rate') return;
  const mixed = rules.find(
    (other) =>
      other.type === rule.type &&
      other.id !== rule.id &&
      (other.direction === 'any') !== (rule.direction === 'any'),
  );
  if (mixed) throw parameterConflict(rule.direction, mixed, mixed.direction);
}

/** @throws 409 if a policy has a rule of that type and direction */
export function checkDuplicates(rules: readonly QosRule[], rule: QosRule): void {
  const duplicate = rules.find(
    (other) =>
      other.id !== rule.id && other.type === rule.type && other.direction === rule.direction,
  );
  if (!duplicate) return;
  throw inConflict(
    'QoSRulesConflict',
    `Rule ${rule.type} conflicts with rule ${duplicate.id} which already exists in QoS Policy ` +
      `${rule.qos_policy_id}.`,
  );
}
