// The bodies that allocations are written in, through the versions.
import type { Version } from '../../../kernel/microversion.ts';
import { normalUuid } from '../../../kernel/ids.ts';
import type { PlacementVersion } from '../versions.ts';
import type { Claim } from './claims.ts';

type Amounts = Record<string, number>;

export interface AllocationBody {
  allocations: { resource_provider: { uuid: string }; resources: Amounts }[] | Record<string, { resources: Amounts }>;
  project_id?: string;
  user_id?: string;
  consumer_generation?: number | null;
  consumer_type?: string;
}

/** Before 1.8 nobody said whose an allocation is: upstream writes these down, also over what is known of the consumer. */
const nobody = '00000000-0000-0000-0000-000000000000';

/** A body that the contract has allowed at this version, as a claim. A provider that a list names twice has its last entry. */
export function readClaim(consumer: string, body: AllocationBody, at: Version<PlacementVersion>): Claim {
  const {
    allocations,
    project_id: projectId = nobody,
    user_id: userId = nobody,
    consumer_generation: generation,
    consumer_type: type,
  } = body;
  const resources = Array.isArray(allocations)
    ? allocations.map((entry) => [normalUuid(entry.resource_provider.uuid), entry.resources] as const)
    : Object.entries(allocations).map(([uuid, entry]) => [uuid, entry.resources] as const);
  return {
    consumer,
    generation: at.has('1.28') ? (generation ?? null) : undefined,
    projectId,
    userId,
    type,
    resources: new Map(resources),
  };
}
