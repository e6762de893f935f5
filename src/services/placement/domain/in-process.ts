// Placement as the scheduler uses it: typed calls in the caller's own transaction, instead of requests.
import type { Micros } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import { allocationsOf, findConsumers } from '../store/allocations.ts';
import { classTable, namesOf } from '../store/names.ts';
import { providersById } from '../store/resource-providers.ts';
import { capacityOf, type Node } from './candidates/forest.ts';
import { planOf } from './candidates/plan.ts';
import type { Asked, AskedGroup } from './candidates/request.ts';
import { search } from './candidates/search.ts';
import { claim, release, type Claim } from './claims.ts';
import type { Db } from '../../../kernel/db/database.ts';

/** Amounts by resource class. */
export type Amounts = Readonly<Record<string, number>>;

/** What is used of whom: amounts by the provider's UUID. */
export type Uses = ReadonlyMap<string, Amounts>;

/** What a consumer is to use. */
export interface Use {
  readonly consumer: string;
  readonly projectId: string;
  readonly userId: string;
  readonly uses: Uses;
}

/** What is asked for. */
export interface Demand {
  readonly groups: readonly AskedGroup[];
  readonly isolate: boolean;
  readonly limit: number | undefined;
  /** Traits that the root of the tree must not have. */
  readonly rootForbidden: readonly string[];
}

/** A way to serve a demand: from which tree, what of whom, and what is free at the root. */
export interface Offer {
  readonly root: string;
  readonly uses: Uses;
  readonly free: Amounts;
}

/** The ways to serve a demand, in the order of the providers; none where it names classes or traits that there are not. */
export async function findOffers(db: Db, demand: Demand): Promise<Offer[]> {
  const { groups, isolate, limit, rootForbidden } = demand;
  const asked: Asked = { groups, isolate, limit, root: { required: [], forbidden: rootForbidden as string[] }, sameSubtree: [] };
  const plan = await planOf(db, asked).catch((error: unknown) => {
    if (error instanceof Fault && error.status === 400) return undefined;
    throw error;
  });
  if (!plan) return [];
  const { candidates, trees } = await search(db, plan, { nested: true, showTraits: false });
  const ids = [...trees.values()].flatMap(({ nodes }) => nodes.flatMap(({ stocks }) => stocks.map(({ classId }) => classId)));
  const names = await namesOf(db, classTable, ids);
  return candidates.map(({ parts }) => {
    const uses = new Map<string, Amounts>();
    for (const { node, classId, amount } of parts) uses.set(node.uuid, { ...uses.get(node.uuid), [names.get(classId)!]: amount });
    const { root } = trees.get(parts[0]!.node.rootId)!;
    return { root: root.uuid, uses, free: freeOf(root, names) };
  });
}

const freeOf = (node: Node, names: ReadonlyMap<number, string>): Amounts =>
  Object.fromEntries(node.stocks.map((stock) => [names.get(stock.classId)!, capacityOf(stock) - stock.used]));

/** What consumers use; those that use nothing are not there. */
export async function usesOf(db: Db, consumers: readonly string[]): Promise<ReadonlyMap<string, Uses>> {
  const found = await findConsumers(db, consumers);
  const uuids = new Map([...found.values()].map(({ id, uuid }) => [id, uuid]));
  const allocations = await allocationsOf(db, [...uuids.keys()]);
  const owners = await providersById(db, [...new Set(allocations.map(({ providerId }) => providerId))]);
  const providers = new Map(owners.map(({ id, uuid }) => [id, uuid]));
  const names = await namesOf(db, classTable, allocations.map(({ classId }) => classId)); // prettier-ignore
  const uses = new Map<string, Map<string, Amounts>>();
  for (const { consumerId, providerId, classId, used } of allocations) {
    const consumer = uuids.get(consumerId)!;
    const provider = providers.get(providerId)!;
    const mine = uses.get(consumer) ?? new Map<string, Amounts>();
    uses.set(consumer, mine.set(provider, { ...mine.get(provider), [names.get(classId)!]: used }));
  }
  return uses;
}

/**
 * Replaces what consumers use, all of it or nothing; no uses at all give everything back.
 * @throws 409 where it does not fit, Contention where another claim was faster
 */
export async function setUses(db: Db, uses: readonly Use[], now: Micros, attempt = 1): Promise<void> {
  const claims = uses.map(({ consumer, projectId, userId, uses: resources }): Claim => ({
    consumer,
    generation: undefined,
    projectId,
    userId,
    type: 'INSTANCE',
    resources,
  }));
  await claim(db, claims, now, { unknownClass: (_, name) => `No such resource class ${name}.`, attempt });
}

/** Gives back all that a consumer uses, if anything. */
export async function dropUses(db: Db, consumer: string): Promise<void> {
  if ((await findConsumers(db, [consumer])).size) await release(db, consumer);
}
