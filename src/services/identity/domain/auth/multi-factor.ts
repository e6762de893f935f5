// The rules of a user about which methods it must sign in with. Upstream: keystone/auth/core.py,
// UserMFARulesValidator.
import type { User } from '../../model.ts';
import { methodNames } from './methods.ts';

/** The supported methods of each rule of a user. */
const rulesOf = ({ options }: User): string[][] =>
  ((options['multi_factor_auth_rules'] ?? []) as readonly (readonly string[])[]).map((rule) =>
    rule.filter((method) => methodNames.includes(method)),
  );

/**
 * Whether a user may sign in with these methods: there are no rules, they are switched off, they
 * name no supported method, or one of them is met.
 */
export function meetsRules(user: User, methods: readonly string[]): boolean {
  if (user.options['multi_factor_auth_enabled'] === false) return true;
  const rules = rulesOf(user).filter((rule) => rule.length);
  return !rules.length || rules.some((rule) => rule.every((method) => methods.includes(method)));
}

/** The rules that the methods have begun to meet. */
export const rulesInProgress = (user: User, methods: readonly string[]): string[][] =>
  rulesOf(user).filter((rule) => rule.some((method) => methods.includes(method)));
