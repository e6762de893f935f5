// The functions that Compute calls within its own transaction, and the teardown of a project.
import { expect } from 'chai';
import { ApiError } from '../../../src/kernel/errors.ts';
import { idFor } from '../../../src/kernel/ids.ts';
import { transact } from '../../../src/kernel/db/transaction.ts';
import type { Context } from '../../../src/kernel/model.ts';
import { anonymous, systemContext } from '../../../src/kernel/context.ts';
import * as network from '../../../src/services/network/index.ts';
import { noon, onEachDatabase } from '../../support/cloud.ts';
import { ask, make, makeNetwork, member, errorOf, otherMember } from './support.ts';

onEachDatabase('network: functions for Compute', { auth: 'noauth2' }, (world) => {
  const inside = <T>(run: (context: Context) => Promise<T>, admin = false): Promise<T> =>
    transact(world.cloud.firstRegion.database.db, (db, attempt) =>
      run({
        ...systemContext(world.cloud, world.cloud.firstRegion, db, noon, attempt),
        actor: { ...anonymous, projectId: 'blue', isAdmin: admin },
      }),
    );
  const plan = (requests: Parameters<typeof network.planNetworks>[2]) =>
    inside((context) => network.planNetworks(context, 'blue', requests));
  const planError = (requests: Parameters<typeof network.planNetworks>[2]): Promise<string> =>
    plan(requests).then(
      () => 'allowed',
      (error: ApiError) =>
        `${error.status} ${(error as network.NetworkError).type}: ${error.message}`,
    );
  const find = (names: string[]) =>
    inside((context) => network.findSecurityGroups(context, 'blue', names));
  const findError = (names: string[]): Promise<string> =>
    find(names).then(
      () => '',
      (error: ApiError) => `${error.status} ${error.message}`,
    );
  const owner = { serverId: 'server-1', projectId: 'blue', zone: 'nova' };

  const nameOf = (plan: network.NetworkPlan): string | undefined =>
    'network' in plan ? plan.network.name : undefined;

  describe('planNetworks()', () => {
    it('uses the private network by default in a new cloud, for each project', async () => {
      for (const project of ['admin', 'demo'].map((name) => idFor(`identity.project.${name}`)))
        expect(
          (await inside((context) => network.planNetworks(context, project, undefined))).map(
            nameOf,
          ),
        ).to.deep.equal(['private']);
    });

    it('uses the only network of a project without requests or for auto', async () => {
      expect((await plan(undefined)).map(nameOf)).to.deep.equal(['private']);
      expect((await plan('auto')).map(nameOf)).to.deep.equal(['private']);
    });

    it('returns no interfaces for none', async () => {
      expect(await plan('none')).to.deep.equal([]);
    });

    it('returns 409 without requests if the project has several networks', async () => {
      await makeNetwork(world, '10.1.0.0/24', member);
      expect(await planError(undefined)).to.equal(
        '409 NetworkAmbiguous: Multiple possible networks found, use a Network ID to be ' +
          'more specific.',
      );
    });

    it('returns 400 for a network without subnets', async () => {
      const bare = await make(world, 'network', {}, member);
      expect(await planError([{ uuid: bare.id }])).to.equal(
        `400 NetworkRequiresSubnet: Network ${bare.id} requires a subnet in order to boot ` +
          'instances on.',
      );
    });

    it('returns 400 for a network of another project', async () => {
      const other = await makeNetwork(world, '10.1.0.0/24', otherMember);
      expect(await planError([{ uuid: other.network.id }])).to.equal(
        `400 NetworkNotFound: Network ${other.network.id} could not be found.`,
      );
    });

    it('returns 403 for an external network', async () => {
      const outside = network.seededNetworkId('RegionOne', 'public');
      expect(await planError([{ uuid: outside }])).to.equal(
        '403 ExternalNetworkAttachForbidden: It is not allowed to create an interface on ' +
          `external network ${outside}`,
      );
    });

    it('returns 400 for an unknown port', async () => {
      expect(await planError([{ port: 'x' }])).to.equal(
        '400 PortNotFound: Port id x could not be found.',
      );
    });

    it('returns 409 for a port in use, and 400 for its address', async () => {
      const own = await makeNetwork(world, '10.2.0.0/24', member);
      const port = await make(
        world,
        'port',
        { network_id: own.network.id, device_id: 'd' },
        member,
      );
      expect(await planError([{ port: port.id }])).to.equal(
        `409 PortInUse: Port ${port.id} is still in use.`,
      );
      expect(await planError([{ uuid: own.network.id, fixedIp: '10.2.0.3' }])).to.equal(
        '400 FixedIpAlreadyInUse: Fixed IP address 10.2.0.3 is already in use on instance d.',
      );
    });

    it('returns 400 for a port that is requested twice', async () => {
      const own = await makeNetwork(world, '10.2.0.0/24', member);
      const free = await make(world, 'port', { network_id: own.network.id }, member);
      expect(await planError([{ port: free.id }, { port: free.id }])).to.contain(
        '400 NetworkDuplicated',
      );
    });
  });

  describe('createServerPorts(), bindServerPorts() and deleteServerPorts()', () => {
    it(
      'creates, binds and deletes the ports of a server, and detaches ports that it did not ' +
        'create',
      async () => {
        const { network: own } = await makeNetwork(world, '10.1.0.0/24', member);
        const existing = await make(world, 'port', { network_id: own.id }, member);
        await make(world, 'security_group', { name: 'web' }, member);
        await inside(async (context) => {
          const plans = await network.planNetworks(context, 'blue', [
            { uuid: own.id, fixedIp: '10.1.0.50' },
            { port: existing.id },
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
          (await inside((context) => network.portsOfServers(context, ['server-1']))).get(
            'server-1',
          ) ?? [];
        const all = await ports();
        expect(all.map((port) => port.addresses[0]!.ip)).to.have.members(['10.1.0.50', '10.1.0.3']);
        expect(all.find((port) => port.portId !== existing.id)).to.deep.include({
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
        await inside((context) => network.deleteServerPorts(context, 'server-1', [existing.id]));
        expect(await ports()).to.deep.equal([]);
        const detached = await ask(world, 'GET', `/ports/${existing.id}`, undefined, member).expect(
          200,
        );
        expect(detached.body.port).to.include({ device_id: '', device_owner: '', status: 'DOWN' });
      },
    );
  });

  describe('findSecurityGroups()', () => {
    it('finds groups by name or id', async () => {
      const one = await make(world, 'security_group', { name: 'twin' }, member);
      await make(world, 'security_group', { name: 'twin' }, member);
      expect((await find(['default', one.id])).map(({ name }) => name)).to.deep.equal([
        'default',
        'twin',
      ]);
    });

    it('returns 409 for an ambiguous name', async () => {
      await make(world, 'security_group', { name: 'twin' }, member);
      await make(world, 'security_group', { name: 'twin' }, member);
      expect(await findError(['twin'])).to.equal(
        "409 Multiple security groups found matching 'twin'. Use an ID to be more specific.",
      );
    });

    it('returns 400 for an unknown name', async () => {
      expect(await findError(['x'])).to.equal('400 Security group x not found for project blue.');
    });
  });

  it('deletes the resources of a project in the order in which test suites delete them', async () => {
    const name = { name: 'tempest', project_id: 'green' };
    const created = await make(world, 'network', name);
    const subnet = await make(world, 'subnet', {
      ...name,
      network_id: created.id,
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
    await ask(world, 'DELETE', `/networks/${created.id}`).expect(204);
    const { body } = await ask(
      world,
      'GET',
      '/security-groups?project_id=green&name=default',
    ).expect(200);
    expect(body.security_groups).to.have.length(1);
    await ask(world, 'DELETE', `/security-groups/${body.security_groups[0].id}`).expect(204);
    expect(errorOf(await ask(world, 'DELETE', `/routers/${router.id}`))).to.contain(
      '404 RouterNotFound',
    );
  });
});
