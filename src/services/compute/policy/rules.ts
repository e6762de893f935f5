// Common defaults of policy rules, and a helper for several rules of a resource with the same
// default.
import type { RuleDefault, RuleDefaults } from '../../../kernel/oslo/policy.ts';

export const admin = 'rule:context_is_admin';
export const manager = 'rule:project_manager_or_admin';
export const member = 'rule:project_member_or_admin';
export const reader = 'rule:project_reader_or_admin';

/** A rule for tokens with a project. */
export const inProject = (rule: string): RuleDefault => ({ rule, scopes: ['project'] });

/** Several rules of one resource with the same default; an empty verb is the resource's own. */
export const rules = (noun: string, verbs: readonly string[], rule: string): RuleDefaults =>
  Object.fromEntries(
    verbs.map((verb) => [`os_compute_api:${noun}${verb ? `:${verb}` : ''}`, inProject(rule)]),
  );
