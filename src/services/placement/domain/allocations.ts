// Allocations: what consumers use of providers is replaced, all of it or nothing, so that no
// provider is ever over-committed.
import type { Micros } from '../../../kernel/clock.ts';
import { badRequest, conflict, notFound, type ApiError } from '../../../kernel/errors.ts';
import type { Context } from '../../../kernel/model.ts';
import {
  allocationsOfConsumer,
  allocationsOfConsumers,
  deleteAllocationsOf,
  insertAllocations,
} from '../store/allocations.ts';
import {
  consumerTypesOf,
  deleteConsumer,
  findConsumers,
  insertConsumer,
  insertConsumerType,
  updateConsumer,
} from '../store/consumers.ts';
import { addUsed } from '../store/inventories.ts';
import { classTable, idsOf, namesOf } from '../store/names.ts';
import {
  bumpGeneration,
  findStocked,
  providersById,
  type StockedProvider,
} from '../store/resource-providers.ts';
import { capacityOf } from './inventories.ts';
import type {
  Allocation,
  Allocations,
  Amounts,
  Consumer,
  ConsumerAllocations,
  Provider,
} from '../model.ts';
import { concurrentUpdate, unknownClass } from './refusals.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { pipelined } from '../../../kernel/db/pipelined.ts';

/** What a request says of the allocations of a consumer. */
export interface AllocationsUpdate extends ConsumerAllocations {
  /**
   * The consumer's generation as the client knows it; null for a consumer that does not exist.
   * Undefined is not checked (before 1.28).
   */
  readonly generation: number | null | undefined;
  /** Undefined leaves the type as it is (before 1.38). */
  readonly type: string | undefined;
}

/** An allocation that a request makes, with ids in the place of names. */
interface NewAllocation {
  readonly consumer: string;
  readonly provider: StockedProvider;
  readonly classId: number;
  readonly className: string;
  readonly amount: number;
}

const changedMeanwhile = (): ApiError =>
  concurrentUpdate(
    'Inventory and/or allocations changed while attempting to allocate: Another thread concurrently updated the resource provider data. Please retry your update',
  );

/**
 * Replaces the allocations of consumers. The generation of every provider that is allocated from is
 * incremented if it still is the one that was read; otherwise nothing is written, and the whole
 * request is retried in a new transaction.
 * @throws 400 for unknown providers and classes (an `UnknownClass`); 409 for
 *   stale generations and for what does not fit
 */
export async function replaceAllocations(
  { db, now }: Pick<Context, 'db' | 'now'>,
  updates: readonly AllocationsUpdate[],
): Promise<void> {
  const uuids = updates.flatMap(({ allocations }) =>
    [...allocations.keys()].map((uuid) => uuid.toLowerCase()),
  );
  const [consumers, stocked, types] = await pipelined([
    findConsumers(
      db,
      updates.map(({ consumer }) => consumer),
    ),
    findStocked(db, uuids),
    consumerTypesOf(
      db,
      updates.flatMap(({ type }) => type ?? []),
    ),
  ]);
  for (const update of updates) checkGeneration(update, consumers.get(update.consumer));
  const before = await allocationsOfConsumers(
    db,
    [...consumers.values()].map(({ id }) => id),
  );
  const providers = providersOf(updates, stocked);
  const after = await newAllocations(db, updates, providers);
  checkFit(after, before);
  const replacement = { updates, consumers, types, before, after, now };
  // Consumers come first: requests for one provider wait for each other from its generation to the
  // commit, and nothing else belongs there.
  await writeConsumerTypes(db, replacement);
  const [consumerIds] = await pipelined([
    writeConsumers(db, replacement),
    bumpProviders(db, replacement),
  ]);
  await writeAllocations(db, replacement, consumerIds);
}

/**
 * Deletes all allocations of a consumer. Generations of providers stay.
 * @throws 404 where it has none
 */
export async function deleteAllocations(db: Db, uuid: string): Promise<void> {
  if (!(await deleteAllocationsIfAny(db, uuid)))
    throw notFound(`No allocations for consumer '${uuid}'`);
}

/** Deletes all allocations of a consumer; returns whether it had any. */
export async function deleteAllocationsIfAny(db: Db, uuid: string): Promise<boolean> {
  const [consumers, before] = await pipelined([
    findConsumers(db, [uuid]),
    allocationsOfConsumer(db, uuid),
  ]);
  const consumer = consumers.get(uuid);
  if (!consumer) return false;
  await moveUsed(db, before, []);
  await deleteAllocationsOf(db, [consumer.id]);
  await deleteConsumer(db, consumer, changedMeanwhile());
  return true;
}

/** The allocations of consumers, by UUID; a consumer without any is left out. */
export async function allocationsByConsumer(
  db: Db,
  uuids: readonly string[],
): Promise<ReadonlyMap<string, Allocations>> {
  const consumers = await findConsumers(db, uuids);
  const consumerUuid = new Map([...consumers.values()].map(({ id, uuid }) => [id, uuid]));
  const found = await allocationsOfConsumers(db, [...consumerUuid.keys()]);
  const providers = await providersById(db, unique(found.map(({ providerId }) => providerId)));
  const providerUuid = new Map(providers.map(({ id, uuid }) => [id, uuid]));
  const names = await namesOf(
    db,
    classTable,
    found.map(({ classId }) => classId),
  );
  const byConsumer = new Map<string, Map<string, Amounts>>();
  for (const { consumerId, providerId, classId, used } of found) {
    const consumer = consumerUuid.get(consumerId)!;
    const provider = providerUuid.get(providerId)!;
    const allocations = byConsumer.get(consumer) ?? new Map<string, Amounts>();
    byConsumer.set(
      consumer,
      allocations.set(provider, { ...allocations.get(provider), [names.get(classId)!]: used }),
    );
  }
  return byConsumer;
}

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

/** @throws 409 where the client's generation of the consumer is not the current one */
function checkGeneration({ generation }: AllocationsUpdate, consumer: Consumer | undefined): void {
  if (generation === undefined) return;
  const refuse = (expected: string): ApiError =>
    concurrentUpdate(
      `consumer generation conflict - expected ${expected} but got ${generation ?? 'None'}`,
    );
  if (!consumer && generation !== null) throw refuse('null');
  if (consumer && generation !== consumer.generation) throw refuse(String(consumer.generation));
}

/**
 * The providers that are allocated from, by UUID as the client wrote it.
 * @throws 400 where one does not exist
 */
function providersOf(
  updates: readonly AllocationsUpdate[],
  found: ReadonlyMap<string, StockedProvider>,
): Map<string, StockedProvider> {
  const uuids = unique(updates.flatMap(({ allocations }) => [...allocations.keys()]));
  const missing = uuids.find((uuid) => !found.has(uuid.toLowerCase()));
  if (missing !== undefined)
    throw badRequest(`Allocation for resource provider '${missing}' that does not exist.`);
  return new Map(uuids.map((uuid) => [uuid, found.get(uuid.toLowerCase())!]));
}

/** @throws 400 for an unknown class, with the cause `unknown_class` */
async function newAllocations(
  db: Db,
  updates: readonly AllocationsUpdate[],
  providers: ReadonlyMap<string, StockedProvider>,
): Promise<NewAllocation[]> {
  const ids = await idsOf(
    db,
    classTable,
    updates.flatMap(({ allocations }) =>
      [...allocations.values()].flatMap((amounts) => Object.keys(amounts)),
    ),
  );
  const all: NewAllocation[] = [];
  for (const { consumer, allocations } of updates) {
    for (const [uuid, amounts] of allocations) {
      for (const [className, amount] of Object.entries(amounts)) {
        const classId = ids.get(className);
        if (classId === undefined) throw unknownClass(className);
        all.push({ consumer, provider: providers.get(uuid)!, classId, className, amount });
      }
    }
  }
  return all;
}

const keyOf = (providerId: number, classId: number): string => `${providerId}/${classId}`;

/** @throws 409 where a provider has no inventory of a class, no capacity left, or other units */
function checkFit(after: readonly NewAllocation[], before: readonly Allocation[]): void {
  const refuse = (why: string): ApiError => conflict(`Unable to allocate inventory: ${why}`);
  const asked = new Set(after.map(({ classId }) => classId));
  const empty = unique(after.map(({ provider }) => provider)).filter(
    ({ inventories }) => !inventories.some(({ classId }) => asked.has(classId)),
  );
  if (empty.length) {
    const classes = unique(after.map(({ className }) => className)).join(', ');
    throw refuse(
      `Inventory for '${classes}' on resource provider '${empty.map(({ uuid }) => uuid).join(', ')}' invalid.`,
    );
  }
  const allocated = sums(
    after.map(({ provider, classId, amount }) => [keyOf(provider.id, classId), amount]),
  );
  const freed = sums(
    before.map(({ providerId, classId, used }) => [keyOf(providerId, classId), used]),
  );
  for (const { provider, classId, className, amount } of after) {
    const key = keyOf(provider.id, classId);
    const inventory = provider.inventories.find((one) => one.classId === classId);
    if (!inventory)
      throw refuse(`Inventory for '${className}' on resource provider '${provider.uuid}' invalid.`);
    const unable = `Unable to create allocation for '${className}' on resource provider '${provider.uuid}'.`;
    const { min_unit, max_unit, step_size, used } = inventory;
    if (amount < min_unit || amount > max_unit || amount % step_size !== 0)
      throw refuse(`${unable} The requested amount would violate inventory constraints.`);
    const usedAfter = used - (freed.get(key) ?? 0) + allocated.get(key)!;
    // Where the inventory has shrunk below what is used, a request may still lower the usage, or
    // leave it.
    if (usedAfter > capacityOf(inventory) && usedAfter > used)
      throw refuse(`${unable} The requested amount would exceed the capacity.`);
  }
}

function sums(pairs: readonly (readonly [string, number])[]): Map<string, number> {
  const totals = new Map<string, number>();
  for (const [key, amount] of pairs) totals.set(key, (totals.get(key) ?? 0) + amount);
  return totals;
}

/**
 * What a write of allocations knows: the consumers that exist, their allocations before it, and
 * those after it.
 */
interface Replacement {
  readonly updates: readonly AllocationsUpdate[];
  readonly consumers: ReadonlyMap<string, Consumer>;
  /** The ids of the consumer types that exist, by name. */
  readonly types: Map<string, number>;
  readonly before: readonly Allocation[];
  readonly after: readonly NewAllocation[];
  readonly now: Micros;
}

/**
 * The compare-and-swap, for every provider that is allocated from, and for those of consumers that
 * lose all allocations.
 */
async function bumpProviders(
  db: Db,
  { updates, consumers, before, after, now }: Replacement,
): Promise<void> {
  const providers = new Map<number, Provider>(after.map(({ provider }) => [provider.id, provider]));
  const emptied = new Set(
    updates
      .filter(({ allocations }) => !allocations.size)
      .map(({ consumer }) => consumers.get(consumer)?.id),
  );
  const left = before
    .filter(({ consumerId, providerId }) => emptied.has(consumerId) && !providers.has(providerId))
    .map(({ providerId }) => providerId);
  for (const provider of await providersById(db, unique(left)))
    providers.set(provider.id, provider);
  // In the same order everywhere, so that two requests for the same providers wait for each other
  // instead of deadlocking.
  const ordered = [...providers.values()].sort((one, other) => one.id - other.id);
  const ids = ordered.map(({ id }) => id);
  await pipelined(
    ordered.map((provider) => bumpGeneration(db, provider, now, changedMeanwhile(), ids)),
  );
}

/** Creates the types that consumers with allocations are the first to have. */
async function writeConsumerTypes(db: Db, { updates, types, now }: Replacement): Promise<void> {
  for (const { allocations, type } of updates)
    if (allocations.size && type !== undefined && !types.has(type))
      types.set(type, await insertConsumerType(db, type, now, changedMeanwhile()));
}

/** Updates or inserts the consumers that get allocations. @returns their ids, by UUID */
async function writeConsumers(
  db: Db,
  { updates, consumers, types, now }: Replacement,
): Promise<Map<string, number>> {
  const write = async ({
    consumer: uuid,
    type,
    projectId,
    userId,
  }: AllocationsUpdate): Promise<[string, number]> => {
    const consumer = consumers.get(uuid);
    const typeId = type === undefined ? (consumer?.typeId ?? null) : types.get(type)!;
    const fields = { projectId, userId, typeId };
    if (!consumer) return [uuid, await insertConsumer(db, uuid, fields, now, changedMeanwhile())];
    await updateConsumer(db, consumer, fields, now, changedMeanwhile());
    return [uuid, consumer.id];
  };
  return new Map(await pipelined(updates.filter(({ allocations }) => allocations.size).map(write)));
}

async function writeAllocations(
  db: Db,
  { updates, consumers, before, after, now }: Replacement,
  ids: ReadonlyMap<string, number>,
): Promise<void> {
  const rows = after.map(({ consumer, provider, classId, amount }) => ({
    consumerId: ids.get(consumer)!,
    providerId: provider.id,
    classId,
    used: amount,
  }));
  // `used` comes first: inserting an allocation locks its inventory's row for sharing, and two
  // requests that then write it deadlock.
  await moveUsed(db, before, rows);
  await deleteAllocationsOf(db, unique(before.map(({ consumerId }) => consumerId)));
  await insertAllocations(db, rows, now);
  for (const { consumer: uuid, allocations } of updates) {
    const consumer = consumers.get(uuid);
    if (consumer && !allocations.size) await deleteConsumer(db, consumer, changedMeanwhile());
  }
}

/** Subtracts deleted allocations from the `used` of their inventories, and adds inserted ones. */
async function moveUsed(
  db: Db,
  deleted: readonly Allocation[],
  inserted: readonly Allocation[],
): Promise<void> {
  const byProvider = new Map<number, Map<number, number>>();
  for (const [sign, allocations] of [
    [-1, deleted],
    [1, inserted],
  ] as const) {
    for (const { providerId, classId, used } of allocations) {
      const amounts = byProvider.get(providerId) ?? new Map<number, number>();
      byProvider.set(providerId, amounts.set(classId, (amounts.get(classId) ?? 0) + sign * used));
    }
  }
  for (const [providerId, amounts] of [...byProvider].sort(([one], [other]) => one - other))
    await addUsed(db, providerId, amounts);
}
