// The rules of one provider tree in a search: what fits a provider, and which provider is above
// which.
import { capacityOf } from '../inventories.ts';
import type { ClassInventory, TreeNode } from '../../model.ts';

/** The inventory of a class that a provider has, if any. */
export const inventoryOf = (node: TreeNode, classId: number): ClassInventory | undefined =>
  node.inventories.find((inventory) => inventory.classId === classId);

/** Whether the provider can allocate that amount of the class to one consumer. */
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

/** Whether `upper` is `lower`, or above it in the tree. */
export function isAtOrAbove(upper: TreeNode, lower: TreeNode): boolean {
  for (let node: TreeNode | undefined = lower; node; node = node.parent)
    if (node === upper) return true;
  return false;
}
