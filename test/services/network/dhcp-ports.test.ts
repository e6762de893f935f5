// The ports of DHCP agents.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask, errorOf, make, makeNetwork, member, type Resource } from './support.ts';

onEachDatabase('network: DHCP ports', { auth: 'noauth2' }, (world) => {
  const dhcpPorts = async (network: Resource, as = {}): Promise<Resource[]> => {
    const query = `network_id=${network.id}&device_owner=network:dhcp`;
    return (await ask(world, 'GET', `/ports?${query}`, undefined, as).expect(200)).body.ports;
  };
  const addresses = async (network: Resource): Promise<string[][]> =>
    (await dhcpPorts(network)).map((port) =>
      port['fixed_ips'].map((fixed: { ip_address: string }) => fixed.ip_address),
    );
  const agent = async (): Promise<Resource> =>
    (await ask(world, 'GET', '/agents?agent_type=DHCP%20agent').expect(200)).body.agents[0];
  const put = (path: string, body: object, as = {}) =>
    ask(world, 'PUT', path, body, as).expect(200);

  describe('a network with DHCP', () => {
    /** A poll for due jobs comes at any time. */
    const isPoll = (sql: string): boolean => /^select .* from `jobs` /.test(sql);

    /** Creates subnets one by one. @returns the statements and rows that the last one costs */
    async function costOfLast(network: Resource, from: number, to: number) {
      const { db } = world.cloud.firstRegion.database;
      const cost = { statements: 0, rows: 0 };
      const count = (found: unknown, { sql }: { readonly sql: string }): void => {
        if (isPoll(sql)) return;
        cost.statements++;
        if (Array.isArray(found)) cost.rows += found.length;
      };
      for (let number = from; number < to; number++) {
        if (number === to - 1) db.on('query-response', count);
        const subnet = { network_id: network.id, ip_version: 4, cidr: `10.3.${number}.0/24` };
        await ask(world, 'POST', '/subnets', { subnet }).expect(201);
      }
      db.removeListener('query-response', count);
      return cost;
    }

    it('reads its subnets and the addresses of its port once for a new subnet', async () => {
      const network = await make(world, 'network', {});
      const few = await costOfLast(network, 0, 6);
      const many = await costOfLast(network, 6, 26);
      expect(many.statements).to.equal(few.statements);
      expect(many.rows - few.rows).to.be.within(20, 2 * 20);
    });

    it('gets a port of its DHCP agent, with the first address, which its owner sees', async () => {
      const { network, subnet } = await makeNetwork(world, '10.1.0.0/24', member);
      const [port, ...others] = await dhcpPorts(network, member);
      expect(others).to.deep.equal([]);
      expect(port).to.deep.include({
        name: '',
        project_id: 'blue',
        admin_state_up: true,
        status: 'ACTIVE',
        // uuid5(NAMESPACE_DNS, 'cumulet')
        device_id: `dhcp1169ad44-1b80-5389-80e0-48ff7d219581-${network.id}`,
        port_security_enabled: false,
        security_groups: [],
        fixed_ips: [{ subnet_id: subnet.id, ip_address: '10.1.0.2' }],
      });
      const [shown] = await dhcpPorts(network);
      expect(shown!['binding:host_id']).to.equal('cumulet');
      const other = await make(world, 'port', { network_id: network.id }, member);
      expect(other['fixed_ips'][0].ip_address).to.equal('10.1.0.3');
    });

    it('has one port, with an address on each subnet with DHCP', async () => {
      const { network } = await makeNetwork(world, '10.1.0.0/24', member);
      const add = (fields: object) =>
        make(world, 'subnet', { network_id: network.id, ip_version: 4, ...fields }, member);
      const second = await add({ cidr: '10.2.0.0/24' });
      const third = await add({ cidr: '10.3.0.0/24', enable_dhcp: false });
      const slaac = await add({ cidr: '2001:db8::/64', ip_version: 6, ipv6_address_mode: 'slaac' });
      const [ips, ...others] = await addresses(network);
      expect(others).to.deep.equal([]);
      expect(ips!.slice(0, 2)).to.deep.equal(['10.1.0.2', '10.2.0.2']);
      expect(ips![2]).to.match(/^2001:db8::/);
      await put(`/subnets/${third.id}`, { subnet: { enable_dhcp: true } });
      expect((await addresses(network))[0]).to.include('10.3.0.2');
      await put(`/subnets/${second.id}`, { subnet: { enable_dhcp: false } });
      expect((await addresses(network))[0]).to.not.include('10.2.0.2');
      await ask(world, 'DELETE', `/subnets/${slaac.id}`).expect(204);
      expect(await addresses(network)).to.deep.equal([['10.1.0.2', '10.3.0.2']]);
    });

    it('has one port for a list of subnets', async () => {
      const network = await make(world, 'network', {}, member);
      const subnets = ['10.1.0.0/24', '10.2.0.0/24'].map((cidr) => ({
        network_id: network.id,
        ip_version: 4,
        cidr,
      }));
      await ask(world, 'POST', '/subnets', { subnets }, member).expect(201);
      expect(await addresses(network)).to.deep.equal([['10.1.0.2', '10.2.0.2']]);
    });

    it('has no port where it has no subnet with DHCP, or is down', async () => {
      const { network, subnet } = await makeNetwork(world, '10.1.0.0/24', member);
      await put(`/networks/${network.id}`, { network: { admin_state_up: false } });
      expect(await dhcpPorts(network)).to.deep.equal([]);
      await put(`/networks/${network.id}`, { network: { admin_state_up: true } });
      expect(await addresses(network)).to.deep.equal([['10.1.0.2']]);
      await ask(world, 'DELETE', `/subnets/${subnet.id}`, undefined, member).expect(204);
      expect(await dhcpPorts(network)).to.deep.equal([]);
    });

    it('has no port where no address is free', async () => {
      const pools = { allocation_pools: [] };
      const { network } = await makeNetwork(world, '10.1.0.0/24', member, pools);
      expect(await dhcpPorts(network)).to.deep.equal([]);
    });

    it('can be deleted with its port, which counts as usage but is not refused', async () => {
      await put('/quotas/blue', { quota: { port: 0 } });
      const { network } = await makeNetwork(world, '10.1.0.0/24', member);
      const { body } = await ask(world, 'GET', '/quotas/blue/details').expect(200);
      expect(body.quota.port).to.deep.equal({ limit: 0, used: 1, reserved: 0 });
      const port = { network_id: network.id };
      expect(errorOf(await ask(world, 'POST', '/ports', { port }, member))).to.equal(
        "409 OverQuota: Quota exceeded for resources: ['port'].",
      );
      await ask(world, 'DELETE', `/networks/${network.id}`, undefined, member).expect(204);
      expect(await dhcpPorts(network)).to.deep.equal([]);
    });

    it('gets another port when its port is deleted', async () => {
      const { network } = await makeNetwork(world, '10.1.0.0/24', member);
      const [before] = await dhcpPorts(network);
      await ask(world, 'DELETE', `/ports/${before!.id}`, undefined, member).expect(204);
      const [after] = await dhcpPorts(network);
      expect(after!.id).to.not.equal(before!.id);
    });
  });

  describe('a DHCP agent', () => {
    it('adopts the port that was reserved when it stopped hosting the network', async () => {
      const { id } = await agent();
      const { network } = await makeNetwork(world, '10.1.0.0/24', member);
      const [before] = await dhcpPorts(network);
      await ask(world, 'DELETE', `/agents/${id}/dhcp-networks/${network.id}`).expect(204);
      const [reserved] = await dhcpPorts(network);
      expect(reserved).to.include({ id: before!.id, device_id: 'reserved_dhcp_port' });
      const body = { network_id: network.id };
      await ask(world, 'POST', `/agents/${id}/dhcp-networks`, body).expect(201);
      const [after, ...others] = await dhcpPorts(network);
      expect(others).to.deep.equal([]);
      expect(after).to.include({ id: before!.id, device_id: before!['device_id'] });
    });

    it('removes its ports while it is disabled, and keeps them when it is deleted', async () => {
      const { id } = await agent();
      const { network } = await makeNetwork(world, '10.1.0.0/24', member);
      await put(`/agents/${id}`, { agent: { admin_state_up: false } });
      expect(await dhcpPorts(network)).to.deep.equal([]);
      const late = await makeNetwork(world, '10.2.0.0/24', member);
      expect(await dhcpPorts(late.network)).to.deep.equal([]);
      await put(`/agents/${id}`, { agent: { admin_state_up: true } });
      expect(await addresses(network)).to.deep.equal([['10.1.0.2']]);
      await ask(world, 'DELETE', `/agents/${id}`).expect(204);
      expect(await dhcpPorts(network)).to.have.length(1);
    });
  });
});
