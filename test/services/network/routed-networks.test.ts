// Routed networks: subnets on segments, and ports whose addresses depend on their host.
import { expect } from 'chai';
import { newUuid } from '../../../src/kernel/ids.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask, errorOf, make, makeNetwork, makeRacks, type Resource } from './support.ts';

onEachDatabase('network: routed networks', { auth: 'noauth2', hosts: '3' }, (world) => {
  const connect = (physical_networks: object) =>
    world
      .ask('emulator', 'PUT', '/_emulator/network/settings', { body: { physical_networks } })
      .expect(200);
  const show = async (noun: string, id: string): Promise<Resource> =>
    (await ask(world, 'GET', `/${noun}s/${id}`).expect(200)).body[noun];
  const put = async (noun: string, id: string, fields: object): Promise<string> =>
    errorOf(await ask(world, 'PUT', `/${noun}s/${id}`, { [noun]: fields }));
  const post = async (noun: string, fields: object): Promise<string> =>
    errorOf(await ask(world, 'POST', `/${noun}s`, { [noun]: fields }));
  const addresses = (port: Resource): string[] =>
    port['fixed_ips'].map((fixed: { ip_address: string }) => fixed.ip_address);
  const segmentsOf = async (network: string): Promise<Resource[]> =>
    (await ask(world, 'GET', `/segments?network_id=${network}`).expect(200)).body.segments;

  /** A network with two segments, of which compute-1 and compute-2 have one each. */
  async function makeRouted() {
    await connect({ 'compute-1': ['rack1'], 'compute-2': ['rack2'], cumulet: [] });
    return makeRacks(world, {}, (index) => ({ cidr: `10.1.${index + 1}.0/24` }));
  }

  describe('subnets', () => {
    it('are all on segments of their network, or none is', async () => {
      const { network, ids } = await makeRouted();
      const fields = { network_id: network.id, ip_version: 4, cidr: '10.1.3.0/24' };
      const notAll =
        `400 SubnetsNotAllAssociatedWithSegments: All of the subnets on network '${network.id}' ` +
        'must either all be associated with segments or all not associated with any segment.';
      expect(await post('subnet', fields)).to.equal(notAll);
      const unknown = newUuid();
      expect(await post('subnet', { ...fields, segment_id: unknown })).to.equal(
        `404 SegmentNotFound: Segment ${unknown} could not be found.`,
      );
      const other = await make(world, 'network', {});
      expect(
        await post('subnet', { ...fields, network_id: other.id, segment_id: ids[0] }),
      ).to.equal(
        `400 NetworkIdsDontMatch: The subnet's network id, '${other.id}', doesn't match the ` +
          `network_id of segment '${ids[0]}'`,
      );
      await make(world, 'subnet', { ...fields, service_types: ['network:routed'] });
      expect((await show('network', network.id))['l2_adjacency']).to.equal(false);
    });

    it('can join the only segment of their network, and not leave it', async () => {
      const { network, subnet } = await makeNetwork(world, '10.1.0.0/24');
      expect(subnet['segment_id']).to.equal(null);
      const [segment] = await segmentsOf(network.id);
      const next = { network_id: network.id, ip_version: 4, cidr: '10.1.1.0/24' };
      const second = await make(world, 'subnet', next);
      expect(await put('subnet', subnet.id, { segment_id: segment!.id })).to.contain(
        '400 SubnetsNotAllAssociatedWithSegments',
      );
      await ask(world, 'DELETE', `/subnets/${second.id}`).expect(204);
      const extra = { network_id: network.id, network_type: 'geneve' };
      const { id } = await make(world, 'segment', extra);
      expect(await put('subnet', subnet.id, { segment_id: segment!.id })).to.equal(
        `400 NoUpdateSubnetWhenMultipleSegmentsOnNetwork: The network '${network.id}' has ` +
          'multiple segments, it is only possible to associate an existing subnet with a segment ' +
          'on networks with a single segment.',
      );
      await ask(world, 'DELETE', `/segments/${id}`).expect(204);
      expect(await put('subnet', subnet.id, { segment_id: segment!.id })).to.contain('200');
      expect((await show('subnet', subnet.id))['segment_id']).to.equal(segment!.id);
      expect(await put('subnet', subnet.id, { segment_id: null })).to.equal(
        '400 SubnetSegmentAssociationChangeNotAllowed: A subnet that is already associated with ' +
          'a segment cannot have its segment association changed.',
      );
      expect(await put('subnet', subnet.id, { segment_id: newUuid() })).to.contain('404');
    });

    it('have routes to the subnets of the other segments', async () => {
      const { network, ids, subnets } = await makeRouted();
      const routes = async (index: number): Promise<object[]> =>
        (await show('subnet', subnets[index]!.id))['host_routes'];
      const route = (destination: string, nexthop: string) => ({ destination, nexthop });
      expect(subnets[1]!['host_routes']).to.deep.equal([route('10.1.1.0/24', '10.1.2.1')]);
      expect(await routes(0)).to.deep.equal([route('10.1.2.0/24', '10.1.1.1')]);
      const third = await make(world, 'subnet', {
        network_id: network.id,
        ip_version: 4,
        cidr: '10.1.4.0/24',
        segment_id: ids[0],
        host_routes: [route('10.1.0.0/16', '10.1.4.9')],
      });
      expect(third['host_routes']).to.deep.equal([route('10.1.0.0/16', '10.1.4.9')]);
      expect(await routes(1)).to.deep.include(route('10.1.4.0/24', '10.1.2.1'));
      await ask(world, 'PUT', `/subnets/${subnets[1]!.id}`, {
        subnet: { gateway_ip: '10.1.2.254', allocation_pools: [] },
      }).expect(200);
      expect(await routes(1)).to.have.deep.members([
        route('10.1.1.0/24', '10.1.2.254'),
        route('10.1.4.0/24', '10.1.2.254'),
      ]);
      await ask(world, 'DELETE', `/subnets/${third.id}`).expect(204);
      expect(await routes(1)).to.deep.equal([route('10.1.1.0/24', '10.1.2.254')]);
    });
  });

  describe('ports', () => {
    const port = (network: Resource, fields: object = {}) =>
      make(world, 'port', { network_id: network.id, ...fields });

    it('get addresses of the segment of their host', async () => {
      const { network } = await makeRouted();
      const one = await port(network, { 'binding:host_id': 'compute-1' });
      const two = await port(network, { 'binding:host_id': 'compute-2' });
      expect([addresses(one)[0], addresses(two)[0]]).to.have.members(['10.1.1.2', '10.1.2.2']);
      expect(one['ip_allocation']).to.equal('immediate');
      const nowhere = { network_id: network.id, 'binding:host_id': 'compute-3' };
      expect(await post('port', nowhere)).to.equal(
        '409 HostNotConnectedToAnySegment: Host compute-3 is not connected to any segments on ' +
          `routed provider network '${network.id}'.  It should be connected to one.`,
      );
    });

    it('without a host get their addresses when they get one', async () => {
      const { network } = await makeRouted();
      const deferred = await port(network);
      expect(deferred).to.deep.include({ ip_allocation: 'deferred', fixed_ips: [] });
      expect(await put('port', deferred.id, { name: 'p' })).to.contain('200');
      expect(addresses(await show('port', deferred.id))).to.deep.equal([]);
      expect(await put('port', deferred.id, { 'binding:host_id': 'compute-3' })).to.contain(
        '409 HostNotConnectedToAnySegment',
      );
      expect(await put('port', deferred.id, { 'binding:host_id': 'compute-2' })).to.contain('200');
      expect(addresses(await show('port', deferred.id))).to.deep.equal(['10.1.2.2']);
      const query = '/ports?ip_allocation=deferred&fields=id';
      const found = (await ask(world, 'GET', query).expect(200)).body.ports;
      expect(found).to.deep.equal([{ id: deferred.id }]);
    });

    it('can be meant to have no addresses', async () => {
      const { network } = await makeRouted();
      const none = await port(network, { fixed_ips: [] });
      expect(none).to.deep.include({ ip_allocation: 'none', fixed_ips: [] });
      expect(await put('port', none.id, { 'binding:host_id': 'compute-2' })).to.contain('200');
      expect(addresses(await show('port', none.id))).to.deep.equal([]);
    });

    it('stay on the segment of their addresses', async () => {
      const { network, subnets } = await makeRouted();
      const [one, two] = subnets.map(({ id: subnet_id }) => ({ subnet_id }));
      const on = { network_id: network.id, fixed_ips: [one, two] };
      expect(await post('port', on)).to.equal(
        '400 FixedIpsSubnetsNotOnSameSegment: Cannot allocate addresses from different segments.',
      );
      const fixed = await port(network, { fixed_ips: [one] });
      expect(await put('port', fixed.id, { 'binding:host_id': 'compute-2' })).to.equal(
        '409 HostNotCompatibleWithFixedIps: Host compute-2 is not connected to a segment where ' +
          `the existing fixed_ips on port ${fixed.id} will function given the routed network ` +
          'topology.',
      );
      const moved = { 'binding:host_id': 'compute-2', fixed_ips: [two] };
      expect(await put('port', fixed.id, moved)).to.contain('200');
      const back = { 'binding:host_id': 'compute-1', fixed_ips: [one] };
      expect(await put('port', fixed.id, back)).to.contain('200');
      expect(await put('port', fixed.id, { fixed_ips: [two] })).to.contain(
        '400 InvalidInput: Invalid input for operation: Failed to create port on network',
      );
    });

    it('of DHCP servers have addresses of the segments of their host only', async () => {
      const dhcp = async (network: Resource): Promise<string[]> => {
        const query = `/ports?network_id=${network.id}&device_owner=network:dhcp`;
        const { ports } = (await ask(world, 'GET', query).expect(200)).body;
        return (ports as Resource[]).flatMap(addresses);
      };
      const { network, ids } = await makeRouted();
      expect(await dhcp(network)).to.deep.equal([]);
      await connect({ cumulet: ['rack2'] });
      await make(world, 'subnet', {
        network_id: network.id,
        ip_version: 4,
        cidr: '10.1.5.0/24',
        segment_id: ids[1],
      });
      expect(await dhcp(network)).to.have.members(['10.1.2.2', '10.1.5.2']);
    });

    it('get automatic addresses of their own segment', async () => {
      const { network, ids } = await makeRouted();
      const one = await port(network, { 'binding:host_id': 'compute-1' });
      const deferred = await port(network);
      const slaac = { ip_version: 6, ipv6_address_mode: 'slaac', ipv6_ra_mode: 'slaac' };
      const subnet = (cidr: string, segment_id: string) =>
        make(world, 'subnet', { network_id: network.id, ...slaac, cidr, segment_id });
      await subnet('2001:db8:1::/64', ids[0]!);
      await subnet('2001:db8:2::/64', ids[1]!);
      const found = addresses(await show('port', one.id));
      expect(found.filter((ip) => ip.startsWith('2001:db8:'))).to.have.lengthOf(1);
      expect(found.some((ip) => ip.startsWith('2001:db8:1:'))).to.equal(true);
      expect(addresses(await show('port', deferred.id))).to.deep.equal([]);
    });
  });

  it('show the physical networks of hosts in the configurations of their agents', async () => {
    await connect({ 'compute-1': ['rack1', 'public'] });
    const mappings = async (host: string): Promise<object> => {
      const query = `/agents?agent_type=Open%20vSwitch%20agent&host=${host}`;
      const { agents } = (await ask(world, 'GET', query).expect(200)).body;
      return agents[0].configurations.bridge_mappings;
    };
    expect(await mappings('compute-1')).to.deep.equal({ rack1: 'br-rack1', public: 'br-ex' });
    expect(await mappings('compute-2')).to.deep.equal({ public: 'br-ex' });
  });
});
