// What the Network does for Compute, within Compute's own transaction; and the teardown that test
// suites do.
import { expect } from 'chai';
import { ApiError } from '../../../src/kernel/errors.ts';
import { idFor } from '../../../src/kernel/ids.ts';
import { transact } from '../../../src/kernel/db/transaction.ts';
import type { Context } from '../../../src/kernel/model.ts';
import { anonymous, systemContext } from '../../../src/kernel/context.ts';
import * as network from '../../../src/services/network/index.ts';
import { noon, onEachDatabase } from '../../support/cloud.ts';
import { ask, make, makeNetwork, member, refusal, stranger } from './support.ts';

onEachDatabase('network: for servers', { auth: 'noauth2' }, (world) => {
  const inside = <T>(run: (context: Context) => Promise<T>, admin = false): Promise<T> =>
    transact(world.cloud.firstRegion.database.db, (db, attempt) =>
      run({
        ...systemContext(world.cloud, world.cloud.firstRegion, db, noon, attempt),
        actor: { ...anonymous, projectId: 'blue', isAdmin: admin },
      }),
    );
  const plan = (asked: Parameters<typeof network.planNetworks>[2]) =>
    inside((context) => network.planNetworks(context, 'blue', asked));
  const refused = (asked: Parameters<typeof network.planNetworks>[2]): Promise<string> =>
    plan(asked).then(
      () => 'allowed',
      (error: ApiError) =>
        `${error.status} ${(error as network.NetworkError).type}: ${error.message}`,
    );
  const owner = { serverId: 'server-1', projectId: 'blue', zone: 'nova' };

  it('needs no network to be named in a new cloud, whoever asks', async () => {
    for (const project of ['admin', 'demo'].map((name) => idFor(`identity.project.${name}`)))
      expect(
        (await inside((context) => network.planNetworks(context, project, undefined))).map(
          (one) => one.network.name,
        ),
      ).to.deep.equal(['private']);
  });

  it('chooses the only network that there is, and wants to be told where there are several', async () => {
    expect((await plan(undefined)).map((one) => one.network.name)).to.deep.equal(['private']);
    expect((await plan('auto')).map((one) => one.network.name)).to.deep.equal(['private']);
    expect(await plan('none')).to.deep.equal([]);
    await makeNetwork(world, '10.1.0.0/24', member);
    expect(await refused(undefined)).to.equal(
      '409 NetworkAmbiguous: Multiple possible networks found, use a Network ID to be more specific.',
    );
  });

  it('refuses networks and ports that a server cannot be on', async () => {
    const bare = await make(world, 'network', {}, member);
    expect(await refused([{ uuid: bare.id }])).to.equal(
      `400 NetworkRequiresSubnet: Network ${bare.id} requires a subnet in order to boot instances on.`,
    );
    const other = await makeNetwork(world, '10.1.0.0/24', stranger);
    expect(await refused([{ uuid: other.network.id }])).to.equal(
      `400 NetworkNotFound: Network ${other.network.id} could not be found.`,
    );
    const outside = network.seededNetworkId('RegionOne', 'public');
    expect(await refused([{ uuid: outside }])).to.equal(
      `403 ExternalNetworkAttachForbidden: It is not allowed to create an interface on external network ${outside}`,
    );
    expect(await refused([{ port: 'x' }])).to.equal(
      '400 PortNotFound: Port id x could not be found.',
    );
    const own = await makeNetwork(world, '10.2.0.0/24', member);
    const port = await make(world, 'port', { network_id: own.network.id, device_id: 'd' }, member);
    expect(await refused([{ port: port.id }])).to.equal(
      `409 PortInUse: Port ${port.id} is still in use.`,
    );
    expect(await refused([{ uuid: own.network.id, fixedIp: '10.2.0.2' }])).to.equal(
      '400 FixedIpAlreadyInUse: Fixed IP address 10.2.0.2 is already in use on instance d.',
    );
    const free = await make(world, 'port', { network_id: own.network.id }, member);
    expect(await refused([{ port: free.id }, { port: free.id }])).to.contain(
      '400 NetworkDuplicated',
    );
  });

  it('gives a server its ports, binds them and takes them away; ports that were there stay', async () => {
    const { network: own } = await makeNetwork(world, '10.1.0.0/24', member);
    const given = await make(world, 'port', { network_id: own.id }, member);
    await make(world, 'security_group', { name: 'web' }, member);
    await inside(async (context) => {
      const plans = await network.planNetworks(context, 'blue', [
        { uuid: own.id, fixedIp: '10.1.0.50' },
        { port: given.id },
      ]);
      const groups = await network.findSecurityGroups(context, 'blue', ['web']);
      await network.createServerPorts(
        context,
        owner,
        plans,
        groups.map(({ id }) => id),
      );
    });
    const ports = async () =>
      (await inside((context) => network.portsOfServers(context, ['server-1']))).get('server-1') ??
      [];
    const all = await ports();
    expect(all.map((port) => port.addresses[0]!.ip)).to.have.members(['10.1.0.50', '10.1.0.2']);
    expect(all.find((port) => port.portId !== given.id)).to.deep.include({
      networkName: 'net',
      groups: ['web'],
      status: 'DOWN',
    });
    await inside((context) => network.bindServerPorts(context, 'server-1', 'host-1'));
    expect((await ports()).map(({ status }) => status)).to.deep.equal(['ACTIVE', 'ACTIVE']);
    const { body } = await ask(world, 'GET', '/ports?device_id=server-1');
    for (const port of body.ports)
      expect(port).to.include({
        device_owner: 'compute:nova',
        'binding:host_id': 'host-1',
        project_id: 'blue',
      });
    await inside((context) => network.deleteServerPorts(context, 'server-1', [given.id]));
    expect(await ports()).to.deep.equal([]);
    const left = await ask(world, 'GET', `/ports/${given.id}`, undefined, member).expect(200);
    expect(left.body.port).to.include({ device_id: '', device_owner: '', status: 'DOWN' });
  });

  it('finds security groups by name or id', async () => {
    const one = await make(world, 'security_group', { name: 'twin' }, member);
    await make(world, 'security_group', { name: 'twin' }, member);
    const found = (names: string[]) =>
      inside((context) => network.findSecurityGroups(context, 'blue', names));
    expect((await found(['default', one.id])).map(({ name }) => name)).to.deep.equal([
      'default',
      'twin',
    ]);
    const told = (names: string[]) =>
      found(names).then(
        () => '',
        (error: ApiError) => `${error.status} ${error.message}`,
      );
    expect(await told(['twin'])).to.equal(
      "409 Multiple security groups found matching 'twin'. Use an ID to be more specific.",
    );
    expect(await told(['x'])).to.equal('400 Security group x not found for project blue.');
  });

  it('goes along with how test suites make a project of their own and take it away', async () => {
    const name = { name: 'tempest', project_id: 'green' };
    const made = await make(world, 'network', name);
    const subnet = await make(world, 'subnet', {
      ...name,
      network_id: made.id,
      cidr: '10.100.0.0/28',
      ip_version: 4,
      enable_dhcp: true,
    });
    const gateway = {
      external_gateway_info: { network_id: network.seededNetworkId('RegionOne', 'public') },
    };
    const router = await make(world, 'router', { ...name, ...gateway, admin_state_up: true });
    const change = (verb: string) =>
      ask(world, 'PUT', `/routers/${router.id}/${verb}_router_interface`, { subnet_id: subnet.id });
    await change('add').expect(200);
    await change('remove').expect(200);
    await ask(world, 'DELETE', `/routers/${router.id}`).expect(204);
    await ask(world, 'DELETE', `/subnets/${subnet.id}`).expect(204);
    await ask(world, 'DELETE', `/networks/${made.id}`).expect(204);
    const { body } = await ask(
      world,
      'GET',
      '/security-groups?project_id=green&name=default',
    ).expect(200);
    expect(body.security_groups).to.have.length(1);
    await ask(world, 'DELETE', `/security-groups/${body.security_groups[0].id}`).expect(204);
    expect(refusal(await ask(world, 'DELETE', `/routers/${router.id}`))).to.contain(
      '404 RouterNotFound',
    );
  });
});
