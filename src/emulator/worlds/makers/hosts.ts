// Makes hosts with their aggregates, inventories and nested providers.
import type { RegionClient } from '../client.ts';
import { idIn, type Json } from '../client.ts';
import type { AggregateEntry, HostEntry, Inventories, ProviderEntry } from '../model.ts';
import { each, given, namesOf, textsOf, type At } from './model.ts';

/** Makes aggregates. */
export const makeAggregates = (
  region: RegionClient,
  entries: readonly AggregateEntry[],
  at: At,
): Promise<number> => each(entries, at, (entry) => makeAggregate(region, entry));

async function makeAggregate(region: RegionClient, entry: AggregateEntry): Promise<string> {
  const { name, zone, metadata } = entry;
  const aggregate = given({ name, availability_zone: zone });
  const path = '/compute/v2.1/os-aggregates';
  const id = idIn(await region.ask('POST', path, { body: { aggregate } }), 'aggregate');
  if (metadata)
    await region.ask('POST', `${path}/${id}/action`, {
      body: { set_metadata: { metadata: textsOf(metadata) } },
    });
  region.remember('aggregate', name, id);
  return id;
}

/** Makes hosts: a number of equal ones, or those of a list. */
export async function makeHosts(
  region: RegionClient,
  hosts: number | readonly HostEntry[],
  at: At,
): Promise<number> {
  const entries = typeof hosts === 'number' ? [{ count: hosts }] : hosts;
  let unnamed = 0;
  let made = 0;
  const makeEntry = async (entry: HostEntry): Promise<void> => {
    const { count, name = 'compute' } = entry;
    const numbered = namesOf(name, entry.name === undefined ? (count ?? 1) : count);
    const names = entry.name === undefined ? numbered.map(() => `compute-${++unnamed}`) : numbered;
    await makeEqualHosts(region, names, entry);
    made += names.length;
  };
  if (typeof hosts === 'number') await at([], () => makeEntry({ count: hosts }));
  else await each(entries, at, makeEntry);
  return made;
}

async function makeEqualHosts(
  region: RegionClient,
  names: readonly string[],
  entry: HostEntry,
): Promise<void> {
  const { vcpus, memory_mb, disk_gb, ratios, reserved, traits, zone } = entry;
  const description = given({ vcpus, memory_mb, disk_gb, ratios, reserved, traits, zone });
  for (const trait of traits ?? []) await makeTrait(region, trait);
  const uuids = await region.addHosts(names.map((name) => ({ ...description, name })));
  for (const [index, name] of names.entries())
    await completeHost(region, name, uuids[index]!, entry);
}

/** Makes what belongs to a host: aggregates, further inventories and providers, and its state. */
async function completeHost(
  region: RegionClient,
  name: string,
  uuid: string,
  entry: HostEntry,
): Promise<void> {
  for (const aggregate of entry.aggregates ?? []) await addToAggregate(region, aggregate, name);
  if (entry.inventory) await addInventories(region, uuid, entry.inventory);
  for (const provider of entry.providers ?? []) await makeProviders(region, name, uuid, provider);
  if (entry.disabled !== undefined) await disable(region, name, entry.disabled);
  if (entry.reservable === true)
    await region.ask('POST', '/reservation/v1/os-hosts', { body: { name } });
}

async function addToAggregate(region: RegionClient, name: string, host: string): Promise<void> {
  const id = await region.idOf('aggregate', name).catch(() => makeAggregate(region, { name }));
  await region.ask('POST', `/compute/v2.1/os-aggregates/${id}/action`, {
    body: { add_host: { host } },
  });
}

async function disable(region: RegionClient, host: string, reason: string): Promise<void> {
  const version = 'compute 2.53';
  const path = '/compute/v2.1/os-services';
  const query = `?host=${host}&binary=nova-compute`;
  const [service] = (await region.ask('GET', `${path}${query}`, { version }))[
    'services'
  ] as readonly Json[];
  await region.ask('PUT', `${path}/${String(service!['id'])}`, {
    version,
    body: { status: 'disabled', disabled_reason: reason },
  });
}

const placement = 'placement 1.39';

/** Creates the custom classes and traits that do not exist. */
async function makeTrait(region: RegionClient, trait: string): Promise<void> {
  if (!trait.startsWith('CUSTOM_')) return;
  const path = `/placement/traits/${trait}`;
  await region.once(path, () => region.ask('PUT', path, { version: placement }));
}

async function makeClass(region: RegionClient, name: string): Promise<void> {
  if (!name.startsWith('CUSTOM_')) return;
  const path = `/placement/resource_classes/${name}`;
  await region.once(path, () => region.ask('PUT', path, { version: placement }));
}

/** Adds inventories to a provider that may have others. */
async function addInventories(
  region: RegionClient,
  uuid: string,
  added: Inventories,
): Promise<void> {
  const path = `/placement/resource_providers/${uuid}/inventories`;
  const { inventories, resource_provider_generation } = await region.ask('GET', path, {
    version: placement,
  });
  for (const name of Object.keys(added)) await makeClass(region, name);
  const all = { ...(inventories as object), ...inventoriesOf(added) };
  await region.ask('PUT', path, {
    version: placement,
    body: { resource_provider_generation, inventories: all },
  });
}

const inventoriesOf = (entries: Inventories): Json =>
  Object.fromEntries(
    Object.entries(entries).map(([name, entry]) => {
      if (typeof entry === 'number') return [name, { total: entry }];
      const { ratio, ...fields } = entry;
      return [name, given({ ...fields, allocation_ratio: ratio })];
    }),
  );

/** Makes a provider, or several equal ones, below a host or another provider. */
async function makeProviders(
  region: RegionClient,
  parentName: string,
  parent: string,
  entry: ProviderEntry,
): Promise<void> {
  const { name, count, traits = [], inventory = {}, providers = [] } = entry;
  const path = '/placement/resource_providers';
  for (const suffix of count === undefined ? [name] : numbered(name, count)) {
    const own = `${parentName}_${suffix}`;
    const body = { name: own, parent_provider_uuid: parent };
    const { uuid } = await region.ask('POST', path, { version: placement, body });
    const at = `${path}/${String(uuid)}`;
    if (Object.keys(inventory).length) await addInventories(region, String(uuid), inventory);
    for (const trait of traits) await makeTrait(region, trait);
    if (traits.length) {
      const { generation } = await region.ask('GET', at, { version: placement });
      const fields = { traits, resource_provider_generation: generation };
      await region.ask('PUT', `${at}/traits`, { version: placement, body: fields });
    }
    for (const one of providers) await makeProviders(region, own, String(uuid), one);
  }
}

/** `gpu0`, `gpu1`, ... */
const numbered = (name: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `${name}${at}`);
