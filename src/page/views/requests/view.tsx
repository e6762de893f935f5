// The journal as it grows, one request whole, and the faults that are injected.
import { useInfo } from '../../core/cloud.ts';
import { keepAction, operationOf, readJournal, type Entry } from '../../core/journal.ts';
import { useLive } from '../../core/live.ts';
import { setQuery, useQuery } from '../../core/router.ts';
import { ActionButton } from '../../parts/button.tsx';
import { Choice, TextField } from '../../parts/fields.tsx';
import { JournalOff } from '../../parts/journal-off.tsx';
import { Empty, Panel, Pending, ViewHead } from '../../parts/panel.tsx';
import { HttpStatus } from '../../parts/status.tsx';
import { Table, type Column } from '../../parts/table.tsx';
import { clockTime, counted } from '../../parts/text.ts';
import { clearAction } from './actions.ts';
import { EntryPanel } from './entry.tsx';
import { FaultsPanel } from './faults.tsx';
import { VersionsPanel } from './versions.tsx';

/** How many requests the view shows at most. */
const most = 1_000;

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

const columns: readonly Column<Entry>[] = [
  { title: 'Time', cell: ({ time }) => clockTime(time), width: '5.5rem' },
  { title: 'Operation', cell: operationCell, long: 'wrap' },
  { title: 'Version', cell: ({ version }) => version ?? '–', minor: true, width: '5rem' },
  { title: 'User', cell: ({ user_name, user_id }) => user_name ?? user_id ?? '–', minor: true },
  {
    title: 'ms',
    cell: ({ duration_ms }) => duration_ms.toFixed(1),
    numeric: true,
    minor: true,
    width: '5rem',
  },
  { title: 'Status', cell: ({ status }) => <HttpStatus status={status} />, width: '6.5rem' },
];

function operationCell(entry: Entry) {
  return (
    <>
      <span class="muted">{entry.service ?? 'none'}</span> {operationOf(entry)}
      {entry.fault_rules.length > 0 && <span class="tag">fault</span>}
      {entry.inside && <span class="tag">inside</span>}
    </>
  );
}

export function RequestsView() {
  const query = useQuery();
  const { service, operation, method, status, user, inside, id } = query;
  const filter = { service, operation, method, status, user, inside };
  const { data, error } = useLive(
    `requests ${JSON.stringify(filter)}`,
    ['journal', 'emulator'],
    (signal) => readJournal({ ...filter, limit: String(most) }, signal),
  );
  const services = Object.keys(useInfo().data?.services ?? {}).filter(
    (name) => name !== 'emulator',
  );
  const isFiltered = Object.values(filter).some(Boolean);
  return (
    <>
      <ViewHead
        title="Requests"
        controls={
          data?.keep ? (
            <>
              <ActionButton action={clearAction}>Clear</ActionButton>
              <ActionButton action={() => keepAction(0, data.keep)}>Stop recording</ActionButton>
            </>
          ) : undefined
        }
      >
        Every request of your clients as it arrives. Those of this page are left out.
      </ViewHead>
      <div class="filters">
        <Choice name="service" label="Service" options={services} />
        <TextField name="operation" label="Operation" placeholder="servers:create" />
        <Choice name="method" label="Method" options={methods} />
        <TextField name="status" label="Status" placeholder="4xx" />
        <TextField name="user" label="User" placeholder="demo" />
        <Choice name="inside" label="Sent by" options={['true', 'any']} all="clients" />
      </div>
      <div class={id === undefined ? 'grid' : 'grid detail'}>
        <Panel
          title="Journal"
          flush
          aside={data && data.keep > 0 && counted(data.requests.length, 'request')}
        >
          {!data ? (
            <Pending error={error} />
          ) : !data.keep ? (
            <JournalOff />
          ) : !data.requests.length ? (
            <Empty command="openstack server list">
              {isFiltered ? 'No request matches these filters.' : 'No request yet. Send one:'}
            </Empty>
          ) : (
            <Table
              label="Requests"
              rows={data.requests}
              columns={columns}
              keyOf={(entry) => String(entry.id)}
              selected={id}
              height="62vh"
              onSelect={(entry) => setQuery({ id: String(entry.id) })}
            />
          )}
        </Panel>
        {id !== undefined && <EntryPanel id={id} />}
      </div>
      <div class="grid two">
        <FaultsPanel />
        <VersionsPanel isOn={Boolean(data?.keep)} />
      </div>
    </>
  );
}
