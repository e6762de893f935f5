// The rules for requests that Compute forwards to other services. Upstream:
// nova/policies/security_groups.py and others.
import type { RuleDefaults } from '../../../kernel/oslo/policy.ts';
import { member, reader, rules } from './rules.ts';

/** Proxied images have no rules of their own: the Image service enforces its rules. */
export const proxyPolicy: RuleDefaults = {
  ...rules('os-security-groups', ['get', 'show'], reader),
  ...rules(
    'os-security-groups',
    ['create', 'update', 'delete', 'rule:create', 'rule:delete'],
    member,
  ),
  ...rules('os-floating-ips', ['list', 'show'], reader),
  ...rules('os-floating-ips', ['create', 'delete', 'add', 'remove'], member),
  ...rules('os-floating-ip-pools', [''], '@'),
  ...rules('os-multinic', ['add', 'remove'], member),
  ...rules('os-networks', ['list', 'show'], reader),
  ...rules('os-tenant-networks', ['list', 'show'], reader),
  ...rules(
    'os-volumes',
    ['list', 'detail', 'show', 'snapshots:list', 'snapshots:detail', 'snapshots:show'],
    reader,
  ),
  ...rules('os-volumes', ['create', 'delete', 'snapshots:create', 'snapshots:delete'], member),
};
