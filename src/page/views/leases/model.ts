// What the view of leases reads: leases, hosts, which lease has which host, and what is due.
import { emulator } from '../../core/http.ts';
import { hrefOf } from '../../core/router.ts';
import { service } from '../../core/session.ts';
import type { Bar, Row } from '../../parts/timeline.tsx';
import { dayTime } from '../../parts/text.ts';

/** A lease, as Reservation lists it. Times are UTC without a zone. */
export interface Lease {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly project_id: string;
  readonly start_date: string;
  readonly end_date: string;
  readonly degraded: boolean;
  readonly reservations: readonly {
    readonly id: string;
    readonly resource_type: string;
    readonly status: string;
  }[];
}

/** A job that runs when the clock reaches its time. */
export interface Job {
  readonly id: string;
  readonly service: string;
  readonly kind: string;
  readonly subject: string;
  readonly due_at: string;
  readonly period_seconds: number | null;
}

/** Everything that the view shows. */
export interface Leases {
  readonly leases: readonly Lease[];
  /** The reservable hosts, with the spans in which they are reserved. */
  readonly hosts: readonly Row[];
  readonly jobs: readonly Job[];
}

/** A time of Reservation in milliseconds. */
export const timeOf = (text: string): number => Date.parse(text.endsWith('Z') ? text : `${text}Z`);

interface Allocation {
  readonly resource_id: string;
  readonly reservations: readonly {
    readonly lease_id: string;
    readonly start_date: string;
    readonly end_date: string;
  }[];
}

export async function readLeases(
  prefix: string,
  parameter: string,
  signal: AbortSignal,
): Promise<Leases> {
  const read = <T>(path: string): Promise<T> =>
    service<T>(`${prefix}/reservation/v1/${path}`, { signal });
  const [{ leases }, { hosts }, { allocations }, { jobs }] = await Promise.all([
    read<{ leases: Lease[] }>('leases'),
    read<{ hosts: { id: string; hypervisor_hostname: string }[] }>('os-hosts'),
    read<{ allocations: Allocation[] }>('os-hosts/allocations'),
    emulator<{ jobs: Job[] }>(`/jobs${parameter && `?${parameter}`}`, { signal }),
  ]);
  const byId = new Map(leases.map((lease) => [lease.id, lease]));
  const rows = hosts.map(({ id, hypervisor_hostname: name }) => ({
    key: id,
    name,
    bars: barsOf(
      allocations.find(({ resource_id }) => resource_id === id),
      byId,
    ),
  }));
  return {
    leases,
    hosts: rows,
    jobs: jobs.filter(({ period_seconds }) => period_seconds === null),
  };
}

/** The spans of a host. A lease with several slots on the host has one. */
function barsOf(allocation: Allocation | undefined, leases: ReadonlyMap<string, Lease>): Bar[] {
  const bars = new Map<string, Bar>();
  for (const { lease_id: id, start_date, end_date } of allocation?.reservations ?? []) {
    const lease = leases.get(id);
    if (lease)
      bars.set(id, {
        key: id,
        label: lease.name,
        title:
          `${lease.name}, ${lease.status.toLowerCase()}, ` +
          `${dayTime(lease.start_date)} to ${dayTime(lease.end_date)}`,
        href: hrefOf('leases', { lease: id }),
        state: lease.status.toLowerCase(),
        start: timeOf(start_date),
        end: timeOf(end_date),
      });
  }
  return [...bars.values()];
}
