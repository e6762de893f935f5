// Placement's internal API: other services of the region call it in their own transaction.
import type { MeasuredResource } from '../../emulator/capacity/model.ts';
import type { Explanation } from '../../emulator/explain/model.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Context } from '../../kernel/model.ts';
import * as aggregates from './domain/aggregates.ts';
import * as allocations from './domain/allocations.ts';
import * as amounts from './domain/amounts.ts';
import * as capacity from './domain/capacity/count.ts';
import { CandidateSpace } from './domain/capacity/space.ts';
import { TreesInMemory } from './domain/capacity/trees.ts';
import * as candidates from './domain/candidates/list.ts';
import * as groupProviders from './domain/group-providers.ts';
import * as explanation from './domain/explanation/explain.ts';
import * as inventories from './domain/inventories.ts';
import * as providers from './domain/provider-shapes.ts';
import type {
  Allocations,
  Candidate,
  CandidateRequest,
  ConsumerAllocations,
  Inventory,
  InventoryBody,
  LinkChange,
  ProviderShape,
  ProviderTree,
  RequestGroup,
} from './model.ts';
import * as traits from './domain/traits.ts';
import * as audit from './store/audit.ts';
import { findProviders } from './store/resource-providers.ts';
import type { KnownUsage } from './store/used.ts';
import { measuredClass, reasonOf } from './views/capacity.ts';
import { keptExplanation } from './views/explanation.ts';

export { classesIn, type ClassCapacity } from './domain/capacity/count.ts';
export type { ConsumerOnTree, RootProvider } from './store/audit.ts';
export { KnownUsage } from './store/used.ts';
export { standardClasses, standardTraits } from './standard-names.ts';
export type {
  Allocations,
  Amounts,
  Candidate,
  CandidateRequest,
  CandidateTake,
  ConsumerAllocations,
  Inventory,
  InventoryBody,
  InventoryFields,
  LinkChange,
  Provider,
  ProviderShape,
  ProviderTree,
  RequestGroup,
} from './model.ts';
export type { AllocationRequest } from './domain/candidates/match.ts';
export type { CandidateSpace } from './domain/capacity/space.ts';
export type { TreesInMemory } from './domain/capacity/trees.ts';
export type { CandidatesDetails } from './views/explanation.ts';
export {
  /** The amount of a class that a provider has free. */
  freeIn,
  /** Claims a candidate on trees in memory. */
  take,
  /** How many times in succession a candidate can be claimed. */
  timesOf,
} from './domain/capacity/trees.ts';

/**
 * Lists the allocation candidates of a request in the order of their providers. A request with
 * unknown classes or traits has no candidates.
 * @param usage gets what the search reads, for an explanation in the same transaction
 */
export const listCandidates = (
  { db, cloud }: Context,
  request: CandidateRequest,
  usage?: KnownUsage,
): Promise<Candidate[]> => candidates.listCandidates(db, request, cloud.config, usage);

/**
 * Explains why a request has the candidates that it has, within the limits of a request.
 * @param usage what a search has read that found none, in the same transaction: it is not repeated
 */
export const explainCandidates = async (
  context: Context,
  request: CandidateRequest,
  usage?: KnownUsage,
): Promise<Explanation> => {
  const { config } = context.cloud;
  const found = usage && explanation.noCandidates;
  const options = { nested: true, config, found, usage, ...explanation.keptLimits };
  return keptExplanation(await explanation.explainCandidates(context, request, options));
};

/**
 * Finds the provider of each request group of a tree, by suffix, from the allocations of a consumer
 * that has claimed the groups.
 */
export const providersOfGroups = (
  { db }: Context,
  root: string,
  held: Allocations,
  groups: readonly RequestGroup[],
): Promise<ReadonlyMap<string, string>> => groupProviders.providersOfGroups(db, root, held, groups);

/** Reads all provider trees, to count on them how often requests fit. */
export const loadTrees = ({ db }: Context): Promise<TreesInMemory> => TreesInMemory.load(db);

/**
 * Prepares a request for candidates to be answered repeatedly.
 * @returns the reason if it has no candidates regardless of providers
 */
export async function openSpace(
  { db }: Context,
  memory: TreesInMemory,
  request: CandidateRequest,
): Promise<CandidateSpace | string> {
  try {
    return (await CandidateSpace.open(db, memory, request, true)) ?? explanation.unknownAggregate;
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return error.message;
    throw error;
  }
}

/** Says why trees have no candidate, by tree, and how much of each class they have free. */
export async function describeSpace(
  context: Context,
  space: CandidateSpace,
  classes: readonly capacity.ClassCapacity[],
  full: readonly ProviderTree[],
): Promise<{ reasons: Map<ProviderTree, string>; resources: MeasuredResource[] }> {
  const trees = full.map((tree) => ({ tree, count: 0, causes: space.causes(tree) }));
  const names = await capacity.capacityNames(context, trees, classes);
  return {
    reasons: new Map(trees.map(({ tree, causes }) => [tree, reasonOf(causes, names)])),
    resources: classes.map((one) => measuredClass(one, names)),
  };
}

/** Lists the allocations of consumers by UUID. Consumers without allocations are left out. */
export const allocationsOf = (
  { db }: Context,
  consumers: readonly string[],
): Promise<ReadonlyMap<string, Allocations>> => allocations.allocationsByConsumer(db, consumers);

/**
 * Replaces the allocations of consumers of the type INSTANCE, all of them or none. An empty map
 * deletes a consumer's allocations.
 * @throws 409 if they do not fit; SerializationFailure if another transaction has changed them
 */
export const setAllocations = (
  context: Context,
  consumers: readonly ConsumerAllocations[],
): Promise<void> => allocations.replaceAllocations(context, instances(consumers));

/**
 * Allocates to consumers of the type INSTANCE that have no allocations yet.
 * @throws 409, SerializationFailure as `setAllocations`, and if they have allocations: the next
 *   attempt of the transaction reads these
 */
export const allocateToNew = (
  context: Context,
  consumers: readonly ConsumerAllocations[],
): Promise<void> => allocations.allocateToNew(context, instances(consumers));

const instances = (consumers: readonly ConsumerAllocations[]): allocations.AllocationsUpdate[] =>
  consumers.map((consumer) => ({ ...consumer, generation: undefined, type: 'INSTANCE' }));

/**
 * Adds amounts to the allocations of a consumer; negative ones reduce them.
 * @returns false if the consumer has no allocations
 * @throws 409 if the amounts do not fit
 */
export const changeAmounts = (
  context: Context,
  consumer: string,
  changes: Allocations,
): Promise<boolean> => amounts.changeAmounts(context, consumer, changes);

/** Deletes the allocations of a consumer, if it has any. */
export const deleteAllocations = async ({ db }: Context, consumer: string): Promise<void> => {
  await allocations.deleteAllocationsIfAny(db, consumer);
};

/**
 * Creates the providers that do not exist, replaces the inventories of all, and adds the traits.
 * @throws 409 if another provider has a name
 */
export const ensureProviders = (
  context: Context,
  shapes: readonly ProviderShape[],
): Promise<void> => providers.ensureProviders(context, shapes);

/**
 * Deletes a provider with its inventories, traits and aggregates, if it exists.
 * @throws 409 if it is in use
 */
export const deleteProvider = ({ db }: Context, uuid: string): Promise<void> =>
  providers.deleteProviderIfAny(db, uuid);

/** Returns the UUIDs of the providers with these names, by name. */
export const providersNamed = (
  { db }: Pick<Context, 'db'>,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> => providers.providersNamed(db, names);

/** Returns which of these providers exist. */
export const existingProviders = async (
  { db }: Pick<Context, 'db'>,
  uuids: readonly string[],
): Promise<ReadonlySet<string>> => new Set((await findProviders(db, uuids)).keys());

/** Returns the UUIDs of the roots of the trees that these providers are in, by provider. */
export const rootsOf = async (
  { db }: Pick<Context, 'db'>,
  uuids: readonly string[],
): Promise<ReadonlyMap<string, string>> =>
  new Map([...(await findProviders(db, uuids))].map(([uuid, { rootUuid }]) => [uuid, rootUuid]));

/**
 * Deletes the descendants of a provider that are not kept, and then the provider unless it is kept.
 * Those with allocations stay, and so do their ancestors.
 */
export const pruneTree = (
  context: Context,
  uuid: string,
  kept: ReadonlySet<string> = new Set(),
): Promise<void> => providers.pruneTree(context, uuid, kept);

/**
 * Replaces the inventories of a provider.
 * @throws 409 if an inventory to delete has allocations
 */
export const setInventories = (
  context: Context,
  uuid: string,
  byClass: Readonly<Record<string, InventoryBody>>,
): Promise<void> => inventories.setInventories(context, uuid, byClass);

/** Adds traits to a provider and removes others. */
export const changeTraits = (context: Context, uuid: string, change: LinkChange): Promise<void> =>
  traits.changeTraits(context, uuid, change);

/** Adds a provider to aggregates and removes it from others. */
export const changeAggregates = (
  context: Context,
  uuid: string,
  change: LinkChange,
): Promise<void> => aggregates.changeAggregates(context, uuid, change);

/** Lists the aggregates of a provider; none, if the provider does not exist. */
export const aggregatesOf = ({ db }: Context, uuid: string): Promise<string[]> =>
  aggregates.aggregatesOf(db, uuid);

/** Adds providers to an aggregate, which is created on first use. @throws 404 */
export const addToAggregate = (
  context: Context,
  aggregate: string,
  uuids: readonly string[],
): Promise<void> => aggregates.addProviders(context, aggregate, uuids);

/** Lists the inventories of providers by UUID and resource class. */
export const inventoriesOf = (
  { db }: Context,
  uuids: readonly string[],
): Promise<Map<string, Readonly<Record<string, Inventory>>>> =>
  inventories.inventoriesByClass(db, uuids);

/** Lists each consumer once for each provider tree that it has allocations from. */
export const consumersOnTrees = ({ db }: Context): Promise<audit.ConsumerOnTree[]> =>
  audit.consumersOnTrees(db);

/** Lists all root providers, and whether they have a trait. */
export const rootProviders = ({ db }: Context, trait: string): Promise<audit.RootProvider[]> =>
  audit.rootProviders(db, trait);
