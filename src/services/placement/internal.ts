// Placement's door: what other services of the region ask of it, in their own transaction.
import type { Work } from '../../kernel/model.ts';
import * as inside from './domain/in-process.ts';
import * as providers from './domain/own-providers.ts';

export { standardClasses } from './domain/standard-classes.ts';
export { standardTraits } from './domain/standard-traits.ts';
export type { AskedGroup } from './domain/candidates/request.ts';
export type { Amounts, Demand as CandidateRequest, Uses as Allocations } from './domain/in-process.ts';
export type { LinkChange, ProviderShape, Stock } from './domain/own-providers.ts';

/** An allocation candidate: the root of its tree, what it would allocate, and what is free at the root. */
export interface Candidate {
  readonly root: string;
  readonly allocations: inside.Uses;
  readonly free: inside.Amounts;
}

/** What a consumer is to have: amounts by resource class, by the UUID of the provider. */
export interface ConsumerAllocations {
  readonly consumer: string;
  readonly projectId: string;
  readonly userId: string;
  readonly allocations: inside.Uses;
}

/** The allocation candidates of a request, in the order of the providers; none where it names classes or traits that do not exist. */
export const listCandidates = async ({ db }: Work, request: inside.Demand): Promise<Candidate[]> =>
  (await inside.findOffers(db, request)).map(({ root, uses, free }) => ({ root, allocations: uses, free }));

/** The allocations of consumers; consumers without any are left out. */
export const allocationsOf = ({ db }: Work, consumers: readonly string[]): Promise<ReadonlyMap<string, inside.Uses>> =>
  inside.usesOf(db, consumers);

/**
 * Replaces the allocations of consumers, all of them or none; an empty map deletes them.
 * @throws 409 where they do not fit, Contention where another claim was faster
 */
export const setAllocations = ({ db, now, attempt }: Work, consumers: readonly ConsumerAllocations[]): Promise<void> =>
  inside.setUses(
    db,
    consumers.map(({ allocations, ...consumer }) => ({ ...consumer, uses: allocations })),
    now,
    attempt,
  );

/** Deletes the allocations of a consumer, if it has any. */
export const deleteAllocations = ({ db }: Work, consumer: string): Promise<void> => inside.dropUses(db, consumer);

/** Makes a provider as it is described, or brings an existing one to it. @throws 409 where the name belongs to another */
export const ensureProvider = ({ db, now }: Work, shape: providers.ProviderShape): Promise<void> =>
  providers.ensureProvider(db, shape, now);

/** Deletes a provider with its inventories, traits and aggregates, if it exists. @throws 409 where it is in use */
export const deleteProvider = ({ db }: Work, uuid: string): Promise<void> => providers.dropProvider(db, uuid);

/** Replaces the inventories of a provider. @throws 409 where a class is to go that is in use */
export const setInventories = (
  { db, now }: Work,
  uuid: string,
  inventories: providers.ProviderShape['inventories'],
): Promise<void> => providers.setInventories(db, uuid, inventories, now);

/** Adds traits to a provider and removes others. */
export const changeTraits = ({ db, now }: Work, uuid: string, change: providers.LinkChange): Promise<void> =>
  providers.changeTraits(db, uuid, change, now);

/** Adds a provider to aggregates and removes it from others. */
export const changeAggregates = ({ db, now }: Work, uuid: string, change: providers.LinkChange): Promise<void> =>
  providers.changeAggregates(db, uuid, change, now);

/** The inventories of providers, by UUID and resource class, with what is used of each. */
export const inventoriesOf = (
  { db }: Work,
  uuids: readonly string[],
): Promise<Map<string, Readonly<Record<string, providers.Stock>>>> => providers.stocksOf(db, uuids);
