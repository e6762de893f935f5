// Inventories of a provider: list, show, create, update, replace, delete.
import { created, noContent, ok } from '../../../kernel/http/reply.ts';
import { badRequest, conflict, notFound } from '../../../kernel/fault.ts';
import {
  addInventory, changeInventory, checkCapacity, inventoryInUse, removeInventories, replaceInventories, withDefaults, type InventoryBody,
} from '../domain/inventories.ts'; // prettier-ignore
import { findInventory, listInventories, type Inventory, type InventoryFields } from '../store/inventories.ts';
import { classTable, idsOf, namesOf } from '../store/names.ts';
import { concurrentUpdate, type Provider } from '../store/resource-providers.ts';
import { cacheHeaders, newest } from '../views/cache.ts';
import { inventoriesView, inventoryView } from '../views/inventories.ts';
import { providerUrl } from '../views/resource-providers.ts';
import { missing, providerOf } from './subject.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { PlacementCall } from '../call.ts';

type SingleBody = InventoryBody & { resource_class: string; resource_provider_generation?: number };

export async function list(call: PlacementCall): Promise<Reply> {
  const provider = await providerOf(call, missing.spaced);
  const inventories = await listInventories(call.db, provider.id);
  return ok(await shown(call, provider, inventories), cacheHeaders(call.at, newest(inventories, null)));
}

async function shown(call: PlacementCall, provider: Provider, inventories: readonly Inventory[]): Promise<object> {
  const names = await namesOf(
    call.db,
    classTable,
    inventories.map((inventory) => inventory.classId),
  );
  return inventoriesView(inventories, names, provider.generation);
}

export async function create(call: PlacementCall): Promise<Reply> {
  const provider = await providerOf(call);
  const { resource_class: name, ...rest } = call.body as SingleBody;
  const fields = withDefaults(rest);
  checkCapacity('create', provider, name, fields, call.at.has('1.26'));
  const id = await classId(call, name);
  if (id === undefined)
    throw badRequest(`Unable to create inventory for resource provider ${provider.uuid}: No such resource class ${name}.`);
  const after = await addInventory(call.db, provider, id, fields, call.now);
  const location = `${call.origin}${providerUrl(call, provider.uuid)}/inventories/${name}`;
  return created(single(fields, after), { location, ...cacheHeaders(call.at, call.now) });
}

const single = (fields: InventoryFields, { generation }: Provider): object => ({
  ...inventoryView(fields),
  resource_provider_generation: generation,
});

const classId = async (call: PlacementCall, name: string): Promise<number | undefined> =>
  (await idsOf(call.db, classTable, [name])).get(name);

export async function replace(call: PlacementCall): Promise<Reply> {
  const provider = await providerOf(call);
  const body = call.body as { resource_provider_generation: number; inventories: Record<string, InventoryBody> };
  checkGeneration(provider, body.resource_provider_generation);
  const ids = await idsOf(call.db, classTable, Object.keys(body.inventories));
  const after = new Map<number, InventoryFields>();
  for (const [name, given] of Object.entries(body.inventories)) {
    const id = ids.get(name);
    if (id === undefined)
      throw badRequest(
        `Unknown resource class in inventory for resource provider ${provider.uuid}: No such resource class ${name}.`,
      );
    const fields = withDefaults(given);
    checkCapacity('update', provider, name, fields, call.at.has('1.26'));
    after.set(id, fields);
  }
  const bumped = await replaceInventories(call.db, provider, after, {
    now: call.now,
    inUse: (message) => inventoryInUse(`update conflict: ${message}`),
    names: classNames(call),
  });
  const inventories = await listInventories(call.db, provider.id);
  return ok(await shown(call, bumped, inventories), cacheHeaders(call.at, inventories.length ? call.now : null));
}

const classNames =
  (call: PlacementCall) =>
  async (ids: readonly number[]): Promise<string[]> => {
    const names = await namesOf(call.db, classTable, ids);
    return ids.map((id) => names.get(id)!);
  };

function checkGeneration(provider: Provider, given: number): void {
  if (given !== provider.generation) throw concurrentUpdate('resource provider generation conflict');
}

export async function removeAll(call: PlacementCall): Promise<Reply> {
  const provider = await providerOf(call);
  const lost = concurrentUpdate(
    `Unable to delete inventory for resource provider ${provider.uuid} because the inventory was updated by another process. Please retry your request.`,
  );
  await replaceInventories(call.db, provider, new Map(), { now: call.now, inUse: inventoryInUse, names: classNames(call), lost });
  return noContent();
}

export async function show(call: PlacementCall): Promise<Reply> {
  const provider = await providerOf(call, missing.spaced);
  const inventory = await inventoryOf(call, provider);
  if (!inventory) throw notFound(`No inventory of class ${call.params['resource_class']} for ${provider.uuid}`);
  return ok(single(inventory, provider), cacheHeaders(call.at, newest([inventory], null)));
}

async function inventoryOf(call: PlacementCall, provider: Provider): Promise<Inventory | undefined> {
  const id = await classId(call, call.params['resource_class']!);
  return id === undefined ? undefined : findInventory(call.db, provider.id, id);
}

export async function update(call: PlacementCall): Promise<Reply> {
  const provider = await providerOf(call);
  const body = call.body as SingleBody & { resource_provider_generation: number };
  const name = call.params['resource_class']!;
  checkGeneration(provider, body.resource_provider_generation);
  const fields = withDefaults(body);
  const id = await classId(call, name);
  if (id === undefined) throw notFound(`No such resource class ${name}.`);
  checkCapacity('update', provider, name, fields, call.at.has('1.26'));
  if (!(await findInventory(call.db, provider.id, id))) {
    throw badRequest(
      `No inventory record with resource class for resource provider ${provider.uuid}: No inventory of class ${name} found.`,
    );
  }
  const after = await changeInventory(call.db, provider, id, fields, call.now);
  return ok(single(fields, after), cacheHeaders(call.at, call.now));
}

export async function remove(call: PlacementCall): Promise<Reply> {
  const provider = await providerOf(call);
  const name = call.params['resource_class']!;
  const absent = `No inventory of class ${name} found for delete`;
  const id = await classId(call, name);
  if (id === undefined) throw notFound(`${absent}: No such resource class ${name}.`);
  const inventories = await listInventories(call.db, provider.id);
  if (!inventories.some((inventory) => inventory.classId === id)) throw notFound(`${absent}: ${absent}`);
  await removeInventories(call.db, provider, [id], {
    now: call.now,
    // Clients are told to try again, although that will not help; programs look for this code.
    inUse: (message) =>
      conflict(`Unable to delete inventory of class ${name}: ${message}`, { code: 'placement.concurrent_update' }),
    names: classNames(call),
  });
  return noContent();
}
