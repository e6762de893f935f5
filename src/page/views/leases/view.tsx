// Leases: hosts and time, with the clock as a line that can be moved.
import { useState } from 'preact/hooks';
import { useEmulatedNow } from '../../core/clock.ts';
import { useRegion } from '../../core/cloud.ts';
import { useLive } from '../../core/live.ts';
import { setQuery, useQuery } from '../../core/router.ts';
import { Empty, Panel, Pending, ViewHead } from '../../parts/panel.tsx';
import { Status } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { counted, dayTime } from '../../parts/text.ts';
import { day, Timeline, type Span } from '../../parts/timeline.tsx';
import { ClockPanel } from './clock-panel.tsx';
import { NewLeasePanel } from './new-lease.tsx';
import { readLeases, timeOf, type Lease, type Leases } from './model.ts';

const createLease =
  "openstack reservation lease create --reservation 'resource_type=physical:host,min=1,max=1," +
  "hypervisor_properties=,resource_properties=' --start-date '2030-01-01 00:00' " +
  "--end-date '2030-01-02 00:00' mine";

const makeReservable = 'openstack reservation host create compute-1';

/** The span of all leases that have not ended, with the present in it. */
function spanOf({ leases }: Leases, now: number): Span {
  const open = leases.filter(({ end_date }) => timeOf(end_date) > now);
  const from = Math.min(now, ...open.map(({ start_date }) => timeOf(start_date)));
  const to = Math.max(now + 7 * day, ...open.map(({ end_date }) => timeOf(end_date)));
  return { from: from - day / 4, to: to + day / 2 };
}

export function LeasesView() {
  const { prefix, parameter } = useRegion();
  const [target, setTarget] = useState(0);
  const time = useEmulatedNow(10_000);
  const { data, error } = useLive(
    `leases ${prefix}`,
    ['reservation', 'jobs', 'emulator'],
    (signal) => readLeases(prefix, parameter, signal),
  );
  const head = (
    <ViewHead title="Leases">
      Which hosts are reserved when, what a new lease would meet, and what happens as the clock
      moves.
    </ViewHead>
  );
  if (!data || !time)
    return (
      <>
        {head}
        <Pending error={error} />
      </>
    );
  const span = spanOf(data, time.now);
  return (
    <>
      {head}
      <Panel title="Timeline" flush aside={counted(data.hosts.length, 'reservable host')}>
        {data.hosts.length ? (
          <Timeline
            label="Leases of hosts"
            subject="Host"
            rows={data.hosts}
            span={span}
            now={time.now}
            target={target}
          />
        ) : (
          <Empty command={makeReservable}>
            No host is reservable. Add one to those that Reservation lends:
          </Empty>
        )}
      </Panel>
      {data.hosts.length > 0 && <NewLeasePanel now={time.now} />}
      <ClockPanel
        now={time.now}
        frozen={time.frozen}
        span={span}
        jobs={data.jobs}
        leases={data.leases}
        target={target}
        onTarget={setTarget}
      />
      <LeaseTable leases={data.leases} />
    </>
  );
}

function LeaseTable({ leases }: { readonly leases: readonly Lease[] }) {
  const { lease } = useQuery();
  return (
    <Panel title="Leases" flush aside={counted(leases.length, 'lease')}>
      {leases.length ? (
        <Table
          label="Leases"
          rows={leases}
          keyOf={({ id }) => id}
          selected={lease}
          onSelect={({ id }) => setQuery({ lease: id })}
          columns={[
            { title: 'Name', cell: ({ name }) => name },
            { title: 'Status', cell: ({ status }) => <Status state={status.toLowerCase()} /> },
            { title: 'From', cell: ({ start_date }) => dayTime(start_date) },
            { title: 'To', cell: ({ end_date }) => dayTime(end_date) },
            {
              title: 'Reserves',
              minor: true,
              cell: ({ reservations }) =>
                reservations
                  .map(({ resource_type, status }) => `${resource_type} (${status})`)
                  .join(', '),
            },
          ]}
        />
      ) : (
        <Empty command={createLease}>No lease yet. Reserve a host:</Empty>
      )}
    </Panel>
  );
}
