// What the view of networks reads: networks with their addresses, routers, ports, floating IPs and
// volumes, and the names of the projects and servers that they belong to.
import { listServers } from '../../core/compute.ts';
import { service } from '../../core/session.ts';

export interface Network {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly project_id: string;
  readonly shared: boolean;
  readonly 'router:external': boolean;
  readonly 'provider:network_type'?: string;
  readonly 'provider:segmentation_id'?: number | null;
}

/** A subnet with how many of its addresses are used. */
export interface Subnet {
  readonly id: string;
  readonly name: string;
  readonly network_id: string;
  readonly cidr: string;
  readonly ip_version: number;
  readonly gateway_ip: string | null;
  readonly used: number;
  readonly total: number;
}

export interface Router {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly project_id: string;
  readonly external_gateway_info: {
    readonly network_id: string;
    readonly external_fixed_ips: readonly { readonly ip_address: string }[];
  } | null;
}

export interface Port {
  readonly id: string;
  readonly name: string;
  readonly network_id: string;
  readonly project_id: string;
  readonly mac_address: string;
  readonly fixed_ips: readonly { readonly ip_address: string }[];
  readonly device_id: string;
  readonly device_owner: string;
  readonly status: string;
}

export interface FloatingIp {
  readonly id: string;
  readonly floating_ip_address: string;
  readonly fixed_ip_address: string | null;
  readonly port_id: string | null;
  readonly status: string;
  readonly project_id: string;
}

export interface Volume {
  readonly id: string;
  readonly name: string | null;
  readonly size: number;
  readonly status: string;
  readonly volume_type: string | null;
  readonly bootable: string;
  readonly attachments: readonly { readonly server_id: string; readonly device: string }[];
  readonly 'os-vol-tenant-attr:tenant_id'?: string;
}

export interface Resources {
  readonly networks: readonly Network[];
  readonly subnets: readonly Subnet[];
  readonly routers: readonly Router[];
  readonly ports: readonly Port[];
  readonly floatingIps: readonly FloatingIp[];
  readonly volumes: readonly Volume[];
  /** The names of projects, by id. */
  readonly projects: ReadonlyMap<string, string>;
  /** The names of servers, by id. */
  readonly servers: ReadonlyMap<string, string>;
}

const mostServers = 5_000;

/** The fields of ports that the view shows: lists of thousands are much shorter with them only. */
const portFields = [
  'id',
  'name',
  'network_id',
  'project_id',
  'mac_address',
  'fixed_ips',
  'device_id',
  'device_owner',
  'status',
];

interface Availability {
  readonly subnet_ip_availability: readonly {
    readonly subnet_id: string;
    readonly used_ips: number;
    readonly total_ips: number;
  }[];
}

export async function readResources(prefix: string, signal: AbortSignal): Promise<Resources> {
  const read = <T>(path: string): Promise<T> =>
    service<T>(`${prefix}/network/v2.0/${path}`, { signal });
  const fields = portFields.map((name) => `fields=${name}`).join('&');
  const [
    { networks },
    { subnets },
    { network_ip_availabilities: availabilities },
    { routers },
    { ports },
    { floatingips },
    { volumes },
    { projects },
    servers,
  ] = await Promise.all([
    read<{ networks: Network[] }>('networks'),
    read<{ subnets: Omit<Subnet, 'used' | 'total'>[] }>('subnets'),
    read<{ network_ip_availabilities: Availability[] }>('network-ip-availabilities'),
    read<{ routers: Router[] }>('routers'),
    read<{ ports: Port[] }>(`ports?${fields}`),
    read<{ floatingips: FloatingIp[] }>('floatingips'),
    service<{ volumes: Volume[] }>(`${prefix}/volume/v3/volumes/detail?all_tenants=1`, {
      signal,
      version: 'volume 3.70',
    }),
    service<{ projects: { id: string; name: string }[] }>('/identity/v3/projects', { signal }),
    listServers(prefix, '', signal, mostServers),
  ]);
  const uses = new Map(
    availabilities
      .flatMap((one) => one.subnet_ip_availability)
      .map((one) => [one.subnet_id, { used: one.used_ips, total: one.total_ips }]),
  );
  return {
    networks,
    subnets: subnets.map((one) => ({ ...one, ...(uses.get(one.id) ?? { used: 0, total: 0 }) })),
    routers,
    ports,
    floatingIps: floatingips,
    volumes,
    projects: new Map(projects.map(({ id, name }) => [id, name])),
    servers: new Map(servers.map(({ id, name }) => [id, name])),
  };
}

/** What belongs to a project, and the shared and external networks that it uses. */
export function ofProject(all: Resources, project: string | undefined): Resources {
  if (project === undefined) return all;
  const own = ({ project_id: id }: { readonly project_id: string }): boolean =>
    (all.projects.get(id) ?? id) === project;
  const routers = all.routers.filter(own);
  const ports = all.ports.filter(own);
  const used = new Set([
    ...ports.map(({ network_id }) => network_id),
    ...routers.map(({ external_gateway_info: gateway }) => gateway?.network_id),
  ]);
  const networks = all.networks.filter((network) => own(network) || used.has(network.id));
  const shown = new Set(networks.map(({ id }) => id));
  return {
    ...all,
    networks,
    routers,
    ports,
    subnets: all.subnets.filter(({ network_id }) => shown.has(network_id)),
    floatingIps: all.floatingIps.filter(own),
    volumes: all.volumes.filter((volume) =>
      own({ project_id: volume['os-vol-tenant-attr:tenant_id'] ?? '' }),
    ),
  };
}

/** What a port is for, in words: the name of its server or router, or such as `DHCP`. */
export function deviceOf({ routers, servers }: Resources, port: Port): string {
  const { device_owner: owner, device_id: id } = port;
  if (owner.startsWith('compute:')) return servers.get(id) ?? id;
  if (owner.startsWith('network:router'))
    return routers.find((router) => router.id === id)?.name ?? id;
  if (owner === 'network:dhcp') return 'DHCP';
  if (owner === 'network:floatingip') return 'floating IP';
  return owner || 'no device';
}

export const addressesOf = ({ fixed_ips: ips }: Port): string =>
  ips.map(({ ip_address }) => ip_address).join(', ');
