// Validates and writes inventories. Inventories that have allocations cannot be deleted.
import type { Micros } from '../../../kernel/clock.ts';
import { isForeignKey } from '../../../kernel/db/errors.ts';
import { badRequest, notFound, type ApiError } from '../../../kernel/errors.ts';
import type { Context } from '../../../kernel/model.ts';
import { classesInUse } from '../store/allocations.ts';
import {
  capacityOf,
  deleteInventories,
  findInventory,
  insertInventories,
  inventoriesOfProviders,
  listInventories,
  updateInventory,
} from '../store/inventories.ts';
import { classTable, idsOf, namesOf } from '../store/names.ts';
import { bumpGeneration, findProviders } from '../store/resource-providers.ts';
import { ensureNames } from './names.ts';
import type {
  Inventory,
  InventoryBody,
  InventoryFields,
  Provider,
  ProviderWithInventories,
} from '../model.ts';
import { concurrentUpdate, inventoryInUse, noSuchObject, unknownClass } from './refusals.ts';
import { existingProviderWithInventories } from './resource-providers.ts';
import type { Db } from '../../../kernel/db/database.ts';

export { capacityOf };

type WriteContext = Pick<Context, 'db' | 'now'>;

const maxInteger = 2_147_483_647;

/** Completes the fields of a body with defaults. */
export function withDefaults({
  total,
  reserved = 0,
  min_unit = 1,
  max_unit = maxInteger,
  step_size = 1,
  allocation_ratio = 1,
}: InventoryBody): InventoryFields {
  return { total, reserved, min_unit, max_unit, step_size, allocation_ratio };
}

/** @throws 409 if the client's generation of the provider is not the current one */
export function checkGeneration(provider: Provider, generation: number): void {
  if (generation !== provider.generation)
    throw concurrentUpdate('resource provider generation conflict');
}

/**
 * @throws 400 if the capacity is too small; zero is allowed from 1.26 on (`mayReserveAll`)
 */
function checkCapacity(
  verb: 'create' | 'update',
  provider: Provider,
  name: string,
  fields: InventoryFields,
  mayReserveAll: boolean,
): void {
  const capacity = Math.trunc(capacityOf(fields));
  if (mayReserveAll ? capacity >= 0 : capacity > 0) return;
  const comparison = mayReserveAll ? 'greater than total' : 'greater than or equal to total';
  throw badRequest(
    `Unable to ${verb} inventory for resource provider ${provider.uuid}: ` +
      `Invalid inventory for '${name}' on resource provider '${provider.uuid}'. The reserved ` +
      `value is ${comparison}.`,
  );
}

const findClassId = async (db: Db, name: string): Promise<number | undefined> =>
  (await idsOf(db, classTable, [name])).get(name);

const changedConcurrently = (): ApiError =>
  concurrentUpdate(
    'update conflict: Another thread concurrently updated the resource provider data. Please ' +
      'retry your update',
  );

/**
 * Adds an inventory to a provider.
 * @throws 400 for an unknown class (an `UnknownClass`) and for too little capacity, 409 if the
 *   provider already has an inventory of the class
 */
export async function createInventory(
  { db, now }: WriteContext,
  provider: Provider,
  name: string,
  fields: InventoryFields,
  mayReserveAll: boolean,
): Promise<Provider> {
  checkCapacity('create', provider, name, fields, mayReserveAll);
  const id = await findClassId(db, name);
  if (id === undefined) throw unknownClass(name);
  if (await findInventory(db, provider.id, id))
    throw concurrentUpdate(
      'Update conflict: The resource provider already has an inventory of this class.',
    );
  const changed = await bumpGeneration(db, provider, now, changedConcurrently);
  await insertInventories(db, provider, new Map([[id, fields]]), now);
  return changed;
}

/**
 * Updates the fields of an inventory.
 * @throws 400 for too little capacity, 404 for an unknown class, 400 if the provider has no
 *   inventory of the class
 */
export async function changeInventory(
  { db, now }: WriteContext,
  provider: Provider,
  name: string,
  fields: InventoryFields,
  mayReserveAll: boolean,
): Promise<Provider> {
  checkCapacity('update', provider, name, fields, mayReserveAll);
  const id = await findClassId(db, name);
  if (id === undefined) throw noSuchObject(`No such resource class ${name}.`);
  if (!(await findInventory(db, provider.id, id))) {
    throw badRequest(
      `No inventory record with resource class for resource provider ${provider.uuid}: No ` +
        `inventory of class ${name} found.`,
    );
  }
  const changed = await bumpGeneration(db, provider, now, changedConcurrently);
  await updateInventory(db, provider.id, id, fields, now);
  return changed;
}

/**
 * Reads the inventories of a body, by class id. As in placement/handlers/inventory.py, the capacity
 * of all of them is checked before the first class is looked up.
 * @throws 400 for too little capacity and for an unknown class
 */
export async function readInventories(
  db: Db,
  provider: Provider,
  bodies: Readonly<Record<string, InventoryBody>>,
  mayReserveAll: boolean,
): Promise<Map<number, InventoryFields>> {
  const entries = Object.entries(bodies).map(([name, body]) => [name, withDefaults(body)] as const);
  for (const [name, fields] of entries)
    checkCapacity('update', provider, name, fields, mayReserveAll);
  const ids = await idsOf(db, classTable, Object.keys(bodies));
  const inventories = new Map<number, InventoryFields>();
  for (const [name, fields] of entries) {
    const id = ids.get(name);
    if (id === undefined)
      throw badRequest(
        `Unknown resource class in inventory for resource provider ${provider.uuid}: No such ` +
          `resource class ${name}.`,
      );
    inventories.set(id, fields);
  }
  return inventories;
}

/**
 * Replaces the inventories of a provider.
 * @param refusal the error that the client gets if every attempt conflicts with another transaction
 * @throws 409 `InventoryInUse` if an inventory to delete has allocations
 */
export async function replaceInventories(
  context: WriteContext,
  provider: ProviderWithInventories,
  after: ReadonlyMap<number, InventoryFields>,
  refusal = changedConcurrently,
): Promise<Provider> {
  const { db, now } = context;
  const before = provider.inventories.map((inventory) => inventory.classId);
  const changed = await removeInventories(
    context,
    provider,
    before.filter((id) => !after.has(id)),
    refusal,
  );
  await writeInventories(db, provider, before, after, now);
  return changed;
}

/**
 * Deletes all inventories of a provider.
 * @throws 409 `InventoryInUse` if one of them has allocations
 */
export async function deleteAllInventories(
  context: WriteContext,
  provider: ProviderWithInventories,
): Promise<void> {
  const refusal = (): ApiError =>
    concurrentUpdate(
      `Unable to delete inventory for resource provider ${provider.uuid} because the ` +
        'inventory was updated by another process. Please retry your request.',
    );
  await replaceInventories(context, provider, new Map(), refusal);
}

/**
 * Deletes an inventory.
 * @throws 404; 409 `InventoryInUse` if it has allocations
 */
export async function deleteInventory(
  context: WriteContext,
  provider: Provider,
  name: string,
): Promise<void> {
  const { db } = context;
  const notFoundMessage = `No inventory of class ${name} found for delete`;
  const id = await findClassId(db, name);
  if (id === undefined) throw notFound(`${notFoundMessage}: No such resource class ${name}.`);
  const inventories = await listInventories(db, provider.id);
  if (!inventories.some((inventory) => inventory.classId === id))
    throw notFound(`${notFoundMessage}: ${notFoundMessage}`);
  await removeInventories(context, provider, [id], changedConcurrently);
}

async function removeInventories(
  { db, now }: WriteContext,
  provider: Provider,
  classIds: readonly number[],
  refusal: () => ApiError,
): Promise<Provider> {
  const changed = await bumpGeneration(db, provider, now, refusal);
  const inUseError = async (ids: readonly number[]): Promise<ApiError> => {
    const names = await namesOf(db, classTable, ids);
    const list = ids.map((id) => names.get(id)!).join(', ');
    return inventoryInUse(
      `Inventory for '${list}' on resource provider '${provider.uuid}' in use.`,
    );
  };
  const used = await classesInUse(db, provider.id, classIds);
  if (used.length) throw await inUseError(used);
  try {
    await deleteInventories(db, provider.id, classIds);
  } catch (error) {
    throw isForeignKey(error) ? await inUseError(classIds) : error;
  }
  return changed;
}

/** Inserts or updates inventories of a provider. The other inventories do not change. */
export async function mergeInventories(
  { db, now }: WriteContext,
  provider: Provider,
  inventories: ReadonlyMap<number, InventoryFields>,
): Promise<Provider> {
  const before = (await listInventories(db, provider.id)).map((inventory) => inventory.classId);
  const changed = await bumpGeneration(db, provider, now, changedConcurrently);
  await writeInventories(db, provider, before, inventories, now);
  return changed;
}

/** Updates the inventories of the classes in `before`, and inserts the others. */
async function writeInventories(
  db: Db,
  provider: Provider,
  before: readonly number[],
  after: ReadonlyMap<number, InventoryFields>,
  now: Micros,
): Promise<void> {
  for (const [id, fields] of after)
    if (before.includes(id)) await updateInventory(db, provider.id, id, fields, now);
  await insertInventories(
    db,
    provider,
    new Map([...after].filter(([id]) => !before.includes(id))),
    now,
  );
}

/**
 * Replaces the inventories of a provider, and creates the custom classes that do not exist.
 * @throws 404, 409
 */
export async function setInventories(
  context: WriteContext,
  uuid: string,
  inventories: Readonly<Record<string, InventoryBody>>,
): Promise<void> {
  const provider = await existingProviderWithInventories(context.db, uuid);
  const ids = await ensureNames(context, classTable, Object.keys(inventories));
  const after = new Map(
    Object.entries(inventories).map(([name, fields]) => [ids.get(name)!, withDefaults(fields)]),
  );
  await replaceInventories(context, provider, after);
}

/**
 * Lists the inventories of providers by UUID and resource class. Providers without inventories are
 * left out.
 */
export async function inventoriesByClass(
  db: Db,
  uuids: readonly string[],
): Promise<Map<string, Readonly<Record<string, Inventory>>>> {
  const providers = await findProviders(db, uuids);
  const uuidOf = new Map([...providers.values()].map(({ id, uuid }) => [id, uuid]));
  const inventories = await inventoriesOfProviders(db, [...uuidOf.keys()]);
  const names = await namesOf(
    db,
    classTable,
    inventories.map(({ classId }) => classId),
  );
  const byProvider = new Map<string, Record<string, Inventory>>();
  for (const inventory of inventories) {
    const uuid = uuidOf.get(inventory.providerId)!;
    byProvider.set(uuid, { ...byProvider.get(uuid), [names.get(inventory.classId)!]: inventory });
  }
  return byProvider;
}
