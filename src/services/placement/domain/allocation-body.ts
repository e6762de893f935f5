// Reads the bodies that write allocations. Their format has changed three times between versions.
import type { Version } from '../../../kernel/microversion.ts';
import { normalUuid } from '../../../kernel/ids.ts';
import type { PlacementVersion } from '../versions.ts';
import type { AllocationsUpdate } from './allocations.ts';
import type { Amounts } from '../model.ts';

/** The body in the format of any version. */
export interface AllocationBody {
  allocations:
    | { resource_provider: { uuid: string }; resources: Amounts }[]
    | Record<string, { resources: Amounts }>;
  project_id?: string;
  user_id?: string;
  consumer_generation?: number | null;
  consumer_type?: string;
}

/**
 * The project and user of a consumer before 1.8, when bodies did not have them. Like upstream, this
 * overwrites the consumer's own project and user.
 */
const incompleteConsumer = '00000000-0000-0000-0000-000000000000';

/**
 * Reads a body that is valid at the version. If a list has several entries for a provider, the last
 * one counts.
 */
export function readAllocations(
  consumer: string,
  body: AllocationBody,
  version: Version<PlacementVersion>,
): AllocationsUpdate {
  const {
    allocations,
    project_id: projectId = incompleteConsumer,
    user_id: userId = incompleteConsumer,
    consumer_generation: generation,
    consumer_type: type,
  } = body;
  const byProvider = Array.isArray(allocations)
    ? allocations.map(
        (entry) => [normalUuid(entry.resource_provider.uuid), entry.resources] as const,
      )
    : Object.entries(allocations).map(([uuid, entry]) => [uuid, entry.resources] as const);
  return {
    consumer,
    generation: version.has('1.28') ? (generation ?? null) : undefined,
    projectId,
    userId,
    type,
    allocations: new Map(byProvider),
  };
}
