// The attributes of security groups and their rules.
import { listable, type AttributeMap } from '../attributes/definitions.ts';
import { formatCidr, parseCidr } from '../../ip.ts';
import { oneOf, orNull, quoted, text, type Check } from '../attributes/checks.ts';
import { toBoolean } from '../attributes/convert.ts';
import { protocolNames } from './protocols.ts';
import { bad, inConflict } from '../refusals.ts';
import { id, project, standard, tags } from '../attributes/common.ts';

/** The name `default` is reserved for the group that Network creates. */
const groupName: Check = (value) => {
  const problem = text(255)(value);
  if (problem !== undefined) return problem;
  if ((value as string).toLowerCase() !== 'default') return undefined;
  throw inConflict('SecurityGroupDefaultAlreadyExists', 'Default security group already exists.');
};

/** Converts a protocol to its stored form: a name or a number, or null for any protocol. */
function toProtocol(value: unknown): string | null {
  if (value === null || value === '' || value === 'any' || value === 0 || value === '0')
    return null;
  const text =
    typeof value === 'number'
      ? String(value)
      : typeof value === 'string'
        ? value.toLowerCase()
        : '';
  if (/^\d{1,3}$/.test(text) && Number(text) <= 255) return text;
  if (protocolNames.has(text)) return text;
  const names = [...protocolNames.keys()].map((known) => `'${known}'`).join(', ');
  throw bad(
    'SecurityGroupRuleInvalidProtocol',
    `Security group rule protocol ${quoted(value)} not supported. Only protocol values ` +
      `[None, ${names}] and integer representations [0 to 255] are supported.`,
  );
}

function toEthertype(value: unknown): string {
  const found = ['IPv4', 'IPv6'].find(
    (known) => typeof value === 'string' && known.toLowerCase() === value.toLowerCase(),
  );
  if (found) return found;
  throw bad(
    'SecurityGroupRuleInvalidEtherType',
    `Security group rule for ethertype '${quoted(value)}' not supported. Allowed values are ` +
      `['IPv4', 'IPv6'].`,
  );
}

function toPort(value: unknown): number | null {
  if (value === null) return null;
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isInteger(number) && number >= 0 && number <= 65535)
    return number;
  throw bad('SecurityGroupInvalidPortValue', `Invalid value for port ${quoted(value)}`);
}

function toPrefix(value: unknown): string | null {
  if (value === null || value === '') return null;
  const read = parseCidr(value, true);
  if (read) return formatCidr(read);
  throw bad('InvalidCIDR', `Invalid CIDR ${quoted(value)} given as IP prefix.`);
}

const optional = { ...listable, post: true, fallback: null };

export const groupAttributes: AttributeMap = {
  resource: 'security_group',
  collection: 'security_groups',
  attributes: {
    id,
    name: { ...listable, post: true, put: true, fallback: '', check: groupName },
    ...project,
    security_group_rules: {},
    stateful: { ...listable, post: true, put: true, fallback: true, convert: toBoolean },
    shared: { filter: true, convert: toBoolean },
    ...tags,
    ...standard,
  },
};

export const ruleAttributes: AttributeMap = {
  resource: 'security_group_rule',
  collection: 'security_group_rules',
  attributes: {
    id,
    security_group_id: { ...listable, post: true, check: text(36) },
    remote_group_id: { ...optional, check: orNull(text(36)) },
    remote_address_group_id: { ...optional, check: orNull(text(36)) },
    direction: { ...listable, post: true, check: oneOf('ingress', 'egress') },
    protocol: { ...optional, convert: toProtocol },
    port_range_min: { ...optional, convert: toPort },
    port_range_max: { ...optional, convert: toPort },
    ethertype: { ...optional, fallback: 'IPv4', convert: toEthertype },
    remote_ip_prefix: { ...optional, convert: toPrefix },
    normalized_cidr: {},
    ...project,
    ...standard,
    description: { ...standard['description'], put: false },
  },
};
