// The overview: the cloud in one picture, what was asked last, and what was refused.
import { cumulet, curlOf } from '../../core/actions.ts';
import { useInfo, useRegion, type Info } from '../../core/cloud.ts';
import { listHypervisors } from '../../core/compute.ts';
import { readExplanations, type Explanations } from '../../core/explanations.ts';
import {
  operationOf,
  readJournal,
  refusalOf,
  type Entry,
  type Journal,
} from '../../core/journal.ts';
import { useLive, type Loaded } from '../../core/live.ts';
import { hrefOf } from '../../core/router.ts';
import { JournalOff } from '../../parts/journal-off.tsx';
import { Empty, Panel, Pending, ViewHead } from '../../parts/panel.tsx';
import { HttpStatus } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { clockTime, counted } from '../../parts/text.ts';
import { HostGrid } from './host-grid.tsx';

const shownRequests = 9;

export function OverviewView() {
  const info = useInfo();
  const region = useRegion();
  const journal = useLive('journal', ['journal', 'emulator'], (signal) =>
    readJournal({ limit: String(shownRequests) }, signal),
  );
  return (
    <>
      <ViewHead title="Overview">
        {info.data && (
          <>
            Cumulet {info.data.version} on {info.data.database},{' '}
            {counted(info.data.regions.length, 'region')}. Sign in with{' '}
            <code>eval "$(curl -sS {location.origin}/_emulator/openrc)"</code>, or take the{' '}
            <a href={hrefOf('tour')}>tour</a>.
          </>
        )}
      </ViewHead>
      <div class="grid two">
        <HostsPanel prefix={region.prefix} />
        <RefusalsPanel region={region.parameter} />
        <RequestsPanel journal={journal} />
        <ServicesPanel info={info} prefix={region.prefix} />
      </div>
    </>
  );
}

function HostsPanel({ prefix }: { readonly prefix: string }) {
  const { data, error } = useLive(`hosts ${prefix}`, ['compute', 'placement'], (signal) =>
    listHypervisors(prefix, signal),
  );
  const servers = data?.reduce((sum, host) => sum + host.running_vms, 0) ?? 0;
  return (
    <Panel
      title="Hosts"
      aside={
        data && (
          <a href={hrefOf('hosts')}>
            {counted(data.length, 'host')}, {counted(servers, 'server')}
          </a>
        )
      }
    >
      {!data ? (
        <Pending error={error} />
      ) : data.length ? (
        <HostGrid hosts={data} />
      ) : (
        <Empty command={curlOf('POST', '/hosts', { name: 'compute-1', vcpus: 16 })}>
          This region has no host, so no server finds a place. Add one:
        </Empty>
      )}
    </Panel>
  );
}

function RequestsPanel({ journal: { data, error } }: { readonly journal: Loaded<Journal> }) {
  return (
    <Panel title="Last requests" flush aside={<a href={hrefOf('requests')}>All requests</a>}>
      {!data ? (
        <Pending error={error} />
      ) : !data.keep ? (
        <JournalOff />
      ) : data.requests.length ? (
        <Table
          label="Last requests"
          rows={data.requests}
          keyOf={({ id }) => id}
          columns={[
            { title: 'Time', cell: ({ time }) => clockTime(time), width: '5.5rem' },
            { title: 'Operation', cell: operationLink, long: 'wrap' },
            { title: 'User', cell: ({ user_name }) => user_name ?? '–', minor: true },
            {
              title: 'Status',
              cell: ({ status }) => <HttpStatus status={status} />,
              width: '6rem',
            },
          ]}
        />
      ) : (
        <Empty command="openstack server list">No request yet. Send one:</Empty>
      )}
    </Panel>
  );
}

const operationLink = (entry: Entry) => (
  <>
    <span class="muted">{entry.service ?? 'none'}</span>{' '}
    <a href={hrefOf('requests', { id: String(entry.id) })}>{operationOf(entry)}</a>
  </>
);

/** A refusal: a decision that gave less than was asked, or a request that got an error. */
interface Refusal {
  readonly key: string;
  readonly time: string;
  readonly what: string;
  readonly href: string;
}

function RefusalsPanel({ region }: { readonly region: string }) {
  const { data, error } = useLive(
    `refusals ${region}`,
    ['explanations', 'journal', 'emulator'],
    (signal) => readRefusals(region, signal),
  );
  return (
    <Panel title="Last refusals" aside={<a href={hrefOf('why')}>All decisions</a>}>
      {!data ? (
        <Pending error={error} />
      ) : data.length ? (
        <ul class="refusals">
          {data.map(({ key, time, what, href }) => (
            <li key={key}>
              <time>{clockTime(time)}</time>
              <span class="what">{what}</span>
              <a href={href} aria-label={`Why? ${what}`}>
                Why?
              </a>
            </li>
          ))}
        </ul>
      ) : (
        <Empty command={cumulet('why', 'candidates', 'resources=VCPU:1000')}>
          Nothing was refused. Ask for something that does not fit:
        </Empty>
      )}
    </Panel>
  );
}

async function readRefusals(region: string, signal: AbortSignal): Promise<Refusal[]> {
  const readDecisions = (outcome: string): Promise<Explanations> =>
    readExplanations([`outcome=${outcome}`, 'limit=6', region].filter(Boolean).join('&'), signal);
  const [failed, partial, clientErrors, serverErrors] = await Promise.all([
    readDecisions('failure'),
    readDecisions('partial'),
    readJournal({ status: '4xx', limit: '6' }, signal),
    readJournal({ status: '5xx', limit: '6' }, signal),
  ]);
  const decisions = [...failed.explanations, ...partial.explanations].map(
    ({ request_id, subject, name, time, summary }) => ({
      key: `${request_id} ${subject}`,
      time,
      what: name === null || summary.includes(name) ? summary : `${name}: ${summary}`,
      href: hrefOf('why', { id: subject ?? request_id }),
    }),
  );
  const requests = [...clientErrors.requests, ...serverErrors.requests].map((entry) => ({
    key: String(entry.id),
    time: entry.time,
    what: `${entry.status} ${operationOf(entry)}: ${refusalOf(entry) ?? 'no message'}`,
    href: hrefOf('requests', { id: String(entry.id) }),
  }));
  return [...decisions, ...requests]
    .sort((one, other) => (one.time < other.time ? 1 : -1))
    .slice(0, 6);
}

interface ServicesProps {
  readonly info: Loaded<Info>;
  readonly prefix: string;
}

function ServicesPanel({ info: { data, error } }: ServicesProps) {
  if (!data)
    return (
      <Panel title="Services">
        <Pending error={error} />
      </Panel>
    );
  const rows = Object.entries(data.services).filter(
    ([name]) => name !== 'emulator' && !name.endsWith('-gateway'),
  );
  return (
    <Panel title="Services" flush aside={counted(rows.length, 'service')}>
      <Table
        label="Services"
        rows={rows}
        keyOf={([name]) => name}
        columns={[
          { title: 'Service', cell: ([name]) => name },
          {
            title: 'Versions',
            cell: ([, { min_version: min, max_version: max }]) =>
              min === max ? max : `${min} – ${max}`,
          },
          { title: 'Path', cell: ([, { path }]) => <code>{path}</code>, minor: true },
          { title: 'Operations', cell: ([, { operations }]) => operations, numeric: true },
        ]}
      />
    </Panel>
  );
}
