// The settings that Neutron reads from neutron.conf.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask, errorOf, make, makeNetwork, member, type Resource } from './support.ts';

onEachDatabase('network: settings', { auth: 'noauth2' }, (world) => {
  const change = (body: object) =>
    world.ask('emulator', 'PUT', '/_emulator/network/settings', { body }).expect(200);
  const addresses = (count: number) =>
    Array.from({ length: count }, (_, index) => `10.1.0.${index + 10}`);

  describe('quota_*', () => {
    it('are the quotas of projects without quotas of their own', async () => {
      await change({ quota_network: 1, quota_port: 7, default_quota: 0 });
      const { body } = await ask(world, 'GET', '/quotas/blue/default').expect(200);
      expect(body.quota).to.include({ network: 1, subnet: 100, port: 7, subnetpool: 0 });
      expect((await ask(world, 'GET', '/quotas/blue')).body.quota.port).to.equal(7);
      await make(world, 'network', {}, member);
      expect(errorOf(await ask(world, 'POST', '/networks', { network: {} }, member))).to.equal(
        "409 OverQuota: Quota exceeded for resources: ['network'].",
      );
      await ask(world, 'PUT', '/quotas/blue', { quota: { network: 2 } }).expect(200);
      await make(world, 'network', {}, member);
    });
  });

  describe('max_dns_nameservers and max_subnet_host_routes', () => {
    it('limit the lists of a subnet', async () => {
      const dns_nameservers = addresses(6);
      const host_routes = addresses(21).map((nexthop, index) => ({
        destination: `10.${index + 100}.0.0/16`,
        nexthop,
      }));
      const { subnet } = await makeNetwork(world, '10.1.0.0/24', member);
      const put = (fields: object) =>
        ask(world, 'PUT', `/subnets/${subnet.id}`, { subnet: fields }, member);
      expect(errorOf(await put({ dns_nameservers }))).to.contain('exceeds the limit 5.');
      expect(errorOf(await put({ host_routes }))).to.contain('exceeds the limit 20.');
      await change({ max_dns_nameservers: 6, max_subnet_host_routes: 21 });
      await put({ dns_nameservers, host_routes }).expect(200);
      await makeNetwork(world, '10.1.0.0/24', member, { dns_nameservers, host_routes });
    });
  });

  describe('dhcp_lease_duration', () => {
    it('is in the configurations of DHCP agents', async () => {
      const durations = async (): Promise<unknown> =>
        (await ask(world, 'GET', '/agents?agent_type=DHCP%20agent').expect(200)).body.agents.map(
          (agent: Resource) => agent['configurations'].dhcp_lease_duration,
        );
      expect(await durations()).to.deep.equal([86_400]);
      await change({ dhcp_lease_duration: -1 });
      expect(await durations()).to.deep.equal([-1]);
    });
  });

  describe('global_physnet_mtu', () => {
    const physical = { 'provider:physical_network': 'public' };

    it('is the largest MTU, less the headers of tunnels', async () => {
      const before = await make(world, 'network', {});
      await change({ global_physnet_mtu: 9000 });
      const vlan = { ...physical, 'provider:network_type': 'vlan' };
      expect((await make(world, 'network', vlan))['mtu']).to.equal(9000);
      for (const [type, mtu] of Object.entries({ geneve: 8942, vxlan: 8950, gre: 8958 }))
        expect(
          (await make(world, 'network', { 'provider:network_type': type }))['mtu'],
          type,
        ).to.equal(mtu);
      expect(errorOf(await ask(world, 'POST', '/networks', { network: { mtu: 8943 } }))).to.equal(
        '400 InvalidInput: Invalid input for operation: Requested MTU is too big, maximum is 8942.',
      );
      const { body } = await ask(world, 'GET', `/networks/${before['id'] as string}`).expect(200);
      expect((body as { network: { mtu: number } }).network.mtu).to.equal(1442);
    });

    it('limits the MTU that an update sets', async () => {
      const { id } = await make(world, 'network', {});
      await change({ global_physnet_mtu: 1400 });
      const put = (mtu: number) =>
        ask(world, 'PUT', `/networks/${id as string}`, { network: { mtu } });
      await put(1343).expect(400);
      expect((await put(0).expect(200)).body.network.mtu).to.equal(1342);
    });
  });

  describe('max_allowed_address_pair', () => {
    it('limits the address pairs of a port', async () => {
      const { network } = await makeNetwork(world, '10.1.0.0/24', member);
      const allowed_address_pairs = addresses(11).map((ip_address) => ({ ip_address }));
      const port = { network_id: network.id, allowed_address_pairs };
      expect(errorOf(await ask(world, 'POST', '/ports', { port }, member))).to.equal(
        '400 AllowedAddressPairExhausted: The number of allowed address pair exceeds the ' +
          'maximum 10.',
      );
      await change({ max_allowed_address_pair: 11 });
      const { id } = await make(world, 'port', port, member);
      await ask(world, 'PUT', `/ports/${id}`, { port: { allowed_address_pairs } }, member).expect(
        200,
      );
    });
  });

  describe('max_routes', () => {
    it('limits the routes of a router', async () => {
      const { subnet } = await makeNetwork(world, '10.1.0.0/24', member);
      const { id } = await make(world, 'router', {}, member);
      const body = { subnet_id: subnet.id };
      await ask(world, 'PUT', `/routers/${id}/add_router_interface`, body, member).expect(200);
      const routes = addresses(31).map((nexthop, index) => ({
        destination: `10.${index + 100}.0.0/16`,
        nexthop,
      }));
      const put = () => ask(world, 'PUT', `/routers/${id}`, { router: { routes } }, member);
      expect(errorOf(await put())).to.contain('exceeds the maximum 30.');
      await change({ max_routes: 31 });
      await put().expect(200);
    });
  });

  describe('pagination_max_limit', () => {
    it('is the largest page of a list, also without a limit', async () => {
      for (const name of ['a', 'b', 'c']) await make(world, 'network', { name }, member);
      await change({ pagination_max_limit: 2 });
      for (const query of ['', '?limit=3']) {
        const { body } = await ask(world, 'GET', `/networks${query}`, undefined, member);
        expect(body.networks).to.have.length(2);
        expect(body.networks_links[0].rel).to.equal('next');
      }
      const { body } = await ask(world, 'GET', '/networks?limit=1', undefined, member);
      expect(body.networks).to.have.length(1);
    });
  });

  it('has the defaults again after a reset', async () => {
    await change({ quota_network: 1 });
    const reset = { body: { service: 'network' } };
    await world.ask('emulator', 'POST', '/_emulator/reset', reset).expect(204);
    const { body } = await ask(world, 'GET', '/quotas/blue/default').expect(200);
    expect(body.quota.network).to.equal(100);
  });
});
