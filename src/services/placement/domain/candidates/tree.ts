// Checks on the providers of a tree: whether an amount fits, and which provider is an ancestor.
import { capacityOf } from '../../store/inventories.ts';
import type { ClassInventory, TreeNode } from '../../model.ts';
import type { ResolvedRequest } from './resolve.ts';

/** Finds a provider's inventory of a class. */
export const inventoryOf = (node: TreeNode, classId: number): ClassInventory | undefined =>
  node.inventories.find((inventory) => inventory.classId === classId);

/** What an inventory requires of an amount. */
export const amountRules = {
  min_unit: ({ min_unit: least }: ClassInventory, amount: number) => least <= amount,
  max_unit: ({ max_unit: most }: ClassInventory, amount: number) => amount <= most,
  step_size: ({ step_size: step }: ClassInventory, amount: number) => amount % step === 0,
  capacity: (inventory: ClassInventory, amount: number) =>
    inventory.used + amount <= capacityOf(inventory),
} as const;

/** Whether the provider can allocate the amount to one consumer. */
export function fits(node: TreeNode, classId: number, amount: number): boolean {
  const inventory = inventoryOf(node, classId);
  return (
    inventory !== undefined &&
    amountRules.min_unit(inventory, amount) &&
    amountRules.max_unit(inventory, amount) &&
    amountRules.step_size(inventory, amount) &&
    amountRules.capacity(inventory, amount)
  );
}

/** Whether `upper` is `lower` or one of its ancestors. */
export function isSameOrAncestor(upper: TreeNode, lower: TreeNode): boolean {
  for (let node: TreeNode | undefined = lower; node; node = node.parent)
    if (node === upper) return true;
  return false;
}

/** Whether a root has the traits that a request needs of it. */
export const hasTraits = (
  { traits }: Pick<TreeNode, 'traits'>,
  { rootRequired, rootForbidden }: Pick<ResolvedRequest, 'rootRequired' | 'rootForbidden'>,
): boolean =>
  rootRequired.every((trait) => traits.includes(trait)) &&
  !rootForbidden.some((trait) => traits.includes(trait));
