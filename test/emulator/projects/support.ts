// Creates and uses throw-away projects, for the tests of /_emulator/projects.
import { cirrosId } from '../../../src/services/image/index.ts';
import type { World } from '../../support/cloud.ts';

/** A new project, as the emulator returns it. */
export interface Project {
  readonly id: string;
  readonly name: string;
  readonly domain_id: string;
  readonly user_id: string;
  readonly password: string;
  readonly token: string;
  readonly roles: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly clouds_yaml: string;
  readonly networks: readonly {
    readonly region: string;
    readonly network_id: string;
    readonly external_ip: string | null;
  }[];
}

export const projectsOf = (world: World) => {
  const ask = (method: string, path: string, body?: object) =>
    world.ask('emulator', method, `/_emulator/projects${path}`, {
      token: null,
      ...(body ? { body } : {}),
    });
  return {
    request: (body?: object) => ask('POST', '', body),
    create: async (body?: object): Promise<Project> =>
      ((await ask('POST', '', body).expect(201)).body as { project: Project }).project,
    list: async (): Promise<{ id: string; name: string }[]> =>
      ((await ask('GET', '').expect(200)).body as { projects: { id: string; name: string }[] })
        .projects,
    requestDelete: (id: string) => ask('DELETE', `/${id}`),
    remove: async (id: string): Promise<Record<string, number>> =>
      ((await ask('DELETE', `/${id}`).expect(200)).body as { removed: Record<string, number> })
        .removed,
  };
};

/** What a project's user can do in a region. */
export const userOf = (world: World, { id, token }: Project, prefix = '') => {
  const send = (service: string, method: string, path: string, body?: object) =>
    world.ask(service, method, `${prefix}${path}`, {
      token,
      ...(service === 'compute' ? { version: '2.90' } : {}),
      ...(body ? { body } : {}),
    });
  const idIn = (body: unknown, noun: string): string =>
    (body as Record<string, { id: string }>)[noun]!.id;
  return {
    send,
    boot: async (network: string): Promise<string> => {
      const server = {
        name: 's',
        flavorRef: '42',
        imageRef: cirrosId,
        networks: [{ uuid: network }],
      };
      const { body } = await send('compute', 'POST', '/compute/v2.1/servers', { server }).expect(
        202,
      );
      return idIn(body, 'server');
    },
    createVolume: async (): Promise<string> => {
      const path = `/volume/v3/${id}/volumes`;
      const { body } = await send('volume', 'POST', path, { volume: { size: 1 } }).expect(202);
      return idIn(body, 'volume');
    },
    createNetwork: async (): Promise<string> => {
      const path = '/network/v2.0/networks';
      const { body } = await send('network', 'POST', path, { network: { name: 'n' } }).expect(201);
      return idIn(body, 'network');
    },
    /** The ids of all servers, volumes and own networks that the user sees. */
    seen: async (): Promise<string[]> => {
      const lists = [
        ['compute', '/compute/v2.1/servers', 'servers'],
        ['volume', `/volume/v3/${id}/volumes`, 'volumes'],
        ['network', '/network/v2.0/networks?shared=false&router:external=false', 'networks'],
      ] as const;
      const ids: string[] = [];
      for (const [service, path, noun] of lists) {
        const { body } = await send(service, 'GET', path).expect(200);
        ids.push(...(body as Record<string, { id: string }[]>)[noun]!.map((one) => one.id));
      }
      return ids;
    },
  };
};

/** Creates something of each service, which refers to the others. */
export async function useEverything(world: World, project: Project): Promise<void> {
  const user = userOf(world, project);
  const create = async (
    service: string,
    path: string,
    noun: string,
    fields: object,
  ): Promise<string> => {
    const { body, status } = await user.send(service, 'POST', path, { [noun]: fields });
    if (status >= 300) throw new Error(`POST ${path}: ${status} ${JSON.stringify(body)}`);
    return String((body as Record<string, { id?: string }>)[noun]?.id);
  };
  const network = project.networks[0]!.network_id;
  const lease = await user
    .send('reservation', 'POST', '/reservation/v1/leases', {
      name: 'l',
      start_date: 'now',
      end_date: '2026-11-21 12:00',
      events: [],
      reservations: [
        {
          resource_type: 'virtual:instance',
          vcpus: 1,
          memory_mb: 512,
          disk_gb: 1,
          amount: 1,
          affinity: null,
        },
      ],
    })
    .expect(201);
  const { reservations } = (lease.body as { lease: { reservations: { id: string }[] } }).lease;
  await user.send('reservation', 'GET', '/reservation/v1/leases').expect(200); // runs its start
  await create('compute', '/compute/v2.1/servers', 'server', {
    name: 'leased',
    flavorRef: reservations[0]!.id,
    imageRef: cirrosId,
    networks: [{ uuid: network }],
  });
  const profile = await create('clustering', '/clustering/v1/profiles', 'profile', {
    name: 'p',
    spec: {
      type: 'os.nova.server',
      version: '1.0',
      properties: { flavor: 'm1.nano', image: 'cirros', networks: [{ network }] },
    },
  });
  await create('clustering', '/clustering/v1/clusters', 'cluster', {
    name: 'c',
    profile_id: profile,
    desired_capacity: 2,
  });
  const volume = await user.createVolume();
  await user.send('volume', 'GET', `/volume/v3/${project.id}/volumes`).expect(200);
  await create('volume', `/volume/v3/${project.id}/snapshots`, 'snapshot', { volume_id: volume });
  await user.send('image', 'POST', '/image/v2/images', { name: 'i' }).expect(201);
  const { body } = await user.send('network', 'GET', '/network/v2.0/networks').expect(200);
  const { networks } = body as { networks: { id: string; 'router:external': boolean }[] };
  const outside = networks.find((one) => one['router:external'])!.id;
  await create('network', '/network/v2.0/floatingips', 'floatingip', {
    floating_network_id: outside,
  });
  await create('compute', '/compute/v2.1/os-keypairs', 'keypair', {
    name: 'k',
    type: 'ssh',
    public_key:
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPmP2q4Hq6w8eVz1WcEHYbYlFAZDqBCqhfNVUnvYLB6u k',
  });
  const credentials = `/identity/v3/users/${project.user_id}/application_credentials`;
  await create('identity', credentials, 'application_credential', { name: 'a' });
}
