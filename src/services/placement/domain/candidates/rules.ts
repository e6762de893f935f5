// The rules that apply to several parts of a request: group policy, subtrees, shared inventories,
// one provider per tree, and collective traits.
import { capacityOf } from '../../store/inventories.ts';
import type { ClassInventory, TreeNode } from '../../model.ts';
import { hasOneOfEach, type Part } from './parts.ts';
import type { ResolvedRequest } from './resolve.ts';
import { inventoryOf, isSameOrAncestor } from './tree.ts';

/** A rule that limits the providers of each part. It keeps the chosen providers as its state. */
export interface Rule {
  /** Whether the provider can serve the part, given the providers of the earlier parts. */
  allows(part: number, node: TreeNode): boolean;
  choose(part: number, node: TreeNode): void;
  release(part: number, node: TreeNode): void;
}

/** The rules of a request in one tree. */
export interface Rules {
  readonly all: readonly Rule[];
  /** The rules that can check any later part, regardless of the parts between. */
  readonly ahead: readonly Rule[];
  /** The inventories that several parts may share; undefined if every inventory is large enough. */
  readonly shared: SharedInventories | undefined;
}

/** Makes the rules of a request. @param chosen the providers so far, which the caller updates */
export function rulesFor(
  request: ResolvedRequest,
  parts: readonly Part[],
  chosen: readonly TreeNode[],
  nested: boolean,
): Rules {
  const shared = sharedInventories(parts);
  const ahead = [
    ...(request.isolate && parts.filter(({ suffixed }) => suffixed).length > 1
      ? [isolation(parts)]
      : []),
    ...(shared ? [sharedAmounts(parts, shared)] : []),
    ...(nested || parts.length < 2 ? [] : [onePerTree(parts)]),
  ];
  const final = [
    ...request.sameSubtree.map((groups) => subtree(parts, groups, chosen)),
    ...request.groups.flatMap(({ suffix, requiredTraits }, group) =>
      suffix === '' && requiredTraits.length
        ? [collectiveTraits(parts, group, requiredTraits, chosen)]
        : [],
    ),
  ];
  return { all: [...ahead, ...final], ahead, shared };
}

/** `group_policy=isolate`: each group with a suffix has its own provider. */
function isolation(parts: readonly Part[]): Rule {
  const used = new Set<TreeNode>();
  return {
    allows: (part, node) => !parts[part]!.suffixed || !used.has(node),
    choose: (part, node) => void (parts[part]!.suffixed && used.add(node)),
    release: (part, node) => void (parts[part]!.suffixed && used.delete(node)),
  };
}

/** The amounts that a candidate takes from inventories that several parts may share. */
export interface SharedInventories {
  /** The classes that several parts request. */
  readonly classes: ReadonlySet<number>;
  /** Returns the amount that is available to further parts. */
  available(node: TreeNode, classId: number): number;
  take(node: TreeNode, classId: number, amount: number): void;
}

function sharedInventories(parts: readonly Part[]): SharedInventories | undefined {
  const totals = new Map<number, { amount: number; parts: number }>();
  for (const { classId, amount } of parts.flatMap(({ resources }) => resources)) {
    const total = totals.get(classId) ?? { amount: 0, parts: 0 };
    totals.set(classId, { amount: total.amount + amount, parts: total.parts + 1 });
  }
  const classes = new Set<number>();
  for (const [classId, total] of totals)
    if (total.parts > 1 && canExceed(parts, classId, total.amount)) classes.add(classId);
  if (!classes.size) return undefined;
  const taken = new Map<ClassInventory, number>();
  return {
    classes,
    available: (node, classId) => {
      const inventory = inventoryOf(node, classId)!;
      return availableOf(inventory) - (taken.get(inventory) ?? 0);
    },
    take: (node, classId, amount) => {
      const inventory = inventoryOf(node, classId)!;
      taken.set(inventory, (taken.get(inventory) ?? 0) + amount);
    },
  };
}

/**
 * The amount of an inventory that is available to one consumer. `min_unit` and `step_size` apply to
 * each part, but not to their sum.
 */
const availableOf = (inventory: ClassInventory): number =>
  Math.min(inventory.max_unit, Math.trunc(capacityOf(inventory)) - inventory.used);

/** Whether some provider could not serve all parts with this class at once. */
const canExceed = (parts: readonly Part[], classId: number, total: number): boolean =>
  parts.some(
    ({ resources, choices }) =>
      resources.some((resource) => resource.classId === classId) &&
      choices.some((node) => availableOf(inventoryOf(node, classId)!) < total),
  );

/** The parts that share an inventory must not exceed it in total. */
function sharedAmounts(parts: readonly Part[], inventories: SharedInventories): Rule {
  const shared = parts.map(({ resources }) =>
    resources.filter(({ classId }) => inventories.classes.has(classId)),
  );
  return {
    allows: (part, node) =>
      shared[part]!.every(({ classId, amount }) => amount <= inventories.available(node, classId)),
    choose: (part, node) =>
      shared[part]!.forEach(({ classId, amount }) => inventories.take(node, classId, amount)),
    release: (part, node) =>
      shared[part]!.forEach(({ classId, amount }) => inventories.take(node, classId, -amount)),
  };
}

/** Before 1.29 only one provider of each tree can serve a request. */
function onePerTree(parts: readonly Part[]): Rule {
  const serving = new Map<number, { node: TreeNode; parts: number }>();
  return {
    allows: (part, node) =>
      !parts[part]!.resources.length || (serving.get(node.rootId)?.node ?? node) === node,
    choose: (_part, node) =>
      void serving.set(node.rootId, { node, parts: (serving.get(node.rootId)?.parts ?? 0) + 1 }),
    release: (_part, node) => {
      const remaining = serving.get(node.rootId)!.parts - 1;
      if (remaining) serving.set(node.rootId, { node, parts: remaining });
      else serving.delete(node.rootId);
    },
  };
}

const nothing = (): void => {};

/** `same_subtree`: one provider of these groups is the same as, or an ancestor of, all others. */
function subtree(
  parts: readonly Part[],
  groups: readonly number[],
  chosen: readonly TreeNode[],
): Rule {
  const members = membersOf(parts, groups);
  const last = Math.max(...members);
  return {
    allows: (part, node) => {
      if (part !== last) return true;
      const nodes = members.map((member) => (member === last ? node : chosen[member]!));
      return nodes.some((upper) => nodes.every((lower) => isSameOrAncestor(upper, lower)));
    },
    choose: nothing,
    release: nothing,
  };
}

/** Lists the indexes of the parts of some groups. */
export const membersOf = (parts: readonly Part[], groups: readonly number[]): number[] =>
  parts.flatMap(({ group }, index) => (groups.includes(group) ? [index] : []));

/** The providers of the group without a suffix must have the required traits collectively. */
function collectiveTraits(
  parts: readonly Part[],
  group: number,
  required: readonly (readonly number[])[],
  chosen: readonly TreeNode[],
): Rule {
  const members = membersOf(parts, [group]);
  const last = Math.max(...members);
  return {
    allows: (part, node) =>
      part !== last ||
      hasOneOfEach(
        required,
        members.flatMap((member) => (member === last ? node : chosen[member]!).traits),
      ),
    choose: nothing,
    release: nothing,
  };
}
