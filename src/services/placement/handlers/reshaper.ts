// The reshaper: inventories and allocations of many providers change together, or not at all.
import { noContent } from '../../../kernel/http/reply.ts';
import { readClaim, type AllocationBody } from '../domain/allocation-body.ts';
import type { InventoryBody } from '../domain/inventories.ts';
import { reshape } from '../domain/reshaper.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { PlacementCall } from '../call.ts';

interface ReshaperBody {
  inventories: Record<string, { resource_provider_generation: number; inventories: Record<string, InventoryBody> }>;
  allocations: Record<string, AllocationBody>;
}

export async function create(call: PlacementCall): Promise<Reply> {
  const { inventories, allocations } = call.body as ReshaperBody;
  const shapes = Object.entries(inventories).map(([uuid, shape]) => ({
    uuid,
    generation: shape.resource_provider_generation,
    inventories: shape.inventories,
  }));
  const claims = Object.entries(allocations).map(([consumer, body]) => readClaim(consumer, body, call.at));
  await reshape(call.db, shapes, claims, call.now);
  return noContent();
}
