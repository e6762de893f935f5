// Tests that a project cannot refer to another project's resources in the bodies of its own
// requests.
import { expect } from 'chai';
import { cirrosId } from '../../../src/services/image/index.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import { someone, type Caller } from '../../support/people.ts';
import { rawClient, type Client } from '../../support/raw.ts';

const owner = someone('member,reader', 'owner', 'foreign');
const other = someone('member,reader', 'other-user', 'other-project');

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
  'references to another project’s resources',
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

    /** Creates a resource. @returns its id */
    const create = async (
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

    /** Creates one resource of each type in a project. */
    async function createResources(who: Caller, octet: number) {
      const network = await create(who, 'network', '/networks', { network: { name: 'n' } });
      const subnet = await create(who, 'network', '/subnets', {
        subnet: { network_id: network, ip_version: 4, cidr: `10.${octet}.0.0/24` },
      });
      const port = await create(who, 'network', '/ports', { port: { network_id: network } });
      const group = await create(who, 'network', '/security-groups', {
        security_group: { name: 'g' },
      });
      const router = await create(who, 'network', '/routers', { router: {} });
      const scope = await create(who, 'network', '/address-scopes', {
        address_scope: { name: 's', ip_version: 4 },
      });
      const pool = await create(who, 'network', '/subnetpools', {
        subnetpool: { name: 'p', prefixes: [`10.${octet + 100}.0.0/16`], default_prefixlen: 24 },
      });
      const volume = await create(who, 'volume', '/volumes', { volume: { size: 1 } });
      const snapshot = await create(who, 'volume', '/snapshots', {
        snapshot: { volume_id: volume },
      });
      const image = await create(who, 'image', '/images', {
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
      const serverGroup = await create(who, 'compute', '/os-server-groups', {
        server_group: { name: 'g', policy: 'affinity' },
      });
      const server = await create(who, 'compute', '/servers', {
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

    it('are refused in every request body', async () => {
      const foreign = await createResources(owner, 50);
      const own = await createResources(other, 60);
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
      const { networks } = (await ask(other, 'network', 'GET', '/networks?router:external=True'))
        .body as {
        networks: { id: string }[];
      };
      const outside = networks[0]!.id;
      const floatingIp = await create(other, 'network', '/floatingips', {
        floatingip: { floating_network_id: outside },
      });
      const rule = { security_group_id: own.group, direction: 'ingress', ethertype: 'IPv4' };
      const attempts: readonly [service: string, method: string, path: string, body: Body][] = [
        [
          'network',
          'POST',
          '/subnets',
          { subnet: { network_id: foreign.network, ip_version: 4, cidr: '10.9.0.0/24' } },
        ],
        [
          'network',
          'POST',
          '/subnets',
          { subnet: { network_id: own.network, ip_version: 4, subnetpool_id: foreign.pool } },
        ],
        [
          'network',
          'POST',
          '/subnetpools',
          { subnetpool: { name: 'q', prefixes: ['10.8.0.0/16'], address_scope_id: foreign.scope } },
        ],
        [
          'network',
          'PUT',
          `/subnetpools/${own.pool}`,
          { subnetpool: { address_scope_id: foreign.scope } },
        ],
        ['network', 'POST', '/ports', { port: { network_id: foreign.network } }],
        [
          'network',
          'POST',
          '/ports',
          { port: { network_id: own.network, fixed_ips: [{ subnet_id: foreign.subnet }] } },
        ],
        [
          'network',
          'PUT',
          `/ports/${own.port}`,
          { port: { fixed_ips: [{ subnet_id: foreign.subnet }] } },
        ],
        [
          'network',
          'POST',
          '/ports',
          { port: { network_id: own.network, security_groups: [foreign.group] } },
        ],
        ['network', 'PUT', `/ports/${own.port}`, { port: { security_groups: [foreign.group] } }],
        [
          'network',
          'POST',
          '/ports',
          {
            port: {
              network_id: own.network,
              device_id: foreign.router,
              device_owner: 'network:router_interface',
            },
          },
        ],
        [
          'network',
          'PUT',
          `/ports/${own.port}`,
          { port: { device_id: foreign.router, device_owner: 'network:router_interface' } },
        ],
        [
          'network',
          'PUT',
          `/routers/${own.router}/add_router_interface`,
          { subnet_id: foreign.subnet },
        ],
        [
          'network',
          'PUT',
          `/routers/${own.router}/add_router_interface`,
          { port_id: foreign.port },
        ],
        [
          'network',
          'PUT',
          `/routers/${own.router}`,
          { router: { external_gateway_info: { network_id: foreign.network } } },
        ],
        [
          'network',
          'POST',
          '/floatingips',
          { floatingip: { floating_network_id: outside, port_id: foreign.port } },
        ],
        ['network', 'PUT', `/floatingips/${floatingIp}`, { floatingip: { port_id: foreign.port } }],
        [
          'network',
          'POST',
          '/floatingips',
          { floatingip: { floating_network_id: foreign.network } },
        ],
        [
          'network',
          'POST',
          '/security-group-rules',
          { security_group_rule: { ...rule, security_group_id: foreign.group } },
        ],
        [
          'network',
          'POST',
          '/security-group-rules',
          { security_group_rule: { ...rule, remote_group_id: foreign.group } },
        ],
        ['network', 'POST', '/networks', { network: { name: 'x', project_id: 'foreign' } }],
        ['network', 'POST', '/networks', { network: { name: 'x', tenant_id: 'foreign' } }],
        ['volume', 'POST', '/volumes', { volume: { size: 1, source_volid: foreign.volume } }],
        ['volume', 'POST', '/volumes', { volume: { size: 1, snapshot_id: foreign.snapshot } }],
        ['volume', 'POST', '/volumes', { volume: { size: 1, imageRef: foreign.image } }],
        ['volume', 'POST', '/snapshots', { snapshot: { volume_id: foreign.volume } }],
        [
          'volume',
          'POST',
          '/volume-transfers',
          { transfer: { volume_id: foreign.volume, name: 't' } },
        ],
        [
          'volume',
          'POST',
          '/attachments',
          { attachment: { volume_uuid: foreign.volume, instance_uuid: own.server } },
        ],
        [
          'volume',
          'POST',
          `/volumes/${own.volume}/action`,
          { revert: { snapshot_id: foreign.snapshot } },
        ],
        [
          'volume',
          'POST',
          `/volumes/${own.volume}/action`,
          { 'os-reimage': { image_id: foreign.image } },
        ],
        ['compute', 'POST', '/servers', newServer({ imageRef: foreign.image })],
        ['compute', 'POST', '/servers', newServer({ networks: [{ uuid: foreign.network }] })],
        ['compute', 'POST', '/servers', newServer({ networks: [{ port: foreign.port }] })],
        ['compute', 'POST', '/servers', mapped('volume', foreign.volume)],
        ['compute', 'POST', '/servers', mapped('snapshot', foreign.snapshot)],
        ['compute', 'POST', '/servers', mapped('image', foreign.image)],
        [
          'compute',
          'POST',
          '/servers',
          { ...newServer({}), 'os:scheduler_hints': { group: foreign.serverGroup } },
        ],
        [
          'compute',
          'POST',
          `/servers/${own.server}/os-interface`,
          { interfaceAttachment: { net_id: foreign.network } },
        ],
        [
          'compute',
          'POST',
          `/servers/${own.server}/os-interface`,
          { interfaceAttachment: { port_id: foreign.port } },
        ],
        [
          'compute',
          'POST',
          `/servers/${own.server}/os-volume_attachments`,
          { volumeAttachment: { volumeId: foreign.volume } },
        ],
        [
          'compute',
          'POST',
          `/servers/${own.server}/action`,
          { rebuild: { imageRef: foreign.image } },
        ],
        [
          'compute',
          'POST',
          `/servers/${own.server}/action`,
          { rescue: { rescue_image_ref: foreign.image } },
        ],
      ];
      const open: string[] = [];
      for (const [service, method, path, body] of attempts) {
        const reply = await ask(other, service, method, path, body);
        const sent = `${service} ${method} ${path} ${JSON.stringify(body)}`;
        if (reply.status < 400 || reply.status >= 500)
          open.push(`${sent}: ${reply.status} ${reply.text.slice(0, 300)}`);
      }
      expect(open).to.deep.equal([]);
    });
  },
);
