// The search in one tree: which of its providers, and of the providers that share with it, can serve a request.
import { capacityOf } from '../inventories.ts';
import type { ProviderTree, TreeNode } from '../records.ts';
import type { ResolvedGroup, ResolvedRequest } from './resolve.ts';
import { fits, inventoryOf, isAtOrAbove } from './tree.ts';

/** An amount of a resource class that a candidate would allocate from a provider. */
export interface AllocatedResource {
  readonly node: TreeNode;
  readonly classId: number;
  amount: number;
}

/** A candidate: one way to serve the whole request. Upstream: placement/objects/allocation_candidate.py AllocationRequest. */
export interface AllocationRequest {
  readonly resources: readonly AllocatedResource[];
  /** The providers of each group, in the order of the request's groups. */
  readonly mappings: readonly (readonly TreeNode[])[];
}

/** One way to serve one group. */
interface Solution {
  readonly resources: readonly AllocatedResource[];
  readonly nodes: readonly TreeNode[];
}

/**
 * Finds every candidate of the tree.
 * @param sharing the providers outside of the tree that share with a member of it
 * @param emit is called with each candidate; it returns false to end the search
 * @returns false where `emit` ended the search
 */
export function matchTree(
  request: ResolvedRequest,
  tree: ProviderTree,
  sharing: readonly TreeNode[],
  emit: (candidate: AllocationRequest) => boolean,
): boolean {
  if (!request.rootRequired.every((trait) => tree.root.traits.includes(trait))) return true;
  if (request.rootForbidden.some((trait) => tree.root.traits.includes(trait))) return true;
  const choices: Solution[][] = [];
  for (const group of request.groups) {
    const solutions = group.suffix === '' ? solveUnsuffixed(group, tree, sharing) : solveSuffixed(group, tree, sharing);
    if (!solutions.length) return true;
    choices.push(solutions);
  }
  return combine(request, choices, emit);
}

const hasOneOfEach = (sets: readonly (readonly number[])[], ids: readonly number[]): boolean =>
  sets.every((any) => any.some((id) => ids.includes(id)));
const hasAny = (some: readonly number[], ids: readonly number[]): boolean => some.some((id) => ids.includes(id));

/** A group with a suffix: one provider serves all of it. Its own traits and aggregates count, and not those of its root. */
function solveSuffixed(group: ResolvedGroup, tree: ProviderTree, sharing: readonly TreeNode[]): Solution[] {
  const solutions: Solution[] = [];
  const consider = (node: TreeNode): void => {
    if (serves(group, node))
      solutions.push({ resources: group.resources.map(({ classId, amount }) => ({ node, classId, amount })), nodes: [node] });
  };
  tree.nodes.forEach(consider);
  sharing.forEach(consider);
  return solutions;
}

function serves(group: ResolvedGroup, node: TreeNode): boolean {
  return (
    (group.treeRoot === undefined || node.rootId === group.treeRoot) &&
    group.resources.every(({ classId, amount }) => fits(node, classId, amount)) &&
    hasOneOfEach(group.requiredTraits, node.traits) &&
    !hasAny(group.forbiddenTraits, node.traits) &&
    hasOneOfEach(group.memberOf, node.aggregates) &&
    !hasAny(group.notMemberOf, node.aggregates)
  );
}

/**
 * The group without a suffix: each class may come from another provider, in the tree or sharing with it. The providers together must
 * have the required traits. The root's aggregates count for its whole tree, required ones as well as forbidden ones.
 */
function solveUnsuffixed(group: ResolvedGroup, tree: ProviderTree, allSharing: readonly TreeNode[]): Solution[] {
  if (group.treeRoot !== undefined && group.treeRoot !== tree.root.id) return [];
  const sharing = group.treeRoot === undefined ? allSharing.filter((node) => hasOneOfEach(group.memberOf, node.aggregates)) : [];
  const ofRoot = tree.root.aggregates;
  const allowed = (node: TreeNode): boolean =>
    (hasOneOfEach(group.memberOf, node.aggregates) || hasOneOfEach(group.memberOf, ofRoot)) &&
    !hasAny(group.notMemberOf, node.aggregates) &&
    !hasAny(group.notMemberOf, ofRoot) &&
    !hasAny(group.forbiddenTraits, node.traits);
  const choices = group.resources.map(({ classId, amount }) =>
    [...tree.nodes, ...sharing].filter((node) => fits(node, classId, amount) && allowed(node)),
  );
  if (choices.some((nodes) => !nodes.length)) return [];
  const solutions: Solution[] = [];
  const pick = (at: number, chosen: TreeNode[]): void => {
    if (at < choices.length) for (const node of choices[at]!) pick(at + 1, [...chosen, node]);
    else if (group.requiredTraits.every((any) => chosen.some((node) => hasAny(any, node.traits)))) {
      solutions.push({
        resources: chosen.map((node, index) => ({ node, ...group.resources[index]! })),
        nodes: [...new Set(chosen)],
      });
    }
  };
  pick(0, []);
  return solutions;
}

/** A combination of solutions for the first groups of a request. */
interface Draft {
  readonly resources: AllocatedResource[];
  readonly mappings: (readonly TreeNode[])[];
}

/** Combines a solution for each group. A combination that breaks a rule is left at once. */
function combine(
  request: ResolvedRequest,
  choices: readonly (readonly Solution[])[],
  emit: (candidate: AllocationRequest) => boolean,
): boolean {
  const extend = ({ resources, mappings }: Draft): boolean => {
    const at = mappings.length;
    if (at === choices.length) return emit({ resources, mappings });
    for (const solution of choices[at]!) {
      if (request.isolate && !isIsolated(request, mappings, at, solution)) continue;
      const next: Draft = { resources: addResources(resources, solution.resources), mappings: [...mappings, solution.nodes] };
      if (at > 0 && !solution.resources.every(({ node, classId }) => fitsTogether(next.resources, node, classId))) continue;
      if (
        !request.sameSubtree.every(
          (indexes) => Math.max(...indexes) !== at || inOneSubtree(indexes.map((index) => next.mappings[index]![0]!)),
        )
      )
        continue;
      if (!extend(next)) return false;
    }
    return true;
  };
  return extend({ resources: [], mappings: [] });
}

/** Whether the provider of a group with a suffix serves no other group with a suffix. */
function isIsolated(
  request: ResolvedRequest,
  mappings: readonly (readonly TreeNode[])[],
  at: number,
  { nodes }: Solution,
): boolean {
  return (
    request.groups[at]!.suffix === '' ||
    !mappings.some((others, index) => request.groups[index]!.suffix !== '' && others[0] === nodes[0])
  );
}

/** The resources of both lists; amounts of the same class and provider are added. */
function addResources(resources: readonly AllocatedResource[], more: readonly AllocatedResource[]): AllocatedResource[] {
  const sum = [...resources];
  for (const resource of more) {
    const at = sum.findIndex(({ node, classId }) => node === resource.node && classId === resource.classId);
    if (at < 0) sum.push(resource);
    else sum[at] = { ...resource, amount: sum[at]!.amount + resource.amount };
  }
  return sum;
}

/** Whether a provider can allocate what several groups together request of a class. `min_unit` and `step_size` were checked for each group. */
function fitsTogether(resources: readonly AllocatedResource[], node: TreeNode, classId: number): boolean {
  const resource = resources.find((one) => one.node === node && one.classId === classId)!;
  const inventory = inventoryOf(node, classId)!;
  return resource.amount <= inventory.max_unit && inventory.used + resource.amount <= Math.trunc(capacityOf(inventory));
}

const inOneSubtree = (nodes: readonly TreeNode[]): boolean =>
  nodes.some((upper) => nodes.every((lower) => isAtOrAbove(upper, lower)));
