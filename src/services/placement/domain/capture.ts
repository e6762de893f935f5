// Captures the providers of a cloud, with their inventories, traits, aggregates and allocations.
import { entriesOf } from '../../../emulator/capture/fields.ts';
import type { Captured, CaptureSource, Json } from '../../../emulator/capture/model.ts';
import { conflict } from '../../../kernel/errors.ts';
import type { Context } from '../../../kernel/model.ts';
import type { InventoryFields, Provider } from '../model.ts';
import { ensureAggregates } from '../store/aggregates.ts';
import { insertAllocations, type NewAllocation } from '../store/allocations.ts';
import { setGeneration, sumUsed } from '../store/capture.ts';
import { findConsumerTypeIds, insertConsumers, insertConsumerType } from '../store/consumers.ts';
import { insertInventoriesOfMany, type NewInventory } from '../store/inventories.ts';
import { insertLinks } from '../store/links.ts';
import { classTable, idsOf, insertName, traitTable, type NameTable } from '../store/names.ts';
import { findProviders, insertProvider, insertRoots } from '../store/resource-providers.ts';

/** A provider, with what belongs to it. */
interface Read {
  readonly uuid: string;
  readonly inventories: Readonly<Record<string, InventoryFields>>;
  readonly traits: readonly string[];
  readonly aggregates: readonly string[];
  readonly consumers: readonly string[];
}

/** A consumer with its allocations, by provider. */
interface ReadConsumer {
  readonly uuid: string;
  readonly project_id?: string;
  readonly user_id?: string;
  readonly consumer_type?: string;
  readonly allocations: Readonly<Record<string, { resources: Readonly<Record<string, number>> }>>;
}

const raced = () => conflict('The new cloud is written by others at the same time.');

/** Captures all providers and consumers. */
export async function capturePlacement(context: Context, source: CaptureSource): Promise<Captured> {
  const version = await source.newest('placement', '1.39');
  const get = (path: string): Promise<Json> => source.get('placement', path, version);
  const listed = entriesOf(await get('/resource_providers'), 'resource_providers');
  const providers = await insertTrees(context, listed);
  const read = await source.each('resource providers', [...providers.keys()], async (uuid) => {
    const at = `/resource_providers/${uuid}`;
    const { inventories } = await get(`${at}/inventories`);
    const { traits } = await get(`${at}/traits`);
    const { aggregates } = await get(`${at}/aggregates`);
    const { allocations } = await get(`${at}/allocations`);
    const consumers = Object.keys(allocations as object);
    return { uuid, inventories, traits, aggregates, consumers } as Read;
  });
  await insertParts(context, providers, read);
  const uuids = [...new Set(read.flatMap(({ consumers }) => consumers))];
  const consumers = await source.each('consumers', uuids, async (uuid) => {
    const reply = await get(`/allocations/${uuid}`);
    return { uuid, ...reply } as ReadConsumer;
  });
  await insertClaims(context, providers, consumers);
  return { 'resource providers': providers.size, consumers: consumers.length };
}

/** Inserts the providers in the order of the list, in which Placement searches them. */
async function insertTrees(
  { db, now }: Context,
  listed: readonly Json[],
): Promise<Map<string, Provider>> {
  const known = new Map<string, Provider>();
  let left = listed;
  for (let before = Infinity; left.length && left.length < before;) {
    before = left.length;
    const later: Json[] = []; // those that are listed before their parents
    for (const one of left) {
      const { uuid, name, generation } = fieldsOf(one);
      const parentUuid = (one['parent_provider_uuid'] ?? null) as string | null;
      const parent = parentUuid === null ? undefined : known.get(parentUuid);
      if (parentUuid === null) await insertRoots(db, [{ uuid, name, generation }], now);
      else if (parent) await insertProvider(db, { uuid, name, parent, now });
      else {
        later.push(one);
        continue;
      }
      if (parent) await setGeneration(db, uuid, generation);
      known.set(uuid, (await findProviders(db, [uuid])).get(uuid)!);
    }
    left = later;
  }
  return known;
}

const fieldsOf = (one: Json) => ({
  uuid: String(one['uuid']),
  name: String(one['name']),
  generation: Number(one['generation']),
});

/** The ids of names, of which the custom ones are inserted. */
async function namesIn(
  { db, now }: Context,
  table: NameTable,
  names: readonly string[],
): Promise<Map<string, number>> {
  const ids = await idsOf(db, table, names);
  for (const name of new Set(names))
    if (!ids.has(name)) ids.set(name, (await insertName(db, table, name, now)).id);
  return ids;
}

/** Inserts inventories, traits and aggregates. */
async function insertParts(
  context: Context,
  providers: ReadonlyMap<string, Provider>,
  read: readonly Read[],
): Promise<void> {
  const { db, now } = context;
  const classes = await namesIn(
    context,
    classTable,
    read.flatMap(({ inventories }) => Object.keys(inventories)),
  );
  const inventories = read.flatMap(({ uuid, inventories: own }) =>
    Object.entries(own).map(([name, fields]): NewInventory => ({
      provider: providers.get(uuid)!,
      classId: classes.get(name)!,
      fields,
    })),
  );
  await insertInventoriesOfMany(db, inventories, now);
  const traits = await namesIn(
    context,
    traitTable,
    read.flatMap((one) => one.traits),
  );
  const names = [...new Set(read.flatMap(({ aggregates }) => aggregates))];
  const aggregates = await ensureAggregates(db, names, now, raced);
  const linksOf = (
    namesOf: (one: Read) => readonly string[],
    ids: ReadonlyMap<string, number>,
  ): { providerId: number; id: number }[] =>
    read.flatMap((one) =>
      namesOf(one).map((name) => ({ providerId: providers.get(one.uuid)!.id, id: ids.get(name)! })),
    );
  await insertLinks(
    db,
    'trait',
    linksOf((one) => one.traits, traits),
  );
  await insertLinks(
    db,
    'aggregate',
    linksOf((one) => one.aggregates, aggregates),
  );
}

/** Inserts consumers and their allocations. */
async function insertClaims(
  context: Context,
  providers: ReadonlyMap<string, Provider>,
  consumers: readonly ReadConsumer[],
): Promise<void> {
  const { db, now } = context;
  const types = new Set(consumers.flatMap(({ consumer_type: type }) => type ?? []));
  types.delete('unknown'); // what Placement shows for consumers without a type
  const typeIds = await findConsumerTypeIds(db, [...types]);
  for (const type of types)
    if (!typeIds.has(type)) typeIds.set(type, await insertConsumerType(db, type, now, raced));
  const created = consumers.map((one) => ({
    uuid: one.uuid,
    projectId: one.project_id ?? '',
    userId: one.user_id ?? '',
    typeId: typeIds.get(one.consumer_type ?? '') ?? null,
  }));
  await insertConsumers(db, created, now, raced);
  const classes = await idsOf(
    db,
    classTable,
    consumers.flatMap(({ allocations }) =>
      Object.values(allocations).flatMap(({ resources }) => Object.keys(resources)),
    ),
  );
  const claims = consumers.flatMap(({ uuid: consumer, allocations }) =>
    Object.entries(allocations).flatMap(([provider, { resources }]) =>
      Object.entries(resources).map(([name, used]): NewAllocation => ({
        consumer,
        providerId: providers.get(provider)!.id,
        classId: classes.get(name)!,
        used,
        createdAt: now,
      })),
    ),
  );
  await insertAllocations(db, claims);
  await sumUsed(db);
}
