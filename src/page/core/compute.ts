// What the page reads from Compute: hosts with their use, and servers.
import { service } from './session.ts';

/** A hypervisor, as Compute shows it at 2.87. */
export interface Hypervisor {
  readonly id: string;
  readonly hypervisor_hostname: string;
  readonly state: string;
  readonly status: string;
  readonly vcpus: number;
  readonly vcpus_used: number;
  readonly memory_mb: number;
  readonly memory_mb_used: number;
  readonly local_gb: number;
  readonly local_gb_used: number;
  readonly running_vms: number;
}

interface Link {
  readonly rel: string;
  readonly href: string;
}

/** A link of a reply, without the origin, which a proxy may have changed. */
const nextOf = (links: readonly Link[] | undefined): string | undefined => {
  const href = links?.find(({ rel }) => rel === 'next')?.href;
  return href === undefined ? undefined : href.replace(/^https?:\/\/[^/]+/, '');
};

/** Every hypervisor of a region. */
export async function listHypervisors(prefix: string, signal: AbortSignal): Promise<Hypervisor[]> {
  const found: Hypervisor[] = [];
  let path: string | undefined = `${prefix}/compute/v2.1/os-hypervisors/detail?limit=1000`;
  while (path !== undefined) {
    const page: { hypervisors: Hypervisor[]; hypervisors_links?: Link[] } = await service(path, {
      signal,
      version: 'compute 2.87',
    });
    found.push(...page.hypervisors);
    path = nextOf(page.hypervisors_links);
  }
  return found;
}

/** A server in a list with details, at 2.90. */
export interface Server {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly tenant_id: string;
  readonly created: string;
  readonly flavor: {
    readonly original_name?: string;
    readonly vcpus?: number;
    readonly ram?: number;
  };
  readonly server_groups?: readonly string[];
  readonly 'OS-EXT-SRV-ATTR:host'?: string | null;
  readonly 'OS-EXT-AZ:availability_zone'?: string;
  readonly fault?: { readonly message: string };
  readonly addresses?: Readonly<Record<string, readonly { readonly addr: string }[]>>;
}

/** The servers of all tenants that match a query, up to `most`, and whether there are more. */
export async function listServers(
  prefix: string,
  query: string,
  signal: AbortSignal,
  most = 20_000,
): Promise<Server[]> {
  const found: Server[] = [];
  let path: string | undefined =
    `${prefix}/compute/v2.1/servers/detail?all_tenants=1&limit=1000${query && `&${query}`}`;
  while (path !== undefined && found.length < most) {
    const page: { servers: Server[]; servers_links?: Link[] } = await service(path, {
      signal,
      version: 'compute 2.90',
    });
    found.push(...page.servers);
    path = nextOf(page.servers_links);
  }
  return found;
}
