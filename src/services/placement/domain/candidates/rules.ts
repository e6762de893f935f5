// The rules that hold for the parts of a request together: policy, subtrees, sums, one provider of
// a tree, and collective traits.
import { capacityOf } from '../inventories.ts';
import type { ClassInventory, TreeNode } from '../../model.ts';
import { hasOneOfEach, type Part } from './parts.ts';
import type { ResolvedRequest } from './resolve.ts';
import { inventoryOf, isAtOrAbove } from './tree.ts';

/**
 * A rule while providers are chosen for one part after the other. It remembers what `take` told it
 * until `release`.
 */
export interface Rule {
  /** Whether the provider may serve the part beside those that serve the earlier ones. */
  allows(part: number, node: TreeNode): boolean;
  take(part: number, node: TreeNode): void;
  release(part: number, node: TreeNode): void;
}

/** The rules of a request in one tree. */
export interface Rules {
  readonly all: readonly Rule[];
  /** Those that can say of any later part whether a provider may still serve it. */
  readonly ahead: readonly Rule[];
  /** What of each class with a sum a provider has left; undefined where no sum can be too much. */
  readonly room: Room | undefined;
}

/** @param chosen the providers of the earlier parts, which the caller keeps */
export function rulesFor(
  request: ResolvedRequest,
  parts: readonly Part[],
  chosen: readonly TreeNode[],
  nested: boolean,
): Rules {
  const room = roomFor(parts);
  const ahead = [
    ...(request.isolate && parts.filter(({ suffixed }) => suffixed).length > 1
      ? [isolation(parts)]
      : []),
    ...(room ? [sums(parts, room)] : []),
    ...(nested || parts.length < 2 ? [] : [oneOfTree(parts)]),
  ];
  const ending = [
    ...request.sameSubtree.map((groups) => subtree(parts, groups, chosen)),
    ...request.groups.flatMap(({ suffix, requiredTraits }, group) =>
      suffix === '' && requiredTraits.length
        ? [collectiveTraits(parts, group, requiredTraits, chosen)]
        : [],
    ),
  ];
  return { all: [...ahead, ...ending], ahead, room };
}

/** `group_policy=isolate`: groups with a suffix have a provider each. */
function isolation(parts: readonly Part[]): Rule {
  const used = new Set<TreeNode>();
  return {
    allows: (part, node) => !parts[part]!.suffixed || !used.has(node),
    take: (part, node) => void (parts[part]!.suffixed && used.add(node)),
    release: (part, node) => void (parts[part]!.suffixed && used.delete(node)),
  };
}

/** What an inventory has left for one candidate, when parts together have taken some of it. */
export interface Room {
  /** The classes that several parts request. */
  readonly classes: ReadonlySet<number>;
  left(node: TreeNode, classId: number): number;
  take(node: TreeNode, classId: number, amount: number): void;
}

function roomFor(parts: readonly Part[]): Room | undefined {
  const totals = new Map<number, { amount: number; parts: number }>();
  for (const { classId, amount } of parts.flatMap(({ resources }) => resources)) {
    const total = totals.get(classId) ?? { amount: 0, parts: 0 };
    totals.set(classId, { amount: total.amount + amount, parts: total.parts + 1 });
  }
  const classes = new Set<number>();
  for (const [classId, total] of totals)
    if (total.parts > 1 && canBeTooMuch(parts, classId, total.amount)) classes.add(classId);
  if (!classes.size) return undefined;
  const taken = new Map<ClassInventory, number>();
  return {
    classes,
    left: (node, classId) => {
      const inventory = inventoryOf(node, classId)!;
      return roomOf(inventory) - (taken.get(inventory) ?? 0);
    },
    take: (node, classId, amount) => {
      const inventory = inventoryOf(node, classId)!;
      taken.set(inventory, (taken.get(inventory) ?? 0) + amount);
    },
  };
}

/**
 * What an inventory can give to one consumer now. `min_unit` and `step_size` are for each part, and
 * not for their sum.
 */
const roomOf = (inventory: ClassInventory): number =>
  Math.min(inventory.max_unit, Math.trunc(capacityOf(inventory)) - inventory.used);

/** Whether there is a provider that could not serve all parts with this class at once. */
const canBeTooMuch = (parts: readonly Part[], classId: number, total: number): boolean =>
  parts.some(
    ({ resources, choices }) =>
      resources.some((resource) => resource.classId === classId) &&
      choices.some((node) => roomOf(inventoryOf(node, classId)!) < total),
  );

/** What several parts take of one inventory is there. */
function sums(parts: readonly Part[], room: Room): Rule {
  const shared = parts.map(({ resources }) =>
    resources.filter(({ classId }) => room.classes.has(classId)),
  );
  return {
    allows: (part, node) =>
      shared[part]!.every(({ classId, amount }) => amount <= room.left(node, classId)),
    take: (part, node) =>
      shared[part]!.forEach(({ classId, amount }) => room.take(node, classId, amount)),
    release: (part, node) =>
      shared[part]!.forEach(({ classId, amount }) => room.take(node, classId, -amount)),
  };
}

/** Before 1.29 only one provider of each tree serves a request. */
function oneOfTree(parts: readonly Part[]): Rule {
  const serving = new Map<number, { node: TreeNode; parts: number }>();
  return {
    allows: (part, node) =>
      !parts[part]!.resources.length || (serving.get(node.rootId)?.node ?? node) === node,
    take: (_part, node) =>
      void serving.set(node.rootId, { node, parts: (serving.get(node.rootId)?.parts ?? 0) + 1 }),
    release: (_part, node) => {
      const left = serving.get(node.rootId)!.parts - 1;
      if (left) serving.set(node.rootId, { node, parts: left });
      else serving.delete(node.rootId);
    },
  };
}

const nothing = (): void => {};

/** `same_subtree`: of the providers of these groups, one is all the others, or above them. */
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
      return nodes.some((upper) => nodes.every((lower) => isAtOrAbove(upper, lower)));
    },
    take: nothing,
    release: nothing,
  };
}

/** The parts of groups with a suffix. */
export const membersOf = (parts: readonly Part[], groups: readonly number[]): number[] =>
  parts.flatMap(({ group }, index) => (groups.includes(group) ? [index] : []));

/** The providers of the group without a suffix have the required traits together. */
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
    take: nothing,
    release: nothing,
  };
}
