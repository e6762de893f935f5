// The attributes of the rules that new security groups get. Upstream:
// neutron/extensions/security_groups_default_rules.py.
import type { AttributeMap } from '../attributes/definitions.ts';
import { hiddenProject, standard } from '../attributes/common.ts';
import { toBoolean } from '../attributes/convert.ts';
import { ruleAttributes } from './attributes.ts';

const { id, direction, protocol, port_range_min, port_range_max, ethertype, remote_ip_prefix } =
  ruleAttributes.attributes;
const used = { post: true, filter: true, convert: toBoolean } as const;
const remote = { post: true, fallback: null, filter: true, sort: true } as const;

export const defaultRuleAttributes: AttributeMap = {
  resource: 'default_security_group_rule',
  collection: 'default_security_group_rules',
  attributes: {
    id: id!,
    ...hiddenProject,
    description: { ...standard['description'], put: false, sort: false },
    remote_group_id: { ...remote, check: remoteId },
    remote_address_group_id: { ...remote, check: remoteId },
    direction: direction!,
    protocol: protocol!,
    port_range_min: port_range_min!,
    port_range_max: port_range_max!,
    ethertype: ethertype!,
    remote_ip_prefix: remote_ip_prefix!,
    used_in_default_sg: used,
    used_in_non_default_sg: used,
  },
};

/** Any text that the database can store: upstream does not look for the group. */
function remoteId(value: unknown): string | undefined {
  if (value === null || (typeof value === 'string' && value.length <= 36 && !/\0/.test(value)))
    return undefined;
  return `'${String(value)}' is not a valid string of at most 36 characters`;
}
