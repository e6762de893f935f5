// Aggregates as a client sees them.
import type { ComputeCall } from '../../call.ts';
import { naive, naiveOrNull } from '../times.ts';
import { zoneKey, type Aggregate } from '../../domain/records.ts';

export function aggregateView({ at }: Pick<ComputeCall, 'at'>, aggregate: Aggregate): Record<string, unknown> {
  const { id, uuid, name, hosts, metadata, createdAt, updatedAt } = aggregate;
  return {
    id,
    ...at.since('2.41', { uuid }),
    name,
    availability_zone: metadata[zoneKey] ?? null,
    hosts,
    metadata,
    created_at: naive(createdAt),
    updated_at: naiveOrNull(updatedAt),
    deleted: false,
    deleted_at: null,
  };
}
