// Inventories as a client sees them.
import type { Inventory, InventoryFields } from '../store/inventories.ts';

export function inventoryView({
  total,
  reserved,
  min_unit,
  max_unit,
  step_size,
  allocation_ratio,
}: InventoryFields): InventoryFields {
  return { total, reserved, min_unit, max_unit, step_size, allocation_ratio };
}

export function inventoriesView(
  inventories: readonly Inventory[],
  names: ReadonlyMap<number, string>,
  generation: number,
): object {
  return {
    resource_provider_generation: generation,
    inventories: Object.fromEntries(inventories.map((inventory) => [names.get(inventory.classId), inventoryView(inventory)])),
  };
}
