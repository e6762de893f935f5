// Replaces the allocations of consumers, all of them or none, so that no provider is ever
// over-committed.
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
  deleteConsumer,
  findConsumers,
  findConsumerTypeIds,
  insertConsumers,
  insertConsumerType,
  keptConsumerTypeIds,
  updateConsumer,
  type NewConsumer,
} from '../store/consumers.ts';
import { changeUsed, type UsedChange } from '../store/inventories.ts';
import { keptProviders } from '../store/kept-trees.ts';
import { classTable, idsOf, namesOf } from '../store/names.ts';
import {
  findClaimedProviders,
  generationFailure,
  incrementGenerations,
  providersById,
} from '../store/resource-providers.ts';
import { capacityOf } from '../store/inventories.ts';
import type {
  Allocation,
  Allocations,
  Amounts,
  ClaimedProvider,
  Consumer,
  ConsumerAllocations,
} from '../model.ts';
import { concurrentUpdate, unknownClass } from './refusals.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { grouped } from '../../../kernel/db/grouping.ts';
import { pipelined } from '../../../kernel/db/pipelined.ts';

/** A request to replace the allocations of a consumer. */
export interface AllocationsUpdate extends ConsumerAllocations {
  /**
   * The client's generation of the consumer; null if the client expects no such consumer. Undefined
   * is not checked (before 1.28).
   */
  readonly generation: number | null | undefined;
  /** Undefined keeps the type (before 1.38). */
  readonly type: string | undefined;
}

/** An allocation that a request creates, with its names resolved. */
interface NewAllocation {
  readonly consumer: string;
  readonly provider: ClaimedProvider;
  readonly classId: number;
  readonly className: string;
  readonly amount: number;
}

const changedConcurrently = (): ApiError =>
  concurrentUpdate(
    'Inventory and/or allocations changed while attempting to allocate: Another thread ' +
      'concurrently updated the resource provider data. Please retry your update',
  );

/**
 * Replaces the allocations of consumers. It increments the generation of every provider that it
 * allocates from. The statements that write check again what was read: that the consumers are the
 * same, and that the amounts fit. If not, the transaction rolls back, and the whole request runs
 * again. Other claims on the same providers do not matter as long as there is room for all.
 * @throws 400 for unknown providers and classes (an `UnknownClass`); 409 for stale generations and
 *   for allocations that do not fit
 */
export async function replaceAllocations(
  context: Pick<Context, 'db' | 'now'>,
  updates: readonly AllocationsUpdate[],
): Promise<void> {
  const { db } = context;
  const uuids = updates.map(({ consumer }) => consumer);
  await replace(context, updates, {
    consumers: () => findConsumers(db, uuids),
    providers: (wanted) => findClaimedProviders(db, wanted),
    types: (names) => findConsumerTypeIds(db, names),
  });
}

/**
 * Allocates to consumers that have no allocations yet, as `replaceAllocations`. Providers come from
 * memory, if possible, and only the statements that write check what is free.
 * @throws SerializationFailure if the allocations do not fit, or if a consumer has allocations: the
 *   next attempt of the transaction reads these
 */
export async function allocateToNew(
  context: Pick<Context, 'db' | 'now' | 'attempt'>,
  updates: readonly AllocationsUpdate[],
): Promise<void> {
  const { db, attempt } = context;
  if (attempt > 1) return replaceAllocations(context, updates);
  await replace(context, updates, {
    consumers: () => Promise.resolve(new Map()),
    providers: async (uuids) => (await keptProviders(db)) ?? findClaimedProviders(db, uuids),
    types: async (names) => (await keptConsumerTypeIds(db)) ?? findConsumerTypeIds(db, names),
  });
}

/** Reads what allocations depend on. The results may contain more than is asked for. */
interface Reads {
  readonly consumers: () => Promise<ReadonlyMap<string, Consumer>>;
  readonly providers: (uuids: readonly string[]) => Promise<ReadonlyMap<string, ClaimedProvider>>;
  readonly types: (names: readonly string[]) => Promise<ReadonlyMap<string, number>>;
}

async function replace(
  { db, now }: Pick<Context, 'db' | 'now'>,
  updates: readonly AllocationsUpdate[],
  read: Reads,
): Promise<void> {
  const uuids = new Map<string, string>();
  for (const { allocations } of updates)
    for (const uuid of allocations.keys()) uuids.set(uuid, uuid.toLowerCase());
  const [consumers, found, types] = await pipelined([
    read.consumers(),
    read.providers([...uuids.values()]),
    read.types(updates.flatMap(({ type }) => type ?? [])),
  ]);
  for (const update of updates) checkGeneration(update, consumers.get(update.consumer));
  const before = await allocationsOfConsumers(
    db,
    [...consumers.values()].map(({ id }) => id),
  );
  const providers = requireProviders(uuids, found);
  const after = await resolveAllocations(db, updates, providers);
  checkFit(after, before);
  // Concurrent requests for a provider wait for each other from the write of its generation to the
  // commit. So consumer types and consumers are written before the generations, and all of these
  // writes are sent with the commit.
  const replacement = { updates, consumers, types: new Map(types), before, after, now };
  await writeConsumerTypes(db, replacement);
  await writeConsumers(db, replacement);
  await writeAllocations(db, replacement);
}

/**
 * Deletes all allocations of a consumer. The generations of the providers do not change.
 * @throws 404 if the consumer has no allocations
 */
export async function deleteAllocations(db: Db, uuid: string): Promise<void> {
  if (!(await deleteAllocationsIfAny(db, uuid)))
    throw notFound(`No allocations for consumer '${uuid}'`);
}

/** Deletes all allocations of a consumer. @returns whether it had any */
export async function deleteAllocationsIfAny(db: Db, uuid: string): Promise<boolean> {
  const before = await allocationsOfConsumer(db, uuid);
  const [first] = before;
  if (!first) return false;
  const { consumerId: id, consumerGeneration: generation } = first;
  await moveUsed(db, before, []);
  await deleteAllocationsOf(db, [id]);
  await deleteConsumer(db, { id, generation }, changedConcurrently);
  return true;
}

/** Lists the allocations of consumers by UUID. Consumers without allocations are left out. */
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

/** @throws 409 if the client's generation of the consumer is not the current one */
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
 * Maps the client's spelling of each provider UUID to the provider.
 * @param uuids the UUIDs in lower case, by the client's spelling
 * @throws 400 if a provider does not exist
 */
function requireProviders(
  uuids: ReadonlyMap<string, string>,
  found: ReadonlyMap<string, ClaimedProvider>,
): Map<string, ClaimedProvider> {
  const providers = new Map<string, ClaimedProvider>();
  for (const [written, uuid] of uuids) {
    const provider = found.get(uuid);
    if (!provider)
      throw badRequest(`Allocation for resource provider '${written}' that does not exist.`);
    providers.set(written, provider);
  }
  return providers;
}

/** Resolves the providers and classes of allocations. @throws 400 `UnknownClass` */
async function resolveAllocations(
  db: Db,
  updates: readonly AllocationsUpdate[],
  providers: ReadonlyMap<string, ClaimedProvider>,
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

/** @throws 409 if an inventory is missing, has too little capacity or does not allow the amount */
function checkFit(after: readonly NewAllocation[], before: readonly Allocation[]): void {
  const refuse = (why: string): ApiError => conflict(`Unable to allocate inventory: ${why}`);
  const requested = new Set(after.map(({ classId }) => classId));
  const empty = unique(after.map(({ provider }) => provider)).filter(
    ({ inventories }) => !inventories.some(({ classId }) => requested.has(classId)),
  );
  if (empty.length) {
    const classes = unique(after.map(({ className }) => className)).join(', ');
    const uuids = empty.map(({ uuid }) => uuid).join(', ');
    throw refuse(`Inventory for '${classes}' on resource provider '${uuids}' invalid.`);
  }
  const allocated = sums(
    after.map(({ provider, classId, amount }) => [keyOf(provider.id, classId), amount]),
  );
  const freed = sums(
    before.map(({ providerId, classId, used }) => [keyOf(providerId, classId), used]),
  );
  for (const { provider, classId, className, amount } of after) {
    const key = keyOf(provider.id, classId);
    const inventory = provider.inventories.find((candidate) => candidate.classId === classId);
    if (!inventory)
      throw refuse(`Inventory for '${className}' on resource provider '${provider.uuid}' invalid.`);
    const { uuid } = provider;
    const unable = `Unable to create allocation for '${className}' on resource provider '${uuid}'.`;
    const { min_unit, max_unit, step_size, used = 0 } = inventory;
    if (amount < min_unit || amount > max_unit || amount % step_size !== 0)
      throw refuse(`${unable} The requested amount would violate inventory constraints.`);
    const usedAfter = used - (freed.get(key) ?? 0) + allocated.get(key)!;
    // If the capacity has been reduced below the usage, a request can still lower the usage or keep
    // it.
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
 * A replacement of allocations: the requests, the existing consumers, and the allocations before
 * and after.
 */
interface Replacement {
  readonly updates: readonly AllocationsUpdate[];
  readonly consumers: ReadonlyMap<string, Consumer>;
  /** The ids of the existing consumer types, by name. */
  readonly types: Map<string, number>;
  readonly before: readonly Allocation[];
  readonly after: readonly NewAllocation[];
  readonly now: Micros;
}

/** Creates the missing types of consumers that get allocations. */
async function writeConsumerTypes(db: Db, { updates, types, now }: Replacement): Promise<void> {
  for (const { allocations, type } of updates)
    if (allocations.size && type !== undefined && !types.has(type))
      types.set(type, await insertConsumerType(db, type, now, changedConcurrently));
}

/** Updates or inserts the consumers that get allocations. */
async function writeConsumers(
  db: Db,
  { updates, consumers, types, now }: Replacement,
): Promise<void> {
  const created: NewConsumer[] = [];
  for (const { consumer: uuid, allocations, type, projectId, userId } of updates) {
    if (!allocations.size) continue;
    const consumer = consumers.get(uuid);
    const typeId = type === undefined ? (consumer?.typeId ?? null) : types.get(type)!;
    const fields = { projectId, userId, typeId };
    if (consumer) await updateConsumer(db, consumer, fields, now, changedConcurrently);
    else created.push({ uuid, ...fields });
  }
  await insertConsumers(db, created, now, changedConcurrently);
}

async function writeAllocations(db: Db, replacement: Replacement): Promise<void> {
  const { updates, consumers, before, after, now } = replacement;
  await incrementGenerations(db, changedProviders(replacement), now);
  // `used` is updated before the allocations are inserted. An insert takes a shared lock on its
  // inventory, and two transactions that then update this inventory would deadlock.
  await moveUsed(db, before, after);
  await deleteAllocationsOf(db, unique(before.map(({ consumerId }) => consumerId)));
  const rows = after.map(({ consumer, provider, classId, amount }) => ({
    consumer,
    providerId: provider.id,
    classId,
    used: amount,
    createdAt: now,
  }));
  await insertAllocations(db, rows);
  for (const { consumer: uuid, allocations } of updates) {
    const consumer = consumers.get(uuid);
    if (consumer && !allocations.size) await deleteConsumer(db, consumer, changedConcurrently);
  }
}

/** The most providers whose inventories one statement changes. */
const mostAlike = 20;

const ascending = (one: number, other: number): number => one - other;

/**
 * The ids of the providers whose generation changes: those that are allocated from, and those of
 * consumers that lose all their allocations. All transactions write providers in the order of ids,
 * so that two requests for the same providers wait for each other instead of deadlocking.
 */
function changedProviders({ updates, consumers, before, after }: Replacement): number[] {
  const emptied = new Set(
    updates
      .filter(({ allocations }) => !allocations.size)
      .map(({ consumer }) => consumers.get(consumer)?.id),
  );
  const released = before.filter(({ consumerId }) => emptied.has(consumerId));
  const ids = [
    ...after.map(({ provider }) => provider.id),
    ...released.map(({ providerId }) => providerId),
  ];
  return unique(ids).toSorted(ascending);
}

/** Subtracts deleted allocations from the `used` of their inventories, and adds new ones. */
async function moveUsed(
  db: Db,
  deleted: readonly Allocation[],
  created: readonly NewAllocation[],
): Promise<void> {
  const changes = new Map<string, UsedChange & { readonly providerId: number }>();
  for (const { providerId, classId, used } of deleted) {
    const key = keyOf(providerId, classId);
    changes.set(key, { providerId, classId, amount: (changes.get(key)?.amount ?? 0) - used });
  }
  for (const { provider, classId, amount } of created) {
    const [providerId, key] = [provider.id, keyOf(provider.id, classId)];
    const allocatedFrom = provider.inventories.find((inventory) => inventory.classId === classId)!;
    const total = (changes.get(key)?.amount ?? 0) + amount;
    changes.set(key, { providerId, classId, amount: total, allocatedFrom });
  }
  const byProvider = grouped([...changes.values()], ({ providerId }) => providerId);
  const ids = [...byProvider.keys()].toSorted(ascending);
  const failure = generationFailure(ids, changedConcurrently);
  for (const alike of changedAlike(ids, byProvider))
    await changeUsed(db, alike, byProvider.get(alike[0]!)!, failure);
}

/** Groups providers that follow each other and whose inventories change alike. */
function changedAlike(
  ids: readonly number[],
  byProvider: ReadonlyMap<number, readonly UsedChange[]>,
): number[][] {
  const limits = ({ classId, amount, allocatedFrom: from }: UsedChange): unknown[] => [
    classId,
    amount,
    ...(from ? [from.min_unit, from.max_unit, from.step_size] : []),
  ];
  const changeOf = (id: number): string => JSON.stringify(byProvider.get(id)!.map(limits));
  const groups: number[][] = [];
  for (const id of ids) {
    const group = groups.at(-1);
    const isAlike = group && group.length < mostAlike && changeOf(group[0]!) === changeOf(id);
    if (isAlike) group.push(id);
    else groups.push([id]);
  }
  return groups;
}
