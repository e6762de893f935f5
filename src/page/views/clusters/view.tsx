// Clusters: nodes by zone, policies with what they know, actions, and what an action would do.
import { useEmulatedNow } from '../../core/clock.ts';
import { useRegion } from '../../core/cloud.ts';
import { useLive } from '../../core/live.ts';
import { hrefOf, setQuery, useQuery } from '../../core/router.ts';
import { Empty, Panel, Pending, ViewHead } from '../../parts/panel.tsx';
import { Status } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { clockTime, counted, relative, shortId } from '../../parts/text.ts';
import {
  cooldownEnd,
  inWords,
  readCluster,
  readClusters,
  type Binding,
  type Cluster,
  type ClusterAction,
  type Place,
} from './model.ts';
import { ActionPanel } from './action-panel.tsx';

const createCluster =
  'echo \'{type: os.nova.server, version: "1.0", properties: {flavor: m1.tiny, image: cirros, ' +
  "networks: [{network: private}]}}' > server.yaml && openstack cluster profile create " +
  '--spec-file server.yaml small && openstack cluster create --profile small ' +
  '--desired-capacity 3 workers';

export function ClustersView() {
  const { prefix } = useRegion();
  const { cluster: chosen } = useQuery();
  const { data, error } = useLive(`clusters ${prefix}`, ['clustering'], (signal) =>
    readClusters(prefix, signal),
  );
  const head = (
    <ViewHead title="Clusters">
      Where the nodes of each cluster are, and what its policies make of an action.
    </ViewHead>
  );
  if (!data)
    return (
      <>
        {head}
        <Pending error={error} />
      </>
    );
  const cluster = data.find(({ id, name }) => id === chosen || name === chosen) ?? data[0];
  return (
    <>
      {head}
      <Panel title="Clusters" flush aside={counted(data.length, 'cluster')}>
        {cluster ? (
          <ClusterTable clusters={data} selected={cluster.id} />
        ) : (
          <Empty command={createCluster}>No cluster yet. Create one of three servers:</Empty>
        )}
      </Panel>
      {cluster && <Details key={cluster.id} cluster={cluster} />}
    </>
  );
}

const limits = ({ min_size: min, max_size: max }: Cluster): string =>
  max < 0 ? `from ${min}` : `${min} to ${max}`;

const ClusterTable = (props: {
  readonly clusters: readonly Cluster[];
  readonly selected: string;
}) => (
  <Table
    label="Clusters"
    rows={props.clusters}
    keyOf={({ id }) => id}
    selected={props.selected}
    onSelect={({ id }) => setQuery({ cluster: id })}
    columns={[
      { title: 'Name', cell: ({ name }) => name },
      { title: 'Status', cell: ({ status }) => <Status state={status.toLowerCase()} /> },
      { title: 'Nodes', cell: ({ nodes }) => nodes.length, numeric: true },
      { title: 'Desired', cell: (one) => one.desired_capacity, numeric: true },
      { title: 'Limits', cell: limits, minor: true },
      { title: 'Profile', cell: ({ profile_name }) => profile_name, minor: true },
      {
        title: 'Last change',
        cell: ({ status_reason }) => status_reason,
        minor: true,
        long: 'clip',
      },
    ]}
  />
);

function Details({ cluster }: { readonly cluster: Cluster }) {
  const { prefix } = useRegion();
  const { data, error } = useLive(
    `cluster ${prefix} ${cluster.id}`,
    ['clustering', 'compute', 'jobs'],
    (signal) => readCluster(prefix, cluster.id, signal),
  );
  if (!data) return <Pending error={error} />;
  return (
    <>
      <div class="grid detail">
        <NodesPanel cluster={cluster} places={data.places} />
        <PoliciesPanel cluster={cluster} bindings={data.bindings} />
      </div>
      <ActionPanel cluster={cluster} />
      <ActionsPanel cluster={cluster} actions={data.actions} />
    </>
  );
}

const NodesPanel = (props: { readonly cluster: Cluster; readonly places: readonly Place[] }) => (
  <Panel
    title={`Nodes of ${props.cluster.name}`}
    aside={counted(props.cluster.nodes.length, 'node')}
  >
    {props.places.length ? (
      <ul class="places">
        {props.places.map(({ name, nodes }) => (
          <li key={name}>
            <span class="place">
              <strong>{name}</strong> <span class="muted">{nodes.length}</span>
            </span>
            <ul class="nodes">
              {nodes.map((node) => (
                <li key={node.id} title={node.status_reason}>
                  <Status state={node.status.toLowerCase()} />{' '}
                  <a href={hrefOf('why', { id: node.physical_id ?? node.id })}>{node.name}</a>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    ) : (
      <Empty command={`openstack cluster expand --count 1 ${props.cluster.id}`}>
        The cluster has no node.
      </Empty>
    )}
  </Panel>
);

function PoliciesPanel(props: {
  readonly cluster: Cluster;
  readonly bindings: readonly Binding[];
}) {
  const time = useEmulatedNow();
  return (
    <Panel title="Policies, in the order of checks">
      {props.bindings.length ? (
        <ol class="policies">
          {props.bindings.map((binding) => (
            <li key={binding.id}>
              <p>
                <strong>{binding.policy_name}</strong>
                <span class="tag">{binding.policy_type.replace(/^senlin\.policy\./, '')}</span>
                {!binding.enabled && <span class="tag">disabled</span>}
              </p>
              <p class="muted">{inWords(binding.properties)}</p>
              <Cooldown end={cooldownEnd(binding)} now={time?.now} />
            </li>
          ))}
        </ol>
      ) : (
        <Empty command={`openstack cluster policy attach --policy POLICY ${props.cluster.id}`}>
          No policy checks the actions on this cluster.
        </Empty>
      )}
    </Panel>
  );
}

interface CooldownProps {
  readonly end: number | undefined;
  readonly now: number | undefined;
}

const Cooldown = ({ end, now }: CooldownProps) =>
  end === undefined || now === undefined || end <= now ? null : (
    <p>
      <Status state="cooldown" tone="busy" /> ends {relative(new Date(end).toISOString(), now)}
    </p>
  );

const timeOf = (seconds: number | null): string =>
  seconds === null ? '' : clockTime(new Date(seconds * 1_000).toISOString());

/** Actions of nodes are indented: an action on the cluster started them. */
const ActionsPanel = (props: {
  readonly cluster: Cluster;
  readonly actions: readonly ClusterAction[];
}) => (
  <Panel title="Actions, the newest first" flush aside={counted(props.actions.length, 'action')}>
    <Table
      label="Actions"
      rows={props.actions}
      keyOf={({ id }) => id}
      height="24rem"
      columns={[
        {
          title: 'Action',
          cell: ({ id, action, cause }) => (
            <a
              class={cause === 'Derived Action' ? 'derived' : undefined}
              href={hrefOf('why', { id })}
            >
              {action}
            </a>
          ),
        },
        {
          title: 'Of',
          minor: true,
          cell: ({ target }) =>
            target === props.cluster.id ? props.cluster.name : shortId(target),
        },
        { title: 'Status', cell: ({ status }) => <Status state={status.toLowerCase()} /> },
        { title: 'Started', cell: ({ start_time: start }) => timeOf(start), minor: true },
        { title: 'Ended', cell: ({ end_time: end }) => timeOf(end), minor: true },
        { title: 'Reason', cell: ({ status_reason: reason }) => reason, long: 'clip', minor: true },
      ]}
    />
  </Panel>
);
