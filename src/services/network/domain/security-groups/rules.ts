// The rules of security groups: valid combinations of attributes, and no duplicates. Upstream:
// neutron/db/securitygroups_db.py.
import { addressGroupTable, groupTable, ruleTable } from '../../store/tables.ts';
import type { Context } from '../../../../kernel/model.ts';
import { seesAll, visibility } from '../visibility.ts';
import { parseCidr } from '../../ip.ts';
import type { Fields } from '../attributes/definitions.ts';
import { newStandard } from '../standard.ts';
import { icmpNumbers, onlyIpv6, protocolNames, protocolNumber, withPorts } from './protocols.ts';
import type { SecurityGroup, SecurityGroupRule, Traffic } from '../../model.ts';
import { addressGroupNotFound, bad, groupNotFound, inConflict } from '../refusals.ts';
import { requireStillShared } from '../sharing/shared-attributes.ts';

/** Creates rules in one group. @throws 400, 404, 409 */
export async function createRules(
  context: Context,
  items: readonly Fields[],
): Promise<SecurityGroupRule[]> {
  const { db, now } = context;
  checkTogether(items);
  const created: SecurityGroupRule[] = [];
  for (const fields of items)
    created.push({
      ...newStandard(fields, now),
      ...trafficOf(fields),
      security_group_id: fields['security_group_id'] as string,
    });
  const [first] = created;
  for (const rule of created) {
    checkRule(rule);
    if (rule.remote_group_id) await groupOf(context, rule.project_id, rule.remote_group_id);
    if (rule.remote_address_group_id) await checkAddressGroup(context, rule);
  }
  const group = await groupOf(context, first!.project_id, first!.security_group_id);
  await checkNew(context, group, created);
  for (const rule of created) await ruleTable.create(db, rule);
  // Conflict with transactions that might create the same rule.
  await groupTable.touch(db, group, now);
  return created;
}

function checkTogether(items: readonly Fields[]): void {
  if (new Set(items.map((item) => item['security_group_id'])).size > 1) {
    throw bad(
      'SecurityGroupNotSingleGroupRules',
      'Only allowed to update rules for one security profile at a time',
    );
  }
  if (new Set(items.map((item) => item['project_id'])).size > 1) {
    throw bad(
      'SecurityGroupRulesNotSingleProject',
      'Multiple project_ids in bulk security group rule create not allowed',
    );
  }
}

/**
 * Reads and normalizes what a rule allows: `ipv6-icmp` replaces the older names of ICMPv6, and a range of
 * all ports is stored as no range.
 */
export function trafficOf(fields: Fields): Traffic {
  const ethertype = fields['ethertype'] as string;
  const sent = fields['protocol'] as string | null;
  const [min, max] = [
    fields['port_range_min'] as number | null,
    fields['port_range_max'] as number | null,
  ];
  const isAllPorts = min === 1 && max === 65535;
  return {
    direction: fields['direction'] as string,
    ethertype,
    protocol: ethertype === 'IPv6' ? icmpv6(sent) : sent,
    port_range_min: isAllPorts ? null : min,
    port_range_max: isAllPorts ? null : max,
    remote_ip_prefix: fields['remote_ip_prefix'] as string | null,
    remote_group_id: fields['remote_group_id'] as string | null,
    remote_address_group_id: fields['remote_address_group_id'] as string | null,
  };
}

function icmpv6(protocol: string | null): string | null {
  if (protocol === 'icmp' || protocol === 'icmpv6') return 'ipv6-icmp';
  return protocol === '1' ? '58' : protocol;
}

/** Finds a group that belongs to the project of the rule. @throws 404 */
async function groupOf(
  { db, actor }: Context,
  projectId: string,
  id: string,
): Promise<SecurityGroup> {
  const group = await groupTable.find(db, { id });
  if (!group || (!seesAll(actor) && group.project_id !== projectId)) throw groupNotFound(id);
  return group;
}

/** Checks that the project of a rule sees the address group that it names. @throws 404 */
async function checkAddressGroup(
  context: Context,
  { project_id: project, remote_address_group_id: id }: SecurityGroupRule,
): Promise<void> {
  const seen = seesAll(context.actor) ? [] : [visibility.addressGroup(context.db, project)];
  const group = await addressGroupTable.findById(context.db, id!, seen);
  if (!group) throw addressGroupNotFound(id!);
  await requireStillShared(context, group, project);
}

/** @throws 400 */
export function checkRule(rule: Traffic): void {
  checkPorts(rule);
  const { remote_ip_prefix: prefix, ethertype, protocol } = rule;
  if (prefix !== null && ethertype !== `IPv${parseCidr(prefix)!.ip.version}`) {
    throw bad(
      'SecurityGroupRuleParameterConflict',
      `Conflicting value ethertype ${ethertype} for CIDR ${prefix}`,
    );
  }
  if (protocol !== null && ethertype === 'IPv4' && onlyIpv6.includes(protocol)) {
    throw bad(
      'SecurityGroupEthertypeConflictWithProtocol',
      `Invalid ethertype ${ethertype} for protocol ${protocol}.`,
    );
  }
  const remotes = [prefix, rule.remote_group_id, rule.remote_address_group_id].filter(Boolean);
  if (remotes.length > 1) {
    throw bad(
      'SecurityGroupMultipleRemoteEntites',
      'Only one of remote_ip_prefix or remote_group_id or remote_address_group_id may be provided.',
    );
  }
}

function checkPorts({ protocol, port_range_min: min, port_range_max: max }: Traffic): void {
  if (min === null && max === null) return;
  const number = protocolNumber(protocol);
  if (number === null)
    throw bad(
      'SecurityGroupProtocolRequiredWithPorts',
      'Must also specify protocol if port range is given.',
    );
  if (withPorts.has(number)) {
    if (min === 0 || max === 0)
      throw bad('SecurityGroupInvalidPortValue', 'Invalid value for port 0');
    if (min !== null && max !== null && min <= max) return;
    throw bad(
      'SecurityGroupInvalidPortRange',
      'For TCP/UDP protocols, port_range_min must be <= port_range_max',
    );
  }
  if (!icmpNumbers.includes(number)) {
    throw bad(
      'SecurityGroupInvalidProtocolForPort',
      `Ports cannot be specified for protocol ${number}. Ports are only supported for ` +
        `${[...withPorts.values()].join(', ')}.`,
    );
  }
  for (const [value, attribute, field] of [
    [min, 'port_range_min', 'type'],
    [max, 'port_range_max', 'code'],
  ] as const) {
    if (value !== null && value > 255) {
      throw bad(
        'SecurityGroupInvalidIcmpValue',
        `Invalid value for ICMP ${field} (${attribute}) ${value}. It must be 0 to 255.`,
      );
    }
  }
  if (min === null) {
    throw bad(
      'SecurityGroupMissingIcmpType',
      `ICMP code (port-range-max) ${max} is provided but ICMP type (port-range-min) is missing.`,
    );
  }
}

/** @throws 409 if the group has the rule already, or if the request contains it twice */
async function checkNew(
  { db }: Context,
  group: SecurityGroup,
  created: readonly SecurityGroupRule[],
): Promise<void> {
  const keys = new Set(created.map(keyOf));
  if (keys.size < created.length)
    throw inConflict('DuplicateSecurityGroupRuleInPost', 'Duplicate Security Group Rule in POST.');
  const existing = await ruleTable.list(db, { where: { security_group_id: group.id } });
  const same = existing.find((rule) => keys.has(keyOf(rule)));
  if (same)
    throw inConflict(
      'SecurityGroupRuleExists',
      `Security group rule already exists. Rule id is ${same.id}.`,
    );
}

/** Returns a key that is equal for rules that allow the same traffic. */
export function keyOf(rule: Traffic): string {
  const prefix =
    rule.remote_ip_prefix === '0.0.0.0/0' || rule.remote_ip_prefix === '::/0'
      ? null
      : rule.remote_ip_prefix;
  const protocol =
    rule.protocol === null ? null : (protocolNames.get(rule.protocol) ?? Number(rule.protocol));
  return JSON.stringify([
    rule.direction,
    rule.ethertype,
    rule.port_range_max,
    rule.port_range_min,
    protocol,
    rule.remote_group_id,
    rule.remote_address_group_id,
    prefix,
  ]);
}

export async function deleteRule({ db, now }: Context, rule: SecurityGroupRule): Promise<void> {
  const group = await groupTable.find(db, { id: rule.security_group_id });
  await ruleTable.delete(db, rule);
  if (group) await groupTable.touch(db, group, now);
}
