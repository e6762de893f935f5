// Placement's internal API: other services of the region call it in their own transaction.
import type { Context } from '../../kernel/model.ts';
import * as aggregates from './domain/aggregates.ts';
import * as allocations from './domain/allocations.ts';
import * as candidates from './domain/candidates/list.ts';
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
} from './model.ts';
import * as traits from './domain/traits.ts';

export { standardClasses, standardTraits } from './standard-names.ts';
export type {
  Allocations,
  Amounts,
  Candidate,
  CandidateRequest,
  ConsumerAllocations,
  Inventory,
  InventoryFields,
  LinkChange,
  Provider,
  ProviderShape,
  RequestGroup,
} from './model.ts';

/**
 * Lists the allocation candidates of a request in the order of their providers. A request with
 * unknown classes or traits has no candidates.
 */
export const listCandidates = (
  { db, cloud }: Context,
  request: CandidateRequest,
): Promise<Candidate[]> => candidates.listCandidates(db, request, cloud.config);

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
): Promise<void> =>
  allocations.replaceAllocations(
    context,
    consumers.map((consumer) => ({ ...consumer, generation: undefined, type: 'INSTANCE' })),
  );

/** Deletes the allocations of a consumer, if it has any. */
export const deleteAllocations = async ({ db }: Context, consumer: string): Promise<void> => {
  await allocations.deleteAllocationsIfAny(db, consumer);
};

/**
 * Creates a provider if it does not exist, replaces its inventories and adds the traits.
 * @throws 409 if another provider has the name
 */
export const ensureProvider = (context: Context, shape: ProviderShape): Promise<void> =>
  providers.ensureProvider(context, shape);

/**
 * Deletes a provider with its inventories, traits and aggregates, if it exists.
 * @throws 409 if it is in use
 */
export const deleteProvider = ({ db }: Context, uuid: string): Promise<void> =>
  providers.deleteProviderIfAny(db, uuid);

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

/** Lists the inventories of providers by UUID and resource class. */
export const inventoriesOf = (
  { db }: Context,
  uuids: readonly string[],
): Promise<Map<string, Readonly<Record<string, Inventory>>>> =>
  inventories.inventoriesByClass(db, uuids);
