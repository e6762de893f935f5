// cumulet capture: reads a cloud with GET requests only, and the captured cloud has the same lists,
// with the inconsistencies of the original.
import { expect } from 'chai';
import type { Server } from 'node:http';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmulator, type Emulator } from '../support/processes.ts';
import {
  captureInto,
  comparable,
  federation,
  listsIn,
  listsOfHosts,
  originOf,
  recorder,
  signIn,
  writeClouds,
  signInAs,
  type Ask,
  type Json,
} from './captures.ts';

/** The plurals that do not end in s alone. */
const plurals: Readonly<Record<string, string>> = { policy: 'policies' };

describe('cumulet capture', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-capture-'));
  const requests: string[] = [];
  let original: Emulator;
  let proxy: Server;

  before(async () => {
    original = await startEmulator(['--database', 'memory:', '--preset', 'gpu-farm']);
    proxy = await recorder(original.origin, requests);
    writeClouds(folder, originOf(proxy));
  });
  after(async () => {
    proxy.close();
    await original.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const capture = (cloud: string, ...more: string[]) => captureInto(folder, cloud, more);

  it('keeps providers, hosts, groups, servers and their inconsistencies', async () => {
    const ask = await signIn(original.origin);
    const { images } = await ask('GET', '/image/v2/images?name=cirros');
    const group = { server_group: { name: 'apart', policy: 'anti-affinity' } };
    const { server_group: made } = await ask('POST', '/compute/v2.1/os-server-groups', group);
    const unused = { server_group: { name: 'unused', policy: 'affinity' } };
    await ask('POST', '/compute/v2.1/os-server-groups', unused);
    const server = { flavorRef: '1', imageRef: images[0].id, networks: 'none' };
    // The names of the other instances are those of the second to the fourth.
    const { server: first } = await ask('POST', '/compute/v2.1/servers', {
      server: { ...server, name: 'deleted' },
    });
    await ask('DELETE', `/compute/v2.1/servers/${first.id}`);
    for (const name of ['a', 'b', 'lost'])
      await ask('POST', '/compute/v2.1/servers', {
        server: { ...server, name, metadata: { role: name }, tags: [name] },
        'os:scheduler_hints': { group: made.id },
      });
    const { servers } = await ask('GET', '/compute/v2.1/servers?name=lost');
    await ask('DELETE', `/placement/allocations/${servers[0].id}`);
    const { services } = await ask('GET', '/compute/v2.1/os-services?binary=nova-compute');
    const disabled = { status: 'disabled', disabled_reason: 'broken' };
    await ask('PUT', `/compute/v2.1/os-services/${services[0].id}`, disabled);
    requests.length = 0;

    const { code, out, err } = await capture('mine');
    expect(code, err).to.equal(0);
    expect(out).to.match(
      /^Captured 3 projects, .* 30 resource providers, 2 consumers, .* 3 servers[ ,]/,
    );
    expect(statSync(join(folder, 'mine.ndjson')).mode & 0o777).to.equal(0o600);
    const writes = requests.filter((one) => !one.startsWith('GET '));
    expect(writes).to.deep.equal(['POST /identity/v3/auth/tokens']);

    const copy = await startEmulator([
      '--database',
      'memory:',
      '--seed',
      join(folder, 'mine.ndjson'),
    ]);
    try {
      const askCopy = await signIn(copy.origin);
      for (const path of listsOfHosts)
        expect(comparable(await askCopy('GET', path)), path).to.deep.equal(
          comparable(await ask('GET', path)),
        );
      const { resource_providers: providers } = await ask('GET', '/placement/resource_providers');
      for (const { uuid } of providers)
        for (const part of ['inventories', 'usages', 'traits', 'aggregates', 'allocations']) {
          const path = `/placement/resource_providers/${uuid}/${part}`;
          expect(await askCopy('GET', path), path).to.deep.equal(await ask('GET', path));
        }
      const { audit } = await askCopy('GET', '/_emulator/audit');
      expect(audit.inconsistencies.map(({ check }: Json) => check)).to.deep.equal([
        'server_without_allocations',
      ]);
    } finally {
      await copy.stop();
    }
  });

  /** Makes users with roles, keys and quotas, and a cluster. @returns what else must agree */
  async function addUsersAndClusters(ask: Ask): Promise<string[]> {
    const add = async (kind: string, one: object): Promise<Json> =>
      (await ask('POST', `/identity/v3/${kind}s`, { [kind]: one }))[kind];
    const domain = await add('domain', { name: 'acme' });
    const parent = await add('project', { name: 'shop', domain_id: domain.id });
    const child = await add('project', {
      name: 'checkout',
      domain_id: domain.id,
      parent_id: parent.id,
    });
    const alice = { name: 'alice', domain_id: domain.id, email: 'alice@acme.example' };
    const user = await add('user', { ...alice, password: 'mine', default_project_id: parent.id });
    const group = await add('group', { name: 'crew', domain_id: domain.id });
    await ask('PUT', `/identity/v3/groups/${group.id}/users/${user.id}`);
    const role = await add('role', { name: 'auditor' });
    const { roles } = await ask('GET', '/identity/v3/roles?name=member');
    await ask('PUT', `/identity/v3/roles/${roles[0].id}/implies/${role.id}`);
    const at = `projects/${parent.id}/groups/${group.id}/roles/${roles[0].id}`;
    await ask('PUT', `/identity/v3/OS-INHERIT/${at}/inherited_to_projects`);
    await ask('PUT', `/identity/v3/projects/${child.id}/users/${user.id}/roles/${role.id}`);

    await federation.add(ask, domain.id);
    const key = { name: 'laptop', user_id: user.id };
    await ask('POST', '/compute/v2.1/os-keypairs', { keypair: key });
    const { projects: admins } = await ask('GET', '/identity/v3/projects?name=admin');
    const volumes = `/volume/v3/${admins[0].id}`;
    const limits = [
      [`/compute/v2.1/os-quota-sets/${parent.id}`, { quota_set: { cores: 7 } }],
      [`/network/v2.0/quotas/${parent.id}`, { quota: { port: 7 } }],
      [`${volumes}/os-quota-sets/${parent.id}`, { quota_set: { volumes: 7 } }],
      [`${volumes}/os-quota-class-sets/default`, { quota_class_set: { gigabytes: 77 } }],
    ] as const;
    for (const [path, body] of limits) await ask('PUT', path, body);

    const server = { flavor: 'm1.tiny', image: 'cirros', networks: [{ network: 'private' }] };
    const made = async (kind: string, one: object): Promise<Json> =>
      (await ask('POST', `/clustering/v1/${plurals[kind] ?? `${kind}s`}`, { [kind]: one }))[kind];
    const profile = await made('profile', {
      name: 'worker',
      spec: { type: 'os.nova.server', version: '1.0', properties: server },
    });
    const policy = await made('policy', {
      name: 'slowly',
      spec: {
        type: 'senlin.policy.scaling',
        version: '1.0',
        properties: { event: 'CLUSTER_SCALE_OUT', adjustment: { number: 2 } },
      },
    });
    const cluster = await made('cluster', {
      name: 'workers',
      profile_id: profile.id,
      desired_capacity: 2,
      max_size: 5,
    });
    await ask('POST', `/clustering/v1/clusters/${cluster.id}/actions`, {
      policy_attach: { policy_id: policy.id },
    });
    await made('receiver', {
      name: 'grow',
      type: 'webhook',
      cluster_id: cluster.id,
      action: 'CLUSTER_SCALE_OUT',
      params: { count: 1 },
    });
    return [
      ...limits.map(([path]) => path),
      `${volumes}/os-quota-sets/${child.id}`,
      '/clustering/v1/clusters/workers/policies',
      `/compute/v2.1/os-keypairs?user_id=${user.id}`,
      `/compute/v2.1/os-keypairs/laptop?user_id=${user.id}`,
    ];
  }

  it('keeps images, networks, volumes, users, clusters, and what servers have', async () => {
    const ask = await signIn(original.origin);
    const more = await addUsersAndClusters(ask);
    const { projects } = await ask('GET', '/identity/v3/projects?name=admin');
    const [admin] = projects;
    const volumes = `/volume/v3/${admin.id}`;
    const network = (path: string, body: object) => ask('POST', `/network/v2.0/${path}`, body);
    const { networks: outside } = await ask('GET', '/network/v2.0/networks?name=public');
    const { address_scope: scope } = await network('address-scopes', {
      address_scope: { name: 'office', ip_version: 4 },
    });
    const { subnetpool: pool } = await network('subnetpools', {
      subnetpool: { name: 'office', prefixes: ['10.9.0.0/16'], address_scope_id: scope.id },
    });
    const { network: own } = await network('networks', {
      network: { name: 'own', 'provider:network_type': 'vlan' },
    });
    const { segment } = await network('segments', {
      segment: { network_id: own.id, network_type: 'vlan', physical_network: 'public' },
    });
    const { subnet } = await network('subnets', {
      subnet: {
        network_id: own.id,
        segment_id: segment.id,
        subnetpool_id: pool.id,
        prefixlen: 24,
        ip_version: 4,
        dns_nameservers: ['192.0.2.53'],
      },
    });
    const { router } = await network('routers', {
      router: { name: 'edge', external_gateway_info: { network_id: outside[0].id } },
    });
    await ask('PUT', `/network/v2.0/routers/${router.id}/add_router_interface`, {
      subnet_id: subnet.id,
    });
    await network(`routers/${router.id}/conntrack_helpers`, {
      conntrack_helper: { protocol: 'udp', port: 69, helper: 'tftp' },
    });
    const { metering_label: label } = await network('metering/metering-labels', {
      metering_label: { name: 'web' },
    });
    await network('metering/metering-label-rules', {
      metering_label_rule: {
        metering_label_id: label.id,
        direction: 'egress',
        source_ip_prefix: '10.0.0.0/8',
      },
    });
    const { service_profile: profile } = await network('service_profiles', {
      service_profile: { metainfo: '{"tier": 1}' },
    });
    const { flavor } = await network('flavors', {
      flavor: { name: 'gold', service_type: 'L3_ROUTER_NAT' },
    });
    await network(`flavors/${flavor.id}/service_profiles`, { service_profile: { id: profile.id } });
    const { security_group: group } = await network('security-groups', {
      security_group: { name: 'web' },
    });
    const rule = { direction: 'ingress', protocol: 'tcp', port_range_min: 80, port_range_max: 80 };
    await network('security-group-rules', {
      security_group_rule: { ...rule, security_group_id: group.id },
    });
    const { policy } = await network('qos/policies', { policy: { name: 'guaranteed' } });
    await network(`qos/policies/${policy.id}/minimum_bandwidth_rules`, {
      minimum_bandwidth_rule: { min_kbps: 100 },
    });
    const hosts = (await ask('GET', '/network/v2.0/agents')).agents.map(({ host }: Json) => host);
    await ask('PUT', '/_emulator/network/settings', {
      resource_provider_bandwidths: Object.fromEntries(
        hosts.map((host: string) => [host, { 'br-ex': { egress: 1000, ingress: 500 } }]),
      ),
      resource_provider_packet_processing: { [hosts[0]]: { any: 7 } },
      resource_provider_inventory_defaults: { allocation_ratio: 2 },
    });
    const ports = {
      network_id: own.id,
      fixed_ips: [{ subnet_id: subnet.id }],
      qos_policy_id: policy.id,
    };
    const { port } = await network('ports', {
      port: { ...ports, name: 'kept', security_groups: [group.id] },
    });
    await ask('PUT', `/network/v2.0/ports/${port.id}/tags/red`);
    await network('floatingips', {
      floatingip: { floating_network_id: outside[0].id, port_id: port.id },
    });
    const image = await ask('POST', '/image/v2/images', { name: 'mine', rack: '7' });
    await ask('PUT', `/image/v2/images/${image.id}/tags/old`);
    await ask('POST', `/image/v2/images/${image.id}/members`, { member: 'somebody' });
    await ask('POST', '/image/v2/images', { name: 'past', os_hidden: true, visibility: 'public' });
    const { volume_type: type } = await ask('POST', `${volumes}/types`, {
      volume_type: { name: 'fast', extra_specs: { 'note:tier': 'gold' } },
    });
    const encryption = { provider: 'luks', control_location: 'front-end', key_size: 256 };
    await ask('POST', `${volumes}/types/${type.id}/encryption`, { encryption });
    const { qos_specs: qos } = await ask('POST', `${volumes}/qos-specs`, {
      qos_specs: { name: 'steady', consumer: 'front-end', total_iops_sec: '500' },
    });
    await ask('GET', `${volumes}/qos-specs/${qos.id}/associate?vol_type_id=${type.id}`);
    more.push(`${volumes}/types/${type.id}/encryption`);
    const { volume } = await ask('POST', `${volumes}/volumes`, {
      volume: { name: 'data', size: 3, volume_type: type.name, metadata: { of: 'web' } },
    });
    await ask('POST', `${volumes}/snapshots`, {
      snapshot: { name: 'nightly', volume_id: volume.id, metadata: { day: '1' } },
    });
    const { group_type: groupType } = await ask('POST', `${volumes}/group_types`, {
      group_type: { name: 'consistent', group_specs: { 'note:tier': 'gold' } },
    });
    const { group: pair } = await ask('POST', `${volumes}/groups`, {
      group: { name: 'pair', group_type: groupType.id, volume_types: ['lvmdriver-1'] },
    });
    await ask('GET', `${volumes}/groups/${pair.id}`);
    await ask('POST', `${volumes}/volumes`, {
      volume: { name: 'one', size: 1, volume_type: 'lvmdriver-1', group_id: pair.id },
    });
    await ask('POST', `${volumes}/group_snapshots`, {
      group_snapshot: { name: 'friday', group_id: pair.id },
    });
    for (const incremental of [false, true]) {
      await ask('POST', `${volumes}/backups`, {
        backup: { name: 'monday', volume_id: volume.id, incremental, metadata: { of: 'web' } },
      });
      await ask('GET', `${volumes}/backups`);
    }
    const { images } = await ask('GET', '/image/v2/images?name=cirros');
    const { server } = await ask('POST', '/compute/v2.1/servers', {
      server: {
        name: 'web',
        flavorRef: '1',
        imageRef: images[0].id,
        networks: [{ port: port.id }, { uuid: own.id }],
      },
    });
    const attachments = `/compute/v2.1/servers/${server.id}/os-volume_attachments`;
    await ask('POST', attachments, { volumeAttachment: { volumeId: volume.id } });

    const { code, out, err } = await capture('mine');
    expect(code, err).to.equal(0);
    expect(out).to.match(/ 3 images, 3 networks, /);
    const seed = ['--database', 'memory:', '--seed', join(folder, 'mine.ndjson')];
    const copy = await startEmulator(seed);
    try {
      const askCopy = await signIn(copy.origin);
      const members = `/image/v2/images/${image.id}/members`;
      for (const path of [...listsIn(admin.id), ...more, attachments, members])
        expect(comparable(await askCopy('GET', path)), path).to.deep.equal(
          comparable(await ask('GET', path)),
        );
      await signInAs(copy.origin, { user: 'alice', project: 'checkout', domain: 'acme' });
      const { receivers } = await askCopy('GET', '/clustering/v1/receivers');
      const [{ channel, params }] = receivers;
      expect(channel.alarm_url.startsWith(`${copy.origin}/clustering/v1/webhooks/`)).to.equal(true);
      expect(params).to.deep.equal({ count: 1 });
      await fetch(channel.alarm_url as string, { method: 'POST' });
      const { cluster } = await askCopy('GET', '/clustering/v1/clusters/workers');
      expect(cluster.nodes).to.have.length(3);
      const { nodes } = await askCopy('GET', '/clustering/v1/nodes');
      expect(nodes.map(({ index }: Json) => index).toSorted()).to.deep.equal([1, 2, 3]);
      await askCopy('DELETE', `/compute/v2.1/servers/${server.id}`);
      const { ports } = await askCopy('GET', `/network/v2.0/ports?device_id=${server.id}`);
      expect(ports).to.deep.equal([]);
      const { port: kept } = await askCopy('GET', `/network/v2.0/ports/${port.id}`);
      expect(kept.device_id).to.equal('');
      const { volume: detached } = await askCopy('GET', `${volumes}/volumes/${volume.id}`);
      expect(detached.status).to.equal('available');
      const { server: next } = await askCopy('POST', '/compute/v2.1/servers', {
        server: {
          name: 'next',
          flavorRef: '1',
          imageRef: images[0].id,
          networks: [{ port: port.id }],
        },
      });
      const { server: shown } = await askCopy('GET', `/compute/v2.1/servers/${next.id}`);
      expect(shown.status, JSON.stringify(shown.fault)).to.equal('ACTIVE');
      expect(Object.keys(shown.addresses)).to.deep.equal(['own']);
    } finally {
      await copy.stop();
    }
  });

  it('replaces what identifies the cloud with --anonymize, and keeps how it fits together', async () => {
    const ask = await signIn(original.origin);
    const { project } = await ask('POST', '/identity/v3/projects', {
      project: { name: 'acme-project', description: 'of acme' },
    });
    const { aggregate } = await ask('POST', '/compute/v2.1/os-aggregates', {
      aggregate: { name: 'acme-racks', availability_zone: 'acme-zone' },
    });
    const at = `/compute/v2.1/os-aggregates/${aggregate.id}/action`;
    const { hypervisors } = await ask('GET', '/compute/v2.1/os-hypervisors');
    const metadata = { rack: 'r1', filter_tenant_id: project.id };
    await ask('POST', at, { add_host: { host: hypervisors[0].hypervisor_hostname } });
    await ask('POST', at, { set_metadata: { metadata } });
    const flavor = { name: 'acme.large', ram: 512, vcpus: 1, disk: 1 };
    const made = await ask('POST', '/compute/v2.1/flavors', { flavor });
    const { images } = await ask('GET', '/image/v2/images?name=cirros');
    await ask('POST', '/compute/v2.1/servers', {
      server: {
        name: 'acme-web',
        description: 'the shop of acme',
        flavorRef: made.flavor.id,
        imageRef: images[0].id,
        networks: 'none',
        metadata: { owner: 'acme' },
        tags: ['acme'],
      },
    });
    const { servers } = await ask('GET', '/compute/v2.1/servers?name=acme-web');

    const created = await ask('POST', '/network/v2.0/networks', {
      network: { name: 'acme-net', description: 'of acme' },
    });
    const net = created.network;
    const subnet = { name: 'acme-subnet', network_id: net.id, ip_version: 4 };
    await ask('POST', '/network/v2.0/subnets', {
      subnet: { ...subnet, cidr: '203.113.7.0/24', dns_nameservers: ['198.51.7.53'] },
    });
    const { port } = await ask('POST', '/network/v2.0/ports', {
      port: { name: 'acme-port', network_id: net.id, device_id: 'acme-1', device_owner: 'acme:vm' },
    });
    await ask('POST', '/image/v2/images', {
      name: 'acme-image',
      built_by: 'acme',
      hw_vif: 'e1000',
    });
    const { projects: owners } = await ask('GET', '/identity/v3/projects?name=admin');
    await ask('POST', `/volume/v3/${owners[0].id}/volumes`, {
      volume: { name: 'acme-data', size: 1, description: 'acme', metadata: { owner: 'acme' } },
    });

    const { code, out, err } = await capture('mine', '--anonymize');
    expect(code, err).to.equal(0);
    expect(out).to.match(/properties of images: .*hw_vif=e1000/);
    expect(out).to.match(/Left in clear: [^]*\n {2}resource classes: .*VCPU/);
    expect(out).to.match(/metadata of aggregates: .*rack=r1/);
    const file = readFileSync(join(folder, 'mine.ndjson'), 'utf8');
    const { resource_providers: providers } = await ask('GET', '/placement/resource_providers');
    const { uuid, name } = providers.at(-1);
    const secrets = ['acme', project.id, servers[0].id, uuid, name, net.id, port.mac_address];
    secrets.push('203.113', '198.51', 'alice', 'crew', 'checkout', 'auditor', 'laptop', 'ssh-rsa');
    secrets.push('"worker"', 'slowly', 'steady');
    for (const secret of secrets) expect(file.includes(secret), secret).to.equal(false);

    const seed = ['--database', 'memory:', '--seed', join(folder, 'mine.ndjson')];
    const copy = await startEmulator(seed);
    try {
      const askCopy = await signIn(copy.origin);
      const usages = async (get: typeof ask): Promise<string[]> => {
        const { resource_providers: all } = await get('GET', '/placement/resource_providers');
        const found: string[] = [];
        for (const { uuid } of all)
          for (const part of ['inventories', 'usages', 'traits'])
            found.push(
              JSON.stringify({
                ...(await get('GET', `/placement/resource_providers/${uuid}/${part}`)),
                resource_provider_generation: 0,
              }),
            );
        return found.toSorted();
      };
      expect(await usages(askCopy)).to.deep.equal(await usages(ask));
      const { aggregates } = await askCopy('GET', '/compute/v2.1/os-aggregates');
      const racks = aggregates.find((one: Json) => one.metadata.rack === 'r1');
      expect(racks.availability_zone).to.match(/^zone-\d+$/);
      const { projects } = await askCopy('GET', '/identity/v3/projects');
      const ids = projects.map(({ id }: Json) => id);
      expect(ids).to.include(racks.metadata.filter_tenant_id);
      const path = '/compute/v2.1/servers/detail?all_tenants=1';
      const shown = (await askCopy('GET', path)).servers;
      const web = shown.find((one: Json) => one.flavor.ram === 512 && !one.tags.length);
      expect(web.name).to.match(/^server-\d+$/);
      expect(web.metadata).to.deep.equal({});
      expect(web['OS-EXT-SRV-ATTR:host']).to.match(/^host-\d+$/);
      const lists = async (get: typeof ask): Promise<number[]> => {
        const paths = ['networks', 'subnets', 'ports', 'routers', 'floatingips'];
        const replies = await Promise.all(paths.map((path) => get('GET', `/network/v2.0/${path}`)));
        return replies.map((reply) => Object.values(reply)[0].length);
      };
      expect(await lists(askCopy)).to.deep.equal(await lists(ask));
      const { clusters } = await askCopy('GET', '/clustering/v1/clusters');
      await askCopy('POST', `/clustering/v1/clusters/${clusters[0].id}/actions`, {
        scale_out: { count: 1 },
      });
      const { nodes } = await askCopy('GET', '/clustering/v1/nodes');
      expect(nodes.map(({ status }: Json) => status)).to.deep.equal(['ACTIVE', 'ACTIVE', 'ACTIVE']);
      const { subnets } = await askCopy('GET', '/network/v2.0/subnets');
      const copied = subnets.find(({ cidr }: Json) => /^10\.\d+\.7\.0\/24$/.test(cidr));
      const body = { port: { network_id: copied.network_id } };
      const { port: next } = await askCopy('POST', '/network/v2.0/ports', body);
      expect(next.fixed_ips[0].ip_address).to.match(/^10\.\d+\.7\.\d+$/);
      const audits = await Promise.all([ask, askCopy].map((get) => get('GET', '/_emulator/audit')));
      const checks = ({ audit }: Json) => audit.inconsistencies.map(({ check }: Json) => check);
      const [own, found] = audits.map(checks);
      expect(found).to.deep.equal(own);
    } finally {
      await copy.stop();
    }
  });

  it('says what is wrong with clouds.yaml', async () => {
    const { code, err } = await capture('other');
    expect(code).to.equal(1);
    expect(err).to.include("has no cloud 'other'. Clouds: mine.");
  });
});
