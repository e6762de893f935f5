// The rules for what Compute passes on to other services. Upstream:
// nova/policies/security_groups.py and others.
import type { RuleDefaults } from '../../../kernel/oslo/policy.ts';

const named = (noun: string, verbs: readonly string[], rule: string): RuleDefaults =>
  Object.fromEntries(
    verbs.map((verb) => [
      `os_compute_api:${noun}${verb ? `:${verb}` : ''}`,
      { rule, scopes: ['project'] },
    ]),
  );

const member = 'rule:project_member_or_admin';
const reader = 'rule:project_reader_or_admin';

/** Proxied images have no rules of their own: those of Image apply. */
export const proxyPolicy: RuleDefaults = {
  ...named('os-security-groups', ['get', 'show'], reader),
  ...named(
    'os-security-groups',
    ['create', 'update', 'delete', 'rule:create', 'rule:delete'],
    member,
  ),
  ...named('os-floating-ips', ['list', 'show'], reader),
  ...named('os-floating-ips', ['create', 'delete', 'add', 'remove'], member),
  ...named('os-floating-ip-pools', [''], '@'),
  ...named('os-multinic', ['add', 'remove'], member),
  ...named('os-networks', ['list', 'show'], reader),
  ...named('os-tenant-networks', ['list', 'show'], reader),
  ...named(
    'os-volumes',
    ['list', 'detail', 'show', 'snapshots:list', 'snapshots:detail', 'snapshots:show'],
    reader,
  ),
  ...named('os-volumes', ['create', 'delete', 'snapshots:create', 'snapshots:delete'], member),
};
