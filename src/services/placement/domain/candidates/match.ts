// The search in one tree: which of its providers, and of those that share with it, serve a request.
import { capacityOf, fits, isAtOrAbove, stockOf, type Node, type Tree } from './forest.ts';
import type { Group, Plan } from './plan.ts';

/** So much of a class, from a provider. */
export interface Part {
  readonly node: Node;
  readonly classId: number;
  amount: number;
}

/** A way to serve the whole request. */
export interface Candidate {
  readonly parts: readonly Part[];
  /** The providers of each group, in the plan's order. */
  readonly serving: readonly (readonly Node[])[];
}

/** A way to serve one group. */
interface Solution {
  readonly parts: readonly Part[];
  readonly nodes: readonly Node[];
}

/**
 * Finds every candidate that is anchored at the tree. `sharers` are the providers outside of the tree that share with a member of it.
 * @param emit is given each candidate; false ends the search
 * @returns false where `emit` ended it
 */
export function matchTree(plan: Plan, tree: Tree, sharers: readonly Node[], emit: (candidate: Candidate) => boolean): boolean {
  if (!plan.rootRequired.every((trait) => tree.root.traits.includes(trait))) return true;
  if (plan.rootForbidden.some((trait) => tree.root.traits.includes(trait))) return true;
  const choices: Solution[][] = [];
  for (const group of plan.groups) {
    const solutions = group.suffix === '' ? pooled(group, tree, sharers) : single(group, tree, sharers);
    if (!solutions.length) return true;
    choices.push(solutions);
  }
  return combine(plan, choices, emit);
}

const hitsAll = (sets: readonly (readonly number[])[], held: readonly number[]): boolean =>
  sets.every((any) => any.some((id) => held.includes(id)));
const hitsAny = (ids: readonly number[], held: readonly number[]): boolean => ids.some((id) => held.includes(id));

/** A group with a suffix: one provider does it all, by its own traits and aggregates. A tree's aggregates do not count for its members. */
function single(group: Group, tree: Tree, sharers: readonly Node[]): Solution[] {
  const solutions: Solution[] = [];
  const consider = (node: Node): void => {
    if (serves(group, node))
      solutions.push({ parts: group.demands.map(({ classId, amount }) => ({ node, classId, amount })), nodes: [node] });
  };
  tree.nodes.forEach(consider);
  sharers.forEach(consider);
  return solutions;
}

function serves(group: Group, node: Node): boolean {
  return (
    (group.inTree === undefined || node.rootId === group.inTree) &&
    group.demands.every(({ classId, amount }) => fits(node, classId, amount)) &&
    hitsAll(group.required, node.traits) &&
    !hitsAny(group.forbidden, node.traits) &&
    hitsAll(group.memberOf, node.aggregates) &&
    !hitsAny(group.notMemberOf, node.aggregates)
  );
}

/**
 * The group without a suffix: each class may come from another provider, of the tree or sharing with it. Required traits are met by
 * all who contribute together; the root's aggregates count for its whole tree, required as well as forbidden ones.
 */
function pooled(group: Group, tree: Tree, sharers: readonly Node[]): Solution[] {
  if (group.inTree !== undefined && group.inTree !== tree.root.id) return [];
  const sharing = group.inTree === undefined ? sharers.filter((node) => hitsAll(group.memberOf, node.aggregates)) : [];
  const held = tree.root.aggregates;
  const allowed = (node: Node): boolean =>
    (hitsAll(group.memberOf, node.aggregates) || hitsAll(group.memberOf, held)) &&
    !hitsAny(group.notMemberOf, node.aggregates) &&
    !hitsAny(group.notMemberOf, held) &&
    !hitsAny(group.forbidden, node.traits);
  const choices = group.demands.map(({ classId, amount }) =>
    [...tree.nodes, ...sharing].filter((node) => fits(node, classId, amount) && allowed(node)),
  );
  if (choices.some((nodes) => !nodes.length)) return [];
  const solutions: Solution[] = [];
  const pick = (at: number, chosen: Node[]): void => {
    if (at < choices.length) for (const node of choices[at]!) pick(at + 1, [...chosen, node]);
    else if (group.required.every((any) => chosen.some((node) => hitsAny(any, node.traits)))) {
      solutions.push({ parts: chosen.map((node, index) => ({ node, ...group.demands[index]! })), nodes: [...new Set(chosen)] });
    }
  };
  pick(0, []);
  return solutions;
}

/** The state of a combination that is being put together, one group after the other. */
interface Draft {
  readonly parts: Part[];
  readonly serving: (readonly Node[])[];
}

/** Takes a solution for each group, and lets go of a combination as soon as it cannot hold. */
function combine(plan: Plan, choices: readonly (readonly Solution[])[], emit: (candidate: Candidate) => boolean): boolean {
  const extend = ({ parts, serving }: Draft): boolean => {
    const at = serving.length;
    if (at === choices.length) return emit({ parts, serving });
    for (const solution of choices[at]!) {
      if (plan.isolate && !isolated(plan, serving, at, solution)) continue;
      const next: Draft = { parts: added(parts, solution.parts), serving: [...serving, solution.nodes] };
      if (at > 0 && !solution.parts.every(({ node, classId }) => holds(next.parts, node, classId))) continue;
      if (
        !plan.subtrees.every(
          (indexes) => Math.max(...indexes) !== at || inOneSubtree(indexes.map((index) => next.serving[index]![0]!)),
        )
      )
        continue;
      if (!extend(next)) return false;
    }
    return true;
  };
  return extend({ parts: [], serving: [] });
}

/** Whether the provider of a group with a suffix serves no other such group. */
function isolated(plan: Plan, serving: readonly (readonly Node[])[], at: number, { nodes }: Solution): boolean {
  return (
    plan.groups[at]!.suffix === '' ||
    !serving.some((others, index) => plan.groups[index]!.suffix !== '' && others[0] === nodes[0])
  );
}

/** Sums the amounts of a class from the same provider. */
function added(parts: readonly Part[], more: readonly Part[]): Part[] {
  const sum = [...parts];
  for (const part of more) {
    const at = sum.findIndex(({ node, classId }) => node === part.node && classId === part.classId);
    if (at < 0) sum.push(part);
    else sum[at] = { ...part, amount: sum[at]!.amount + part.amount };
  }
  return sum;
}

/** Whether a provider gives what several groups together want of a class. Steps and least units held for each of them. */
function holds(parts: readonly Part[], node: Node, classId: number): boolean {
  const part = parts.find((one) => one.node === node && one.classId === classId)!;
  const stock = stockOf(node, classId)!;
  return part.amount <= stock.maxUnit && stock.used + part.amount <= Math.trunc(capacityOf(stock));
}

const inOneSubtree = (nodes: readonly Node[]): boolean =>
  nodes.some((upper) => nodes.every((lower) => isAtOrAbove(upper, lower)));
