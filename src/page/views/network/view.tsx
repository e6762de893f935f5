// Networks with their addresses and ports, routers, floating IPs and volumes, of all projects or
// of one, with the topology as a picture.
import { useRegion } from '../../core/cloud.ts';
import { useLive } from '../../core/live.ts';
import { hrefOf, setQuery, useQuery } from '../../core/router.ts';
import { Choice } from '../../parts/fields.tsx';
import { Meter } from '../../parts/meter.tsx';
import { Empty, Panel, Pending, ViewHead } from '../../parts/panel.tsx';
import { Status } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { counted, shortId } from '../../parts/text.ts';
import {
  addressesOf,
  deviceOf,
  ofProject,
  readResources,
  type Network,
  type Resources,
  type Subnet,
} from './model.ts';
import { mostInPicture, Topology } from './topology.tsx';

export function NetworkView() {
  const { prefix } = useRegion();
  const { project } = useQuery();
  const { data, error } = useLive(
    `network ${prefix}`,
    ['network', 'volume', 'compute', 'identity'],
    (signal) => readResources(prefix, signal),
  );
  const names = [...new Set(data?.projects.values())].toSorted();
  const head = (
    <ViewHead
      title="Network and storage"
      controls={<Choice name="project" label="Project" options={names} />}
    >
      What is connected to what, which addresses are used, and where volumes are attached.
    </ViewHead>
  );
  if (!data)
    return (
      <>
        {head}
        <Pending error={error} />
      </>
    );
  const shown = ofProject(data, project);
  return (
    <>
      {head}
      <TopologyPanel resources={shown} />
      <NetworksPanel resources={shown} />
      <PortsPanel resources={shown} />
      <FloatingIpsPanel resources={shown} />
      <VolumesPanel resources={shown} />
    </>
  );
}

function TopologyPanel({ resources }: { readonly resources: Resources }) {
  const { networks, routers } = resources;
  const isTooLarge = Math.max(networks.length, routers.length) > mostInPicture;
  return (
    <Panel
      title="Topology"
      aside={`${counted(networks.length, 'network')}, ${counted(routers.length, 'router')}`}
    >
      {isTooLarge ? (
        <Empty>Choose a project: a picture of so many networks would not be legible.</Empty>
      ) : networks.length ? (
        <Topology resources={resources} />
      ) : (
        <Empty command="openstack network create net1">No network yet. Create one:</Empty>
      )}
    </Panel>
  );
}

const Addresses = ({ subnets }: { readonly subnets: readonly Subnet[] }) => (
  <>
    {subnets.map(({ id, cidr, used, total, ip_version: version }) => (
      <div key={id} class="subnet">
        <span>{cidr}</span>
        {version === 4 ? (
          <Meter label={`Addresses of ${cidr}`} used={used} total={total} />
        ) : (
          <span class="muted">{counted(used, 'address', 'addresses')} used</span>
        )}
      </div>
    ))}
  </>
);

const kindOf = (network: Network): string => {
  const segment = network['provider:segmentation_id'];
  const type = network['provider:network_type'] ?? '';
  return segment === null || segment === undefined ? type : `${type} ${segment}`;
};

function NetworksPanel({ resources }: { readonly resources: Resources }) {
  const { network: chosen } = useQuery();
  const { networks, subnets, ports, projects } = resources;
  const counts = new Map<string, number>();
  for (const { network_id: id } of ports) counts.set(id, (counts.get(id) ?? 0) + 1);
  return (
    <Panel title="Networks" flush aside={counted(networks.length, 'network')}>
      {networks.length > 0 && (
        <Table
          label="Networks"
          rows={networks}
          keyOf={({ id }) => id}
          selected={chosen}
          onSelect={({ id }) => setQuery({ network: id })}
          columns={[
            {
              title: 'Network',
              cell: (network) => (
                <>
                  {network.name || shortId(network.id)}
                  {network['router:external'] && <span class="tag">external</span>}
                  {network.shared && <span class="tag">shared</span>}
                </>
              ),
            },
            {
              title: 'Project',
              cell: ({ project_id: id }) => projects.get(id) ?? shortId(id),
              minor: true,
            },
            { title: 'Type', cell: kindOf, minor: true },
            {
              title: 'Addresses in use',
              cell: ({ id }) => (
                <Addresses subnets={subnets.filter(({ network_id }) => network_id === id)} />
              ),
            },
            {
              title: 'Ports',
              numeric: true,
              minor: true,
              cell: ({ id }) => counts.get(id) ?? 0,
            },
          ]}
        />
      )}
    </Panel>
  );
}

function PortsPanel({ resources }: { readonly resources: Resources }) {
  const { network: chosen } = useQuery();
  const router = resources.routers.find(({ id }) => id === chosen);
  const network = resources.networks.find(({ id }) => id === chosen);
  const ports = resources.ports.filter(
    ({ network_id, device_id }) =>
      (!router && !network) || network_id === network?.id || device_id === router?.id,
  );
  const of = router ?? network;
  return (
    <Panel
      title={of ? `Ports of ${of.name || shortId(of.id)}` : 'Ports'}
      flush
      aside={
        <>
          {counted(ports.length, 'port')}
          {of && <a href={hrefOf('network')}>All</a>}
        </>
      }
    >
      {ports.length ? (
        <Table
          label="Ports"
          rows={ports}
          keyOf={({ id }) => id}
          height="24rem"
          columns={[
            { title: 'Of', cell: (port) => deviceOf(resources, port) },
            { title: 'Addresses', cell: addressesOf },
            { title: 'MAC address', cell: ({ mac_address: mac }) => mac, minor: true },
            { title: 'Status', cell: ({ status }) => <Status state={status.toLowerCase()} /> },
            { title: 'Owner', cell: ({ device_owner: owner }) => owner, minor: true },
          ]}
        />
      ) : (
        <Empty command={`openstack port create --network ${chosen ?? 'private'} port1`}>
          No port here yet.
        </Empty>
      )}
    </Panel>
  );
}

function FloatingIpsPanel({ resources }: { readonly resources: Resources }) {
  const { floatingIps, ports } = resources;
  const holders = new Map(ports.map((port) => [port.id, deviceOf(resources, port)]));
  return (
    <Panel title="Floating IPs" flush aside={counted(floatingIps.length, 'floating IP')}>
      {floatingIps.length ? (
        <Table
          label="Floating IPs"
          rows={floatingIps}
          keyOf={({ id }) => id}
          columns={[
            { title: 'Address', cell: ({ floating_ip_address: address }) => address },
            { title: 'Leads to', cell: ({ fixed_ip_address: fixed }) => fixed ?? 'nothing' },
            { title: 'Of', cell: ({ port_id: port }) => holders.get(port ?? '') ?? '' },
            { title: 'Status', cell: ({ status }) => <Status state={status.toLowerCase()} /> },
          ]}
        />
      ) : (
        <Empty command="openstack floating ip create public">No floating IP yet. Create one:</Empty>
      )}
    </Panel>
  );
}

function VolumesPanel({ resources }: { readonly resources: Resources }) {
  const { volumes, servers, projects } = resources;
  return (
    <Panel title="Volumes" flush aside={counted(volumes.length, 'volume')}>
      {volumes.length ? (
        <Table
          label="Volumes"
          rows={volumes}
          keyOf={({ id }) => id}
          height="24rem"
          columns={[
            { title: 'Volume', cell: ({ id, name }) => name || shortId(id) },
            { title: 'GB', cell: ({ size }) => size, numeric: true },
            { title: 'Status', cell: ({ status }) => <Status state={status} /> },
            { title: 'Type', cell: ({ volume_type: type }) => type, minor: true },
            {
              title: 'Attached to',
              cell: ({ attachments }) =>
                attachments
                  .map(({ server_id: id, device }) => `${servers.get(id) ?? shortId(id)} ${device}`)
                  .join(', '),
            },
            {
              title: 'Project',
              minor: true,
              cell: (volume) => {
                const id = volume['os-vol-tenant-attr:tenant_id'] ?? '';
                return projects.get(id) ?? shortId(id);
              },
            },
          ]}
        />
      ) : (
        <Empty command="openstack volume create --size 1 data">No volume yet. Create one:</Empty>
      )}
    </Panel>
  );
}
