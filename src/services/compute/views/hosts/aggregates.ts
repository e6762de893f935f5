// The view of an aggregate.
import { naiveIso, naiveIsoOrNull } from '../../../../kernel/clock.ts';
import type { ComputeCall } from '../../call.ts';
import { zoneKey, type Aggregate } from '../../model.ts';

export function aggregateView(
  { version }: Pick<ComputeCall, 'version'>,
  aggregate: Aggregate,
): Record<string, unknown> {
  const { id, uuid, name, hosts, metadata, createdAt, updatedAt } = aggregate;
  return {
    id,
    ...version.since('2.41', { uuid }),
    name,
    availability_zone: metadata[zoneKey] ?? null,
    hosts,
    metadata,
    created_at: naiveIso(createdAt),
    updated_at: naiveIsoOrNull(updatedAt),
    deleted: false,
    deleted_at: null,
  };
}
