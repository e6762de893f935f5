// Pods: how full each is and who is bound to it, the bindings of tenants over time, why servers
// went where they are, and routings.
import { cumulet } from '../../core/actions.ts';
import { useEmulatedNow } from '../../core/clock.ts';
import { readExplanations } from '../../core/explanations.ts';
import { useLive } from '../../core/live.ts';
import { hrefOf, setQuery, useQuery } from '../../core/router.ts';
import { ActionButton } from '../../parts/button.tsx';
import { Meter } from '../../parts/meter.tsx';
import { Empty, Panel, Pending, ViewHead } from '../../parts/panel.tsx';
import { Status } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { clockTime, counted, dayTime, shortId } from '../../parts/text.ts';
import { Timeline } from '../../parts/timeline.tsx';
import {
  collectAction,
  maintainAction,
  readPods,
  rowsOf,
  timeOf,
  type KnownPod,
  type Pods,
} from './model.ts';

const startPods = 'npx cumulet start --preset edge-sites';

export function PodsView() {
  const { data, error } = useLive(
    'pods',
    ['tricircle', 'identity', 'emulator'],
    async (signal) => ({
      found: await readPods(signal),
    }),
  );
  const head = (
    <ViewHead
      title="Pods"
      controls={data?.found && <ActionButton action={collectAction}>Collect usage</ActionButton>}
    >
      Which pod each tenant of the central region is bound to, and how full the pods are.
    </ViewHead>
  );
  if (!data)
    return (
      <>
        {head}
        <Pending error={error} />
      </>
    );
  if (!data.found?.pods.length)
    return (
      <>
        {head}
        <Panel title="Pods">
          <Empty command={startPods}>
            This cloud has no pods. Start one with a central region above five sites:
          </Empty>
        </Panel>
      </>
    );
  return (
    <>
      {head}
      <PodTable pods={data.found.pods} />
      <Bindings pods={data.found} />
      <Decisions central={data.found.central?.region_name} />
      <Routings pods={data.found} />
    </>
  );
}

function stateOf({ is_under_maintenance, usage }: KnownPod) {
  if (is_under_maintenance) return <Status state="maintenance" tone="busy" />;
  if (usage?.last_error != null) return <Status state="unreachable" tone="bad" />;
  if (usage?.exhausted) return <Status state="exhausted" tone="bad" />;
  return <Status state="in service" tone="good" />;
}

const fullness = ({ usage }: KnownPod, name: string, label: string, unit = '') => {
  const dimension = usage?.dimensions[name];
  return dimension === undefined || !dimension.total ? (
    <span class="muted">{usage?.collected_at == null ? 'not collected' : 'unlimited'}</span>
  ) : (
    <Meter label={label} used={dimension.used} total={dimension.total} unit={unit} />
  );
};

const tagsOf = ({ resource_affinity_tag: tags }: KnownPod): string =>
  Object.entries(tags)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ');

const PodTable = ({ pods }: { readonly pods: readonly KnownPod[] }) => {
  const { pod: chosen } = useQuery();
  return (
    <Panel title="Pods" flush aside={counted(pods.length, 'pod')}>
      <Table
        label="Pods"
        rows={pods}
        keyOf={({ region_name }) => region_name}
        selected={chosen}
        onSelect={({ region_name }) => setQuery({ pod: region_name })}
        columns={[
          { title: 'Pod', cell: ({ region_name }) => region_name },
          { title: 'State', cell: stateOf },
          { title: 'Zone', cell: ({ az_name }) => az_name, minor: true },
          { title: 'Tags', cell: tagsOf, minor: true },
          { title: 'Tenants', cell: ({ tenants }) => tenants.join(', '), minor: true },
          { title: 'VCPUs', cell: (pod) => fullness(pod, 'vcpus', 'VCPUs'), minor: true },
          {
            title: 'Memory',
            cell: (pod) => fullness(pod, 'memory_mb', 'Memory', 'MB'),
            minor: true,
          },
          {
            title: 'Maintenance',
            cell: (pod) => (
              <ActionButton
                kind="quiet"
                action={() => maintainAction(pod, !pod.is_under_maintenance)}
              >
                {pod.is_under_maintenance ? 'End' : 'Begin'}
                <span class="hidden"> maintenance of {pod.region_name}</span>
              </ActionButton>
            ),
          },
        ]}
      />
    </Panel>
  );
};

const minute = 60_000;

function Bindings({ pods }: { readonly pods: Pods }) {
  const time = useEmulatedNow(10_000);
  if (!time) return null;
  const from = Math.min(
    time.now - 10 * minute,
    ...pods.bindings.map(({ start_binding_time: start }) => timeOf(start)),
  );
  const length = time.now - from;
  const span = { from: from - length / 50, to: time.now + length / 12 };
  return (
    <Panel
      title="Bindings over time"
      flush
      aside={counted(pods.bindings.filter(({ is_binding }) => is_binding).length, 'active binding')}
    >
      {pods.bindings.length ? (
        <Timeline
          label="Bindings of tenants"
          subject="Tenant"
          rows={rowsOf(pods, time.now)}
          span={span}
          now={time.now}
        />
      ) : (
        <Empty
          command={`openstack --os-region-name ${pods.central?.region_name ?? 'CentralRegion'} server create --image cirros --flavor m1.tiny --network private vm1`}
        >
          No tenant is bound to a pod. Its first server in the central region binds it:
        </Empty>
      )}
    </Panel>
  );
}

/** The last decisions about pods. */
function Decisions({ central = '' }: { readonly central: string | undefined }) {
  const region = `region=${encodeURIComponent(central)}`;
  const { data, error } = useLive(
    `pod decisions ${central}`,
    ['explanations', 'emulator'],
    (signal) => readExplanations(`kind=pod&limit=8&${region}`, signal),
  );
  return (
    <Panel
      title="Why this pod?"
      flush
      aside={<a href={hrefOf('why', { region: central, kind: 'pod' })}>All</a>}
    >
      {!data ? (
        <Pending error={error} />
      ) : data.explanations.length ? (
        <Table
          label="Decisions about pods"
          rows={data.explanations}
          keyOf={({ request_id }) => request_id}
          columns={[
            { title: 'Time', cell: ({ time }) => clockTime(time), width: '5.5rem' },
            {
              title: 'Of',
              cell: ({ name, subject, request_id: id }) => (
                <a href={hrefOf('why', { region: central, id })}>{name ?? subject ?? id}</a>
              ),
            },
            { title: 'Outcome', cell: ({ outcome }) => <Status state={outcome} />, minor: true },
            { title: 'Decision', cell: ({ summary }) => summary, long: 'wrap' },
          ]}
        />
      ) : (
        <Empty command={cumulet('why', 'pod', 'SERVER')}>
          {data.all
            ? 'No server was created in the central region yet.'
            : 'Every refusal is explained here. To explain successes too, choose it in the view Why.'}
        </Empty>
      )}
    </Panel>
  );
}

function Routings({ pods: { routings, pods, central } }: { readonly pods: Pods }) {
  const { pod: chosen } = useQuery();
  const regions = new Map(pods.map(({ pod_id, region_name }) => [pod_id, region_name]));
  const rows = routings.filter(
    ({ pod_id }) => chosen === undefined || regions.get(pod_id) === chosen,
  );
  return (
    <Panel
      title={`Routings of the page's own project${chosen === undefined ? '' : ` to ${chosen}`}`}
      flush
      aside={counted(rows.length, 'routing')}
    >
      {rows.length ? (
        <Table
          label="Routings"
          rows={rows}
          keyOf={({ id }) => id}
          height="20rem"
          columns={[
            { title: 'Resource', cell: ({ resource_type: type }) => type.replaceAll('_', ' ') },
            { title: 'In the centre', cell: ({ top_id }) => shortId(top_id), minor: true },
            { title: 'Pod', cell: ({ pod_id }) => regions.get(pod_id) ?? central?.region_name },
            { title: 'In the pod', cell: ({ bottom_id }) => bottom_id && shortId(bottom_id) },
            { title: 'Since', cell: ({ created_at }) => dayTime(created_at), minor: true },
          ]}
        />
      ) : (
        <Empty>
          Tricircle lists the routings of the caller's own project only, and this one has none.
        </Empty>
      )}
    </Panel>
  );
}
