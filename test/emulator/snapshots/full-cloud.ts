// A cloud with rows in almost every table, made with the sample requests of all services, and the
// requests that read all of it.
import type { Service } from '../../../src/kernel/model.ts';
import type { World } from '../../support/cloud.ts';
import { rawClient, type Client, type Raw } from '../../support/raw.ts';
import { fill, sampled, type Sample } from '../../contract/samples/index.ts';

/** A request that reads something. */
export interface Read {
  readonly service: string;
  readonly version: string;
  readonly path: string;
}

/** Sends the sample requests that create or change something, and collects those that read. */
export async function fillCloud(world: World): Promise<{ client: Client; reads: Read[] }> {
  const client = rawClient(world.server);
  const reads: Read[] = [];
  // Hosts can only be reserved while they have no servers.
  const [reservation, others] = [true, false].map((is) =>
    sampled.filter(({ service }) => (service === 'reservation') === is),
  );
  for (const { service: name, prepare } of [...reservation!, ...others!]) {
    if (name === 'emulator') continue;
    const service = world.cloud.services.find(({ definition }) => definition.name === name)!;
    const { samples } = await prepare(client);
    const version = service.definition.versions.max.name;
    for (const { method, path, id } of operationsOf(service)) {
      if (method === 'DELETE' || method === 'HEAD') continue;
      // Some samples need a token of Keystone, or what another sample has just deleted.
      const sample = await Promise.resolve(samples[id]?.(version)).catch(() => undefined);
      if (!sample) continue;
      const url = urlOf(service, path, sample);
      if (method === 'GET') reads.push({ service: name, version, path: url });
      else await client.ask(name, method, url, { version, ...sample });
    }
  }
  return { client, reads };
}

function operationsOf({ definition, contract }: Service) {
  const { routes, versions } = definition;
  return routes.flatMap(({ method, path }, index) => {
    const isFirst = routes.findIndex((one) => one.method === method && one.path === path) === index;
    try {
      const { id } = contract.operation(method, path, versions.max);
      return isFirst ? [{ method, path, id }] : [];
    } catch {
      return []; // it does not exist any more at the newest version
    }
  });
}

const urlOf = ({ definition }: Service, path: string, { params, query }: Sample): string =>
  `${definition.prefix}${fill(path, params)}${query ? `?${query}` : ''}`;

/** Sends a request that reads. */
export const read = (client: Client, { service, version, path }: Read): Promise<Raw> =>
  client.ask(service, 'GET', path, { version });

/** A request that any state of the cloud must answer. */
export interface Probe {
  readonly name: string;
  readonly send: () => Promise<Raw>;
}

/** The requests that read a cloud, and one for the main work of each service. */
export async function probesOf({
  client,
  reads,
}: {
  readonly client: Client;
  readonly reads: readonly Read[];
}): Promise<Probe[]> {
  const first = async (service: string, path: string): Promise<string> => {
    const { body } = await client.ask(service, 'GET', path);
    return Object.values(body as Record<string, { id: string }[]>)[0]![0]!.id;
  };
  const subnet = (await client.ask('network', 'GET', '/network/v2.0/subnets')).body as {
    subnets: { network_id: string }[];
  };
  const network = subnet.subnets[0]!.network_id;
  const imageRef = await first('image', '/image/v2/images');
  const profile = await first('clustering', '/clustering/v1/profiles');
  const instances = {
    resource_type: 'virtual:instance',
    vcpus: 1,
    memory_mb: 64,
    disk_gb: 1,
    amount: 1,
    affinity: null,
    resource_properties: '',
  };
  const lease = { name: 'probe', start_date: '2031-01-01 10:00', end_date: '2031-01-01 11:00' };
  const creates: readonly (readonly [service: string, path: string, body: object])[] = [
    [
      'compute',
      '/compute/v2.1/servers',
      { server: { name: 'probe', flavorRef: '42', imageRef, networks: [{ uuid: network }] } },
    ],
    ['network', '/network/v2.0/ports', { port: { network_id: network } }],
    ['volume', '/volume/v3/volumes', { volume: { size: 1 } }],
    ['reservation', '/reservation/v1/leases', { ...lease, events: [], reservations: [instances] }],
    [
      'clustering',
      '/clustering/v1/clusters',
      { cluster: { name: 'probe', profile_id: profile, desired_capacity: 1 } },
    ],
    ['identity', '/identity/v3/auth/tokens', { auth: signIn }],
  ];
  return [
    ...reads.map((one) => ({ name: one.path, send: () => read(client, one) })),
    ...creates.map(([service, path, body]) => ({
      name: `POST ${path}`,
      send: () => client.ask(service, 'POST', path, { body }),
    })),
  ];
}

const domain = { id: 'default' };
const signIn = {
  identity: {
    methods: ['password'],
    password: { user: { name: 'admin', domain, password: 'secret' } },
  },
  scope: { project: { name: 'admin', domain } },
};
