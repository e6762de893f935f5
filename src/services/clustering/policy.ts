// The rules of Clustering: nearly everything is for anyone with a token.
import type { RuleDefaults } from '../../kernel/oslo/policy.ts';

const open = [
  'build_info:build_info', 'webhooks:trigger',
  'profile_types:index', 'profile_types:get', 'profile_types:ops', 'policy_types:index', 'policy_types:get',
  'profiles:index', 'profiles:create', 'profiles:get', 'profiles:update', 'profiles:delete', 'profiles:validate',
  'policies:index', 'policies:create', 'policies:get', 'policies:update', 'policies:delete', 'policies:validate',
  'clusters:index', 'clusters:create', 'clusters:get', 'clusters:update', 'clusters:delete', 'clusters:action', 'clusters:collect', 'clusters:operation',
  'cluster_policies:index', 'cluster_policies:get',
  'nodes:index', 'nodes:create', 'nodes:adopt', 'nodes:adopt_preview', 'nodes:get', 'nodes:update', 'nodes:action', 'nodes:delete', 'nodes:operation',
  'actions:index', 'actions:get', 'actions:update', 'events:index', 'events:get',
  'receivers:index', 'receivers:create', 'receivers:get', 'receivers:update', 'receivers:delete', 'receivers:notify',
] as const; // prettier-ignore

/** Upstream: senlin/common/policies. `actions:create` has no rule there, so nobody may. */
export const clusteringPolicy: RuleDefaults = {
  context_is_admin: 'role:admin',
  ...Object.fromEntries(open.map((rule) => [rule, ''])),
  'actions:create': '!',
  'services:index': 'role:admin',
};
