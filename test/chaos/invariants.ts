// What must hold once a chaos run has ended: the services agree with each other, nothing is in
// excess of its limits, and nothing is stuck.
import { type Client, type Json } from './client.ts';

const listAll = {
  servers: ['/compute/v2.1/servers/detail?all_tenants=1&limit=1000', 'servers'],
  volumes: ['/volume/v3/volumes/detail?all_tenants=1', 'volumes'],
  ports: ['/network/v2.0/ports', 'ports'],
  leases: ['/reservation/v1/leases', 'leases'],
  hosts: ['/reservation/v1/os-hosts', 'hosts'],
  aggregates: ['/compute/v2.1/os-aggregates', 'aggregates'],
  clusters: ['/clustering/v1/clusters?global_project=True', 'clusters'],
  nodes: ['/clustering/v1/nodes?global_project=True', 'nodes'],
  actions: ['/clustering/v1/actions?global_project=True', 'actions'],
  providers: ['/placement/resource_providers', 'resource_providers'],
} as const;

type World = Readonly<Record<keyof typeof listAll, Json[]>>;

/** The statuses of resources on which nothing works any more. */
const settled = {
  servers:
    /^(ACTIVE|SHUTOFF|PAUSED|SUSPENDED|SHELVED|SHELVED_OFFLOADED|VERIFY_RESIZE|ERROR|RESCUED)$/,
  volumes: /^(available|in-use|error|error_deleting|error_extending)$/,
  leases: /^(PENDING|ACTIVE|TERMINATED|ERROR)$/,
  clusters: /^(ACTIVE|WARNING|ERROR|CRITICAL|INIT)$/,
  actions: /^(SUCCEEDED|FAILED|CANCELLED)$/,
} as const;

/**
 * Finds violated invariants, a line for each. No request may be in progress.
 * @returns the violations, and how many resources of each kind there are
 */
export async function findViolations(
  client: Client,
): Promise<{ violations: string[]; sizes: Record<string, number> }> {
  const entries = await Promise.all(
    Object.entries(listAll).map(async ([name, [path, key]]) => [
      name,
      await client.requireList(path, key),
    ]),
  );
  const world = Object.fromEntries(entries) as World;
  const violations = [
    ...findStuck(world),
    ...findLostAttachments(world),
    ...findPortProblems(world),
    ...findNodeProblems(world),
    ...findPoolProblems(world),
    ...(await findAllocationProblems(client, world)),
    ...(await findQuotaProblems(client)),
  ];
  const sizes = Object.entries(world).map(([name, found]) => [name, found.length]);
  return { violations, sizes: Object.fromEntries(sizes) as Record<string, number> };
}

function findStuck(world: World): string[] {
  const stuck = Object.entries(settled).flatMap(([name, pattern]) =>
    world[name as keyof typeof settled]
      .filter(({ status }) => !pattern.test(String(status)))
      .map(({ id, status }) => `${name}: ${id} is stuck in ${status}`),
  );
  const busy = world.servers.filter((server) => server['OS-EXT-STS:task_state'] !== null);
  return [
    ...stuck,
    ...busy.map((server) => `servers: ${server['id']} has a task: ${taskOf(server)}`),
  ];
}

const taskOf = (server: Json): string => String(server['OS-EXT-STS:task_state']);

/** Compute and Volume list the same attachments. */
function findLostAttachments({ servers, volumes }: World): string[] {
  const inCompute = servers.flatMap((server) =>
    (server['os-extended-volumes:volumes_attached'] as Json[]).map(
      ({ id }) => `${server['id']} and ${id}`,
    ),
  );
  const inVolume = volumes.flatMap((volume) =>
    (volume['attachments'] as Json[]).map(({ server_id: id }) => `${id} and ${volume['id']}`),
  );
  const wrongStatus = volumes.filter(
    ({ status, attachments }) =>
      (status === 'available' && (attachments as Json[]).length > 0) ||
      (status === 'in-use' && (attachments as Json[]).length === 0),
  );
  return [
    ...differences('attachments', inCompute, 'Compute', inVolume, 'Volume'),
    ...wrongStatus.map(({ id, status }) => `volumes: ${id} is ${status}, unlike its attachments`),
  ];
}

/** No address is given twice, and the ports of servers belong to existing servers. */
function findPortProblems({ ports, servers }: World): string[] {
  const addresses = ports.flatMap(({ fixed_ips: ips }) =>
    (ips as Json[]).map(({ subnet_id: subnet, ip_address: ip }) => `${subnet} ${ip}`),
  );
  const twice = addresses.filter((one, index) => addresses.indexOf(one) !== index);
  const known = new Set(servers.map(({ id }) => id));
  const orphans = ports.filter(
    ({ device_owner: owner, device_id: id }) =>
      String(owner).startsWith('compute:') && !known.has(id),
  );
  const inNetwork = ports
    .filter(({ device_owner: owner }) => String(owner).startsWith('compute:'))
    .flatMap(({ device_id: id, fixed_ips: ips }) =>
      (ips as Json[]).map(({ ip_address: ip }) => `${id} has ${ip}`),
    );
  const inCompute = servers.flatMap(({ id, addresses: shown }) =>
    Object.values(shown as Record<string, Json[]>)
      .flat()
      .filter((one) => one['OS-EXT-IPS:type'] === 'fixed')
      .map(({ addr }) => `${id} has ${addr}`),
  );
  return [
    ...twice.map((one) => `ports: the address ${one} is given twice`),
    ...orphans.map(
      ({ id, device_id: server }) => `ports: ${id} is of the unknown server ${server}`,
    ),
    ...differences('addresses', inCompute, 'Compute', inNetwork, 'Network'),
  ];
}

/**
 * A node belongs to an existing cluster, and a server of a cluster to a node. A node whose server a
 * client has deleted stays in ACTIVE until the next check.
 */
function findNodeProblems({ nodes, clusters, servers }: World): string[] {
  const physicalIds = new Set(nodes.map(({ physical_id: id }) => id));
  const clusterIds = new Set(clusters.map(({ id }) => id));
  return [
    ...nodes
      .filter(({ cluster_id: id }) => id && !clusterIds.has(id))
      .map(({ id }) => `nodes: ${id} is of an unknown cluster`),
    ...servers
      .filter(({ metadata, id }) => (metadata as Json)['cluster_node_id'] && !physicalIds.has(id))
      .map(({ id }) => `servers: ${id} belongs to no node`),
  ];
}

/** Each of Blazar's hosts is in exactly one of its aggregates, and those are of living leases. */
function findPoolProblems({ hosts, leases, aggregates }: World): string[] {
  const isOver = (status: unknown): boolean => status === 'deleted' || status === 'error';
  const living = leases
    .flatMap(({ reservations }) => reservations as Json[])
    .filter(({ status }) => !isOver(status))
    .map(({ id }) => id as string);
  const pools = aggregates.filter(
    ({ name }) => name === 'freepool' || /^[0-9a-f-]{36}$/.test(String(name)),
  );
  const placed = hosts.map(({ hypervisor_hostname: name }) => ({
    name: String(name),
    count: pools.filter((pool) => (pool['hosts'] as string[]).includes(String(name))).length,
  }));
  return [
    ...pools
      .filter(({ name }) => name !== 'freepool' && !living.includes(String(name)))
      .map(({ name }) => `aggregates: ${name} is of no living reservation`),
    ...placed
      .filter(({ count }) => count < 1)
      .map(({ name }) => `hosts: ${name} is in none of Blazar's aggregates`),
  ];
}

/** No class is over its capacity, and the consumers are servers, migrations or the run's own. */
async function findAllocationProblems(client: Client, world: World): Promise<string[]> {
  const problems: string[] = [];
  const placed = new Map<string, string[]>();
  for (const { uuid, name } of world.providers) {
    const own = `/placement/resource_providers/${uuid}`;
    const { inventories = {} } = await client.require('GET', `${own}/inventories`);
    const { usages = {} } = await client.require('GET', `${own}/usages`);
    for (const [of, inventory] of Object.entries(inventories as Record<string, Json>)) {
      const { total, reserved, allocation_ratio: ratio } = inventory;
      const capacity = Math.floor((Number(total) - Number(reserved)) * Number(ratio));
      if (Number((usages as Json)[of]) > capacity)
        problems.push(`usages: ${name} has ${usages[of]} of ${capacity} ${of}`);
    }
    const { allocations = {} } = await client.require('GET', `${own}/allocations`);
    for (const consumer of Object.keys(allocations as Json))
      placed.set(consumer, [...(placed.get(consumer) ?? []), String(name)]);
  }
  const known = new Set(world.servers.map(({ id }) => String(id)));
  const migrations = await client.requireList(
    '/compute/v2.1/os-migrations?status=finished',
    'migrations',
  );
  const migrating = new Set(migrations.map(({ uuid }) => String(uuid)));
  for (const consumer of placed.keys())
    if (!known.has(consumer) && !migrating.has(consumer) && !consumer.startsWith('6f1c9a50-'))
      problems.push(`allocations: the consumer ${consumer} does not exist`);
  for (const server of world.servers) {
    const host = server['OS-EXT-SRV-ATTR:hypervisor_hostname'] as string | null;
    if (host === null || server['status'] === 'ERROR') continue;
    const found = placed.get(String(server['id'])) ?? [];
    if (!found.includes(host))
      problems.push(`allocations: ${server['id']} is on ${host}, but claims [${found.join()}]`);
  }
  return problems;
}

/** The usage that Volume and Network count is the number of resources. */
async function findQuotaProblems(client: Client): Promise<string[]> {
  const problems: string[] = [];
  for (const project of await client.requireList('/identity/v3/projects', 'projects')) {
    const id = String(project['id']);
    const path = `/volume/v3/os-quota-sets/${id}?usage=True`;
    const { quota_set: quota } = await client.require('GET', path);
    const volumes = await client.requireList(
      `/volume/v3/volumes/detail?all_tenants=1&project_id=${id}`,
      'volumes',
    );
    const inUse = Number(((quota as Json)['volumes'] as Json)['in_use']);
    if (inUse !== volumes.length)
      problems.push(`quotas: ${project['name']} has ${volumes.length} volumes, counted ${inUse}`);
    const details = await client.require('GET', `/network/v2.0/quotas/${id}/details`);
    const used = Number((details['quota'] as Json)['port'].used);
    const ports = await client.requireList(`/network/v2.0/ports?project_id=${id}`, 'ports');
    if (used !== ports.length)
      problems.push(`quotas: ${project['name']} has ${ports.length} ports, counted ${used}`);
  }
  return problems;
}

function differences(
  what: string,
  one: readonly string[],
  oneName: string,
  other: readonly string[],
  otherName: string,
): string[] {
  return [
    ...one.filter((each) => !other.includes(each)).map((each) => `only in ${oneName}: ${each}`),
    ...other.filter((each) => !one.includes(each)).map((each) => `only in ${otherName}: ${each}`),
  ].map((line) => `${what} ${line}`);
}
