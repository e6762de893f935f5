// Gives a cloud random zones, aggregates, flavors, server groups and states of services, and draws
// requests for servers. The cloud is Cumulet's Compute or a real Nova.
import type { SeededRandom } from '../../support/seeded-random.ts';

// oxlint-disable-next-line typescript/no-explicit-any
export type Json = Record<string, any>;

/** Sends a request to Compute. @throws Error if it fails */
export type Send = (method: string, path: string, body?: object) => Promise<Json>;

/** A filter, or the start, with the number of hosts that pass. */
export type Count = readonly [name: string, hosts: number];

/** Nova's names of the filters that both have, in the order in which they run. */
export const filters: Readonly<Record<string, string>> = {
  compute: 'ComputeFilter',
  'availability zone': 'AvailabilityZoneFilter',
  'tenants of aggregates': 'AggregateMultiTenancyIsolation',
  'extra specs of aggregates': 'AggregateInstanceExtraSpecsFilter',
  'anti-affinity': 'ServerGroupAntiAffinityFilter',
  affinity: 'ServerGroupAffinityFilter',
  'same host': 'SameHostFilter',
  'different host': 'DifferentHostFilter',
};

/** The counts of an explanation as Nova logs them: until no host is left. */
export function countsOf({ candidates, filters: steps }: Json): Count[] {
  const counts: Count[] = [['start', candidates as number]];
  for (const { filter, passed } of steps as Json[]) {
    const name = filters[filter as string];
    if (name !== undefined && counts.at(-1)![1] > 0) counts.push([name, passed as number]);
  }
  return counts;
}

/** The filter after which no host is left, if any. */
export const emptiedBy = (counts: readonly Count[]): string | undefined =>
  counts.length > 1 && counts.at(-1)![1] === 0 ? counts.at(-1)![0] : undefined;

const zones = ['az1', 'az2'];
const scope = 'aggregate_instance_extra_specs:';

/** Nova gives an aggregate no name that another one has. */
let id = 0;

/** Puts hosts into zones, and into aggregates that only some projects or flavors may use. */
export async function addAggregates(
  random: SeededRandom,
  send: Send,
  hosts: readonly string[],
  project: string,
): Promise<void> {
  const zoneOf = new Map(hosts.map((host) => [host, random.pick([...zones, undefined])]));
  const add = async (zone: string | null, members: readonly string[], metadata: object) => {
    const made = await send('POST', '/os-aggregates', {
      aggregate: { name: `aggregate-${++id}`, availability_zone: zone },
    });
    const path = `/os-aggregates/${made['aggregate'].id}/action`;
    for (const host of members) await send('POST', path, { add_host: { host } });
    if (Object.keys(metadata).length) await send('POST', path, { set_metadata: { metadata } });
  };
  for (const zone of zones) {
    const members = hosts.filter((host) => zoneOf.get(host) === zone);
    await add(zone, members, {});
  }
  for (const metadata of [
    { filter_tenant_id: 'other' },
    { filter_tenant_id: `other,${project}` },
    { disk: 'ssd', generation: '7' },
    { disk: 'hdd', generation: '9' },
  ])
    await add(null, random.some(hosts, 'disk' in metadata ? 0.5 : 0.25), metadata);
}

/** Adds a flavor without extra specs, and some with specs for aggregates. @returns their ids */
export async function addFlavors(send: Send): Promise<string[]> {
  const flavors: string[] = [];
  for (const specs of [
    {},
    { [`${scope}disk`]: 'ssd' },
    { [`${scope}disk`]: '<or> ssd <or> hdd' },
    { [`${scope}generation`]: '>= 8', 'hw:cpu_policy': 'shared' },
    { [`${scope}disk`]: 's!= hdd', [`${scope}generation`]: '<= 7' },
  ]) {
    const flavor = { name: `flavor-${++id}`, vcpus: 1, ram: 64, disk: 1 };
    const made = await send('POST', '/flavors', { flavor });
    const path = `/flavors/${made['flavor'].id}/os-extra_specs`;
    if (Object.keys(specs).length) await send('POST', path, { extra_specs: specs });
    flavors.push(made['flavor'].id as string);
  }
  return flavors;
}

/** Adds server groups of each strict policy. @returns their ids */
export async function addGroups(random: SeededRandom, send: Send): Promise<string[]> {
  const groups: string[] = [];
  for (const policy of ['affinity', 'anti-affinity', 'anti-affinity']) {
    const rules =
      policy === 'anti-affinity' && random.chance(0.5) ? { max_server_per_host: 2 } : {};
    const made = await send('POST', '/os-server-groups', {
      server_group: { name: `group-${++id}`, policy, rules },
    });
    groups.push(made['server_group'].id as string);
  }
  return groups;
}

/** The services of computes. */
export const computeServices = async (send: Send): Promise<readonly Json[]> =>
  (await send('GET', '/os-services?binary=nova-compute'))['services'] as Json[];

/** Forces some computes down, and disables others. */
export async function setStates(random: SeededRandom, send: Send): Promise<void> {
  const states = [{ forced_down: true }, { status: 'disabled' }];
  for (const service of await computeServices(send))
    if (random.chance(0.3)) await send('PUT', `/os-services/${service['id']}`, random.pick(states));
}

/** The zones with an enabled host: the API refuses the others. */
export async function openZones(send: Send): Promise<string[]> {
  const { availabilityZoneInfo: listed } = await send('GET', '/os-availability-zone');
  return (listed as Json[])
    .filter(({ zoneState }) => zoneState.available)
    .map(({ zoneName }) => String(zoneName));
}

/** A server on a host. */
export interface Placed {
  readonly id: string;
  readonly name: string;
  readonly host: string;
}

/** The servers of the cloud that are on a host. */
export async function placedServers(send: Send): Promise<readonly Placed[]> {
  const { servers } = await send('GET', '/servers/detail?all_tenants=1');
  return (servers as Json[])
    .map((one) => ({
      id: String(one['id']),
      name: String(one['name']),
      host: one['OS-EXT-SRV-ATTR:host'] as string,
    }))
    .filter(({ host }) => host);
}

/** What a server requires of its host. */
export interface ServerRequest {
  readonly flavor: string;
  readonly zone: string | undefined;
  readonly group: string | undefined;
  /** Servers that hints name. */
  readonly same_host: readonly Placed[];
  readonly different_host: readonly Placed[];
}

/** Draws a request: of the hints at most one, and a zone sometimes. */
export function randomServerRequest(
  random: SeededRandom,
  { flavors, groups }: { readonly flavors: readonly string[]; readonly groups: readonly string[] },
  { servers, zones: open }: { readonly servers: readonly Placed[]; readonly zones: string[] },
): ServerRequest {
  const flavor = random.pick([flavors[0]!, ...flavors]);
  const zone = open.length && random.chance(0.4) ? random.pick(open) : undefined;
  const hint = random.pick(['group', 'group', 'group', 'same_host', 'different_host', '']);
  const named = random.shuffled(servers).slice(0, random.between(1, 3));
  return {
    flavor,
    zone,
    group: hint === 'group' ? random.pick(groups) : undefined,
    same_host: hint === 'same_host' ? named : [],
    different_host: hint === 'different_host' ? named : [],
  };
}

/** The scheduler hints of a request. @param idOf the id of a server in the cloud that is asked */
export const hintsOf = (
  { group, same_host, different_host }: ServerRequest,
  idOf: (server: Placed) => string = ({ id: own }) => own,
): Json => ({
  ...(group === undefined ? {} : { group }),
  ...(same_host.length ? { same_host: same_host.map(idOf) } : {}),
  ...(different_host.length ? { different_host: different_host.map(idOf) } : {}),
});
