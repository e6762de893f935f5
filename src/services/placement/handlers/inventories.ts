// Operations on the inventories of a provider.
import { created, noContent, ok } from '../../../kernel/http/reply.ts';
import { badRequest, conflict, notFound } from '../../../kernel/errors.ts';
import {
  changeInventory,
  checkGeneration,
  createInventory,
  deleteAllInventories,
  deleteInventory,
  readInventories,
  replaceInventories,
  withDefaults,
} from '../domain/inventories.ts';
import type { InventoryBody, InventoryFields, Provider } from '../model.ts';
import { inventoryInUse, InventoryInUse, UnknownClass } from '../domain/refusals.ts';
import { findInventory } from '../store/inventories.ts';
import { classTable, idsOf, namesOf } from '../store/names.ts';
import { cacheHeaders, newest } from '../views/cache.ts';
import { inventoriesView, inventoryView } from '../views/inventories.ts';
import { providerUrl } from '../views/resource-providers.ts';
import { rewording } from './rewording.ts';
import {
  inventoriesInPath,
  missing,
  providerInPath,
  providerWithInventoriesInPath,
} from './subject.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { PlacementCall } from '../call.ts';

type SingleBody = InventoryBody & { resource_class: string; resource_provider_generation?: number };

/** Whether the version allows reserving a whole inventory. */
const mayReserveAll = ({ version }: PlacementCall): boolean => version.has('1.26');

export async function list(call: PlacementCall): Promise<Reply> {
  const { inventories, names, generation } = await inventoriesInPath(call, missing.spaced);
  return ok(
    inventoriesView(inventories, names, generation),
    cacheHeaders(call.version, newest(inventories, null)),
  );
}

/** Shows the inventories that were just written, in the order of their classes' ids. */
async function viewOfWritten(
  call: PlacementCall,
  { generation }: Provider,
  written: ReadonlyMap<number, InventoryFields>,
): Promise<object> {
  const inventories = [...written]
    .sort(([one], [other]) => one - other)
    .map(([classId, fields]) => ({ ...fields, classId }));
  return inventoriesView(
    inventories,
    await namesOf(call.db, classTable, [...written.keys()]),
    generation,
  );
}

export async function create(call: PlacementCall): Promise<Reply> {
  const provider = await providerInPath(call);
  const { resource_class: name, ...rest } = call.body as SingleBody;
  const fields = withDefaults(rest);
  const unable = `Unable to create inventory for resource provider ${provider.uuid}:`;
  const after = await createInventory(call, provider, name, fields, mayReserveAll(call)).catch(
    rewording(UnknownClass, (message) => badRequest(`${unable} ${message}`)),
  );
  const location = `${call.origin}${providerUrl(call, provider.uuid)}/inventories/${name}`;
  return created(inventoryView(fields, after.generation), {
    location,
    ...cacheHeaders(call.version, call.now),
  });
}

export async function replace(call: PlacementCall): Promise<Reply> {
  const provider = await providerWithInventoriesInPath(call);
  const body = call.body as {
    resource_provider_generation: number;
    inventories: Record<string, InventoryBody>;
  };
  checkGeneration(provider, body.resource_provider_generation);
  const fields = await readInventories(call.db, provider, body.inventories, mayReserveAll(call));
  const after = await replaceInventories(call, provider, fields).catch(
    rewording(InventoryInUse, (message) => inventoryInUse(`update conflict: ${message}`)),
  );
  return ok(
    await viewOfWritten(call, after, fields),
    cacheHeaders(call.version, fields.size ? call.now : null),
  );
}

export async function removeAll(call: PlacementCall): Promise<Reply> {
  await deleteAllInventories(call, await providerWithInventoriesInPath(call));
  return noContent();
}

export async function show(call: PlacementCall): Promise<Reply> {
  const provider = await providerInPath(call, missing.spaced);
  const name = call.params['resource_class']!;
  const id = (await idsOf(call.db, classTable, [name])).get(name);
  const inventory = id === undefined ? undefined : await findInventory(call.db, provider.id, id);
  if (!inventory) throw notFound(`No inventory of class ${name} for ${provider.uuid}`);
  return ok(
    inventoryView(inventory, provider.generation),
    cacheHeaders(call.version, newest([inventory], null)),
  );
}

export async function update(call: PlacementCall): Promise<Reply> {
  const provider = await providerInPath(call);
  const body = call.body as SingleBody & { resource_provider_generation: number };
  checkGeneration(provider, body.resource_provider_generation);
  const fields = withDefaults(body);
  const after = await changeInventory(
    call,
    provider,
    call.params['resource_class']!,
    fields,
    mayReserveAll(call),
  );
  return ok(inventoryView(fields, after.generation), cacheHeaders(call.version, call.now));
}

export async function remove(call: PlacementCall): Promise<Reply> {
  const provider = await providerInPath(call);
  const name = call.params['resource_class']!;
  // The code suggests a retry, which does not help, but clients check for it. Upstream:
  // placement/handlers/inventory.py.
  const reword = (message: string) =>
    conflict(`Unable to delete inventory of class ${name}: ${message}`, {
      code: 'placement.concurrent_update',
    });
  await deleteInventory(call, provider, name).catch(rewording(InventoryInUse, reword));
  return noContent();
}
