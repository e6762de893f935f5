// Says which lease deletes a server when it ends, and so releases the resources of the server.
import type { DescribeConsumers } from '../../../../emulator/explain/consumers.ts';
import { reservationsOfServers } from '../../clients/compute.ts';
import { hasLeases, leasesById } from '../../store/leases.ts';
import { findReservations } from '../../store/reservations.ts';

/** Describes the servers of reservations among consumers. */
export const describeConsumers: DescribeConsumers = async (context, uuids) => {
  const { db } = context;
  if (!(await hasLeases(db))) return new Map();
  const ofServers = await reservationsOfServers(context, uuids);
  const reservations = await findReservations(db, [...new Set([...ofServers.values()].flat())]);
  const leases = await leasesById(
    db,
    [...reservations.values()].map(({ leaseId }) => leaseId),
  );
  return new Map(
    [...ofServers].flatMap(([uuid, ids]) => {
      const ends = ids.flatMap((id) => leases.get(reservations.get(id)?.leaseId ?? '') ?? []);
      const [first] = ends.toSorted((one, other) => one.endAt - other.endAt);
      return first ? [[uuid, { release: { lease: first.name, at: first.endAt } }] as const] : [];
    }),
  );
};
