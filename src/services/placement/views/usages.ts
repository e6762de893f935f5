// Renders usages.
import type { ProviderInventories } from '../model.ts';
import type { ConsumerUsages } from '../domain/usages.ts';

export function providerUsagesView({
  generation,
  inventories,
  names,
}: ProviderInventories): object {
  const usages = Object.fromEntries(
    inventories.map(({ classId, used }) => [names.get(classId), used]),
  );
  return { resource_provider_generation: generation, usages };
}

/** Renders the usages of each consumer type, from 1.38 on. */
export const usagesByTypeView = (
  usages: ReadonlyMap<string, ConsumerUsages>,
): Record<string, object> =>
  Object.fromEntries(
    [...usages].map(([type, ofType]) => [
      type,
      { ...ofType.usages, consumer_count: ofType.consumers },
    ]),
  );
