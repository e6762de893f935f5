// The views of security groups and their rules.
import { formatNetwork, parseCidr } from '../ip.ts';
import type { SecurityGroup, SecurityGroupDetails, SecurityGroupRule } from '../model.ts';
import { standardView, tagsView, type View } from './view.ts';

export const groupView = (group: SecurityGroup, details: SecurityGroupDetails): View => ({
  ...group,
  ...standardView(group),
  security_group_rules: (details.rules.get(group.id) ?? []).map(ruleView),
  ...tagsView(group, details),
});

export function ruleView(rule: SecurityGroupRule): View {
  const prefix = parseCidr(rule.remote_ip_prefix);
  return { ...rule, ...standardView(rule), normalized_cidr: prefix ? formatNetwork(prefix) : null };
}
