// Divides a request into parts that one provider serves, and finds the providers of a tree, or
// sharing with it, that can serve each part.
import type { ProviderTree, TreeNode } from '../../model.ts';
import type { RequestedResource, ResolvedGroup, ResolvedRequest } from './resolve.ts';
import { fits } from './tree.ts';

/**
 * A part of a request that one provider serves: a group with a suffix, or one class of the group
 * without a suffix.
 */
export interface Part {
  /** The index of its group in the request. */
  readonly group: number;
  readonly suffixed: boolean;
  /** Empty for a group without resources. */
  readonly resources: readonly RequestedResource[];
  /** The providers that can serve it, regardless of other parts. */
  readonly choices: readonly TreeNode[];
}

/**
 * Lists the parts of a request in the order of its groups and of their classes.
 * @param sharing the providers outside of the tree that share with one of its providers
 * @returns undefined if no provider can serve one of the parts
 */
export function partsOf(
  request: ResolvedRequest,
  tree: ProviderTree,
  sharing: readonly TreeNode[],
): Part[] | undefined {
  const parts: Part[] = [];
  for (const [index, group] of request.groups.entries()) {
    const own =
      group.suffix === ''
        ? partsOfUnsuffixed(group, index, tree, sharing)
        : [suffixedPart(group, index, tree, sharing)];
    if (own.some(({ choices }) => !choices.length)) return undefined;
    parts.push(...own);
  }
  return parts;
}

/** Whether some of the ids are among the others. */
export const hasAny = (some: readonly number[], ids: readonly number[]): boolean =>
  some.some((id) => ids.includes(id));
/** Whether the ids include at least one of each set. */
export const hasOneOfEach = (
  sets: readonly (readonly number[])[],
  ids: readonly number[],
): boolean => sets.every((any) => hasAny(any, ids));

/**
 * Makes the part of a group with a suffix, which one provider serves completely. The provider's own
 * traits and aggregates count, but not those of its root.
 */
function suffixedPart(
  group: ResolvedGroup,
  index: number,
  tree: ProviderTree,
  sharing: readonly TreeNode[],
): Part {
  const choices = tree.nodes.filter((node) => serves(group, node));
  for (const node of sharing) if (serves(group, node)) choices.push(node);
  return { group: index, suffixed: true, resources: group.resources, choices };
}

/** Whether a provider can serve a whole group by itself. */
export function serves(group: ResolvedGroup, node: TreeNode): boolean {
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
 * Makes the parts of the group without a suffix. Each class may come from a different provider, in
 * the tree or sharing with it. The root's aggregates, required or forbidden, count for its whole
 * tree.
 */
function partsOfUnsuffixed(
  group: ResolvedGroup,
  index: number,
  tree: ProviderTree,
  sharing: readonly TreeNode[],
): Part[] {
  const nodes = nodesForUnsuffixed(group, tree, sharing);
  return group.resources.map((resource) => ({
    group: index,
    suffixed: false,
    resources: [resource],
    choices: nodes.filter((node) => fits(node, resource.classId, resource.amount)),
  }));
}

function nodesForUnsuffixed(
  group: ResolvedGroup,
  tree: ProviderTree,
  allSharing: readonly TreeNode[],
): readonly TreeNode[] {
  if (group.treeRoot !== undefined && group.treeRoot !== tree.root.id) return [];
  const sharing =
    group.treeRoot === undefined
      ? allSharing.filter((node) => hasOneOfEach(group.memberOf, node.aggregates))
      : [];
  const ofRoot = tree.root.aggregates;
  if (hasAny(group.notMemberOf, ofRoot)) return [];
  return [...tree.nodes, ...sharing].filter(
    (node) =>
      (hasOneOfEach(group.memberOf, node.aggregates) || hasOneOfEach(group.memberOf, ofRoot)) &&
      !hasAny(group.notMemberOf, node.aggregates) &&
      !hasAny(group.forbiddenTraits, node.traits),
  );
}
