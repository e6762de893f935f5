// Strangers who make things of their own out of another project's: in bodies, and not in paths.
import { expect } from 'chai';
import { cirrosId } from '../../../src/services/image/index.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import { someone, type Caller } from '../../support/people.ts';
import { rawClient, type Client } from '../../support/raw.ts';

const owner = someone('member,reader', 'owner', 'theirs');
const stranger = someone('member,reader', 'stranger', 'elsewhere');

const versions: Readonly<Record<string, string>> = {
  compute: '2.104',
  volume: '3.70',
  clustering: '1.14',
};
const roots: Readonly<Record<string, string>> = {
  compute: '/compute/v2.1',
  volume: '/volume/v3',
  network: '/network/v2.0',
  image: '/image/v2',
  clustering: '/clustering/v1',
  reservation: '/reservation/v1',
};

type Body = Readonly<Record<string, unknown>>;

onEachDatabase(
  'strangers who refer to another project’s things',
  { auth: 'noauth2', hosts: '2' },
  (world) => {
    let client: Client;
    beforeEach(() => (client = rawClient(world.server)));
    afterEach(() => client.close());

    const ask = (caller: Caller, service: string, method: string, path: string, body?: unknown) =>
      client.ask(service, method, roots[service]! + path, {
        ...caller,
        ...(versions[service] ? { version: versions[service] } : {}),
        ...(body === undefined ? {} : { body }),
      });

    /** Makes a thing, and gives its id. */
    const made = async (
      caller: Caller,
      service: string,
      path: string,
      body: Body,
    ): Promise<string> => {
      const reply = await ask(caller, service, 'POST', path, body);
      expect(reply.status, `${path}: ${reply.text}`).to.be.within(200, 202);
      const [first] = Object.values(reply.body as object);
      return typeof first === 'object' && first !== null
        ? (first as { id: string }).id
        : (reply.body as { id: string }).id;
    };

    /** What a project has of each kind. */
    async function things(who: Caller, octet: number) {
      const network = await made(who, 'network', '/networks', { network: { name: 'n' } });
      const subnet = await made(who, 'network', '/subnets', {
        subnet: { network_id: network, ip_version: 4, cidr: `10.${octet}.0.0/24` },
      });
      const port = await made(who, 'network', '/ports', { port: { network_id: network } });
      const group = await made(who, 'network', '/security-groups', {
        security_group: { name: 'g' },
      });
      const router = await made(who, 'network', '/routers', { router: {} });
      const scope = await made(who, 'network', '/address-scopes', {
        address_scope: { name: 's', ip_version: 4 },
      });
      const pool = await made(who, 'network', '/subnetpools', {
        subnetpool: { name: 'p', prefixes: [`10.${octet + 100}.0.0/16`], default_prefixlen: 24 },
      });
      const volume = await made(who, 'volume', '/volumes', { volume: { size: 1 } });
      const snapshot = await made(who, 'volume', '/snapshots', { snapshot: { volume_id: volume } });
      const image = await made(who, 'image', '/images', {
        disk_format: 'raw',
        container_format: 'bare',
        name: 'i',
        visibility: 'private',
      });
      await client.ask('image', 'PUT', `/image/v2/images/${image}/file`, {
        ...who,
        headers: { ...who.headers, 'content-type': 'application/octet-stream' },
        body: 'data',
      });
      const serverGroup = await made(who, 'compute', '/os-server-groups', {
        server_group: { name: 'g', policy: 'affinity' },
      });
      const server = await made(who, 'compute', '/servers', {
        server: { name: 's', flavorRef: '42', imageRef: cirrosId, networks: 'none' },
      });
      return {
        network,
        subnet,
        port,
        group,
        router,
        scope,
        pool,
        volume,
        snapshot,
        image,
        serverGroup,
        server,
      };
    }

    it('get nothing of it', async () => {
      const theirs = await things(owner, 50);
      const mine = await things(stranger, 60);
      const newServer = (fields: Body): Body => ({
        server: { name: 's', flavorRef: '42', imageRef: cirrosId, networks: 'none', ...fields },
      });
      const mapped = (source_type: string, uuid: string): Body =>
        newServer({
          imageRef: '',
          block_device_mapping_v2: [
            { source_type, uuid, destination_type: 'volume', volume_size: 1, boot_index: 0 },
          ],
        });
      const { networks } = (await ask(stranger, 'network', 'GET', '/networks?router:external=True'))
        .body as {
        networks: { id: string }[];
      };
      const outside = networks[0]!.id;
      const floatingIp = await made(stranger, 'network', '/floatingips', {
        floatingip: { floating_network_id: outside },
      });
      const rule = { security_group_id: mine.group, direction: 'ingress', ethertype: 'IPv4' };
      const tries: readonly [service: string, method: string, path: string, body: Body][] = [
        [
          'network',
          'POST',
          '/subnets',
          { subnet: { network_id: theirs.network, ip_version: 4, cidr: '10.9.0.0/24' } },
        ],
        [
          'network',
          'POST',
          '/subnets',
          { subnet: { network_id: mine.network, ip_version: 4, subnetpool_id: theirs.pool } },
        ],
        [
          'network',
          'POST',
          '/subnetpools',
          { subnetpool: { name: 'q', prefixes: ['10.8.0.0/16'], address_scope_id: theirs.scope } },
        ],
        [
          'network',
          'PUT',
          `/subnetpools/${mine.pool}`,
          { subnetpool: { address_scope_id: theirs.scope } },
        ],
        ['network', 'POST', '/ports', { port: { network_id: theirs.network } }],
        [
          'network',
          'POST',
          '/ports',
          { port: { network_id: mine.network, fixed_ips: [{ subnet_id: theirs.subnet }] } },
        ],
        [
          'network',
          'PUT',
          `/ports/${mine.port}`,
          { port: { fixed_ips: [{ subnet_id: theirs.subnet }] } },
        ],
        [
          'network',
          'POST',
          '/ports',
          { port: { network_id: mine.network, security_groups: [theirs.group] } },
        ],
        ['network', 'PUT', `/ports/${mine.port}`, { port: { security_groups: [theirs.group] } }],
        [
          'network',
          'POST',
          '/ports',
          {
            port: {
              network_id: mine.network,
              device_id: theirs.router,
              device_owner: 'network:router_interface',
            },
          },
        ],
        [
          'network',
          'PUT',
          `/ports/${mine.port}`,
          { port: { device_id: theirs.router, device_owner: 'network:router_interface' } },
        ],
        [
          'network',
          'PUT',
          `/routers/${mine.router}/add_router_interface`,
          { subnet_id: theirs.subnet },
        ],
        [
          'network',
          'PUT',
          `/routers/${mine.router}/add_router_interface`,
          { port_id: theirs.port },
        ],
        [
          'network',
          'PUT',
          `/routers/${mine.router}`,
          { router: { external_gateway_info: { network_id: theirs.network } } },
        ],
        [
          'network',
          'POST',
          '/floatingips',
          { floatingip: { floating_network_id: outside, port_id: theirs.port } },
        ],
        ['network', 'PUT', `/floatingips/${floatingIp}`, { floatingip: { port_id: theirs.port } }],
        [
          'network',
          'POST',
          '/floatingips',
          { floatingip: { floating_network_id: theirs.network } },
        ],
        [
          'network',
          'POST',
          '/security-group-rules',
          { security_group_rule: { ...rule, security_group_id: theirs.group } },
        ],
        [
          'network',
          'POST',
          '/security-group-rules',
          { security_group_rule: { ...rule, remote_group_id: theirs.group } },
        ],
        ['network', 'POST', '/networks', { network: { name: 'x', project_id: 'theirs' } }],
        ['network', 'POST', '/networks', { network: { name: 'x', tenant_id: 'theirs' } }],
        ['volume', 'POST', '/volumes', { volume: { size: 1, source_volid: theirs.volume } }],
        ['volume', 'POST', '/volumes', { volume: { size: 1, snapshot_id: theirs.snapshot } }],
        ['volume', 'POST', '/volumes', { volume: { size: 1, imageRef: theirs.image } }],
        ['volume', 'POST', '/snapshots', { snapshot: { volume_id: theirs.volume } }],
        [
          'volume',
          'POST',
          '/volume-transfers',
          { transfer: { volume_id: theirs.volume, name: 't' } },
        ],
        [
          'volume',
          'POST',
          '/attachments',
          { attachment: { volume_uuid: theirs.volume, instance_uuid: mine.server } },
        ],
        [
          'volume',
          'POST',
          `/volumes/${mine.volume}/action`,
          { revert: { snapshot_id: theirs.snapshot } },
        ],
        [
          'volume',
          'POST',
          `/volumes/${mine.volume}/action`,
          { 'os-reimage': { image_id: theirs.image } },
        ],
        ['compute', 'POST', '/servers', newServer({ imageRef: theirs.image })],
        ['compute', 'POST', '/servers', newServer({ networks: [{ uuid: theirs.network }] })],
        ['compute', 'POST', '/servers', newServer({ networks: [{ port: theirs.port }] })],
        ['compute', 'POST', '/servers', mapped('volume', theirs.volume)],
        ['compute', 'POST', '/servers', mapped('snapshot', theirs.snapshot)],
        ['compute', 'POST', '/servers', mapped('image', theirs.image)],
        [
          'compute',
          'POST',
          '/servers',
          { ...newServer({}), 'os:scheduler_hints': { group: theirs.serverGroup } },
        ],
        [
          'compute',
          'POST',
          `/servers/${mine.server}/os-interface`,
          { interfaceAttachment: { net_id: theirs.network } },
        ],
        [
          'compute',
          'POST',
          `/servers/${mine.server}/os-interface`,
          { interfaceAttachment: { port_id: theirs.port } },
        ],
        [
          'compute',
          'POST',
          `/servers/${mine.server}/os-volume_attachments`,
          { volumeAttachment: { volumeId: theirs.volume } },
        ],
        [
          'compute',
          'POST',
          `/servers/${mine.server}/action`,
          { rebuild: { imageRef: theirs.image } },
        ],
        [
          'compute',
          'POST',
          `/servers/${mine.server}/action`,
          { rescue: { rescue_image_ref: theirs.image } },
        ],
      ];
      const open: string[] = [];
      for (const [service, method, path, body] of tries) {
        const reply = await ask(stranger, service, method, path, body);
        const what =
          `${service} ${method} ${path} ${JSON.stringify(body)}: ${reply.status} ` +
          `${reply.text.slice(0, 300)}`;
        if (reply.status < 400 || reply.status >= 500) open.push(what);
      }
      expect(open).to.deep.equal([]);
    });
  },
);
