// Subnets: validation, allocation pools and gateways, updates and deletion.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask, make, makeNetwork, member, errorOf, otherMember } from './support.ts';

onEachDatabase('network: subnets', { auth: 'noauth2' }, (world) => {
  const post = async (networkId: string, fields: object): Promise<string> =>
    errorOf(
      await ask(
        world,
        'POST',
        '/subnets',
        { subnet: { network_id: networkId, ip_version: 4, cidr: '10.1.0.0/24', ...fields } },
        member,
      ),
    );

  describe('POST /v2.0/subnets', () => {
    it('uses the first address as the gateway, and the others as the allocation pool', async () => {
      const { network, subnet } = await makeNetwork(world, '10.1.0.7/24', member);
      expect(subnet).to.include({
        cidr: '10.1.0.0/24',
        gateway_ip: '10.1.0.1',
        enable_dhcp: true,
        ip_version: 4,
        project_id: 'blue',
      });
      expect(subnet).to.include({
        ipv6_ra_mode: null,
        ipv6_address_mode: null,
        subnetpool_id: null,
        'router:external': false,
      });
      expect(subnet['allocation_pools']).to.deep.equal([{ start: '10.1.0.2', end: '10.1.0.254' }]);
      const reply = await ask(world, 'GET', `/networks/${network.id}`, undefined, member);
      expect(reply.body.network).to.deep.include({ subnets: [subnet.id], revision_number: 1 });
    });

    it('leaves the gateway out of the allocation pools', async () => {
      const pools = async (cidr: string, gateway: string | null): Promise<string[]> => {
        const { subnet } = await makeNetwork(
          world,
          cidr,
          {},
          { gateway_ip: gateway, enable_dhcp: false },
        );
        return (subnet['allocation_pools'] as { start: string; end: string }[]).map(
          ({ start, end }) => `${start}-${end}`,
        );
      };
      expect(await pools('10.1.0.0/29', '10.1.0.3')).to.deep.equal([
        '10.1.0.1-10.1.0.2',
        '10.1.0.4-10.1.0.6',
      ]);
      expect(await pools('10.1.0.0/29', null)).to.deep.equal(['10.1.0.1-10.1.0.6']);
      expect(await pools('10.1.0.0/31', null)).to.deep.equal(['10.1.0.0-10.1.0.1']);
      expect(await pools('2001:db8::/64', '2001:0DB8::1')).to.deep.equal([
        '2001:db8::2-2001:db8::ffff:ffff:ffff:ffff',
      ]);
    });

    it('assigns addresses on a new SLAAC subnet to the ports of its network', async () => {
      const { network } = await makeNetwork(world, '10.1.0.0/24', member);
      const port = await make(
        world,
        'port',
        { network_id: network.id, mac_address: 'fa:16:3e:00:00:01' },
        member,
      );
      const slaac = {
        network_id: network.id,
        ip_version: 6,
        cidr: '2001:db8::/64',
        ipv6_ra_mode: 'slaac',
        ipv6_address_mode: 'slaac',
      };
      const subnet = await make(world, 'subnet', slaac, member);
      const { body } = await ask(world, 'GET', `/ports/${port.id}`, undefined, member);
      expect(body.port.fixed_ips).to.deep.include({
        subnet_id: subnet.id,
        ip_address: '2001:db8::f816:3eff:fe00:1',
      });
      await ask(world, 'DELETE', `/subnets/${subnet.id}`, undefined, member).expect(204);
    });

    it('returns 400 for a CIDR that overlaps with another subnet of the network', async () => {
      const { network } = await makeNetwork(world, '10.1.0.0/25', member);
      const { id } = network;
      expect(await post(id, {})).to.equal(
        '400 InvalidInput: Invalid input for operation: Requested subnet with cidr: ' +
          `10.1.0.0/24 for network: ${id} overlaps with another subnet.`,
      );
    });

    it('returns 400 for an invalid gateway', async () => {
      const { id } = await make(world, 'network', {}, member);
      const other = { cidr: '10.2.0.0/24' };
      expect(await post(id, { ...other, gateway_ip: '10.2.0.0' })).to.contain(
        'Gateway is not valid on subnet',
      );
      expect(await post(id, { ...other, gateway_ip: '2001:db8::1' })).to.contain(
        "gateway_ip '2001:db8::1' does not match the ip_version '4'",
      );
    });

    it('returns 400 for an invalid IP version or CIDR', async () => {
      const { id } = await make(world, 'network', {}, member);
      const other = { cidr: '10.2.0.0/24' };
      expect(await post(id, { ...other, ip_version: 6 })).to.contain(
        "cidr '10.2.0.0/24' does not match the ip_version '6'",
      );
      expect(await post(id, { ...other, ip_version: 5 })).to.equal(
        '400 HTTPBadRequest: Invalid input for ip_version. Reason: 5 is not in [4, 6].',
      );
      expect(await post(id, { cidr: '10.2.0.0/33' })).to.equal(
        '400 InvalidInput: Invalid input for operation: 10.2.0.0/33 is not in a CIDR format.',
      );
      expect(await post(id, { cidr: '10.2.0.0/31' })).to.contain(
        'incompatible with DHCP service enabled',
      );
      expect(await post(id, { cidr: '224.0.0.0/24' })).to.contain(
        'Multicast IP subnet is not supported',
      );
    });

    it('returns 400 for an IPv6 mode on an IPv4 subnet', async () => {
      const { id } = await make(world, 'network', {}, member);
      const other = { cidr: '10.2.0.0/24' };
      expect(await post(id, { ...other, ipv6_ra_mode: 'slaac' })).to.contain(
        'ipv6_ra_mode is not valid when ip_version is 4',
      );
    });

    it('returns 400 for invalid nameservers, host routes and addresses', async () => {
      const { id } = await make(world, 'network', {}, member);
      const other = { cidr: '10.2.0.0/24' };
      expect(await post(id, { ...other, dns_nameservers: ['x'] })).to.contain(
        "'x' is not a valid nameserver. 'x' is not a valid IP address",
      );
      expect(await post(id, { ...other, gateway_ip: '10.2.0.01' })).to.contain(
        "'10.2.0.01' is not an accepted IP address, '10.2.0.1' is recommended",
      );
      expect(
        await post(id, {
          ...other,
          host_routes: [{ destination: '10.0.0.1/8', nexthop: '10.2.0.1' }],
        }),
      ).to.contain('is not a valid CIDR');
    });

    it('returns 400 without a CIDR, and for a network id that is not a UUID', async () => {
      const { id } = await make(world, 'network', {}, member);
      const other = { cidr: '10.2.0.0/24' };
      expect(await post(id, { ...other, cidr: null })).to.contain('400 InvalidInput');
      expect(await post(id, { ...other, network_id: 'x' })).to.contain("'x' is not a valid UUID");
    });

    it('returns 404 for an unknown network', async () => {
      const other = { cidr: '10.2.0.0/24' };
      const unknown = '00000000-0000-0000-0000-000000000000';
      expect(await post(unknown, other)).to.equal(
        `404 NetworkNotFound: Network ${unknown} could not be found.`,
      );
    });

    it('returns 400 or 409 for invalid allocation pools', async () => {
      const { id } = await make(world, 'network', {}, member);
      const pools = (...given: string[]): Promise<string> =>
        post(id, {
          allocation_pools: given.map((pool) => ({
            start: pool.split('-')[0],
            end: pool.split('-')[1],
          })),
        });
      expect(await pools('10.1.0.1-10.1.0.9')).to.equal(
        '409 GatewayConflictWithAllocationPools: Gateway ip 10.1.0.1 conflicts with ' +
          'allocation pool 10.1.0.1-10.1.0.9.',
      );
      expect(await pools('10.1.0.9-10.1.0.2')).to.equal(
        '400 InvalidAllocationPool: The allocation pool 10.1.0.9-10.1.0.2 is not valid.',
      );
      expect(await pools('10.1.0.9-10.1.1.2')).to.contain('400 OutOfBoundsAllocationPool');
      expect(await pools('10.1.0.2-10.1.0.9', '10.1.0.9-10.1.0.12')).to.equal(
        '409 OverlappingAllocationPools: Found overlapping allocation pools: ' +
          '10.1.0.2-10.1.0.9 10.1.0.9-10.1.0.12 for subnet 10.1.0.0/24.',
      );
    });

    it('returns 403 on a network of another project', async () => {
      const { id } = await make(world, 'network', {}, member);
      const reply = await ask(
        world,
        'POST',
        '/subnets',
        { subnet: { network_id: id, ip_version: 4, cidr: '10.1.0.0/24' } },
        otherMember,
      );
      expect(errorOf(reply)).to.equal(
        '403 PolicyNotAuthorized: rule:create_subnet is disallowed by policy',
      );
    });
  });

  describe('GET /v2.0/subnets', () => {
    it('filters by network, addresses, and flags of the network', async () => {
      const { network, subnet } = await makeNetwork(world, '10.1.0.0/24', member);
      const ids = async (query: string): Promise<string[]> =>
        (await ask(world, 'GET', `/subnets?${query}`).expect(200)).body.subnets.map(
          (one: { id: string }) => one.id,
        );
      expect(await ids(`network_id=${network.id}`)).to.deep.equal([subnet.id]);
      expect(
        await ids('cidr=10.1.0.0/24&gateway_ip=10.1.0.1&ip_version=4&enable_dhcp=true'),
      ).to.deep.equal([subnet.id]);
      expect(await ids('shared=true')).to.have.length(1);
      expect(await ids('router:external=true')).to.have.length(1);
      expect(await ids('subnetpool_id=x')).to.deep.equal([]);
    });
  });

  describe('PUT and DELETE /v2.0/subnets/{id}', () => {
    it('updates the gateway, nameservers and DHCP of a subnet', async () => {
      const { subnet } = await makeNetwork(world, '10.1.0.0/24', member);
      const put = (fields: object) =>
        ask(world, 'PUT', `/subnets/${subnet.id}`, { subnet: fields }, member);
      const reply = await put({
        name: 's',
        dns_nameservers: ['8.8.8.8'],
        gateway_ip: null,
        enable_dhcp: false,
      }).expect(200);
      expect(reply.body.subnet).to.deep.include({
        name: 's',
        dns_nameservers: ['8.8.8.8'],
        gateway_ip: null,
        enable_dhcp: false,
        revision_number: 1,
      });
    });

    it('returns 400 when the CIDR is updated', async () => {
      const { subnet } = await makeNetwork(world, '10.1.0.0/24', member);
      const put = (fields: object) =>
        ask(world, 'PUT', `/subnets/${subnet.id}`, { subnet: fields }, member);
      expect(errorOf(await put({ cidr: '10.2.0.0/24' }))).to.equal(
        '400 HTTPBadRequest: Cannot update read-only attribute cidr',
      );
    });

    it('returns 409 for a gateway in an allocation pool', async () => {
      const { subnet } = await makeNetwork(world, '10.1.0.0/24', member);
      const put = (fields: object) =>
        ask(world, 'PUT', `/subnets/${subnet.id}`, { subnet: fields }, member);
      expect(errorOf(await put({ gateway_ip: '10.1.0.9' }))).to.contain(
        '409 GatewayConflictWithAllocationPools',
      );
    });

    it(
      'returns 409 when a gateway in use by a router is removed, or a subnet with ports is ' +
        'deleted',
      async () => {
        const { network, subnet } = await makeNetwork(world, '10.1.0.0/24', member);
        const router = await make(world, 'router', {}, member);
        const { body } = await ask(
          world,
          'PUT',
          `/routers/${router.id}/add_router_interface`,
          { subnet_id: subnet.id },
          member,
        ).expect(200);
        expect(
          errorOf(
            await ask(
              world,
              'PUT',
              `/subnets/${subnet.id}`,
              { subnet: { gateway_ip: null } },
              member,
            ),
          ),
        ).to.equal(
          '409 GatewayIpInUse: Current gateway ip 10.1.0.1 already in use by port ' +
            `${body.port_id}. Unable to update.`,
        );
        const inUse =
          `409 SubnetInUse: Unable to complete operation on subnet ${subnet.id}: One or more ` +
          'ports have an IP allocation from this subnet.';
        expect(
          errorOf(await ask(world, 'DELETE', `/subnets/${subnet.id}`, undefined, member)),
        ).to.equal(inUse);
        await ask(
          world,
          'PUT',
          `/routers/${router.id}/remove_router_interface`,
          { subnet_id: subnet.id },
          member,
        ).expect(200);
        const port = await make(world, 'port', { network_id: network.id }, member);
        expect(
          errorOf(await ask(world, 'DELETE', `/subnets/${subnet.id}`, undefined, member)),
        ).to.equal(inUse);
        await ask(world, 'DELETE', `/ports/${port.id}`, undefined, member).expect(204);
        await ask(world, 'DELETE', `/subnets/${subnet.id}`, undefined, member).expect(204);
      },
    );

    it('deletes a subnet on which only DHCP ports have addresses', async () => {
      const { network, subnet } = await makeNetwork(world, '10.9.0.0/24');
      const port = await make(world, 'port', {
        network_id: network.id,
        device_owner: 'network:dhcp',
      });
      await ask(world, 'DELETE', `/subnets/${subnet.id}`).expect(204);
      expect((await ask(world, 'GET', `/ports/${port.id}`)).body.port.fixed_ips).to.deep.equal([]);
    });
  });
});
