// What a lease of hosts would meet: whether it fits, what is in the way, and when there is room.
import { useRegion } from '../../core/cloud.ts';
import { useLive } from '../../core/live.ts';
import { setQuery, useQuery } from '../../core/router.ts';
import { ActionButton } from '../../parts/button.tsx';
import { TextField } from '../../parts/fields.tsx';
import { Panel, Pending } from '../../parts/panel.tsx';
import { Status } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { counted, dayTime } from '../../parts/text.ts';
import {
  askedBy,
  explainLease,
  reserveAction,
  type Asked,
  type Explanation,
} from './lease-request.ts';

export function NewLeasePanel({ now }: { readonly now: number }) {
  const asked = askedBy(useQuery(), now);
  return (
    <Panel title="When would a lease fit?">
      <div class="filters">
        <TextField name="hosts" label="Hosts" placeholder="10" />
        <TextField name="start" label="Start" placeholder="now, +2d, 2026-12-01 12:00" />
        <TextField name="for" label="For" placeholder="1d" />
      </div>
      {typeof asked === 'string' ? (
        <p class="failed" role="status">
          {asked}
        </p>
      ) : asked ? (
        <Answer asked={asked} />
      ) : (
        <p class="muted">Enter a number of hosts to see whether they are free, or when.</p>
      )}
    </Panel>
  );
}

function Answer({ asked }: { readonly asked: Asked }) {
  const { name: region, prefix } = useRegion();
  const { data, error } = useLive(
    `lease ${prefix} ${JSON.stringify(asked)}`,
    ['reservation', 'compute', 'emulator'],
    (signal) => explainLease(prefix, asked, signal),
  );
  if (!data) return <Pending error={error} />;
  const isPossible = data.fits && !data.enforcement;
  return (
    <div class="answer" role="status">
      <p class="summary">
        <Status state={isPossible ? 'fits' : 'no'} tone={isPossible ? 'good' : 'bad'} />{' '}
        {summaryOf(data, asked)}
      </p>
      {isPossible ? (
        <ActionButton kind="primary" action={() => reserveAction(asked, prefix, region)}>
          Reserve
        </ActionButton>
      ) : (
        !data.enforcement && <Obstacles explanation={data} />
      )}
    </div>
  );
}

function summaryOf({ fits, enforcement, largest }: Explanation, { hosts, start, end }: Asked) {
  const span = `from ${start} to ${end}`;
  if (enforcement)
    return `A lease may last ${counted(enforcement.max_lease_duration / 3600, 'hour')} at most.`;
  if (fits) return `${counted(hosts, 'host')} ${hosts === 1 ? 'is' : 'are'} free ${span}.`;
  return `${largest} of ${counted(hosts, 'host')} ${largest === 1 ? 'is' : 'are'} free ${span}.`;
}

/** When there is room, what would make room, and what is in the way. */
function Obstacles({ explanation }: { readonly explanation: Explanation }) {
  const { next, changes, resources } = explanation;
  const taken = resources.filter(({ causes }) => causes.length);
  return (
    <>
      {next ? (
        <div class="row">
          <span>
            It fits from <strong>{dayTime(next.start_date)}</strong> to {dayTime(next.end_date)}.
          </span>
          <button type="button" onClick={() => setQuery({ start: dayTime(next.start_date) })}>
            Start then
          </button>
        </div>
      ) : (
        <p>It fits at no time: there are not enough suitable hosts.</p>
      )}
      {changes && changes.length > 0 && (
        <p>To make room: {changes.map(({ text }) => text).join('; ')}.</p>
      )}
      {taken.length > 0 && (
        <Table
          label="Hosts that are not free"
          rows={taken}
          height="16rem"
          keyOf={({ resource_id }) => resource_id}
          columns={[
            { title: 'Host', cell: ({ hypervisor_hostname }) => hypervisor_hostname },
            {
              title: 'Why not',
              long: 'wrap',
              cell: ({ causes }) => causes.map(({ text }) => text).join('; '),
            },
          ]}
        />
      )}
    </>
  );
}
