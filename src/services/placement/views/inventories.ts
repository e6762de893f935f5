// Renders inventories.
import type { Inventory, InventoryFields } from '../model.ts';

const fieldsView = ({
  total,
  reserved,
  min_unit,
  max_unit,
  step_size,
  allocation_ratio,
}: InventoryFields): InventoryFields => ({
  total,
  reserved,
  min_unit,
  max_unit,
  step_size,
  allocation_ratio,
});

export const inventoryView = (inventory: InventoryFields, generation: number): object => ({
  ...fieldsView(inventory),
  resource_provider_generation: generation,
});

export function inventoriesView(
  inventories: readonly (InventoryFields & Pick<Inventory, 'classId'>)[],
  names: ReadonlyMap<number, string>,
  generation: number,
): object {
  return {
    resource_provider_generation: generation,
    inventories: Object.fromEntries(
      inventories.map((inventory) => [names.get(inventory.classId), fieldsView(inventory)]),
    ),
  };
}
