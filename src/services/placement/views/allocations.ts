// Renders allocations.
import type { Version } from '../../../kernel/microversion.ts';
import type { Consumer, ListedAllocation, Provider } from '../model.ts';
import type { PlacementVersion } from '../versions.ts';

type At = Version<PlacementVersion>;
type Names = ReadonlyMap<number, string>;

/**
 * Renders the allocations of a consumer. A consumer without allocations has no other keys. From
 * 1.12 on clients can PUT this view unchanged, so it has only keys that PUT accepts.
 */
export function consumerView(
  version: At,
  consumer: Consumer | undefined,
  allocations: readonly ListedAllocation[],
  names: Names,
): object {
  if (!consumer || !allocations.length) return { allocations: {} };
  const providers: Record<string, { resources: Record<string, number>; generation: number }> = {};
  for (const { providerUuid, providerGeneration, classId, used } of allocations) {
    providers[providerUuid] ??= { resources: {}, generation: providerGeneration };
    providers[providerUuid].resources[names.get(classId)!] = used;
  }
  return {
    allocations: providers,
    ...version.since('1.12', { project_id: consumer.projectId, user_id: consumer.userId }),
    ...version.since('1.28', { consumer_generation: consumer.generation }),
    ...version.since('1.38', { consumer_type: consumer.typeName ?? 'unknown' }),
  };
}

/** Renders the allocations of a provider, by consumer. */
export function providerAllocationsView(
  version: At,
  provider: Provider,
  allocations: readonly ListedAllocation[],
  names: Names,
): object {
  const consumers: Record<string, { resources: Record<string, number> }> = {};
  for (const { consumerUuid, consumerGeneration, classId, used } of allocations) {
    consumers[consumerUuid] ??= {
      resources: {},
      ...version.since('1.28', { consumer_generation: consumerGeneration }),
    };
    consumers[consumerUuid].resources[names.get(classId)!] = used;
  }
  return { allocations: consumers, resource_provider_generation: provider.generation };
}
