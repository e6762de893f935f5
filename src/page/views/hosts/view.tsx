// Hosts and provider trees: what each has, what is in use, and which of them a request would fit.
import { curlOf } from '../../core/actions.ts';
import { useRegion } from '../../core/cloud.ts';
import { listHypervisors, type Hypervisor } from '../../core/compute.ts';
import { useLive } from '../../core/live.ts';
import { listProviders } from '../../core/placement.ts';
import { setQuery, useQuery } from '../../core/router.ts';
import { TextField } from '../../parts/fields.tsx';
import { Meter } from '../../parts/meter.tsx';
import { Empty, Panel, Pending, ViewHead } from '../../parts/panel.tsx';
import { Status } from '../../parts/status.tsx';
import { Table, type Column } from '../../parts/table.tsx';
import { counted } from '../../parts/text.ts';
import {
  countOf,
  OfferCell,
  offerOf,
  QuestionPanel,
  useAnswer,
  type Answer,
} from './candidates.tsx';
import { TreePanel } from './tree.tsx';

/** A provider tree, with its hypervisor if it is a host of Compute. */
interface Row {
  readonly uuid: string;
  readonly name: string;
  /** How many providers the tree has. */
  readonly providers: number;
  readonly host: Hypervisor | undefined;
}

const columns: readonly Column<Row>[] = [
  { title: 'Provider tree', cell: nameCell },
  { title: 'State', cell: ({ host }) => <HostState host={host} />, width: '7rem' },
  {
    title: 'vCPUs',
    width: '10rem',
    minor: true,
    cell: ({ host }) => host && <Meter label="vCPUs" used={host.vcpus_used} total={host.vcpus} />,
  },
  {
    title: 'Memory, GB',
    width: '11rem',
    cell: ({ host }) =>
      host && (
        <Meter
          label="Memory"
          used={host.memory_mb_used / 1024}
          total={host.memory_mb / 1024}
          unit=""
        />
      ),
  },
  {
    title: 'Servers',
    numeric: true,
    width: '5rem',
    cell: ({ host }) => host?.running_vms ?? '–',
  },
];

function nameCell({ name, providers }: Row) {
  return (
    <>
      {name}
      {providers > 1 && <span class="tag">{providers} providers</span>}
    </>
  );
}

function HostState({ host }: { readonly host: Hypervisor | undefined }) {
  if (!host) return <span class="muted">no host</span>;
  const { state, status } = host;
  return <Status state={state === 'up' && status !== 'enabled' ? status : state} />;
}

async function readRows(prefix: string, signal: AbortSignal): Promise<Row[]> {
  const [providers, hypervisors] = await Promise.all([
    listProviders(prefix, '', signal),
    listHypervisors(prefix, signal).catch(() => []),
  ]);
  const hosts = new Map(hypervisors.map((one) => [one.id, one]));
  const sizes = new Map<string, number>();
  for (const { root_provider_uuid: root } of providers) sizes.set(root, (sizes.get(root) ?? 0) + 1);
  return providers
    .filter(({ parent_provider_uuid: parent }) => parent === null)
    .map(({ uuid, name }) => ({
      uuid,
      name,
      providers: sizes.get(uuid) ?? 1,
      host: hosts.get(uuid),
    }))
    .sort((one, other) => one.name.localeCompare(other.name, 'en', { numeric: true }));
}

const times = (answer: Answer): Column<Row> => ({
  title: 'Times',
  numeric: true,
  width: '6rem',
  cell: ({ uuid }) => countOf(answer, uuid),
});

export function HostsView() {
  const { host, find = '' } = useQuery();
  const { prefix } = useRegion();
  const { data, error } = useLive(`trees ${prefix}`, ['placement', 'compute'], (signal) =>
    readRows(prefix, signal),
  );
  const rows = data?.filter(({ name, uuid }) => name.includes(find) || uuid.startsWith(find)) ?? [];
  const answer = useAnswer();
  const offers: readonly Column<Row>[] = answer.data
    ? [
        {
          title: 'For this query',
          long: 'clip',
          cell: ({ uuid }) => <OfferCell offer={offerOf(answer.data, uuid)} />,
        },
        ...(answer.data.capacity.count ? [times(answer.data)] : []),
      ]
    : [];
  const shown = data?.find(({ name, uuid }) => name === host || uuid === host);
  return (
    <>
      <ViewHead title="Hosts and providers">
        Every provider tree of Placement, with what Compute runs on it.
      </ViewHead>
      <QuestionPanel answer={answer} />
      <div class={host === undefined ? 'grid' : 'grid detail'}>
        <Panel
          title="Provider trees"
          flush
          aside={
            <>
              {data && <span>{counted(rows.length, 'tree')}</span>}
              <TextField name="find" label="Find" placeholder="name" />
            </>
          }
        >
          {!data ? (
            <Pending error={error} />
          ) : !data.length ? (
            <Empty command={curlOf('POST', '/hosts', { name: 'compute-1', vcpus: 16 })}>
              Placement has no provider. Add a host, which brings its own:
            </Empty>
          ) : !rows.length ? (
            <Empty>No tree is called like that.</Empty>
          ) : (
            <Table
              label="Provider trees"
              rows={rows}
              columns={offers.length ? [columns[0]!, ...offers, columns.at(-1)!] : columns}
              keyOf={({ uuid }) => uuid}
              selected={shown?.uuid}
              height="70vh"
              onSelect={({ name }) => setQuery({ host: name })}
            />
          )}
        </Panel>
        {shown && (
          <TreePanel uuid={shown.uuid} name={shown.name} offer={offerOf(answer.data, shown.uuid)} />
        )}
        {data && host !== undefined && !shown && (
          <Panel title={host}>
            <Empty>There is no provider tree of this name in the region.</Empty>
          </Panel>
        )}
      </div>
    </>
  );
}
