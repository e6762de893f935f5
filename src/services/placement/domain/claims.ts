// Claiming: writing what consumers use, all of it or nothing, so that no provider is ever given out twice.
import type { Micros } from '../../../kernel/clock.ts';
import { badRequest, conflict, notFound, type Fault } from '../../../kernel/fault.ts';
import {
  allocationsOf, consumerTypeId, deleteAllocations, deleteConsumer, findConsumers, insertAllocations, insertConsumer, updateConsumer,
  type Allocation, type Consumer,
} from '../store/allocations.ts'; // prettier-ignore
import { addUsed, inventoriesOf, type Inventory } from '../store/inventories.ts';
import { classTable, idsOf } from '../store/names.ts';
import {
  bumpGeneration,
  concurrentUpdate,
  findProviders,
  lockProviders,
  providersById,
  type Provider,
} from '../store/resource-providers.ts';
import { capacityOf } from './inventories.ts';
import type { Db } from '../../../kernel/db/database.ts';

/** What a consumer is to use from now on, instead of what it used before. */
export interface Claim {
  readonly consumer: string;
  /** What the client believes; null for a consumer that has nothing yet. Undefined is not checked (before 1.28). */
  readonly generation: number | null | undefined;
  readonly projectId: string;
  readonly userId: string;
  /** Undefined leaves the type as it is (before 1.38). */
  readonly type: string | undefined;
  /** Amounts by class, by provider's UUID; none at all gives everything back. */
  readonly resources: ReadonlyMap<string, Readonly<Record<string, number>>>;
}

/** One line of a claim, with ids in the place of names. */
interface Line {
  readonly consumer: string;
  readonly provider: Provider;
  readonly classId: number;
  readonly className: string;
  readonly amount: number;
}

export interface ClaimOptions {
  readonly unknownClass: (claim: Claim, name: string) => string;
  readonly attempt: number;
}

const changed = (): Fault =>
  concurrentUpdate(
    'Inventory and/or allocations changed while attempting to allocate: Another thread concurrently updated the resource provider data. Please retry your update',
  );

/**
 * Replaces what the consumers of the claims use. Every provider that is claimed from has its generation counted up where it still is
 * the one that was read; else nothing is written, and the whole request is done again in a new transaction.
 * @param words how the route words a resource class that there is not, and which try at the request this is
 * @throws 400 for unknown providers and classes; 409 for stale generations and for what does not fit
 */
export async function claim(
  db: Db,
  claims: readonly Claim[],
  now: Micros,
  { unknownClass, attempt }: ClaimOptions,
): Promise<void> {
  // Who has lost twice gets in line: the rows are locked before anything is read, so that what is read is what will be written on.
  if (attempt > 2) await lockProviders(db, claims.flatMap((one) => [...one.resources.keys()])); // prettier-ignore
  const consumers = await findConsumers(db, claims.map((one) => one.consumer)); // prettier-ignore
  for (const one of claims) checkGeneration(one, consumers.get(one.consumer));
  const before = await allocationsOf(db, [...consumers.values()].map(({ id }) => id)); // prettier-ignore
  const providers = await providersOf(db, claims);
  const lines = await linesOf(db, claims, providers, unknownClass);
  const inventories = await inventoriesOf(
    db,
    unique(lines.map((line) => line.provider.id)),
    unique(lines.map((line) => line.classId)),
  );
  checkFit(lines, before, inventories);
  await bumpProviders(db, claims, lines, before, consumers, now);
  await writeClaims(db, { claims, lines, consumers, before, now });
}

/** Gives back everything that a consumer uses. Generations of providers stay. @throws 404 where it uses nothing */
export async function release(db: Db, uuid: string): Promise<void> {
  const consumer = (await findConsumers(db, [uuid])).get(uuid);
  if (!consumer) throw notFound(`No allocations for consumer '${uuid}'`);
  const before = await allocationsOf(db, [consumer.id]);
  await moveUsed(db, before, []);
  await deleteAllocations(db, [consumer.id]);
  await deleteConsumer(db, consumer, changed());
}

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

function checkGeneration({ generation: given }: Claim, consumer: Consumer | undefined): void {
  if (given === undefined) return;
  const refuse = (expected: string): Fault =>
    concurrentUpdate(`consumer generation conflict - expected ${expected} but got ${given ?? 'None'}`);
  if (!consumer && given !== null) throw refuse('null');
  if (consumer && given !== consumer.generation) throw refuse(String(consumer.generation));
}

/** @throws 400 where one does not exist */
async function providersOf(db: Db, claims: readonly Claim[]): Promise<Map<string, Provider>> {
  const uuids = unique(claims.flatMap((one) => [...one.resources.keys()]));
  const found = await findProviders(db, uuids.map((uuid) => uuid.toLowerCase())); // prettier-ignore
  const missing = uuids.find((uuid) => !found.has(uuid.toLowerCase()));
  if (missing !== undefined) throw badRequest(`Allocation for resource provider '${missing}' that does not exist.`);
  return new Map(uuids.map((uuid) => [uuid, found.get(uuid.toLowerCase())!]));
}

/** @throws 400 for a class that there is not */
async function linesOf(
  db: Db,
  claims: readonly Claim[],
  providers: ReadonlyMap<string, Provider>,
  unknownClass: (claim: Claim, name: string) => string,
): Promise<Line[]> {
  const ids = await idsOf(db, classTable, claims.flatMap((one) => [...one.resources.values()].flatMap((amounts) => Object.keys(amounts)))); // prettier-ignore
  const lines: Line[] = [];
  for (const one of claims) {
    for (const [uuid, amounts] of one.resources) {
      for (const [className, amount] of Object.entries(amounts)) {
        const classId = ids.get(className);
        if (classId === undefined) throw badRequest(unknownClass(one, className));
        lines.push({ consumer: one.consumer, provider: providers.get(uuid)!, classId, className, amount });
      }
    }
  }
  return lines;
}

const keyOf = (providerId: number, classId: number): string => `${providerId}/${classId}`;

/** @throws 409 where a provider has not what is claimed, or not enough of it, or not in such pieces */
function checkFit(lines: readonly Line[], before: readonly Allocation[], found: readonly Inventory[]): void {
  const refuse = (why: string): Fault => conflict(`Unable to allocate inventory: ${why}`);
  const inventories = new Map(found.map((inventory) => [keyOf(inventory.providerId, inventory.classId), inventory]));
  const bare = unique(lines.map((line) => line.provider)).filter(
    (provider) => !found.some((inventory) => inventory.providerId === provider.id),
  );
  if (bare.length) {
    const classes = unique(lines.map((line) => line.className)).join(', ');
    throw refuse(`Inventory for '${classes}' on resource provider '${bare.map(({ uuid }) => uuid).join(', ')}' invalid.`);
  }
  const given = sums(lines.map((line) => [keyOf(line.provider.id, line.classId), line.amount]));
  const returned = sums(before.map((allocation) => [keyOf(allocation.providerId, allocation.classId), allocation.used]));
  for (const { provider, classId, className, amount } of lines) {
    const key = keyOf(provider.id, classId);
    const inventory = inventories.get(key);
    if (!inventory) throw refuse(`Inventory for '${className}' on resource provider '${provider.uuid}' invalid.`);
    const claimOf = `Unable to create allocation for '${className}' on resource provider '${provider.uuid}'.`;
    const { min_unit, max_unit, step_size, used } = inventory;
    if (amount < min_unit || amount > max_unit || amount % step_size !== 0)
      throw refuse(`${claimOf} The requested amount would violate inventory constraints.`);
    const after = used - (returned.get(key) ?? 0) + given.get(key)!;
    // Where more is used than there is (the inventory has shrunk), a claim may still make it less, or leave it.
    if (after > capacityOf(inventory) && after > used) throw refuse(`${claimOf} The requested amount would exceed the capacity.`);
  }
}

function sums(pairs: readonly (readonly [string, number])[]): Map<string, number> {
  const totals = new Map<string, number>();
  for (const [key, amount] of pairs) totals.set(key, (totals.get(key) ?? 0) + amount);
  return totals;
}

/** The compare-and-swap: for every provider that is claimed from, and for those that a consumer gives back entirely. */
async function bumpProviders(
  db: Db,
  claims: readonly Claim[],
  lines: readonly Line[],
  before: readonly Allocation[],
  consumers: ReadonlyMap<string, Consumer>,
  now: Micros,
): Promise<void> {
  const touched = new Map(lines.map((line) => [line.provider.id, line.provider]));
  const emptied = new Set(claims.filter((one) => !one.resources.size).map((one) => consumers.get(one.consumer)?.id));
  const left = before
    .filter((allocation) => emptied.has(allocation.consumerId) && !touched.has(allocation.providerId))
    .map(({ providerId }) => providerId);
  for (const provider of await providersById(db, unique(left))) touched.set(provider.id, provider);
  // In one order everywhere, so that two claims on the same providers wait for each other instead of deadlocking.
  const ordered = [...touched.values()].sort((one, other) => one.id - other.id);
  for (const provider of ordered) await bumpGeneration(db, provider, now, changed());
}

interface Write {
  readonly claims: readonly Claim[];
  readonly lines: readonly Line[];
  readonly consumers: ReadonlyMap<string, Consumer>;
  readonly before: readonly Allocation[];
  readonly now: Micros;
}

async function writeClaims(db: Db, { claims, lines, consumers, before, now }: Write): Promise<void> {
  const ids = new Map<string, number>();
  for (const one of claims) {
    const consumer = consumers.get(one.consumer);
    if (!one.resources.size) continue;
    const typeId = one.type === undefined ? (consumer?.typeId ?? null) : await consumerTypeId(db, one.type, now, changed());
    const fields = { projectId: one.projectId, userId: one.userId, typeId };
    if (consumer) await updateConsumer(db, consumer, fields, now, changed());
    ids.set(one.consumer, consumer?.id ?? (await insertConsumer(db, one.consumer, fields, now, changed())));
  }
  const after = lines.map((line) => ({
    consumerId: ids.get(line.consumer)!,
    providerId: line.provider.id,
    classId: line.classId,
    used: line.amount,
  }));
  // First of all what is used: an allocation's foreign key takes a lesser lock on the same row, and two that want more then deadlock.
  await moveUsed(db, before, after);
  await deleteAllocations(db, unique(before.map(({ consumerId }) => consumerId)));
  await insertAllocations(db, after, now);
  for (const one of claims) {
    const consumer = consumers.get(one.consumer);
    if (consumer && !one.resources.size) await deleteConsumer(db, consumer, changed());
  }
}

/** Brings what inventories say is used in line with the allocations that went and came. */
async function moveUsed(db: Db, gone: readonly Allocation[], come: readonly Allocation[]): Promise<void> {
  const byProvider = new Map<number, Map<number, number>>();
  for (const [sign, allocations] of [
    [-1, gone],
    [1, come],
  ] as const) {
    for (const { providerId, classId, used } of allocations) {
      const amounts = byProvider.get(providerId) ?? new Map<number, number>();
      byProvider.set(providerId, amounts.set(classId, (amounts.get(classId) ?? 0) + sign * used));
    }
  }
  for (const [providerId, amounts] of [...byProvider].sort(([one], [other]) => one - other))
    await addUsed(db, providerId, amounts);
}
