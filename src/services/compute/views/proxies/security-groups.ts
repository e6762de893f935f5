// Views of security groups in the proxies: only ingress rules, with nova-network's field names.
// Upstream: network/security_group_api.py.
import type { NeutronRule, NeutronSecurityGroup } from '../../clients/network.ts';

/** Remote groups of rules, by id, without those that are invisible to the caller. */
export type RemoteGroups = ReadonlyMap<string, Pick<NeutronSecurityGroup, 'name' | 'tenant_id'>>;

/** The port range of a rule. If the rule in Network has no range, it covers all ports. */
export function portsOf({
  protocol,
  port_range_min: from,
  port_range_max: to,
}: NeutronRule): [number | null, number | null] {
  if (!protocol || from !== null || to !== null) return [from, to];
  return ['TCP', 'UDP'].includes(protocol.toUpperCase()) ? [1, 65535] : [-1, -1];
}

/** The remote CIDR of a rule without a remote group. */
export const cidrOfRule = ({ remote_ip_prefix: prefix }: NeutronRule): string =>
  prefix ?? '0.0.0.0/0';

/** A rule; undefined if its remote group is invisible to the caller. */
export function ruleView(rule: NeutronRule, remoteGroups: RemoteGroups): object | undefined {
  const { remote_group_id: id } = rule;
  const source = id === null ? undefined : remoteGroups.get(id);
  if (id !== null && !source) return undefined;
  const [from, to] = portsOf(rule);
  return {
    id: rule.id,
    parent_group_id: rule.security_group_id,
    ip_protocol: rule.protocol,
    from_port: from,
    to_port: to,
    group: source ? { name: source.name, tenant_id: source.tenant_id } : {},
    ip_range: source ? {} : { cidr: cidrOfRule(rule) },
  };
}

/** The ingress rules of a group. */
export const ingressRules = ({
  security_group_rules: rules,
}: NeutronSecurityGroup): NeutronRule[] => rules.filter(({ direction }) => direction === 'ingress');

export const groupView = (group: NeutronSecurityGroup, remoteGroups: RemoteGroups): object => ({
  id: group.id,
  description: group.description,
  name: group.name,
  tenant_id: group.tenant_id,
  rules: ingressRules(group).flatMap((rule) => ruleView(rule, remoteGroups) ?? []),
});

const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Groups, sorted by project and name. */
export const groupsView = (
  groups: readonly NeutronSecurityGroup[],
  remoteGroups: RemoteGroups,
): object[] =>
  groups
    .toSorted((a, b) => compareText(a.tenant_id, b.tenant_id) || compareText(a.name, b.name))
    .map((group) => groupView(group, remoteGroups));
