// Allocations: the reservations of each host.
import { ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ReservationCall } from '../call.ts';
import { getHost } from '../domain/hosts/hosts.ts';
import { listAllocations, type AllocationFilter } from '../store/allocations.ts';
import { grouped } from '../../../kernel/db/grouping.ts';
import { listHosts } from '../store/hosts.ts';
import { allocationView } from '../views/hosts.ts';

/** Lists all hosts, including those without allocations. */
export async function list(call: ReservationCall): Promise<Reply> {
  const allocations = await listAllocations(call.db, readFilter(call));
  const byHost = grouped(allocations, ({ hostId }) => hostId);
  return ok({
    allocations: (await listHosts(call.db)).map((host) =>
      allocationView(host, byHost.get(host.id) ?? []),
    ),
  });
}

export async function show(call: ReservationCall): Promise<Reply> {
  const host = await getHost(call, call.params['host_id']!);
  const allocations = await listAllocations(call.db, { ...readFilter(call), hostId: host.id });
  return ok({ allocation: allocationView(host, allocations) });
}

/** Reads the filter. Without a lease or reservation, it excludes allocations that have ended. */
function readFilter({ query, now }: ReservationCall): AllocationFilter {
  const [leaseId, reservationId] = [query.last('lease_id'), query.last('reservation_id')];
  if (leaseId === undefined && reservationId === undefined) return { since: now };
  return {
    ...(leaseId === undefined ? {} : { leaseId }),
    ...(reservationId === undefined ? {} : { reservationId }),
  };
}
