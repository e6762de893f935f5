// The rules of Tricircle: everything is for administrators. Upstream: tricircle/common/policy.py.
import type { RuleDefaults } from '../../kernel/oslo/policy.ts';

const operations: Readonly<Record<string, readonly string[]>> = {
  pods: ['create', 'delete', 'show', 'list', 'update'],
  bindings: ['create', 'delete', 'show', 'list'],
  routings: ['create', 'delete', 'put', 'show', 'list'],
  jobs: ['create', 'list', 'schema_list', 'redo', 'delete'],
  affinity_tag: ['create', 'delete', 'show', 'list'],
  usages: ['create', 'show', 'list'],
};

const names = Object.entries(operations).flatMap(([noun, verbs]) =>
  verbs.map((verb) => `admin_api:${noun}:${verb}`),
);

export const tricirclePolicy: RuleDefaults = {
  context_is_admin: 'role:admin',
  admin_api: 'is_admin:True or role:admin',
  ...Object.fromEntries(names.map((name) => [name, 'rule:admin_api'])),
};
