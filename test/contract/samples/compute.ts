// Sample requests of compute, but for servers.
import type { Client } from '../../support/raw.ts';
import { proxySamples } from './compute-proxies.ts';
import { serverSamples } from './compute-servers.ts';
import type { Sample, Sampled, Samples } from './model.ts';

export const computeSamples: Sampled = {
  service: 'compute',
  // Live migrations take as long as it takes to look at them.
  config: { auth: 'noauth2', hosts: '3', latency: { 'server.os-migrateLive': 3_600_000_000 } },
  prepare: async (client) => ({
    token: 'admin',
    samples: {
      ...samplesFor(client),
      ...(await serverSamples(client)),
      ...(await proxySamples(client)),
    },
  }),
};

export const sshKey =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl test@example';

/** Whether a version is that one or newer. */
export const since = (version: string, first: string): boolean =>
  Number(version.split('.')[1]) >= Number(first.split('.')[1]);

function samplesFor(client: Client): Samples {
  let count = 0;
  const fresh = (noun: string): string => `${noun}-${++count}`;
  const ask = async (
    method: string,
    path: string,
    version: string,
    body?: unknown,
  ): Promise<Record<string, Record<string, never>>> => {
    const reply = await client.ask('compute', method, `/compute/v2.1${path}`, {
      version,
      ...(body === undefined ? {} : { body }),
    });
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.body as Record<string, Record<string, never>>;
  };
  const newGroup = (version: string): object => {
    const name = fresh('group');
    return since(version, '2.64')
      ? { name, policy: 'anti-affinity', rules: { max_server_per_host: 2 } }
      : { name, policies: ['affinity'] };
  };
  /** Groups are limited, so each is made in place of the one before. */
  const group = async (version: string): Promise<string> => {
    await makeRoom();
    return (await ask('POST', '/os-server-groups', version, { server_group: newGroup(version) }))[
      'server_group'
    ]!['id']!;
  };
  const makeRoom = async (): Promise<void> => {
    const { server_groups: all } = (await ask('GET', '/os-server-groups', '2.1')) as unknown as {
      server_groups: { id: string }[];
    };
    for (const { id } of all)
      await client.ask('compute', 'DELETE', `/compute/v2.1/os-server-groups/${id}`);
  };
  const newFlavor = (): Record<string, unknown> => ({
    name: fresh('flavor'),
    ram: 64,
    vcpus: '1',
    disk: 0,
    swap: 1,
    'os-flavor-access:is_public': true,
  });
  const flavor = async (fields: object = {}): Promise<string> =>
    (await ask('POST', '/flavors', '2.1', { flavor: { ...newFlavor(), ...fields } }))['flavor']![
      'id'
    ]!;
  const specced = async (): Promise<string> => {
    const id = await flavor();
    await ask('POST', `/flavors/${id}/os-extra_specs`, '2.1', {
      extra_specs: { 'hw:cpu_policy': 'shared' },
    });
    return id;
  };
  const keypair = async (): Promise<string> => {
    const name = fresh('key');
    await client.ask('compute', 'DELETE', `/compute/v2.1/os-keypairs/key-${count - 1}`);
    await ask('POST', '/os-keypairs', '2.2', { keypair: { name, public_key: sshKey } });
    return name;
  };
  const dropKeypairs = async (): Promise<void> => {
    const { keypairs } = (await ask('GET', '/os-keypairs', '2.1')) as unknown as {
      keypairs: { keypair: { name: string } }[];
    };
    for (const { keypair } of keypairs)
      await client.ask('compute', 'DELETE', `/compute/v2.1/os-keypairs/${keypair.name}`);
  };
  const hypervisor = async (version: string): Promise<string> => {
    const { hypervisors } = (await ask('GET', '/os-hypervisors', version)) as unknown as {
      hypervisors: { id: string | number }[];
    };
    return String(hypervisors[0]!.id);
  };
  const service = async (version: string, host: string): Promise<string> => {
    const { services } = (await ask('GET', `/os-services?host=${host}`, version)) as unknown as {
      services: { id: string | number }[];
    };
    return String(services[0]!.id);
  };
  const anotherHost = async (): Promise<string> => {
    const name = fresh('host');
    const reply = await client.send(
      'POST',
      '/_emulator/hosts',
      { 'content-type': 'application/json' },
      JSON.stringify({ name }),
    );
    if (reply.status !== 201) throw new Error(reply.text);
    return name;
  };
  let emptyHost: string | undefined;
  const aggregate = async (): Promise<string> =>
    String(
      (
        await ask('POST', '/os-aggregates', '2.1', {
          aggregate: { name: fresh('aggregate'), availability_zone: 'nova' },
        })
      )['aggregate']!['id']!,
    );
  const ofHost = { params: { id: 'compute-1' } };
  const period = 'start=2026-11-01T00:00:00&end=2026-11-30T00:00:00.5';
  const plain = (): Sample => ({});
  const byId =
    (make: (version: string) => Promise<string>) =>
    async (version: string): Promise<Sample> => ({ params: { id: await make(version) } });

  return {
    'versions:list': plain,
    'versions:show': plain,
    'versions:show_without_slash': plain,
    'versions:show_legacy': plain,
    'versions:show_legacy_without_slash': plain,
    'extensions:list': plain,
    'extensions:show': () => ({ params: { id: 'os-keypairs' } }),

    'server_groups:list': async (version) => (
      await group(version),
      { query: 'all_projects&limit=5&offset=0' }
    ),
    'server_groups:create': async (version) => (
      await makeRoom(),
      { body: { server_group: newGroup(version) } }
    ),
    'server_groups:show': byId(group),
    'server_groups:delete': byId(group),

    'flavors:list': () => ({
      query:
        'limit=2&marker=1&is_public=none&minRam=1&minDisk=0&sort_key=name&sort_dir=asc'.replace(
          '&marker=1',
          '',
        ),
    }),
    'flavors:detail': (version) => ({
      query: `limit=1&sort_dir=desc${since(version, '2.102') ? '&name=m1' : ''}`,
    }),
    'flavors:create': (version) => ({
      body: {
        flavor: {
          ...newFlavor(),
          id: fresh('id'),
          'OS-FLV-EXT-DATA:ephemeral': 1,
          ...(since(version, '2.102') ? {} : { rxtx_factor: 1.5 }),
          ...(since(version, '2.55') ? { description: 'd' } : {}),
        },
      },
    }),
    'flavors:show': () => ({ params: { id: '1' } }),
    'flavors:update': async () => ({
      params: { id: await flavor() },
      body: { flavor: { description: 'new' } },
    }),
    'flavors:delete': byId(() => flavor()),
    'flavors:action': async () => ({
      params: { id: await flavor({ 'os-flavor-access:is_public': false }) },
      body: { addTenantAccess: { tenant: 'demo' } },
    }),
    'flavor_access:list': async () => ({
      params: { flavor_id: await flavor({ 'os-flavor-access:is_public': false }) },
    }),
    'flavor_extra_specs:list': async () => ({ params: { flavor_id: await specced() } }),
    'flavor_extra_specs:create': async () => ({
      params: { flavor_id: await flavor() },
      body: { extra_specs: { 'hw:cpu_policy': 'dedicated', own: 5 } },
    }),
    'flavor_extra_specs:show': async () => ({
      params: { flavor_id: await specced(), id: 'hw:cpu_policy' },
    }),
    'flavor_extra_specs:update': async () => ({
      params: { flavor_id: await specced(), id: 'hw:cpu_policy' },
      body: { 'hw:cpu_policy': 'mixed' },
    }),
    'flavor_extra_specs:delete': async () => ({
      params: { flavor_id: await specced(), id: 'hw:cpu_policy' },
    }),

    'keypairs:list': async (version) => (
      await keypair(),
      { query: since(version, '2.35') ? 'limit=1&user_id=admin' : '' }
    ),
    'keypairs:create': async (version) => {
      await dropKeypairs();
      return {
        body: {
          keypair: {
            name: fresh('key'),
            public_key: sshKey,
            ...(since(version, '2.2') ? { type: 'ssh' } : {}),
            ...(since(version, '2.10') ? { user_id: 'admin' } : {}),
          },
        },
      };
    },
    'keypairs:show': byId(keypair),
    'keypairs:delete': byId(keypair),

    'hypervisors:list': (version) => ({
      query: since(version, '2.53')
        ? 'with_servers=true&hypervisor_hostname_pattern=compute'
        : since(version, '2.33')
          ? 'limit=1'
          : '',
    }),
    'hypervisors:detail': (version) => ({ query: since(version, '2.33') ? 'limit=2' : '' }),
    'hypervisors:statistics': plain,
    'hypervisors:show': byId(hypervisor),
    'hypervisors:uptime': byId(hypervisor),
    'hypervisors:search': () => ({ params: { id: 'compute' } }),
    'hypervisors:servers': () => ({ params: { id: 'compute-1' } }),

    'services:list': () => ({ query: 'host=compute-1&binary=nova-compute' }),
    'services:update': async (version) => {
      if (since(version, '2.53'))
        return {
          params: { id: await service(version, 'compute-2') },
          body: { status: 'disabled', disabled_reason: 'r', forced_down: false },
        };
      return {
        params: { id: 'disable-log-reason' },
        body: { host: 'compute-2', binary: 'nova-compute', disabled_reason: 'r' },
      };
    },
    'services:delete': async (version) => ({
      params: { id: await service(version, await anotherHost()) },
    }),

    'aggregates:list': async () => (await aggregate(), {}),
    'aggregates:create': () => ({
      body: { aggregate: { name: fresh('aggregate'), availability_zone: 'nova' } },
    }),
    'aggregates:show': byId(aggregate),
    'aggregates:update': async () => ({
      params: { id: await aggregate() },
      body: { aggregate: { name: fresh('aggregate'), availability_zone: 'az' } },
    }),
    'aggregates:delete': byId(aggregate),
    'aggregates:action': async () => ({
      params: { id: await aggregate() },
      body: { add_host: { host: (emptyHost ??= await anotherHost()) } },
    }),
    'aggregates:images': async () => ({
      params: { id: await aggregate() },
      body: { cache: [{ id: '11111111-1111-1111-1111-111111111111' }] },
    }),

    'availability_zones:list': plain,
    'availability_zones:detail': plain,

    'limits:list': () => ({ query: 'tenant_id=demo' }),
    'quota_sets:show': () => ({ params: { id: 'demo' }, query: 'user_id=demo' }),
    'quota_sets:update': () => ({
      params: { id: 'demo' },
      body: { quota_set: { cores: 40, instances: '15', server_groups: -1, force: true } },
    }),
    'quota_sets:delete': () => ({ params: { id: 'demo' } }),
    'quota_sets:defaults': () => ({ params: { id: 'demo' } }),
    'quota_sets:detail': () => ({ params: { id: 'demo' } }),
    'quota_class_sets:show': () => ({ params: { id: 'default' } }),
    'quota_class_sets:update': () => ({
      params: { id: 'other' },
      body: { quota_class_set: { cores: 40, ram: '5' } },
    }),

    'tenant_usages:list': () => ({ query: `${period}&detailed=1` }),
    'tenant_usages:show': () => ({ params: { id: 'demo' }, query: period }),
    'hosts:list': () => ({ query: 'zone=nova' }),
    'hosts:show': () => ofHost,
    'hosts:update': () => ({ ...ofHost, body: { status: 'enable' } }),
    'hosts:startup': () => ({ ...ofHost, refused: 501 }),
    'hosts:shutdown': () => ({ ...ofHost, refused: 501 }),
    'hosts:reboot': () => ({ ...ofHost, refused: 501 }),
    'usage_audit_logs:list': plain,
    'usage_audit_logs:show': () => ({ params: { id: '2026-11-20 12:00:00' } }),
    'external_events:create': () => ({
      body: {
        events: [
          {
            name: 'network-changed',
            server_uuid: '11111111-1111-1111-1111-111111111111',
            status: 'completed',
            tag: 't',
          },
        ],
      },
    }),
  };
}
