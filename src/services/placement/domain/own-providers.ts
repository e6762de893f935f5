// Providers as the services that look after them write them: typed calls in their own transaction, instead of requests.
import type { Micros } from '../../../kernel/clock.ts';
import { conflict, notFound } from '../../../kernel/fault.ts';
import { inventoriesOfProviders } from '../store/inventories.ts';
import { aggregatesOf, ensureAggregates, replaceLinks, traitIdsOf } from '../store/links.ts';
import { classTable, idsOf, insertNamed, namesOf, traitTable, type NameTable } from '../store/names.ts';
import { bumpGeneration, concurrentUpdate, findProvider, findProviders, type Provider } from '../store/resource-providers.ts';
import { inventoryInUse, replaceInventories, withDefaults, type InventoryBody } from './inventories.ts';
import { createProvider, removeProvider } from './resource-providers.ts';
import type { Db } from '../../../kernel/db/database.ts';

/** What a service says of a provider that it looks after. */
export interface ProviderShape {
  readonly uuid: string;
  readonly name: string;
  readonly parentUuid?: string | null;
  /** By resource class; custom classes come into being when they are first named. */
  readonly inventories: Readonly<Record<string, InventoryBody>>;
  /** Names of traits; custom ones come into being when they are first named. */
  readonly traits: readonly string[];
}

/** What is to come to a provider's traits or aggregates, and what is to go. */
export interface LinkChange {
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
}

/** How much there is of a class, and how much of it is used. */
export interface Stock extends InventoryBody {
  readonly reserved: number;
  readonly allocation_ratio: number;
  readonly used: number;
}

const lost = () => concurrentUpdate('The resource provider was changed by another request.');

/** Makes a provider as it is described, or brings one that is there to it. @throws 409 where the name belongs to another */
export async function ensureProvider(db: Db, shape: ProviderShape, now: Micros): Promise<void> {
  const { uuid, name, parentUuid = null, inventories, traits } = shape;
  if (!(await findProvider(db, uuid))) await createProvider(db, { uuid, name, parentUuid }, now);
  await setInventories(db, uuid, inventories, now);
  await changeTraits(db, uuid, { add: traits }, now);
}

/** Deletes a provider with all that hangs on it; one that is not there is gone already. @throws 409 where it is in use */
export async function dropProvider(db: Db, uuid: string): Promise<void> {
  if (await findProvider(db, uuid)) await removeProvider(db, uuid);
}

/** Makes the inventories of a provider exactly these. @throws 409 where a class is to go that is in use */
export async function setInventories(
  db: Db,
  uuid: string,
  inventories: Readonly<Record<string, InventoryBody>>,
  now: Micros,
): Promise<void> {
  const provider = await known(db, uuid);
  const ids = await ensureNames(db, classTable, Object.keys(inventories), now);
  const after = new Map(Object.entries(inventories).map(([name, fields]) => [ids.get(name)!, withDefaults(fields)]));
  const names = async (classIds: readonly number[]): Promise<string[]> => [...(await namesOf(db, classTable, classIds)).values()];
  await replaceInventories(db, provider, after, { now, inUse: inventoryInUse, names });
}

/** Gives a provider traits, or takes them away; the generation goes up only where the set changes. */
export async function changeTraits(db: Db, uuid: string, { add = [], remove = [] }: LinkChange, now: Micros): Promise<void> {
  const provider = await known(db, uuid);
  const ids = await ensureNames(db, traitTable, [...add, ...remove], now);
  const before = await traitIdsOf(db, provider.id);
  const gone = new Set(remove.map((name) => ids.get(name)!));
  const after = [...new Set([...before, ...add.map((name) => ids.get(name)!)])].filter((id) => !gone.has(id));
  if (after.length === before.length && after.every((id) => before.includes(id))) return;
  await bumpGeneration(db, provider, now, lost());
  await replaceLinks(db, 'trait', provider.id, before, after);
}

/** Puts a provider into aggregates, or takes it out; the generation goes up only where the set changes. */
export async function changeAggregates(db: Db, uuid: string, { add = [], remove = [] }: LinkChange, now: Micros): Promise<void> {
  const provider = await known(db, uuid);
  const before = await aggregatesOf(db, provider.id);
  const ids = await ensureAggregates(db, add, now);
  const kept = before.filter(({ name }) => !remove.includes(name)).map(({ id }) => id);
  const after = [...new Set([...kept, ...ids.values()])];
  if (after.length === before.length && before.every(({ id }) => after.includes(id))) return;
  await bumpGeneration(db, provider, now, lost());
  await replaceLinks(db, 'aggregate', provider.id, before.map(({ id }) => id), after); // prettier-ignore
}

/** What there is of each class at providers, and how much of it is used; by the provider's UUID. */
export async function stocksOf(db: Db, uuids: readonly string[]): Promise<Map<string, Readonly<Record<string, Stock>>>> {
  const providers = await findProviders(db, uuids);
  const byId = new Map([...providers.values()].map(({ id, uuid }) => [id, uuid]));
  const inventories = await inventoriesOfProviders(db, [...byId.keys()]);
  const names = await namesOf(db, classTable, inventories.map(({ classId }) => classId)); // prettier-ignore
  const stocks = new Map<string, Record<string, Stock>>();
  for (const inventory of inventories) {
    const uuid = byId.get(inventory.providerId)!;
    stocks.set(uuid, { ...stocks.get(uuid), [names.get(inventory.classId)!]: inventory });
  }
  return stocks;
}

async function known(db: Db, uuid: string): Promise<Provider> {
  const provider = await findProvider(db, uuid);
  if (!provider) throw notFound(`No resource provider with uuid ${uuid} found`);
  return provider;
}

async function ensureNames(db: Db, table: NameTable, names: readonly string[], now: Micros): Promise<Map<string, number>> {
  const ids = await idsOf(db, table, names);
  for (const name of new Set(names)) {
    if (ids.has(name)) continue;
    if (!/^CUSTOM_[A-Z0-9_]+$/.test(name)) throw conflict(`${name} is neither a standard name nor begins with CUSTOM_.`);
    ids.set(name, (await insertNamed(db, table, name, now)).id);
  }
  return ids;
}
