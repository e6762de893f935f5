// Security groups as Compute shows them: only what comes in, under the names of its own. Upstream:
// network/security_group_api.py.
import type { NeutronRule, NeutronSecurityGroup } from '../../clients/network.ts';

/** The remote groups of rules, by id; those that the caller does not see are missing. */
export type Sources = ReadonlyMap<string, Pick<NeutronSecurityGroup, 'name' | 'tenant_id'>>;

/** The range of ports: all ports, where the rule in Network has none. */
export function portsOf({
  protocol,
  port_range_min: from,
  port_range_max: to,
}: NeutronRule): [number | null, number | null] {
  if (!protocol || from !== null || to !== null) return [from, to];
  return ['TCP', 'UDP'].includes(protocol.toUpperCase()) ? [1, 65535] : [-1, -1];
}

/** The remote addresses of a rule without a remote group. */
export const cidrOfRule = ({ remote_ip_prefix: prefix }: NeutronRule): string =>
  prefix ?? '0.0.0.0/0';

/** A rule; undefined where the caller does not see its remote group. */
export function ruleView(rule: NeutronRule, sources: Sources): object | undefined {
  const { remote_group_id: id } = rule;
  const source = id === null ? undefined : sources.get(id);
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
export const incoming = ({ security_group_rules: rules }: NeutronSecurityGroup): NeutronRule[] =>
  rules.filter(({ direction }) => direction === 'ingress');

export const groupView = (group: NeutronSecurityGroup, sources: Sources): object => ({
  id: group.id,
  description: group.description,
  name: group.name,
  tenant_id: group.tenant_id,
  rules: incoming(group).flatMap((rule) => ruleView(rule, sources) ?? []),
});

const order = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Groups in the order of their projects and names. */
export const groupsView = (groups: readonly NeutronSecurityGroup[], sources: Sources): object[] =>
  groups
    .toSorted((a, b) => order(a.tenant_id, b.tenant_id) || order(a.name, b.name))
    .map((group) => groupView(group, sources));
