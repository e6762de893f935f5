// Concurrent writes of Compute, including their effects in Volume, Network and Placement.
import { cirrosId } from '../../../../src/services/image/index.ts';
import { mustSucceed, type Send, type RequestSpec, type Scenario } from '../races.ts';

const server = '/compute/v2.1/servers';
const flavor = { name: 'f', vcpus: 1, ram: 64, disk: 1 };

const volume = (send: Send, name: string): Promise<string> =>
  mustSucceed(send, ['POST', '/volume/v3/volumes', { volume: { size: 1, name } }], 'volume.id');

async function network(send: Send, name: string): Promise<string> {
  const id = await mustSucceed(
    send,
    ['POST', '/network/v2.0/networks', { network: { name: `net-${name}` } }],
    'network.id',
  );
  const subnet = { network_id: id, ip_version: 4, cidr: '10.9.0.0/24' };
  await mustSucceed(send, ['POST', '/network/v2.0/subnets', { subnet }]);
  return id;
}

const port = (send: Send, network_id: string): Promise<string> =>
  mustSucceed(send, ['POST', '/network/v2.0/ports', { port: { network_id } }], 'port.id');

/** Creates a server and waits until it is active. */
async function active(
  send: Send,
  name: string,
  networks: unknown = 'none',
  extra: object = {},
): Promise<string> {
  const body = { server: { name, flavorRef: '42', imageRef: cirrosId, networks, ...extra } };
  const id = await mustSucceed(send, ['POST', server, body], 'server.id');
  await mustSucceed(send, ['GET', `${server}/${id}`]);
  return id;
}

export const computeScenarios: readonly Scenario[] = [
  {
    name: 'a server, its volumes and its ports',
    async setup(send, name) {
      const net = await network(send, name);
      const [first, second, attached] = [
        await volume(send, 'first'),
        await volume(send, 'second'),
        await volume(send, 'attached'),
      ];
      const [free, used] = [await port(send, net), await port(send, net)];
      const id = await active(send, name, [{ port: used }]);
      await mustSucceed(send, [
        'POST',
        `${server}/${id}/os-volume_attachments`,
        { volumeAttachment: { volumeId: attached } },
      ]);
      await mustSucceed(send, ['GET', `${server}/${id}`]);
      return { server: id, net, first, second, attached, free, used };
    },
    writes: ({ server: id, net, first, second, attached, free, used }) => {
      const at = `${server}/${id}`;
      return {
        'attach the first volume': [
          'POST',
          `${at}/os-volume_attachments`,
          { volumeAttachment: { volumeId: first } },
        ],
        'attach the second volume': [
          'POST',
          `${at}/os-volume_attachments`,
          { volumeAttachment: { volumeId: second } },
        ],
        'detach a volume': ['DELETE', `${at}/os-volume_attachments/${attached}`],
        'swap a volume': [
          'PUT',
          `${at}/os-volume_attachments/${attached}`,
          { volumeAttachment: { volumeId: first } },
        ],
        'attach an interface by network': [
          'POST',
          `${at}/os-interface`,
          { interfaceAttachment: { net_id: net } },
        ],
        'attach an interface by port': [
          'POST',
          `${at}/os-interface`,
          { interfaceAttachment: { port_id: free } },
        ],
        'detach an interface': ['DELETE', `${at}/os-interface/${used}`],
        'delete the server': ['DELETE', at],
        'force-delete the server': ['POST', `${at}/action`, { forceDelete: null }],
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
    name: 'the state of a server',
    async setup(send, name) {
      const body = { server_group: { name: `group-${name}`, policy: 'affinity' } };
      const group = await mustSucceed(
        send,
        ['POST', '/compute/v2.1/os-server-groups', body],
        'server_group.id',
      );
      return { server: await active(send, name), group };
    },
    writes: ({ server: id }, name) => {
      const at = `${server}/${id}`;
      const act = (action: string, args: unknown = null): RequestSpec => [
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
        'add a security group': act('addSecurityGroup', { name: 'default' }),
        'open a console': [
          'POST',
          `${at}/remote-consoles`,
          { remote_console: { protocol: 'vnc', type: 'novnc' } },
        ],
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
    async setup(send, name) {
      const body = {
        flavor: {
          ...flavor,
          name: `flavor-${name}`,
          id: `flavor-${name}`,
          'os-flavor-access:is_public': false,
        },
      };
      return {
        flavor: await mustSucceed(send, ['POST', '/compute/v2.1/flavors', body], 'flavor.id'),
      };
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
        'create a flavor of the same name': [
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
    async setup(send, name) {
      const host = `host-${name}`;
      await mustSucceed(send, [
        'POST',
        '/_emulator/hosts',
        { name: host, vcpus: 4, memory_mb: 4096, disk_gb: 100 },
      ]);
      const body = { aggregate: { name: `aggregate-${name}`, availability_zone: null } };
      const id = String(
        await mustSucceed(send, ['POST', '/compute/v2.1/os-aggregates', body], 'aggregate.id'),
      );
      const other = { aggregate: { name: `other-${name}`, availability_zone: null } };
      const second = String(
        await mustSucceed(send, ['POST', '/compute/v2.1/os-aggregates', other], 'aggregate.id'),
      );
      const { body: services } = await send('GET', `/compute/v2.1/os-services?host=${host}`);
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
        'add it to the other aggregate': ['POST', `${other}/action`, { add_host: host }],
        'remove the host': ['POST', `${at}/action`, { remove_host: host }],
        'set the zone': ['PUT', at, { aggregate: { availability_zone: `zone-${name}` } }],
        'set the zone of the other aggregate': [
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
        'force the service down': [
          'PUT',
          `/compute/v2.1/os-services/${service}`,
          { forced_down: true },
        ],
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
    name: 'a server on a host that is down',
    async setup(send, name) {
      const [zone, old] = [`zone-${name}`, `old-${name}`];
      for (const host of [old, `new-${name}`])
        await mustSucceed(send, [
          'POST',
          '/_emulator/hosts',
          { name: host, zone, vcpus: 4, memory_mb: 4096, disk_gb: 100 },
        ]);
      const id = await active(send, name, 'none', { availability_zone: `${zone}:${old}` });
      const { body: services } = await send('GET', `/compute/v2.1/os-services?host=${old}`);
      const service = (services as { services: { id: string }[] }).services[0]!.id;
      await mustSucceed(send, [
        'PUT',
        `/compute/v2.1/os-services/${service}`,
        { forced_down: true },
      ]);
      return { server: id, service };
    },
    writes: ({ server: id, service }) => {
      const act = (action: string, args: unknown = null): RequestSpec => [
        'POST',
        `${server}/${id}/action`,
        { [action]: args },
      ];
      return {
        evacuate: act('evacuate', {}),
        'delete the server': ['DELETE', `${server}/${id}`],
        'reset its state': act('os-resetState', { state: 'error' }),
        'bring the host back up': [
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
    async setup(send, name) {
      await mustSucceed(send, [
        'POST',
        '/compute/v2.1/os-keypairs',
        { keypair: { name: `key-${name}`, type: 'ssh', public_key: key } },
      ]);
      const body = { server_group: { name: `group-${name}`, policy: 'affinity' } };
      return {
        group: await mustSucceed(
          send,
          ['POST', '/compute/v2.1/os-server-groups', body],
          'server_group.id',
        ),
      };
    },
    writes: ({ group }, name) => {
      const quota = (fields: object): RequestSpec => [
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
