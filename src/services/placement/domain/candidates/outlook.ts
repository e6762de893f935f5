// The outlook of a search: whether the parts of a request that have no provider yet can still be
// served. Without it a search tries all combinations of what comes first before it learns that what
// comes last cannot be served.
import type { TreeNode } from '../../model.ts';
import type { Part } from './parts.ts';
import type { ResolvedRequest } from './resolve.ts';
import { membersOf, type Rules } from './rules.ts';
import { isAtOrAbove } from './tree.ts';

/** What a search in one tree has chosen, and by which rules. */
export interface Draft {
  readonly request: ResolvedRequest;
  readonly parts: readonly Part[];
  /** The providers of the parts before the one that is asked about. */
  readonly chosen: readonly TreeNode[];
  readonly rules: Rules;
}

/** Below so many combinations it is faster to try them. */
const few = 1000;

/**
 * Whether the parts from `next` on can still be served, as far as each rule by itself can tell;
 * false is always true.
 * @returns undefined where looking ahead is not worth while
 */
export function outlookOf(draft: Draft): ((next: number) => boolean) | undefined {
  const { request, parts, rules } = draft;
  let combinations = 1;
  for (const { choices } of parts) combinations *= choices.length;
  if (combinations <= few) return undefined;
  const looks: ((next: number) => boolean)[] = [];
  for (const [group, { suffix, requiredTraits }] of request.groups.entries())
    if (suffix === '' && requiredTraits.length)
      looks.push(traitsOutlook(draft, group, requiredTraits));
  for (const groups of request.sameSubtree)
    looks.push(subtreeOutlook(draft, membersOf(parts, groups)));
  if (!request.sameSubtree.length && rules.ahead.length && isTight(draft))
    looks.push((next) => canServe(draft, next, () => true));
  return looks.length ? (next) => looks.every((look) => look(next)) : undefined;
}

/**
 * Whether providers may run short: not where each group with a suffix has as many to choose from as
 * there are such groups.
 */
function isTight({ request, parts, rules }: Draft): boolean {
  const suffixed = parts.filter((part) => part.suffixed);
  const isolated =
    request.isolate && suffixed.some(({ choices }) => choices.length < suffixed.length);
  return isolated || rules.ahead.length > (request.isolate ? 1 : 0);
}

type May = (part: number, node: TreeNode) => boolean;

/** Whether each later part has a provider, and those of one rule have enough of them together. */
function canServe({ request, parts, rules }: Draft, next: number, may: May): boolean {
  const left: TreeNode[][] = [];
  for (let part = next; part < parts.length; part++) {
    const choices = parts[part]!.choices.filter(
      (node) => may(part, node) && rules.ahead.every((rule) => rule.allows(part, node)),
    );
    if (!choices.length) return false;
    left.push(choices);
  }
  if (request.isolate) {
    const suffixed = left.filter((_, index) => parts[next + index]!.suffixed);
    if (!canPlace(suffixed, () => 1)) return false;
  }
  return [...(rules.room?.classes ?? [])].every((classId) => {
    const asking = left.flatMap((choices, index) =>
      parts[next + index]!.resources.filter((one) => one.classId === classId).map(({ amount }) => ({
        amount,
        choices,
      })),
    );
    const room = (node: TreeNode): number => rules.room!.left(node, classId);
    return canShare(asking, room);
  });
}

/**
 * Whether amounts may fit into what providers have left: for each amount, those that are at least
 * as large take a place of that size each. It is exact where all are alike; packing different ones
 * exactly has no fast way.
 */
function canShare(
  asking: readonly { amount: number; choices: readonly TreeNode[] }[],
  room: (node: TreeNode) => number,
): boolean {
  const all = new Set(asking.flatMap(({ choices }) => choices));
  const wanted = asking.reduce((sum, { amount }) => sum + amount, 0);
  if (wanted > [...all].reduce((sum, node) => sum + room(node), 0)) return false;
  return [...new Set(asking.map(({ amount }) => amount))].every((size) =>
    canPlace(
      asking.filter(({ amount }) => amount >= size).map(({ choices }) => choices),
      (node) => Math.floor(room(node) / size),
    ),
  );
}

/**
 * Whether each can have a place at one of its providers, where a provider has so many places: a
 * matching by augmenting paths.
 */
export function canPlace(
  wanting: readonly (readonly TreeNode[])[],
  places: (node: TreeNode) => number,
): boolean {
  const placed = new Map<TreeNode, number[]>();
  const place = (one: number, tried: Set<TreeNode>): boolean => {
    const free = wanting[one]!.find((node) => (placed.get(node)?.length ?? 0) < places(node));
    if (free) {
      placed.set(free, [...(placed.get(free) ?? []), one]);
      return true;
    }
    for (const node of wanting[one]!) {
      if (tried.has(node)) continue;
      tried.add(node);
      const there = placed.get(node) ?? [];
      const moved = there.findIndex((other) => place(other, tried));
      if (moved < 0) continue;
      there[moved] = one;
      return true;
    }
    return false;
  };
  return wanting.every((_, one) => place(one, new Set()));
}

/**
 * A set of `same_subtree`: some provider may still be all the others, or above them, with enough
 * below it for what is left.
 */
function subtreeOutlook(draft: Draft, members: readonly number[]): (next: number) => boolean {
  const { parts, chosen } = draft;
  const tops = new Set(members.flatMap((member) => parts[member]!.choices));
  return (next) => {
    const earlier = members.filter((member) => member < next).map((member) => chosen[member]!);
    const later = members.filter((member) => member >= next);
    const inSet = new Set(later);
    return [...tops].some(
      (top) =>
        earlier.every((node) => isAtOrAbove(top, node)) &&
        (earlier.includes(top) || later.some((member) => parts[member]!.choices.includes(top))) &&
        canServe(draft, next, (part, node) => !inSet.has(part) || isAtOrAbove(top, node)),
    );
  };
}

/**
 * The traits that providers have together: the later ones can have those that the earlier ones
 * lack. Exact for up to thirty sets.
 */
function traitsOutlook(
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
  const canHave = (at: number, missing: number): boolean => {
    if (!missing) return true;
    if (at >= members.length) return false;
    const key = `${at}:${missing}`;
    const found =
      known.get(key) ?? masks[members[at]!]!.some((mask) => canHave(at + 1, missing & ~mask));
    known.set(key, found);
    return found;
  };
  return (next) => {
    const at = members.findIndex((member) => member >= next);
    let missing = 2 ** sets.length - 1;
    for (const member of members) if (member < next) missing &= ~maskOf(chosen[member]!);
    return canHave(at < 0 ? members.length : at, missing);
  };
}
