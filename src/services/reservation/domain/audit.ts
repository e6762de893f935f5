// What is inconsistent in Reservation: reserved hosts that do not exist, or are reserved twice.
import type { Audited, Inconsistency } from '../../../emulator/audit/model.ts';
import { grouped } from '../../../kernel/db/grouping.ts';
import type { Context } from '../../../kernel/model.ts';
import { listHypervisors } from '../clients/compute.ts';
import { hostType, type Host } from '../model.ts';
import { listAllocations, type LeasedAllocation } from '../store/allocations.ts';
import { listHosts } from '../store/hosts.ts';

/** Audits the hosts of a region and their allocations from now on. */
export async function auditReservation(context: Context): Promise<Audited> {
  const { db, now } = context;
  const hosts = await listHosts(db);
  const allocations = await listAllocations(db, { since: now });
  const byHost = grouped(allocations, ({ hostId }) => hostId);
  const names = hosts.length
    ? (await listHypervisors(context)).map((one) => one.hypervisor_hostname)
    : [];
  const known = new Set(names);
  return {
    examined: { 'reservable hosts': hosts.length, reservations: allocations.length },
    inconsistencies: hosts.flatMap((host) => {
      const own = byHost.get(host.id) ?? [];
      return [
        ...(known.has(host.hypervisorHostname) ? [] : [missingHost(host, own)]),
        ...reservedTwice(host, own),
      ];
    }),
  };
}

const resourceOf = ({ id, hypervisorHostname: name }: Host): Inconsistency['resource'] => ({
  type: 'reservable_host',
  id: String(id),
  name,
});

function missingHost(host: Host, own: readonly LeasedAllocation[]): Inconsistency {
  const leases = [...new Set(own.map(({ leaseId }) => leaseId))];
  const used = leases.length ? `, but leases have reserved it: ${leases.join(', ')}` : '';
  return {
    check: 'reservable_host_missing',
    resource: resourceOf(host),
    text: `Compute has no host ${host.hypervisorHostname} any more${used}.`,
    repair: [
      ...leases.map((id) => `openstack reservation lease delete ${id}`),
      `openstack reservation host delete ${host.id}`,
    ],
  };
}

/** Reports each reservation of a whole host that begins before an earlier one has ended. */
function reservedTwice(host: Host, own: readonly LeasedAllocation[]): Inconsistency[] {
  const whole = own
    .filter(({ resourceType }) => resourceType === hostType)
    .toSorted((one, other) => one.startAt - other.startAt);
  const found: Inconsistency[] = [];
  let last: LeasedAllocation | undefined;
  for (const one of whole) {
    if (last && one.startAt < last.endAt)
      found.push({
        check: 'host_reserved_twice',
        resource: resourceOf(host),
        text:
          `Host ${host.hypervisorHostname} is reserved twice at a time: by lease ${last.leaseId} ` +
          `and by lease ${one.leaseId}.`,
        repair: [`openstack reservation lease delete ${one.leaseId}`],
      });
    if (!last || one.endAt > last.endAt) last = one;
  }
  return found;
}
