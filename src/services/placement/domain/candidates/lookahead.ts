// Lookahead of a search: whether the parts of a request that have no provider yet can still be
// served. Without it, a search would try all combinations for the first parts before it finds that
// the last part cannot be served.
import type { TreeNode } from '../../model.ts';
import type { Part } from './parts.ts';
import type { ResolvedRequest } from './resolve.ts';
import { membersOf, type Rules } from './rules.ts';
import { isSameOrAncestor } from './tree.ts';

/** A partial candidate: the providers that a search has chosen so far, and its rules. */
export interface Draft {
  readonly request: ResolvedRequest;
  readonly parts: readonly Part[];
  /** The providers of the parts before `next`. */
  readonly chosen: readonly TreeNode[];
  readonly rules: Rules;
}

/** Up to this number of combinations, trying all of them is faster. */
const maxWithoutLookahead = 1000;

/**
 * Returns a function that checks whether the parts from `next` on can still be served. It checks
 * each rule by itself, so true can be wrong, but false is always right.
 * @returns undefined if looking ahead is not worthwhile
 */
export function lookaheadOf(draft: Draft): ((next: number) => boolean) | undefined {
  const { request, parts, rules } = draft;
  let combinations = 1;
  for (const { choices } of parts) combinations *= choices.length;
  if (combinations <= maxWithoutLookahead) return undefined;
  const checks: ((next: number) => boolean)[] = [];
  for (const [group, { suffix, requiredTraits }] of request.groups.entries())
    if (suffix === '' && requiredTraits.length)
      checks.push(canHaveTraits(draft, group, requiredTraits));
  for (const groups of request.sameSubtree)
    checks.push(canShareSubtree(draft, membersOf(parts, groups)));
  if (!request.sameSubtree.length && rules.ahead.length && isTight(draft))
    checks.push((next) => canServe(draft, next, () => true));
  return checks.length ? (next) => checks.every((check) => check(next)) : undefined;
}

/**
 * Whether there may be too few providers. There are enough if each group with a suffix can choose
 * among at least as many providers as there are such groups.
 */
function isTight({ request, parts, rules }: Draft): boolean {
  const suffixed = parts.filter((part) => part.suffixed);
  const isolated =
    request.isolate && suffixed.some(({ choices }) => choices.length < suffixed.length);
  return isolated || rules.ahead.length > (request.isolate ? 1 : 0);
}

type IsAllowed = (part: number, node: TreeNode) => boolean;

/** Whether each later part has a provider, and the parts of each rule have enough providers. */
function canServe({ request, parts, rules }: Draft, next: number, isAllowed: IsAllowed): boolean {
  const remaining: TreeNode[][] = [];
  for (let part = next; part < parts.length; part++) {
    const choices = parts[part]!.choices.filter(
      (node) => isAllowed(part, node) && rules.ahead.every((rule) => rule.allows(part, node)),
    );
    if (!choices.length) return false;
    remaining.push(choices);
  }
  if (request.isolate) {
    const suffixed = remaining.filter((_, index) => parts[next + index]!.suffixed);
    if (!canAssign(suffixed, () => 1)) return false;
  }
  return [...(rules.shared?.classes ?? [])].every((classId) => {
    const requests = remaining.flatMap((choices, index) =>
      parts[next + index]!.resources.filter((resource) => resource.classId === classId).map(
        ({ amount }) => ({
          amount,
          choices,
        }),
      ),
    );
    const available = (node: TreeNode): number => rules.shared!.available(node, classId);
    return canShare(requests, available);
  });
}

/**
 * Whether amounts may fit into the available amounts of providers. For each amount, it treats all
 * amounts that are at least as large as being of that size. The result is exact if all amounts are
 * equal; in general this is bin packing, for which no fast exact algorithm is known.
 */
function canShare(
  requests: readonly { amount: number; choices: readonly TreeNode[] }[],
  available: (node: TreeNode) => number,
): boolean {
  const all = new Set(requests.flatMap(({ choices }) => choices));
  const total = requests.reduce((sum, { amount }) => sum + amount, 0);
  if (total > [...all].reduce((sum, node) => sum + available(node), 0)) return false;
  return [...new Set(requests.map(({ amount }) => amount))].every((size) =>
    canAssign(
      requests.filter(({ amount }) => amount >= size).map(({ choices }) => choices),
      (node) => Math.floor(available(node) / size),
    ),
  );
}

/**
 * Whether each part can be assigned to one of its providers, if each provider has a limited number
 * of slots. This is a bipartite matching by augmenting paths.
 */
export function canAssign(
  choices: readonly (readonly TreeNode[])[],
  slots: (node: TreeNode) => number,
): boolean {
  const assigned = new Map<TreeNode, number[]>();
  const assign = (part: number, tried: Set<TreeNode>): boolean => {
    const free = choices[part]!.find((node) => (assigned.get(node)?.length ?? 0) < slots(node));
    if (free) {
      assigned.set(free, [...(assigned.get(free) ?? []), part]);
      return true;
    }
    for (const node of choices[part]!) {
      if (tried.has(node)) continue;
      tried.add(node);
      const others = assigned.get(node) ?? [];
      const moved = others.findIndex((other) => assign(other, tried));
      if (moved < 0) continue;
      others[moved] = part;
      return true;
    }
    return false;
  };
  return choices.every((_, part) => assign(part, new Set()));
}

/**
 * Checks a set of `same_subtree`: some provider can still be the top of the subtree of all others,
 * with enough providers in that subtree for the later parts.
 */
function canShareSubtree(draft: Draft, members: readonly number[]): (next: number) => boolean {
  const { parts, chosen } = draft;
  const tops = new Set(members.flatMap((member) => parts[member]!.choices));
  return (next) => {
    const earlier = members.filter((member) => member < next).map((member) => chosen[member]!);
    const later = members.filter((member) => member >= next);
    const inSet = new Set(later);
    return [...tops].some(
      (top) =>
        earlier.every((node) => isSameOrAncestor(top, node)) &&
        (earlier.includes(top) || later.some((member) => parts[member]!.choices.includes(top))) &&
        canServe(draft, next, (part, node) => !inSet.has(part) || isSameOrAncestor(top, node)),
    );
  };
}

/**
 * Checks the traits that the providers of a group must have collectively: later providers can have
 * those that the earlier ones lack. The check is exact for up to thirty sets.
 */
function canHaveTraits(
  { parts, chosen }: Draft,
  group: number,
  required: readonly (readonly number[])[],
): (next: number) => boolean {
  const members = membersOf(parts, [group]);
  const sets = required.slice(0, 30);
  const maskOf = (node: TreeNode): number =>
    sets.reduce(
      (mask, any, bit) => (any.some((id) => node.traits.includes(id)) ? mask | (1 << bit) : mask),
      0,
    );
  const masks = parts.map(({ choices }, part) =>
    members.includes(part) ? [...new Set(choices.map(maskOf))] : [],
  );
  const known = new Map<string, boolean>();
  const canComplete = (at: number, missing: number): boolean => {
    if (!missing) return true;
    if (at >= members.length) return false;
    const key = `${at}:${missing}`;
    const found =
      known.get(key) ?? masks[members[at]!]!.some((mask) => canComplete(at + 1, missing & ~mask));
    known.set(key, found);
    return found;
  };
  return (next) => {
    const at = members.findIndex((member) => member >= next);
    let missing = 2 ** sets.length - 1;
    for (const member of members) if (member < next) missing &= ~maskOf(chosen[member]!);
    return canComplete(at < 0 ? members.length : at, missing);
  };
}
