// Replaces inventories and allocations of several providers in one transaction.
import { badRequest } from '../../../kernel/errors.ts';
import { noContent } from '../../../kernel/http/reply.ts';
import { readAllocations, type AllocationBody } from '../domain/allocation-body.ts';
import type { InventoryBody } from '../model.ts';
import { inventoryInUse, InventoryInUse, UnknownClass } from '../domain/refusals.ts';
import { reshape } from '../domain/reshaper.ts';
import { rewording } from './rewording.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { PlacementCall } from '../call.ts';

interface ReshaperBody {
  inventories: Record<
    string,
    { resource_provider_generation: number; inventories: Record<string, InventoryBody> }
  >;
  allocations: Record<string, AllocationBody>;
}

export async function create(call: PlacementCall): Promise<Reply> {
  const body = call.body as ReshaperBody;
  const inventories = Object.entries(body.inventories).map(([uuid, provider]) => ({
    uuid,
    generation: provider.resource_provider_generation,
    inventories: provider.inventories,
  }));
  const updates = Object.entries(body.allocations).map(([consumer, allocationBody]) =>
    readAllocations(consumer, allocationBody, call.version),
  );
  await reshape(call, inventories, updates)
    .catch(rewording(UnknownClass, (message) => badRequest(`malformed reshaper data: ${message}`)))
    .catch(rewording(InventoryInUse, (message) => inventoryInUse(`update conflict: ${message}`)));
  return noContent();
}
