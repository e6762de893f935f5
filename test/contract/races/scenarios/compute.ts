// Writes of Compute that race, with what they write in Volume, Network and Placement.
import { cirrosId } from '../../../../src/services/image/index.ts';
import { made, type Ask, type Line, type Scenario } from '../races.ts';

const server = '/compute/v2.1/servers';
const flavor = { name: 'f', vcpus: 1, ram: 64, disk: 1 };

const volume = (ask: Ask, name: string): Promise<string> =>
  made(ask, ['POST', '/volume/v3/volumes', { volume: { size: 1, name } }], 'volume.id');

async function network(ask: Ask, name: string): Promise<string> {
  const id = await made(
    ask,
    ['POST', '/network/v2.0/networks', { network: { name: `net-${name}` } }],
    'network.id',
  );
  const subnet = { network_id: id, ip_version: 4, cidr: '10.9.0.0/24' };
  await made(ask, ['POST', '/network/v2.0/subnets', { subnet }]);
  return id;
}

const port = (ask: Ask, network_id: string): Promise<string> =>
  made(ask, ['POST', '/network/v2.0/ports', { port: { network_id } }], 'port.id');

/** A server that runs. */
async function active(
  ask: Ask,
  name: string,
  networks: unknown = 'none',
  extra: object = {},
): Promise<string> {
  const body = { server: { name, flavorRef: '42', imageRef: cirrosId, networks, ...extra } };
  const id = await made(ask, ['POST', server, body], 'server.id');
  await made(ask, ['GET', `${server}/${id}`]);
  return id;
}

export const computeScenarios: readonly Scenario[] = [
  {
    name: 'a server, its volumes and its ports',
    async setup(ask, name) {
      const net = await network(ask, name);
      const [first, second, attached] = [
        await volume(ask, 'first'),
        await volume(ask, 'second'),
        await volume(ask, 'attached'),
      ];
      const [free, used] = [await port(ask, net), await port(ask, net)];
      const id = await active(ask, name, [{ port: used }]);
      await made(ask, [
        'POST',
        `${server}/${id}/os-volume_attachments`,
        { volumeAttachment: { volumeId: attached } },
      ]);
      await made(ask, ['GET', `${server}/${id}`]);
      return { server: id, net, first, second, attached, free, used };
    },
    writes: ({ server: id, net, first, second, attached, free, used }) => {
      const at = `${server}/${id}`;
      return {
        'attach the first': [
          'POST',
          `${at}/os-volume_attachments`,
          { volumeAttachment: { volumeId: first } },
        ],
        'attach the second': [
          'POST',
          `${at}/os-volume_attachments`,
          { volumeAttachment: { volumeId: second } },
        ],
        detach: ['DELETE', `${at}/os-volume_attachments/${attached}`],
        swap: [
          'PUT',
          `${at}/os-volume_attachments/${attached}`,
          { volumeAttachment: { volumeId: first } },
        ],
        'attach a network': [
          'POST',
          `${at}/os-interface`,
          { interfaceAttachment: { net_id: net } },
        ],
        'attach a port': ['POST', `${at}/os-interface`, { interfaceAttachment: { port_id: free } }],
        'detach a port': ['DELETE', `${at}/os-interface/${used}`],
        'delete the server': ['DELETE', at],
        'force its deletion': ['POST', `${at}/action`, { forceDelete: null }],
        shelve: ['POST', `${at}/action`, { shelve: null }],
        'delete the volume': ['DELETE', `/volume/v3/volumes/${first}`],
        'reserve the volume': ['POST', `/volume/v3/volumes/${first}/action`, { 'os-reserve': {} }],
        'extend the volume': [
          'POST',
          `/volume/v3/volumes/${first}/action`,
          { 'os-extend': { new_size: 2 } },
        ],
        'delete the port': ['DELETE', `/network/v2.0/ports/${free}`],
        'delete the network': ['DELETE', `/network/v2.0/networks/${net}`],
      };
    },
    reads: ({ server: id, net, first, second, attached, free, used }) => [
      `${server}/${id}`,
      `${server}/${id}/os-volume_attachments`,
      ...[first, second, attached].map((one) => `/volume/v3/volumes/${one}`),
      ...[free, used].map((one) => `/network/v2.0/ports/${one}`),
      `/network/v2.0/ports?network_id=${net}`,
      `/network/v2.0/networks/${net}`,
      `/volume/v3/attachments/detail?all_tenants=1&instance_id=${id}`,
      `/placement/allocations/${id}`,
    ],
  },
  {
    name: 'the states of a server',
    async setup(ask, name) {
      const body = { server_group: { name: `group-${name}`, policy: 'affinity' } };
      const group = await made(
        ask,
        ['POST', '/compute/v2.1/os-server-groups', body],
        'server_group.id',
      );
      return { server: await active(ask, name), group };
    },
    writes: ({ server: id }, name) => {
      const at = `${server}/${id}`;
      const act = (action: string, args: unknown = null): Line => [
        'POST',
        `${at}/action`,
        { [action]: args },
      ];
      return {
        stop: act('os-stop'),
        pause: act('pause'),
        reboot: act('reboot', { type: 'SOFT' }),
        resize: act('resize', { flavorRef: '1' }),
        'create image': act('createImage', { name: `image-${name}` }),
        lock: act('lock'),
        'reset state': act('os-resetState', { state: 'error' }),
        rename: ['PUT', at, { server: { name: `renamed-${name}` } }],
        'put metadata': ['PUT', `${at}/metadata`, { metadata: { a: '1' } }],
        'add metadata': ['POST', `${at}/metadata`, { metadata: { b: '2' } }],
        'add a tag': ['PUT', `${at}/tags/x`],
        'put tags': ['PUT', `${at}/tags`, { tags: ['y', 'z'] }],
        'add a group': act('addSecurityGroup', { name: 'default' }),
        delete: ['DELETE', at],
      };
    },
    reads: ({ server: id }, name) => [
      `${server}/${id}`,
      `${server}/${id}/tags`,
      `/placement/allocations/${id}`,
      `/image/v2/images?name=image-${name}`,
    ],
  },
  {
    name: 'a flavor',
    async setup(ask, name) {
      const body = {
        flavor: {
          ...flavor,
          name: `flavor-${name}`,
          id: `flavor-${name}`,
          'os-flavor-access:is_public': false,
        },
      };
      return { flavor: await made(ask, ['POST', '/compute/v2.1/flavors', body], 'flavor.id') };
    },
    writes: ({ flavor: id }, name) => {
      const at = `/compute/v2.1/flavors/${id}`;
      return {
        update: ['PUT', at, { flavor: { description: 'd' } }],
        'add access': ['POST', `${at}/action`, { addTenantAccess: { tenant: `p-${name}` } }],
        'remove access': ['POST', `${at}/action`, { removeTenantAccess: { tenant: `p-${name}` } }],
        'add specs': [
          'POST',
          `${at}/os-extra_specs`,
          { extra_specs: { 'hw:cpu_policy': 'shared' } },
        ],
        'put a spec': [
          'PUT',
          `${at}/os-extra_specs/hw:cpu_policy`,
          { 'hw:cpu_policy': 'dedicated' },
        ],
        'delete the spec': ['DELETE', `${at}/os-extra_specs/hw:cpu_policy`],
        delete: ['DELETE', at],
        'create again': [
          'POST',
          '/compute/v2.1/flavors',
          { flavor: { ...flavor, name: `flavor-${name}`, id: `flavor-${name}` } },
        ],
      };
    },
    reads: ({ flavor: id }) => [
      `/compute/v2.1/flavors/${id}`,
      `/compute/v2.1/flavors/${id}/os-extra_specs`,
      `/compute/v2.1/flavors/${id}/os-flavor-access`,
    ],
  },
  {
    name: 'an aggregate, its hosts and their service',
    async setup(ask, name) {
      const host = `host-${name}`;
      await made(ask, [
        'POST',
        '/_emulator/hosts',
        { name: host, vcpus: 4, memory_mb: 4096, disk_gb: 100 },
      ]);
      const body = { aggregate: { name: `aggregate-${name}`, availability_zone: null } };
      const id = String(
        await made(ask, ['POST', '/compute/v2.1/os-aggregates', body], 'aggregate.id'),
      );
      const other = { aggregate: { name: `other-${name}`, availability_zone: null } };
      const second = String(
        await made(ask, ['POST', '/compute/v2.1/os-aggregates', other], 'aggregate.id'),
      );
      const { body: services } = await ask('GET', `/compute/v2.1/os-services?host=${host}`);
      return {
        aggregate: id,
        second,
        service: (services as { services: { id: string }[] }).services[0]!.id,
      };
    },
    writes: ({ aggregate, second, service }, name) => {
      const at = `/compute/v2.1/os-aggregates/${aggregate}`;
      const other = `/compute/v2.1/os-aggregates/${second}`;
      const host = { host: `host-${name}` };
      return {
        'add the host': ['POST', `${at}/action`, { add_host: host }],
        'add it to another': ['POST', `${other}/action`, { add_host: host }],
        'remove the host': ['POST', `${at}/action`, { remove_host: host }],
        'set the zone': ['PUT', at, { aggregate: { availability_zone: `zone-${name}` } }],
        'set the zone of another': [
          'PUT',
          other,
          { aggregate: { availability_zone: `zone2-${name}` } },
        ],
        'set metadata': ['POST', `${at}/action`, { set_metadata: { metadata: { a: '1' } } }],
        delete: ['DELETE', at],
        'disable the service': [
          'PUT',
          `/compute/v2.1/os-services/${service}`,
          { status: 'disabled' },
        ],
        'force it down': ['PUT', `/compute/v2.1/os-services/${service}`, { forced_down: true }],
        'delete the service': ['DELETE', `/compute/v2.1/os-services/${service}`],
        'delete the host': ['DELETE', `/_emulator/hosts/host-${name}`],
      };
    },
    reads: ({ aggregate, second }, name) => [
      `/compute/v2.1/os-aggregates/${aggregate}`,
      `/compute/v2.1/os-aggregates/${second}`,
      `/compute/v2.1/os-services?host=host-${name}`,
      `/compute/v2.1/os-hypervisors?hypervisor_hostname_pattern=host-${name}`,
      `/placement/resource_providers?name=host-${name}`,
    ],
  },
  {
    name: 'a server and its host that is down',
    async setup(ask, name) {
      const [zone, old] = [`zone-${name}`, `old-${name}`];
      for (const host of [old, `new-${name}`])
        await made(ask, [
          'POST',
          '/_emulator/hosts',
          { name: host, zone, vcpus: 4, memory_mb: 4096, disk_gb: 100 },
        ]);
      const id = await active(ask, name, 'none', { availability_zone: `${zone}:${old}` });
      const { body: services } = await ask('GET', `/compute/v2.1/os-services?host=${old}`);
      const service = (services as { services: { id: string }[] }).services[0]!.id;
      await made(ask, ['PUT', `/compute/v2.1/os-services/${service}`, { forced_down: true }]);
      return { server: id, service };
    },
    writes: ({ server: id, service }) => {
      const act = (action: string, args: unknown = null): Line => [
        'POST',
        `${server}/${id}/action`,
        { [action]: args },
      ];
      return {
        evacuate: act('evacuate', {}),
        'delete the server': ['DELETE', `${server}/${id}`],
        'reset its state': act('os-resetState', { state: 'error' }),
        'the host comes back': [
          'PUT',
          `/compute/v2.1/os-services/${service}`,
          { forced_down: false },
        ],
        'delete the service': ['DELETE', `/compute/v2.1/os-services/${service}`],
      };
    },
    reads: ({ server: id }, name) => [
      `${server}/${id}`,
      `/compute/v2.1/os-services?host=old-${name}`,
      `/placement/allocations/${id}`,
      `/placement/resource_providers?name=old-${name}`,
    ],
  },
  {
    name: 'a key pair, a server group and quotas',
    async setup(ask, name) {
      await made(ask, [
        'POST',
        '/compute/v2.1/os-keypairs',
        { keypair: { name: `key-${name}`, type: 'ssh', public_key: key } },
      ]);
      const body = { server_group: { name: `group-${name}`, policy: 'affinity' } };
      return {
        group: await made(ask, ['POST', '/compute/v2.1/os-server-groups', body], 'server_group.id'),
      };
    },
    writes: ({ group }, name) => {
      const quota = (fields: object): Line => [
        'PUT',
        `/compute/v2.1/os-quota-sets/project-${name}`,
        { quota_set: fields },
      ];
      const one = {
        name: `s-${name}`,
        flavorRef: '42',
        imageRef: '',
        networks: 'none',
        key_name: `key-${name}`,
      };
      return {
        'delete the key pair': ['DELETE', `/compute/v2.1/os-keypairs/key-${name}`],
        'create it again': [
          'POST',
          '/compute/v2.1/os-keypairs',
          { keypair: { name: `key-${name}`, type: 'ssh', public_key: key } },
        ],
        'delete the group': ['DELETE', `/compute/v2.1/os-server-groups/${group}`],
        'create a server in it': [
          'POST',
          server,
          {
            server: {
              ...one,
              block_device_mapping_v2: [
                { source_type: 'blank', destination_type: 'volume', volume_size: 1, boot_index: 0 },
              ],
            },
            'os:scheduler_hints': { group },
          },
        ],
        'set cores': quota({ cores: 5 }),
        'set instances': quota({ instances: 3 }),
        'delete the quotas': ['DELETE', `/compute/v2.1/os-quota-sets/project-${name}`],
      };
    },
    reads: ({ group }, name) => [
      `/compute/v2.1/os-keypairs/key-${name}`,
      `/compute/v2.1/os-server-groups/${group}`,
      `/compute/v2.1/os-quota-sets/project-${name}`,
      `${server}/detail?name=s-${name}`,
    ],
  },
];

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4u3Z1bq6g0Y1hC0l0n1l9y8J2m7r6s5q4p3o2n1m0k test';
