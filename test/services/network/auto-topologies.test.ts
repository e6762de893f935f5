// Automatic topologies, and the default external network that they need.
import { expect } from 'chai';
import { seededNetworkId } from '../../../src/services/network/internal.ts';
import { onEachDatabase, type Asked } from '../../support/cloud.ts';
import { ask, errorOf, make, member, reader, type Resource } from './support.ts';

onEachDatabase('network: automatic topologies', { auth: 'noauth2' }, (world) => {
  const outside = seededNetworkId('RegionOne', 'public');
  const topology = (method: string, project: string, as: Asked = member) =>
    ask(world, method, `/auto-allocated-topology/${project}`, undefined, as);
  const makePool = (fields: object = {}): Promise<Resource> =>
    make(world, 'subnetpool', {
      name: 'automatic',
      prefixes: ['10.64.0.0/16'],
      default_prefixlen: 24,
      is_default: true,
      shared: true,
      ...fields,
    });
  const list = async (collection: string, as: Asked = member): Promise<Resource[]> => {
    const { body } = await ask(world, 'GET', `/${collection}`, undefined, as).expect(200);
    return (body as Record<string, Resource[]>)[collection.replace(/\?.*/, '')]!;
  };
  const put = (id: string, network: object) => ask(world, 'PUT', `/networks/${id}`, { network });

  describe('GET /v2.0/auto-allocated-topology/{project_id}', () => {
    it('creates a network, a subnet of each default pool, and a router, once', async () => {
      await makePool();
      await makePool({ prefixes: ['2001:db8::/32'], default_prefixlen: 64 });
      const { body } = await topology('GET', 'blue').expect(200);
      const found = (body as { auto_allocated_topology: Resource }).auto_allocated_topology;
      expect(found).to.deep.equal({ id: found.id, project_id: 'blue', tenant_id: 'blue' });
      const [network, ...more] = await list('networks?project_id=blue');
      expect(network).to.include({ id: found.id, name: 'auto_allocated_network' });
      expect(network).to.include({ admin_state_up: true, shared: false });
      const subnets = await list(`subnets?network_id=${found.id}`);
      expect(subnets.map(({ name, cidr }) => `${name} ${cidr}`)).to.have.members([
        'auto_allocated_subnet_v4 10.64.0.0/24',
        'auto_allocated_subnet_v6 2001:db8::/64',
      ]);
      const routers = await list('routers');
      expect(routers.map(({ name }) => name)).to.deep.equal(['auto_allocated_router']);
      expect(routers[0]!['external_gateway_info'].network_id).to.equal(outside);
      const again = await topology('GET', 'None').expect(200);
      expect(again.body).to.deep.equal(body);
      expect([more.length, (await list('routers')).length]).to.deep.equal([0, 1]);
    });

    it('creates another one once the network has been deleted', async () => {
      await makePool();
      const idOf = async (): Promise<string> => {
        const { body } = await topology('GET', 'blue').expect(200);
        return (body as { auto_allocated_topology: Resource }).auto_allocated_topology.id;
      };
      const first = await idOf();
      const [router] = await list('routers');
      const [subnet] = await list(`subnets?network_id=${first}`);
      const interfaces = `/routers/${router!.id}/remove_router_interface`;
      await ask(world, 'PUT', interfaces, { subnet_id: subnet!.id }, member).expect(200);
      await ask(world, 'DELETE', `/networks/${first}`, undefined, member).expect(204);
      expect(await idOf()).to.not.equal(first);
    });

    it('only checks the requirements with fields=dry-run', async () => {
      const dryRun = () => topology('GET', 'blue?fields=dry-run');
      expect(errorOf(await dryRun())).to.equal(
        '409 AutoAllocationFailure: Deployment error: No default subnetpools defined.',
      );
      await makePool();
      expect((await dryRun().expect(200)).body).to.deep.equal({
        auto_allocated_topology: { id: 'dry-run=pass', project_id: 'blue' },
      });
      expect(await list('networks?project_id=blue')).to.deep.equal([]);
      expect(errorOf(await topology('GET', 'blue?fields=id'))).to.equal(
        '400 BadRequest: Bad auto_allocate request: Unrecognized field.',
      );
    });

    it('returns 409 without an external network, or a pool that the caller sees', async () => {
      await makePool({ shared: false });
      expect(errorOf(await topology('GET', 'blue'))).to.equal(
        '409 AutoAllocationFailure: ' +
          'Deployment error: Unable to provide project private network.',
      );
      await put(outside, { is_default: false }).expect(200);
      expect(errorOf(await topology('GET', 'blue'))).to.equal(
        '409 AutoAllocationFailure: Deployment error: No default router:external network.',
      );
      expect(await list('networks?project_id=blue')).to.deep.equal([]);
    });

    it('returns 403 for the topology of another project, except to administrators', async () => {
      await makePool();
      expect(errorOf(await topology('GET', 'red'))).to.equal('403 NotAuthorized: Not authorized.');
      await topology('GET', 'red', {}).expect(200);
      expect((await list('routers', {})).map((one) => one['project_id'])).to.include('red');
    });
  });

  describe('DELETE /v2.0/auto-allocated-topology/{project_id}', () => {
    it('deletes the network, the subnets and the router', async () => {
      await makePool();
      await makePool({ prefixes: ['2001:db8::/32'], default_prefixlen: 64 });
      await topology('GET', 'blue').expect(200);
      expect((await topology('DELETE', 'blue', reader)).status).to.equal(403);
      await topology('DELETE', 'blue').expect(204);
      expect(await list('networks?project_id=blue')).to.deep.equal([]);
      expect(await list('routers')).to.deep.equal([]);
      await topology('DELETE', 'blue').expect(204);
    });

    it('returns 409 and keeps everything if a port is on the network', async () => {
      await makePool();
      const { body } = await topology('GET', 'blue').expect(200);
      const { id } = (body as { auto_allocated_topology: Resource }).auto_allocated_topology;
      await make(world, 'port', { network_id: id }, member);
      expect(errorOf(await topology('DELETE', 'blue'))).to.contain('409 NetworkInUse');
      expect((await list('routers')).length).to.equal(1);
    });
  });

  describe('is_default of networks', () => {
    it('is shown by external networks only, and filters lists', async () => {
      await make(world, 'network', { name: 'inside' });
      const shown = await list('networks', {});
      expect(shown.map((one) => [one['name'], one['is_default']])).to.have.deep.members([
        ['public', true],
        ['private', undefined],
        ['inside', undefined],
      ]);
      const names = async (value: string) =>
        (await list(`networks?is_default=${value}`, {})).map(({ name }) => String(name)).toSorted();
      expect(await names('true')).to.deep.equal(['public']);
      expect(await names('false')).to.deep.equal(['inside', 'private']);
    });

    it('returns 409 for a second default, and moves to another network', async () => {
      const external = { name: 'edge', 'router:external': true };
      const post = await ask(world, 'POST', '/networks', {
        network: { ...external, is_default: true },
      });
      const refusal =
        '409 DefaultExternalNetworkExists: ' +
        `A default external network already exists: ${outside}.`;
      expect(errorOf(post)).to.equal(refusal);
      const edge = await make(world, 'network', external);
      expect(errorOf(await put(edge.id, { is_default: true }))).to.equal(refusal);
      await put(outside, { is_default: true, description: 'kept' }).expect(200);
      await put(outside, { is_default: false }).expect(200);
      const { body } = await put(edge.id, { is_default: true }).expect(200);
      expect((body as { network: Resource }).network['is_default']).to.equal(true);
      await put(edge.id, { 'router:external': false }).expect(200);
      await put(edge.id, { 'router:external': true }).expect(200);
      expect(await list('networks?is_default=true', {})).to.deep.equal([]);
    });

    it('returns 403 to members, and keeps the policy that opens the network to all', async () => {
      const sent = { network: { name: 'n', is_default: true } };
      expect(errorOf(await ask(world, 'POST', '/networks', sent, member))).to.contain(
        '403 PolicyNotAuthorized',
      );
      const { body } = await ask(world, 'GET', `/rbac-policies?object_id=${outside}`);
      const [policy] = (body as { rbac_policies: Resource[] }).rbac_policies;
      expect(errorOf(await ask(world, 'DELETE', `/rbac-policies/${policy!.id}`))).to.contain(
        '409 RbacPolicyInUse: ' +
          `RBAC policy on object ${outside} cannot be removed because other objects depend on it.\n` +
          'Details: Default external networks must be shared to everyone.',
      );
    });
  });
});
