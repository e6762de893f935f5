// Checks on the providers of a tree: whether an amount fits, and which provider is an ancestor.
import { capacityOf } from '../inventories.ts';
import type { ClassInventory, TreeNode } from '../../model.ts';

/** Finds a provider's inventory of a class. */
export const inventoryOf = (node: TreeNode, classId: number): ClassInventory | undefined =>
  node.inventories.find((inventory) => inventory.classId === classId);

/** Whether the provider can allocate the amount to one consumer. */
export function fits(node: TreeNode, classId: number, amount: number): boolean {
  const inventory = inventoryOf(node, classId);
  return (
    inventory !== undefined &&
    inventory.min_unit <= amount &&
    amount <= inventory.max_unit &&
    amount % inventory.step_size === 0 &&
    inventory.used + amount <= capacityOf(inventory)
  );
}

/** Whether `upper` is `lower` or one of its ancestors. */
export function isSameOrAncestor(upper: TreeNode, lower: TreeNode): boolean {
  for (let node: TreeNode | undefined = lower; node; node = node.parent)
    if (node === upper) return true;
  return false;
}
