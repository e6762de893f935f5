// The policy rules of Tricircle. By default, all of upstream's require the role admin. Upstream:
// tricircle/common/policy.py.
import type { RuleDefaults } from '../../kernel/oslo/policy.ts';

/** The message for a request that a rule for administrators denies, by the name of the rule. */
const adminMessages: Readonly<Record<string, string>> = {
  'admin_api:pods:create': 'Unauthorized to create pods',
  'admin_api:pods:delete': 'Unauthorized to delete pods',
  'admin_api:pods:show': 'Unauthorized to show pods',
  'admin_api:pods:list': 'Unauthorized to list pods',
  'admin_api:pods:update': 'Unauthorized to update pods',
  'admin_api:bindings:create': 'Unauthorized to create bindings',
  'admin_api:bindings:delete': 'Unauthorized to delete bindings',
  'admin_api:bindings:show': 'Unauthorized to show bindings',
  'admin_api:bindings:list': 'Unauthorized to list bindings',
  'admin_api:routings:create': 'Unauthorized to create resource routing',
  'admin_api:routings:delete': 'Unauthorized to delete the resource routing',
  'admin_api:routings:put': 'Unauthorized to update resource routing',
  'admin_api:routings:show': 'Unauthorized to show the resource routing',
  'admin_api:routings:list': 'Unauthorized to show all resource routings',
  'admin_api:jobs:create': 'Unauthorized to create a job',
  'admin_api:jobs:list': 'Unauthorized to show all jobs',
  'admin_api:jobs:schema_list': 'Unauthorized to show job information',
  'admin_api:jobs:redo': 'Unauthorized to redo a job',
  'admin_api:jobs:delete': 'Unauthorized to delete a job',
  'admin_api:migrations:create': 'Unauthorized to create a migration',
  'admin_api:migrations:cancel': 'Unauthorized to cancel a migration',
  'admin_api:migrations:show': 'Unauthorized to show a migration',
  'admin_api:migrations:list': 'Unauthorized to list migrations',
  'admin_api:affinity_tag:create': 'Unauthorized to pod affinity tag',
  'admin_api:affinity_tag:delete': 'Unauthorized to delete pod affinity tag',
  'admin_api:affinity_tag:show': 'Unauthorized to show pod affinity tag',
  'admin_api:affinity_tag:list': 'Unauthorized to list pod affinity tag',
  'admin_api:usages:create': 'Unauthorized to collect usages',
  'admin_api:usages:show': 'Unauthorized to show usages',
  'admin_api:usages:list': 'Unauthorized to list usages',
};

/** The message for a request that any rule denies, by the name of the rule. */
export const deniedMessages: Readonly<Record<string, string>> = {
  ...adminMessages,
  'volume_placement:show': 'Unauthorized to show the volume placement',
  'volume_placement:update': 'Unauthorized to update the volume placement',
};

export const tricirclePolicy: RuleDefaults = {
  context_is_admin: 'role:admin',
  admin_api: 'is_admin:True or role:admin',
  ...Object.fromEntries(Object.keys(adminMessages).map((name) => [name, 'rule:admin_api'])),
  // Every project decides on its own volumes.
  'volume_placement:show': 'rule:admin_api or role:reader',
  'volume_placement:update': 'rule:admin_api or role:member',
};
