// The body of a write of allocations, which has had four forms through the versions.
import type { Version } from '../../../kernel/microversion.ts';
import { normalUuid } from '../../../kernel/ids.ts';
import type { PlacementVersion } from '../versions.ts';
import type { AllocationsUpdate } from './allocations.ts';
import type { Amounts } from '../model.ts';

/** The body at any version. */
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
 * The project and the user of a consumer before 1.8, when a body named none. Upstream writes these
 * also over the consumer's own.
 */
const incomplete = '00000000-0000-0000-0000-000000000000';

/**
 * Reads a body that fits the contract of the version. Of a provider that a list names twice the
 * last entry counts.
 */
export function readAllocations(
  consumer: string,
  body: AllocationBody,
  version: Version<PlacementVersion>,
): AllocationsUpdate {
  const {
    allocations,
    project_id: projectId = incomplete,
    user_id: userId = incomplete,
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
