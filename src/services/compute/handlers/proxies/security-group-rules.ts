// Rules of security groups, until 2.35. Upstream: api/openstack/compute/security_groups.py.
import { ok, reply } from '../../../../kernel/http/reply.ts';
import { badRequest, forbidden, notFound } from '../../../../kernel/errors.ts';
import {
  callNetwork,
  networkErrorMessage,
  type NeutronRule,
  type NeutronSecurityGroup,
} from '../../clients/network.ts';
import type { ComputeCall } from '../../call.ts';
import {
  networkRule,
  readRule,
  type RuleFields,
  type IngressRule,
} from '../../domain/ingress-rules.ts';
import {
  cidrOfRule,
  ingressRules,
  portsOf,
  ruleView,
} from '../../views/proxies/security-groups.ts';
import { groupOf, groupIdOf, notFoundErrors } from './security-groups.ts';
import type { Reply } from '../../../../kernel/model.ts';

/**
 * Whether the group already has the rule. It ignores rules with a remote group, for which Network
 * itself returns an error.
 */
function exists(
  group: NeutronSecurityGroup,
  { cidr, protocol, fromPort, toPort }: IngressRule,
): boolean {
  return ingressRules(group).some((rule) => {
    const [from, to] = portsOf(rule);
    const same = rule.remote_group_id === null && cidrOfRule(rule) === cidr;
    return same && rule.protocol === protocol && from === fromPort && to === toPort;
  });
}

/** POST /os-security-group-rules */
export async function create(call: ComputeCall): Promise<Reply> {
  const { parent_group_id: parent, ...fields } = (
    call.body as { security_group_rule: RuleFields & { parent_group_id: string } }
  ).security_group_rule;
  const group = await groupOf(call, parent);
  const remoteGroup = fields.group_id == null ? undefined : await groupOf(call, fields.group_id);
  const ingress = readRule(fields);
  if (exists(group, ingress)) throw badRequest(`This rule already exists in group ${group.id}`);
  const { security_group_rule: rule } = await callNetwork<{ security_group_rule: NeutronRule }>(
    call,
    { method: 'POST', path: '/v2.0/security-group-rules', body: networkRule(group.id, ingress) },
    {
      400: (error) => badRequest(networkErrorMessage(call, error)),
      404: (error) => notFound(networkErrorMessage(call, error)),
      409: (error) => forbidden(networkErrorMessage(call, error)),
    },
  );
  return ok({
    security_group_rule: ruleView(
      rule,
      new Map(remoteGroup ? [[remoteGroup.id, remoteGroup]] : []),
    ),
  });
}

/** DELETE /os-security-group-rules/{id} */
export async function remove(call: ComputeCall): Promise<Reply> {
  const path = `/v2.0/security-group-rules/${encodeURIComponent(groupIdOf(call))}`;
  const { security_group_rule: rule } = await callNetwork<{ security_group_rule: NeutronRule }>(
    call,
    { method: 'GET', path },
    notFoundErrors(call),
  );
  await groupOf(call, rule.security_group_id);
  await callNetwork(call, { method: 'DELETE', path }, notFoundErrors(call));
  return reply(202);
}
