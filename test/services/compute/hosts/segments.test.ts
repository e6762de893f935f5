// The segments of routed networks in Placement and as host aggregates, and the scheduler.
import { expect } from 'chai';
import { onEachDatabase, type Asked } from '../../../support/cloud.ts';
import { ask as askNetwork, make, makeRacks } from '../../network/support.ts';
import { ask, config } from '../support.ts';
import { admin, postServer, showServer } from '../servers/makers.ts';

onEachDatabase('compute: segments of routed networks', config, (world) => {
  const setting = (service: string, body: object) =>
    world.ask('emulator', 'PUT', `/_emulator/${service}/settings`, { body }).expect(200);
  const connect = (physical_networks: object) => setting('network', { physical_networks });
  const placement = (path: string, asked: Asked = {}) =>
    world.ask('placement', 'GET', `/placement${path}`, { ...admin, version: '1.19', ...asked });

  interface HostAggregate {
    readonly name: string;
    readonly uuid: string;
    readonly hosts: readonly string[];
  }
  const aggregates = async (): Promise<HostAggregate[]> => {
    const { body } = await ask(world, 'GET', '/os-aggregates', { ...admin, version: '2.41' });
    return (body as { aggregates: HostAggregate[] }).aggregates;
  };
  const inventory = async (id: string): Promise<unknown> => {
    const reply = await placement(`/resource_providers/${id}/inventories`);
    if (reply.status === 404) return undefined;
    const { total, reserved } = (
      reply.body as { inventories: Record<string, { total: number; reserved: number }> }
    ).inventories['IPV4_ADDRESS']!;
    return { total, reserved };
  };

  /** A network of which compute-1 and compute-2 have a segment each, with a subnet. */
  async function makeRouted() {
    await connect({ 'compute-1': ['rack1'], 'compute-2': ['rack2'] });
    return makeRacks(world, { name: 'routed', shared: true }, (index) => ({
      cidr: `10.1.${index + 1}.0/29`,
      enable_dhcp: index === 0,
    }));
  }

  it('have an aggregate with their hosts, and an inventory of their IPv4 addresses', async () => {
    const { ids } = await makeRouted();
    expect(await inventory(ids[0]!)).to.deep.equal({ total: 6, reserved: 2 });
    expect(await inventory(ids[1]!)).to.deep.equal({ total: 6, reserved: 1 });
    const made = await aggregates();
    expect(made.map(({ name, hosts }) => ({ name, hosts }))).to.deep.equal([
      { name: `Neutron segment id ${ids[0]}`, hosts: ['compute-1'] },
      { name: `Neutron segment id ${ids[1]}`, hosts: ['compute-2'] },
    ]);
    const { body } = await placement(`/resource_providers/${ids[0]}/aggregates`);
    expect((body as { aggregates: string[] }).aggregates).to.deep.equal([made[0]!.uuid]);
  });

  it('reserve the addresses of all ports but those of servers and DHCP', async () => {
    const { network, ids, subnets } = await makeRouted();
    const fixed_ips = [{ subnet_id: subnets[1]!.id }];
    const port = await make(world, 'port', { network_id: network.id, fixed_ips });
    const server = { device_owner: 'compute:nova', 'binding:host_id': 'compute-2' };
    await make(world, 'port', { network_id: network.id, ...server });
    expect(await inventory(ids[1]!)).to.deep.equal({ total: 6, reserved: 2 });
    await askNetwork(world, 'DELETE', `/ports/${port.id}`).expect(204);
    expect(await inventory(ids[1]!)).to.deep.equal({ total: 6, reserved: 1 });
  });

  it('follow their hosts and their subnets', async () => {
    const { ids, subnets } = await makeRouted();
    await connect({ 'compute-2': ['rack1'], 'compute-3': ['rack1'] });
    expect((await aggregates()).map(({ hosts }) => hosts)).to.deep.equal([
      ['compute-2', 'compute-3'],
      [],
    ]);
    await askNetwork(world, 'DELETE', `/subnets/${subnets[1]!.id}`).expect(204);
    expect(await inventory(ids[1]!)).to.equal(undefined);
    expect(await aggregates()).to.have.lengthOf(1);
    await askNetwork(world, 'PUT', `/subnets/${subnets[0]!.id}`, {
      subnet: { allocation_pools: [{ start: '10.1.1.4', end: '10.1.1.5' }], enable_dhcp: false },
    }).expect(200);
    expect(await inventory(ids[0]!)).to.deep.equal({ total: 3, reserved: 1 });
  });

  it('decide on the host of a server, if the settings say so', async () => {
    await setting('compute', { query_placement_for_routed_network_aggregates: true });
    const { network, ids } = await makeRouted();
    const hostOf = async (networks: object[]): Promise<unknown> => {
      const reply = await postServer(world, { networks }, { ...admin, version: '2.90' });
      expect(reply.status, reply.text).to.equal(202);
      const shown = await showServer(world, (reply.body as { server: { id: string } }).server.id);
      return shown['OS-EXT-SRV-ATTR:host'] ?? (shown['fault'] as { message: string }).message;
    };
    const onNetwork = [{ uuid: network.id }];
    const hosts = [await hostOf(onNetwork), await hostOf(onNetwork), await hostOf(onNetwork)];
    expect(new Set(hosts)).to.deep.equal(new Set(['compute-1', 'compute-2']));
    const deferred = await make(world, 'port', { network_id: network.id, project_id: 'demo' });
    expect(await hostOf([{ port: deferred.id }])).to.be.oneOf(['compute-1', 'compute-2']);
    await connect({ 'compute-3': ['rack2'] });
    expect(await hostOf(onNetwork)).to.equal('compute-3');
    await connect({});
    expect(await hostOf(onNetwork)).to.contain('No valid host was found.');
    expect(ids).to.have.lengthOf(2);
  });

  it('make servers fail on hosts that reach no segment, by default', async () => {
    const { network } = await makeRouted();
    await connect({});
    const networks = [{ uuid: network.id }];
    const reply = await postServer(world, { networks }, { ...admin, version: '2.90' });
    const shown = await showServer(world, (reply.body as { server: { id: string } }).server.id);
    expect(shown['status']).to.equal('ERROR');
    expect((shown['fault'] as { message: string }).message).to.match(
      /^Host compute-. is not connected to any segments on routed provider network/,
    );
  });
});
