// Placement's policy rules and their defaults. Upstream: placement/policies.
import type { RuleDefaults } from '../../kernel/oslo/policy.ts';

const names = [
  'resource_providers:list',
  'resource_providers:create',
  'resource_providers:show',
  'resource_providers:update',
  'resource_providers:delete',
  'resource_classes:list',
  'resource_classes:create',
  'resource_classes:show',
  'resource_classes:update',
  'resource_classes:delete',
  'resource_providers:inventories:list',
  'resource_providers:inventories:create',
  'resource_providers:inventories:show',
  'resource_providers:inventories:update',
  'resource_providers:inventories:delete',
  'resource_providers:aggregates:list',
  'resource_providers:aggregates:update',
  'resource_providers:usages',
  'resource_providers:traits:list',
  'resource_providers:traits:update',
  'resource_providers:traits:delete',
  'traits:list',
  'traits:show',
  'traits:update',
  'traits:delete',
  'allocations:list',
  'allocations:manage',
  'allocations:update',
  'allocations:delete',
  'resource_providers:allocations:list',
  'allocation_candidates:list',
];

const inProject = (rule: string): { rule: string; scopes: ['project'] } => ({
  rule,
  scopes: ['project'],
});

/**
 * All rules are for project-scoped tokens. A token of another scope is refused before the rule is
 * evaluated.
 */
export const placementPolicy: RuleDefaults = {
  admin_api: 'role:admin',
  service_api: 'role:service',
  admin_or_service_api: 'rule:admin_api or rule:service_api',
  project_reader_api: 'role:reader and project_id:%(project_id)s',
  admin_or_project_reader_or_service_api: 'rule:admin_or_service_api or rule:project_reader_api',
  ...Object.fromEntries(
    names.map((name) => [`placement:${name}`, inProject('rule:admin_or_service_api')]),
  ),
  'placement:usages': inProject('rule:admin_or_project_reader_or_service_api'),
  'placement:reshaper:reshape': inProject('rule:service_api'),
};
