// The door under its former names, for callers that do not ask through internal.ts yet. Goes with the last of them.
import type { Micros } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db/database.ts';
import { changeAggregates as aggregates } from './domain/aggregates.ts';
import { allocationsByConsumer, deleteAllocationsIfAny, replaceAllocations } from './domain/allocations.ts';
import { listCandidates } from './domain/candidates/list.ts';
import { inventoriesByClass, setInventories as inventories } from './domain/inventories.ts';
import { deleteProviderIfAny, ensureProvider as provider } from './domain/provider-shapes.ts';
import type { Allocations, Amounts, CandidateRequest, InventoryBody, LinkChange, ProviderShape } from './domain/records.ts';
import { changeTraits as traits } from './domain/traits.ts';

export type {
  Allocations as Uses,
  CandidateRequest as Demand,
  Inventory as Stock,
  RequestGroup as AskedGroup,
} from './domain/records.ts';
export interface Use {
  readonly consumer: string;
  readonly projectId: string;
  readonly userId: string;
  readonly uses: Allocations;
}
export interface Offer {
  readonly root: string;
  readonly uses: Allocations;
  readonly free: Amounts;
}
export const findOffers = async (db: Db, demand: CandidateRequest): Promise<Offer[]> =>
  (await listCandidates(db, demand)).map(({ root, allocations, free }) => ({ root, uses: allocations, free }));
export const usesOf = allocationsByConsumer;
export const setUses = (db: Db, uses: readonly Use[], now: Micros): Promise<void> =>
  replaceAllocations(
    { db, now },
    uses.map(({ uses: allocations, ...one }) => ({ ...one, allocations, generation: undefined, type: 'INSTANCE' })),
  );
export const dropUses = async (db: Db, consumer: string): Promise<void> => {
  await deleteAllocationsIfAny(db, consumer);
};
export const stocksOf = inventoriesByClass;
export const dropProvider = deleteProviderIfAny;
export const ensureProvider = (db: Db, shape: ProviderShape, now: Micros): Promise<void> => provider({ db, now }, shape);
export const setInventories = (db: Db, uuid: string, all: Readonly<Record<string, InventoryBody>>, now: Micros): Promise<void> =>
  inventories({ db, now }, uuid, all);
export const changeTraits = (db: Db, uuid: string, change: LinkChange, now: Micros): Promise<void> =>
  traits({ db, now }, uuid, change);
export const changeAggregates = (db: Db, uuid: string, change: LinkChange, now: Micros): Promise<void> =>
  aggregates({ db, now }, uuid, change);
