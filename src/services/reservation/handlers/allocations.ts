// Allocations: which reservations have which hosts.
import { ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ReservationCall } from '../call.ts';
import { hostOf } from '../domain/hosts/hosts.ts';
import {
  listAllocations,
  type AllocationFilter,
  type LeasedAllocation,
} from '../store/allocations.ts';
import { listHosts } from '../store/hosts.ts';
import { allocationView } from '../views/hosts.ts';

/** Hosts without any are listed too. */
export async function list(call: ReservationCall): Promise<Reply> {
  const allocations = await listAllocations(call.db, filterOf(call));
  const byHost = new Map<number, LeasedAllocation[]>();
  for (const one of allocations) byHost.set(one.hostId, [...(byHost.get(one.hostId) ?? []), one]);
  return ok({
    allocations: (await listHosts(call.db)).map((host) =>
      allocationView(host, byHost.get(host.id) ?? []),
    ),
  });
}

export async function show(call: ReservationCall): Promise<Reply> {
  const host = await hostOf(call, call.params['host_id']!);
  const allocations = await listAllocations(call.db, { ...filterOf(call), hostId: host.id });
  return ok({ allocation: allocationView(host, allocations) });
}

/** What is over is left out, unless a lease or a reservation is named. */
function filterOf({ query, now }: ReservationCall): AllocationFilter {
  const [leaseId, reservationId] = [query.last('lease_id'), query.last('reservation_id')];
  if (leaseId === undefined && reservationId === undefined) return { since: now };
  return {
    ...(leaseId === undefined ? {} : { leaseId }),
    ...(reservationId === undefined ? {} : { reservationId }),
  };
}
