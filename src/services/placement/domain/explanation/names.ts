// Reads the names of what an explanation mentions by ids.
import { describeConsumers, type ConsumerFacts } from '../../../../emulator/explain/consumers.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { Holding } from '../../model.ts';
import { firstCustomId } from '../../standard-names.ts';
import { aggregateNames } from '../../store/aggregates.ts';
import { largestAllocations } from '../../store/allocations.ts';
import { classTable, namesOf, traitTable } from '../../store/names.ts';
import type { Cause } from './causes.ts';
import type { Change } from './changes.ts';

/** The explanation of a tree, as far as it mentions something. */
interface Mentioning {
  readonly causes: readonly Cause[];
  readonly change: readonly Change[] | undefined;
}

type InventoryKey = Pick<Holding, 'providerId' | 'classId'>;

const inventoryKey = ({ providerId, classId }: InventoryKey): string => `${providerId} ${classId}`;

/** How many of the allocations from a full inventory are named. */
const maxHolders = 3;

/** The names of everything that an explanation mentions, by id. */
export interface ExplanationNames {
  readonly classes: ReadonlyMap<number, string>;
  readonly traits: ReadonlyMap<number, string>;
  readonly aggregates: ReadonlyMap<number, string>;
  /** The largest allocations from each inventory that is too full. */
  readonly holders: readonly Holding[];
  /** What other services know about the consumers of these allocations, by UUID. */
  readonly consumers: ReadonlyMap<string, ConsumerFacts>;
}

/** Collects the ids that an explanation mentions. */
function idsIn(trees: readonly Mentioning[]): {
  classes: Set<number>;
  traits: Set<number>;
  aggregates: Set<number>;
  full: Map<string, InventoryKey>;
} {
  const ids = {
    classes: new Set<number>(),
    traits: new Set<number>(),
    aggregates: new Set<number>(),
    full: new Map<string, InventoryKey>(),
  };
  for (const { causes, change } of trees) {
    for (const one of [...causes, ...(change ?? [])]) {
      if ('classId' in one) ids.classes.add(one.classId);
      if ('trait' in one) ids.traits.add(one.trait);
      if ('traits' in one) for (const id of one.traits) ids.traits.add(id);
      if ('aggregate' in one) ids.aggregates.add(one.aggregate);
      if ('aggregates' in one) for (const id of one.aggregates) ids.aggregates.add(id);
      if ('change' in one && one.change === 'free') {
        const inventory = { providerId: one.node.id, classId: one.classId };
        ids.full.set(inventoryKey(inventory), inventory);
      }
    }
  }
  return ids;
}

/** Whether the same ids always have these names: nobody can change those of upstream's classes. */
export const hasFixedNames = ({
  classes,
  traits,
  aggregates,
  holders,
}: ExplanationNames): boolean =>
  !holders.length &&
  !aggregates.size &&
  [...classes.keys(), ...traits.keys()].every((id) => id < firstCustomId);

/** Reads the names of everything that the explanations of trees mention. */
export async function namesIn(
  context: Context,
  trees: readonly Mentioning[],
): Promise<ExplanationNames> {
  const { db } = context;
  const ids = idsIn(trees);
  const full = [...ids.full.values()];
  const fullOf = {
    providerIds: [...new Set(full.map(({ providerId }) => providerId))],
    classIds: [...new Set(full.map(({ classId }) => classId))],
  };
  const largest = await largestAllocations(db, fullOf, maxHolders);
  const holders = largest.filter((one) => ids.full.has(inventoryKey(one)));
  const uuids = [...new Set(holders.map(({ consumerUuid }) => consumerUuid))];
  return {
    classes: await namesOf(db, classTable, ids.classes),
    traits: await namesOf(db, traitTable, ids.traits),
    aggregates: await aggregateNames(db, [...ids.aggregates]),
    holders,
    consumers: await describeConsumers(context, uuids),
  };
}
