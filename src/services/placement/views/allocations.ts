// Allocations as a client sees them.
import type { Version } from '../../../kernel/microversion.ts';
import type { Consumer, ShownAllocation } from '../store/allocations.ts';
import type { Provider } from '../store/resource-providers.ts';
import type { PlacementVersion } from '../versions.ts';

type At = Version<PlacementVersion>;
type Names = ReadonlyMap<number, string>;

/**
 * What a consumer uses; a consumer that uses nothing has no other keys. From 1.12 on a client may send this back as it is, so there must
 * be no key in it that PUT does not know.
 */
export function consumerView(
  at: At,
  consumer: Consumer | undefined,
  allocations: readonly ShownAllocation[],
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
    ...at.since('1.12', { project_id: consumer.projectId, user_id: consumer.userId }),
    ...at.since('1.28', { consumer_generation: consumer.generation }),
    ...at.since('1.38', { consumer_type: consumer.typeName ?? 'unknown' }),
  };
}

/** Who uses a provider. */
export function providerAllocationsView(
  at: At,
  provider: Provider,
  allocations: readonly ShownAllocation[],
  names: Names,
): object {
  const consumers: Record<string, { resources: Record<string, number> }> = {};
  for (const { consumerUuid, consumerGeneration, classId, used } of allocations) {
    consumers[consumerUuid] ??= { resources: {}, ...at.since('1.28', { consumer_generation: consumerGeneration }) };
    consumers[consumerUuid].resources[names.get(classId)!] = used;
  }
  return { allocations: consumers, resource_provider_generation: provider.generation };
}
