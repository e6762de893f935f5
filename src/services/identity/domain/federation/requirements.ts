// Evaluates the remote part of a rule: whether an assertion meets its conditions, and which values
// the local part of the rule may use. Upstream: RuleProcessor in keystone/federation/utils.py.
import { finder } from '../../../../kernel/bounded-text.ts';
import { badRequest } from '../../../../kernel/errors.ts';
import type { MappingRule } from '../../model.ts';

/** The values of an assertion's attributes, by the attribute. */
export type Assertion = ReadonlyMap<string, readonly string[]>;

/** One entry of the remote part. The contract lets it have one of the lists at most. */
interface Requirement {
  readonly type: string;
  readonly any_one_of?: readonly unknown[];
  readonly not_any_of?: readonly unknown[];
  readonly whitelist?: readonly unknown[];
  readonly blacklist?: readonly unknown[];
  readonly regex?: boolean;
}

const requirementsOf = ({ remote }: MappingRule): readonly Requirement[] =>
  remote as readonly Requirement[];

/** The list of a requirement; undefined if it has none. */
const conditionOf = (requirement: Requirement): readonly unknown[] | undefined =>
  requirement.any_one_of ??
  requirement.not_any_of ??
  requirement.whitelist ??
  requirement.blacklist;

const isText = (value: unknown): value is string => typeof value === 'string';

/** @throws 400 if an expression of the rules is invalid or not supported */
export function checkExpressions(rules: readonly MappingRule[]): void {
  for (const requirement of rules.flatMap(requirementsOf))
    if (requirement.regex) for (const one of conditionOf(requirement) ?? []) compiled(one);
}

function compiled(expression: unknown): (text: string) => boolean {
  try {
    if (isText(expression)) return finder(expression);
  } catch {
    // An error of the engine says less than the one below.
  }
  throw badRequest(
    `${JSON.stringify(expression)} is not a regular expression, or has look-around or ` +
      'back-references, which are not supported.',
  );
}

/** Whether a value is in the list of a requirement, or matches one of its expressions. */
function matcherOf(requirement: Requirement): (value: string) => boolean {
  const list = conditionOf(requirement) ?? [];
  if (!requirement.regex) {
    const wanted = new Set(list);
    return (value) => wanted.has(value);
  }
  const tests = list.map(compiled);
  return (value) => tests.some((matches) => matches(value));
}

/**
 * The values that a rule takes from an assertion, in the order of its requirements without
 * conditions; undefined if the rule does not apply.
 */
export function directValues(
  rule: MappingRule,
  assertion: Assertion,
): readonly (readonly string[])[] | undefined {
  const direct: (readonly string[])[] = [];
  for (const requirement of requirementsOf(rule)) {
    const values = assertion.get(requirement.type);
    if (!values) return undefined;
    const matches = matcherOf(requirement);
    if (requirement.any_one_of) {
      if (!values.some(matches)) return undefined;
    } else if (requirement.not_any_of) {
      if (values.some(matches)) return undefined;
    } else direct.push(filtered(requirement, values, matches));
  }
  return direct;
}

/** Upstream compares texts as sets, so that each value remains once, and expressions as lists. */
function filtered(
  { whitelist, blacklist, regex }: Requirement,
  values: readonly string[],
  matches: (value: string) => boolean,
): readonly string[] {
  if (blacklist) return [...new Set(values.filter((value) => !matches(value)))];
  if (!whitelist) return values;
  const kept = values.filter(matches);
  return regex ? kept : [...new Set(kept)];
}
