// Tests of the central region's networks: servers use them in any pod, and pods follow their
// changes.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { faultsOf } from '../../emulator/fault-injection/support.ts';
import { Networking } from './networking.ts';
import { admin, bob, Tenancy, threePods, type Json } from './support.ts';

onEachDatabase('gateway: networks', threePods, (world) => {
  let cloud: Tenancy;
  let net: Networking;
  const faults = faultsOf(world);
  afterEach(() => faults.clear());
  beforeEach(() => {
    cloud = new Tenancy(world);
    net = new Networking(world, cloud);
  });

  describe('POST /servers', () => {
    it('gives a server a central port, with the same addresses in the pod #tricircle-3', async () => {
      const { network, subnet } = await net.network('own');
      const { id } = await cloud.server('a', { networks: [{ uuid: network['id'] }] });
      const [port] = await net.portsOf(id);
      expect(port).to.include({ network_id: network['id'], device_owner: 'compute:az1' });
      expect(port!['fixed_ips'][0]['subnet_id']).to.equal(subnet['id']);
      const inPod = await net.inPod('Pod1', 'port', port!['id']);
      expect(inPod).to.include({
        name: port!['id'],
        project_id: 'acme',
        device_id: id,
        mac_address: port!['mac_address'],
      });
      expect(inPod['fixed_ips'].map((fixed: Json) => fixed['ip_address'])).to.deep.equal(
        port!['fixed_ips'].map((fixed: Json) => fixed['ip_address']),
      );
      const shown = await cloud.show(id);
      expect(Object.keys(shown['addresses'])).to.deep.equal(['own']);
      expect(shown['security_groups']).to.deep.equal([{ name: 'default' }]);
    });

    it('uses the only network of the tenant if the request leaves the choice to Nova', async () => {
      const { id } = await cloud.server('a', { networks: 'auto' });
      expect((await net.portsOf(id)).length).to.equal(1);
    });

    it("uses the tenant's port, and keeps it after the server #tricircle-3", async () => {
      const { network, subnet } = await net.network('own');
      const group = await net.create('security_group', { name: 'web' });
      const port = await net.create('port', {
        network_id: network['id'],
        fixed_ips: [{ subnet_id: subnet['id'], ip_address: '10.7.0.77' }],
        security_groups: [group['id']],
      });
      const { id } = await cloud.server('a', { networks: [{ port: port['id'] }] });
      const shown = await cloud.show(id);
      expect(shown['addresses']['own'][0]['addr']).to.equal('10.7.0.77');
      expect(shown['security_groups']).to.deep.equal([{ name: 'web' }]);
      expect((await net.inPod('Pod1', 'port', port['id']))['device_id']).to.equal(id);
      await cloud.nova('DELETE', `/servers/${id}`).expect(204);
      expect(await net.show('port', port['id'])).to.include({ device_id: '', device_owner: '' });
      expect(await net.routings(port['id'])).to.deep.equal(new Map());
    });

    it("brings the floating IP of the tenant's port to the pod", async () => {
      const { network, subnet } = await net.network('own');
      await net.router(subnet['id']);
      const port = await net.create('port', { network_id: network['id'] });
      const [outside] = await net.list('network', 'name=public');
      const floating = await net.create('floatingip', {
        floating_network_id: outside!['id'],
        port_id: port['id'],
      });
      await cloud.server('a', { networks: [{ port: port['id'] }] });
      expect(await net.inPod('Pod1', 'floatingip', floating['id'])).to.include({
        floating_ip_address: floating['floating_ip_address'],
        fixed_ip_address: port['fixed_ips'][0]['ip_address'],
      });
    });

    it('deletes the port that was made for a server with the server, also in the pod', async () => {
      const { network } = await net.network('own');
      const { id } = await cloud.server('a', { networks: [{ uuid: network['id'] }] });
      const [port] = await net.portsOf(id);
      const inPod = await net.inPod('Pod1', 'port', port!['id']);
      await cloud.nova('DELETE', `/servers/${id}`).expect(204);
      expect(await net.portsOf(id)).to.deep.equal([]);
      await net.ask('GET', `/ports/${inPod['id']}`, { as: admin, at: 'Pod1' }).expect(404);
    });

    it('gives servers in several pods different addresses of one network', async () => {
      const { network } = await net.network('own');
      const networks = [{ uuid: network['id'] }];
      const first = await cloud.server('a', { networks });
      await cloud.pod('Pod1', { is_under_maintenance: true });
      const second = await cloud.server('b', { networks });
      expect([await cloud.podOf(first['id']), await cloud.podOf(second['id'])]).to.deep.equal([
        'Pod1',
        'Pod2',
      ]);
      const addresses = await Promise.all(
        [first, second].map(
          async ({ id }) => (await net.portsOf(id))[0]!['fixed_ips'][0].ip_address,
        ),
      );
      expect(new Set(addresses).size).to.equal(2);
      expect([...(await net.routings(network['id'])).keys()].toSorted()).to.deep.equal([
        'Pod1',
        'Pod2',
      ]);
    });

    it('creates several servers, each with its own port and number', async () => {
      const { network } = await net.network('own');
      const networks = [{ uuid: network['id'] }];
      await cloud.server('many', { networks, min_count: 2, max_count: 2 });
      const { body } = await cloud.nova('GET', '/servers').expect(200);
      const servers = (body as Json)['servers'] as Json[];
      expect(servers.map(({ name }) => name).toSorted()).to.deep.equal(['many-1', 'many-2']);
      for (const { id } of servers) expect(await net.portsOf(id)).to.have.length(1);
    });

    for (const [cause, networks, status] of [
      ['an unknown network', [{ uuid: '00000000-0000-0000-0000-000000000001' }], 400],
      ['an unknown port', [{ port: '00000000-0000-0000-0000-000000000001' }], 400],
    ] as const)
      it(`returns ${status} for ${cause}, and leaves nothing in the pod`, async () => {
        const server = { name: 'b', imageRef: await cloud.image(), flavorRef: '1', networks };
        await cloud.nova('POST', '/servers', { body: { server } }).expect(status);
        expect(await net.list('port', 'name=', { as: admin, at: 'Pod1' })).to.satisfy(
          (ports: Json[]) => ports.every((port) => !port['device_owner'].startsWith('compute:')),
        );
      });

    it("returns 400 for another tenant's network and for an unknown group", async () => {
      const { network } = await net.network('own');
      const server = {
        name: 'b',
        imageRef: await cloud.image(),
        flavorRef: '1',
        networks: [{ uuid: network['id'] }],
      };
      await cloud.nova('POST', '/servers', { as: bob, body: { server } }).expect(400);
      const grouped = { ...server, security_groups: [{ name: 'none' }] };
      await cloud.nova('POST', '/servers', { body: { server: grouped } }).expect(400);
      expect(
        await net.list('port', `network_id=${network['id']}&device_owner=compute:az1`),
      ).to.have.length(0);
    });

    it('releases the ports if the pod refuses the server', async () => {
      const { network } = await net.network('own');
      const server = {
        name: 'b',
        imageRef: await cloud.image(),
        flavorRef: '1',
        networks: [{ uuid: network['id'] }],
        key_name: 'unknown',
      };
      await cloud.nova('POST', '/servers', { body: { server } }).expect(400);
      expect(
        await net.list('port', `network_id=${network['id']}&device_owner=compute:az1`),
      ).to.have.length(0);
      const inPod = (await net.routings(network['id'])).get('Pod1')!;
      expect(
        await net.list('port', `network_id=${inPod}`, { as: admin, at: 'Pod1' }),
      ).to.have.length(0);
    });

    it('brings a network again that an administrator has deleted in the pod', async () => {
      const { network } = await net.network('own');
      const networks = [{ uuid: network['id'] }];
      const { id } = await cloud.server('a', { networks });
      await cloud.nova('DELETE', `/servers/${id}`).expect(204);
      const lost = await net.inPod('Pod1', 'network', network['id']);
      await net.ask('DELETE', `/networks/${lost['id']}`, { as: admin, at: 'Pod1' }).expect(204);
      await cloud.server('b', { networks });
      const found = await net.inPod('Pod1', 'network', network['id']);
      expect(found['id']).not.to.equal(lost['id']);
    });

    it('gives the pod the MTU of the network, which follows changes #tricircle-3', async () => {
      const network = await net.create('network', { name: 'own', mtu: 1400 });
      const fields = { network_id: network['id'], cidr: '10.7.0.0/24', ip_version: 4 };
      await net.create('subnet', fields);
      await cloud.server('a', { networks: [{ uuid: network['id'] }] });
      expect(await net.inPod('Pod1', 'network', network['id'])).to.include({ mtu: 1400 });
      await net.update('network', network['id'], { mtu: 1300 });
      expect(await net.inPod('Pod1', 'network', network['id'])).to.include({ mtu: 1300 });
    });

    it('changes the subnet and the port in the pod before it replies', async () => {
      const { network, subnet } = await net.network('own');
      const { id } = await cloud.server('a', { networks: [{ uuid: network['id'] }] });
      const [port] = await net.portsOf(id);
      // Requests to the pod alone: none to the central region in between.
      const inPod = async (type: string, name: string): Promise<Json> =>
        (await net.list(type, `name=${name}`, { as: admin, at: 'Pod1' }))[0]!;
      const servers = { dns_nameservers: ['192.0.2.53'], gateway_ip: '10.7.0.254' };
      const routes = [{ destination: '192.0.2.0/24', nexthop: '10.7.0.9' }];
      const pools = [{ start: '10.7.0.2', end: '10.7.0.99' }];
      const fields = { ...servers, host_routes: routes, allocation_pools: pools };
      await net.update('subnet', subnet['id'], fields);
      expect(await inPod('subnet', subnet['id'])).to.deep.include(fields);
      const pairs = [{ ip_address: '10.7.0.200', mac_address: port!['mac_address'] as string }];
      const fixedIps = [{ subnet_id: subnet['id'] as string, ip_address: '10.7.0.66' }];
      await net.update('port', port!['id'], {
        allowed_address_pairs: pairs,
        fixed_ips: fixedIps,
      });
      const copy = await inPod('port', port!['id']);
      expect(copy['allowed_address_pairs']).to.deep.equal(pairs);
      expect(copy['fixed_ips'][0]['ip_address']).to.equal('10.7.0.66');
      const open = { security_groups: [], allowed_address_pairs: [], port_security_enabled: false };
      await net.update('port', port!['id'], open);
      expect(await inPod('port', port!['id'])).to.deep.include(open);
    });

    it("carries a provider's network, whose MTU no tunnel of the pod has", async () => {
      const fields = { name: 'vlan', 'provider:network_type': 'vlan', shared: true };
      const physical = { 'provider:physical_network': 'public' };
      const network = await net.create('network', { ...fields, ...physical }, { as: admin });
      expect(network).to.include({ mtu: 1500 });
      const subnet = { network_id: network['id'], cidr: '10.7.0.0/24', ip_version: 4 };
      await net.create('subnet', subnet, { as: admin });
      await cloud.server('a', { networks: [{ uuid: network['id'] }] });
      expect(await net.inPod('Pod1', 'network', network['id'])).to.include({ mtu: 1442 });
    });

    it("counts quotas in the central region, whatever the pod's are #tricircle-3", async () => {
      const limits = ['network', 'subnet', 'port', 'security_group', 'security_group_rule'];
      const quota = Object.fromEntries(limits.map((name) => [name, 0]));
      await net.ask('PUT', '/quotas/acme', { as: admin, at: 'Pod1', body: { quota } }).expect(200);
      const { network } = await net.network('own');
      const group = await net.create('security_group', { name: 'g' });
      const fields = { networks: [{ uuid: network['id'] }], security_groups: [{ name: 'g' }] };
      const { id } = await cloud.server('a', fields);
      expect(await cloud.podOf(id)).to.equal('Pod1');
      const copy = await net.inPod('Pod1', 'security_group', group['id']);
      expect(copy['security_group_rules']).to.have.length(group['security_group_rules'].length);
      const used = (await net.list('port', 'project_id=acme', { as: admin })).length;
      const full = { quota: { port: used } };
      await net.ask('PUT', '/quotas/acme', { as: admin, body: full }).expect(200);
      const port = { network_id: network['id'] };
      await net.ask('POST', '/ports', { body: { port } }).expect(409);
    });

    it('shows the pod and the host of a port to administrators only', async () => {
      const { network } = await net.network('own');
      const { id } = await cloud.server('a', { networks: [{ uuid: network['id'] }] });
      await cloud.show(id);
      const [forTenant] = await net.portsOf(id);
      expect(forTenant).not.to.have.property('binding:host_id');
      const [forAdmin] = await net.portsOf(id, admin);
      const reply = await cloud.nova('GET', `/servers/${id}`, { as: admin });
      const server = (reply.body as Json)['server'] as Json;
      expect(forAdmin!['binding:host_id']).to.equal(server['OS-EXT-SRV-ATTR:host']);
      expect(forAdmin!['binding:profile']).to.deep.equal({ region: 'Pod1' });
      expect(forTenant).not.to.have.property('binding:profile');
      expect(forAdmin!['status']).to.equal('ACTIVE');
    });
  });

  describe('changes in the central region', () => {
    let network: Json;
    let subnet: Json;
    let server: Json;
    let port: Json;

    beforeEach(async () => {
      ({ network, subnet } = await net.network('own'));
      server = await cloud.server('a', { networks: [{ uuid: network['id'] }] });
      port = (await net.portsOf(server['id']))[0]!;
    });

    it('of a network, a subnet and a port reach the pod', async () => {
      await net.update('network', network['id'], { admin_state_up: false });
      await net.update('subnet', subnet['id'], {
        dns_nameservers: ['10.9.9.9', '10.8.8.8'],
        host_routes: [{ destination: '10.20.0.0/16', nexthop: '10.7.0.1' }],
      });
      const pairs = [{ ip_address: '10.7.0.99', mac_address: port['mac_address'] }];
      await net.update('port', port['id'], { allowed_address_pairs: pairs, admin_state_up: false });
      expect((await net.inPod('Pod1', 'network', network['id']))['admin_state_up']).to.equal(false);
      expect(await net.inPod('Pod1', 'subnet', subnet['id'])).to.deep.include({
        dns_nameservers: ['10.9.9.9', '10.8.8.8'],
        host_routes: [{ destination: '10.20.0.0/16', nexthop: '10.7.0.1' }],
        enable_dhcp: false,
      });
      expect(await net.inPod('Pod1', 'port', port['id'])).to.deep.include({
        allowed_address_pairs: pairs,
        admin_state_up: false,
      });
    });

    it('of the groups of a port, and of their rules, reach the pod #tricircle-3', async () => {
      const group = await net.create('security_group', { name: 'web' });
      await net.update('port', port['id'], { security_groups: [group['id']] });
      const rule = await net.create('security_group_rule' as string, {
        security_group_id: group['id'],
        direction: 'ingress',
        protocol: 'tcp',
        port_range_min: 80,
        port_range_max: 80,
        remote_group_id: group['id'],
      });
      const inPod = await net.inPod('Pod1', 'security_group', group['id']);
      expect((await net.inPod('Pod1', 'port', port['id']))['security_groups']).to.deep.equal([
        inPod['id'],
      ]);
      const isCopy = (other: Json): boolean =>
        other['port_range_min'] === 80 && other['remote_group_id'] === inPod['id'];
      expect((inPod['security_group_rules'] as Json[]).filter(isCopy)).to.have.length(1);
      await net.ask('DELETE', `/security-group-rules/${rule['id']}`).expect(204);
      const after = await net.inPod('Pod1', 'security_group', group['id']);
      expect((after['security_group_rules'] as Json[]).filter(isCopy)).to.have.length(0);
      expect(await cloud.show(server['id'])).to.deep.include({
        security_groups: [{ name: 'web' }],
      });
    });

    it('associate, move and remove a floating IP in the pod #tricircle-3', async () => {
      const router = await net.router(subnet['id']);
      const [outside] = await net.list('network', 'name=public');
      const floating = await net.create('floatingip', {
        floating_network_id: outside!['id'],
        port_id: port['id'],
      });
      const inPod = await net.inPod('Pod1', 'floatingip', floating['id']);
      expect(inPod['floating_ip_address']).to.equal(floating['floating_ip_address']);
      expect(inPod['port_id']).to.equal((await net.inPod('Pod1', 'port', port['id']))['id']);
      const shown = (await cloud.show(server['id']))['addresses']['own'] as Json[];
      expect(shown.map(({ addr }) => addr)).to.include(floating['floating_ip_address']);

      await cloud.pod('Pod1', { is_under_maintenance: true });
      const other = await cloud.server('b', { networks: [{ uuid: network['id'] }] });
      const [otherPort] = await net.portsOf(other['id']);
      await net.update('floatingip', floating['id'], { port_id: otherPort!['id'] });
      expect([...(await net.routings(floating['id'])).keys()]).to.deep.equal(['Pod2']);
      expect([...(await net.routings(router['id'])).keys()].toSorted()).to.deep.equal([
        'Pod1',
        'Pod2',
      ]);

      await net.update('floatingip', floating['id'], { port_id: null });
      expect((await net.routings(floating['id'])).size).to.equal(0);
      await net
        .ask('PUT', `/routers/${router['id']}/remove_router_interface`, {
          body: { subnet_id: subnet['id'] },
        })
        .expect(200);
      await net.remove('router', router['id']);
      expect((await net.routings(router['id'])).size).to.equal(0);
      const left = await net.list('router', `name=${router['id']}`, { as: admin, at: 'Pod2' });
      expect(left).to.deep.equal([]);
    });

    it('delete networks and groups in the pod with the central ones', async () => {
      await net.ask('DELETE', `/networks/${network['id']}`).expect(409);
      await cloud.nova('DELETE', `/servers/${server['id']}`).expect(204);
      const inPod = await net.inPod('Pod1', 'network', network['id']);
      await net.remove('network', network['id']);
      expect((await net.routings(network['id'])).size).to.equal(0);
      expect((await net.routings(subnet['id'])).size).to.equal(0);
      await net.ask('GET', `/networks/${inPod['id']}`, { as: admin, at: 'Pod1' }).expect(404);
    });

    it('are retried after a pod has refused them, and shown as failed until then', async () => {
      const jobs = async (): Promise<string[]> => {
        const statuses = world.cloud.central.db('tricircle_jobs').where({ type: 'subnet_update' });
        return (await statuses.pluck('status')) as string[];
      };
      await net.list('network', 'limit=1');
      await faults.add({
        match: { service: 'network', region: 'Pod1', inside: true, method: 'PUT' },
        effect: { status: 503 },
        count: 1,
      });
      await net.update('subnet', subnet['id'], { dns_nameservers: ['10.9.9.9'] });
      await net.list('network', 'limit=1');
      expect(await jobs()).to.deep.equal(['FAIL']);
      await world.setTime('2026-11-20T12:02:00Z');
      expect((await net.inPod('Pod1', 'subnet', subnet['id']))['dns_nameservers']).to.deep.equal([
        '10.9.9.9',
      ]);
      expect(await jobs()).to.deep.equal([]);
    });

    it('replace the interface of a router that a pod has not detached yet', async () => {
      const router = await net.router(subnet['id']);
      const path = `/routers/${router['id']}`;
      const change = async (action: string): Promise<string> => {
        const body = { subnet_id: subnet['id'] };
        const reply = await net.ask('PUT', `${path}/${action}_router_interface`, { body });
        expect(reply.status).to.equal(200);
        return (reply.body as Json)['port_id'] as string;
      };
      await faults.add({
        match: { service: 'network', region: 'Pod1', inside: true, method: 'PUT' },
        effect: { status: 503 },
      });
      const removed = await change('remove');
      await net.list('network', 'limit=1');
      await faults.clear();
      const added = await change('add');
      const inPod = await net.inPod('Pod1', 'port', added);
      expect(inPod['device_id']).to.equal((await net.inPod('Pod1', 'router', router['id']))['id']);
      expect((await net.routings(removed)).size).to.equal(0);
    });

    it('are shown as jobs of Tricircle', async () => {
      await net.update('subnet', subnet['id'], { dns_nameservers: ['10.9.9.9'] });
      await net.list('network', 'limit=1');
      const rows = (await world.cloud.central.db('tricircle_job_logs').select('type')) as Json[];
      expect(rows.map(({ type }) => type)).to.include('subnet_update');
    });
  });

  describe('the ports of a server', () => {
    let network: Json;
    let subnet: Json;
    let id: string;

    beforeEach(async () => {
      ({ network, subnet } = await net.network('own'));
      ({ id } = (await cloud.server('a', { networks: [{ uuid: network['id'] }] })) as {
        id: string;
      });
    });

    it('are shown by os-interface and ips with central ids and names', async () => {
      const [port] = await net.portsOf(id);
      const reply = await cloud.nova('GET', `/servers/${id}/os-interface`).expect(200);
      const [shown] = (reply.body as Json)['interfaceAttachments'] as Json[];
      expect(shown).to.include({ net_id: network['id'], port_id: port!['id'] });
      await cloud.nova('GET', `/servers/${id}/os-interface/${port!['id']}`).expect(200);
      const ips = await cloud.nova('GET', `/servers/${id}/ips/own`).expect(200);
      expect(Object.keys(ips.body as Json)).to.deep.equal(['own']);
      await cloud.nova('GET', `/servers/${id}/os-interface`, { as: bob }).expect(404);
    });

    it('are attached and detached by their central ids', async () => {
      const { network: second } = await net.network('second', '10.8.0.0/24');
      const attach = { interfaceAttachment: { net_id: second['id'] } };
      const reply = await cloud
        .nova('POST', `/servers/${id}/os-interface`, { body: attach })
        .expect(200);
      const { port_id: portId } = (reply.body as Json)['interfaceAttachment'] as Json;
      expect((await net.inPod('Pod1', 'port', portId))['device_id']).to.equal(id);
      expect(Object.keys((await cloud.show(id))['addresses']).toSorted()).to.deep.equal([
        'own',
        'second',
      ]);
      await cloud.nova('DELETE', `/servers/${id}/os-interface/${portId}`).expect(202);
      await net.ask('GET', `/ports/${portId}`).expect(404);
      expect((await net.routings(portId)).size).to.equal(0);
      expect(Object.keys((await cloud.show(id))['addresses'])).to.deep.equal(['own']);
    });

    it('get and lose floating IPs and groups by actions', async () => {
      await net.router(subnet['id']);
      const [outside] = await net.list('network', 'name=public');
      const floating = await net.create('floatingip', { floating_network_id: outside!['id'] });
      const address = floating['floating_ip_address'] as string;
      const act = (body: Json, version = '2.43') =>
        cloud.nova('POST', `/servers/${id}/action`, { body, version }).expect(202);
      await act({ addFloatingIp: { address } });
      expect((await net.routings(floating['id'])).size).to.equal(1);
      await act({ removeFloatingIp: { address } });
      expect((await net.routings(floating['id'])).size).to.equal(0);
      const group = await net.create('security_group', { name: 'web' });
      await act({ addSecurityGroup: { name: 'web' } });
      const [port] = await net.portsOf(id);
      const inPod = await net.inPod('Pod1', 'port', port!['id']);
      const groupInPod = await net.inPod('Pod1', 'security_group', group['id']);
      expect(inPod['security_groups']).to.include(groupInPod['id']);
      const groups = await cloud.nova('GET', `/servers/${id}/os-security-groups`).expect(200);
      expect(
        ((groups.body as Json)['security_groups'] as Json[]).map(({ name }) => name).toSorted(),
      ).to.deep.equal(['default', 'web']);
    });
  });
});
