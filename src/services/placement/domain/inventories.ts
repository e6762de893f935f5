// The rules of inventories: what may be written, and what must stay because it is in use.
import type { Micros } from '../../../kernel/clock.ts';
import { isDuplicate, isForeignKey } from '../../../kernel/db/errors.ts';
import { badRequest, conflict, type Fault } from '../../../kernel/fault.ts';
import {
  classesInUse, deleteInventories, insertInventories, listInventories, updateInventory, type InventoryFields,
} from '../store/inventories.ts'; // prettier-ignore
import { bumpGeneration, concurrentUpdate, type Provider } from '../store/resource-providers.ts';
import type { Db } from '../../../kernel/db/database.ts';

const greatest = 2_147_483_647;

/** What a client writes of an inventory; the rest is filled in. */
export type InventoryBody = Partial<InventoryFields> & { readonly total: number };

export function withDefaults({
  total,
  reserved = 0,
  min_unit = 1,
  max_unit = greatest,
  step_size = 1,
  allocation_ratio = 1,
}: InventoryBody): InventoryFields {
  return { total, reserved, min_unit, max_unit, step_size, allocation_ratio };
}

/** How much can be claimed in all; a fraction where the ratio makes one. */
export const capacityOf = ({ total, reserved, allocation_ratio }: InventoryFields): number =>
  (total - reserved) * allocation_ratio;

/** @throws 400 where nothing could ever be claimed; from 1.26 on (`mayReserveAll`) a capacity of zero is right */
export function checkCapacity(
  verb: string,
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
      `Invalid inventory for '${name}' on resource provider '${provider.uuid}'. The reserved value is ${comparison}.`,
  );
}

const changed = (): Fault =>
  concurrentUpdate('update conflict: Another thread concurrently updated the resource provider data. Please retry your update');

/** Gives the provider an inventory of a class that it has none of. @throws 409 where it has one */
export async function addInventory(
  db: Db,
  provider: Provider,
  classId: number,
  fields: InventoryFields,
  now: Micros,
): Promise<Provider> {
  const bumped = await bumpGeneration(db, provider, now, changed());
  try {
    await insertInventories(db, provider, new Map([[classId, fields]]), now);
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw concurrentUpdate('Update conflict: The resource provider already has an inventory of this class.');
  }
  return bumped;
}

/** Writes the fields of an inventory that the provider has. */
export async function changeInventory(
  db: Db,
  provider: Provider,
  classId: number,
  fields: InventoryFields,
  now: Micros,
): Promise<Provider> {
  const bumped = await bumpGeneration(db, provider, now, changed());
  await updateInventory(db, provider.id, classId, fields, now);
  return bumped;
}

/** How a write of inventories goes on where it cannot: `inUse` words that a class must stay; `names` are those of classes. */
export interface InventoryWrite {
  readonly now: Micros;
  readonly inUse: (message: string) => Fault;
  readonly names: (ids: readonly number[]) => Promise<readonly string[]>;
  readonly lost?: Fault;
}

/** Makes the inventories of a provider exactly these. @throws `inUse` where a class is to go that something is allocated of */
export async function replaceInventories(
  db: Db,
  provider: Provider,
  after: ReadonlyMap<number, InventoryFields>,
  write: InventoryWrite,
): Promise<Provider> {
  const before = (await listInventories(db, provider.id)).map((inventory) => inventory.classId);
  const bumped = await removeInventories(db, provider, before.filter((id) => !after.has(id)), write); // prettier-ignore
  await putInventories(db, provider, before, after, write.now);
  return bumped;
}

/** Takes classes away from a provider. @throws `inUse` where something is allocated of one */
export async function removeInventories(
  db: Db,
  provider: Provider,
  gone: readonly number[],
  write: InventoryWrite,
): Promise<Provider> {
  const bumped = await bumpGeneration(db, provider, write.now, write.lost ?? changed());
  const refuse = async (used: readonly number[]): Promise<Fault> =>
    write.inUse(`Inventory for '${(await write.names(used)).join(', ')}' on resource provider '${provider.uuid}' in use.`);
  const used = await classesInUse(db, provider.id, gone);
  if (used.length) throw await refuse(used);
  try {
    await deleteInventories(db, provider.id, gone);
  } catch (error) {
    throw isForeignKey(error) ? await refuse(gone) : error;
  }
  return bumped;
}

/** Adds inventories to a provider, and writes those anew that it has; the others stay. */
export async function mergeInventories(
  db: Db,
  provider: Provider,
  more: ReadonlyMap<number, InventoryFields>,
  now: Micros,
): Promise<Provider> {
  const before = (await listInventories(db, provider.id)).map((inventory) => inventory.classId);
  const bumped = await bumpGeneration(db, provider, now, changed());
  await putInventories(db, provider, before, more, now);
  return bumped;
}

async function putInventories(
  db: Db,
  provider: Provider,
  before: readonly number[],
  after: ReadonlyMap<number, InventoryFields>,
  now: Micros,
): Promise<void> {
  for (const [id, fields] of after) if (before.includes(id)) await updateInventory(db, provider.id, id, fields, now);
  await insertInventories(db, provider, new Map([...after].filter(([id]) => !before.includes(id))), now);
}

export const inventoryInUse = (message: string): Fault => conflict(message, { code: 'placement.inventory.inuse' });
