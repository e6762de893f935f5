// The rules that new security groups get. Upstream: neutron/db/securitygroups_db.py.
import { uuidFor } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { DefaultRule, SecurityGroup, SecurityGroupRule } from '../../model.ts';
import { acquireLock, lockRevisionOf } from '../../store/quotas.ts';
import { addressGroupTable, defaultRuleTable, groupTable, ruleTable } from '../../store/tables.ts';
import type { Fields } from '../attributes/definitions.ts';
import { addressGroupNotFound, groupNotFound, inConflict } from '../refusals.ts';
import { newStandard } from '../standard.ts';
import { checkRule, keyOf, trafficOf } from './rules.ts';

/** The remote group of a rule that allows traffic from the new group itself. */
export const parentGroup = 'PARENT';

/**
 * Creates a default rule.
 * @throws 409 if groups that are not default groups get such a rule already. Upstream compares with
 *   these alone, whatever groups the new rule is for.
 */
export async function createDefaultRule(context: Context, fields: Fields): Promise<DefaultRule> {
  const { db, now } = context;
  const rule: DefaultRule = {
    ...newStandard({ ...fields, project_id: '' }, now),
    ...trafficOf(fields),
    used_in_default_sg: fields['used_in_default_sg'] as boolean,
    used_in_non_default_sg: fields['used_in_non_default_sg'] as boolean,
  };
  checkRule(rule);
  const revision = await lockRevisionOf(db, '');
  const others = await defaultRuleTable.list(db, { where: { used_in_non_default_sg: true } });
  const same = others.find((other) => keyOf(other) === keyOf(rule));
  if (same) {
    throw inConflict(
      'DefaultSecurityGroupRuleExists',
      `Default Security group rule already exists. Rule id is ${same.id}.`,
    );
  }
  // Conflict with transactions that might create the same rule.
  await acquireLock(db, '', revision);
  await defaultRuleTable.create(db, rule);
  return rule;
}

/** The default rules for a project's default group, or for its other groups. */
export const defaultRulesFor = (
  { db }: Pick<Context, 'db'>,
  isDefault: boolean,
): Promise<DefaultRule[]> =>
  defaultRuleTable.list(db, {
    where: isDefault ? { used_in_default_sg: true } : { used_in_non_default_sg: true },
  });

/** Adds rules to a new group. @throws 404 if one of them names an unknown group */
export async function addDefaultRules(
  { db, now }: Context,
  group: SecurityGroup,
  rules: readonly DefaultRule[],
): Promise<void> {
  for (const rule of rules) {
    const remote = rule.remote_group_id === parentGroup ? group.id : rule.remote_group_id;
    const { remote_address_group_id: addresses } = rule;
    if (remote !== null && !(await groupTable.find(db, { id: remote })))
      throw groupNotFound(remote);
    if (addresses !== null && !(await addressGroupTable.find(db, { id: addresses })))
      throw addressGroupNotFound(addresses);
    const created: SecurityGroupRule = {
      ...newStandard({ project_id: group.project_id }, now),
      ...trafficOf({ ...rule, remote_group_id: remote }),
      security_group_id: group.id,
    };
    await ruleTable.create(db, created);
  }
}

/**
 * Creates the default rules of a new region: they allow all egress, and in default groups ingress
 * from the group itself.
 */
export async function seedDefaultRules({ db, now, region }: Context): Promise<void> {
  for (const direction of ['egress', 'ingress'] as const)
    for (const ethertype of ['IPv4', 'IPv6']) {
      const description = `Legacy default SG rule for ${direction} traffic`;
      const id = uuidFor(`network.${region.name}.default-rule.${direction}.${ethertype}`);
      await defaultRuleTable.create(db, {
        ...newStandard({ project_id: '', description }, now, id),
        direction,
        ethertype,
        protocol: null,
        port_range_min: null,
        port_range_max: null,
        remote_ip_prefix: null,
        remote_group_id: direction === 'ingress' ? parentGroup : null,
        remote_address_group_id: null,
        used_in_default_sg: true,
        used_in_non_default_sg: direction === 'egress',
      });
    }
}
