// Usages as a client sees them.
import type { ProviderStock } from '../model.ts';
import type { ConsumerUsages } from '../domain/usages.ts';

export function providerUsagesView({ generation, inventories, names }: ProviderStock): object {
  const usages = Object.fromEntries(
    inventories.map(({ classId, used }) => [names.get(classId), used]),
  );
  return { resource_provider_generation: generation, usages };
}

/** The usages of each type of consumer, from 1.38 on. */
export const usagesByTypeView = (
  usages: ReadonlyMap<string, ConsumerUsages>,
): Record<string, object> =>
  Object.fromEntries(
    [...usages].map(([type, one]) => [type, { ...one.usages, consumer_count: one.consumers }]),
  );
