// Routers: gateways, interfaces and routes.
import { expect } from 'chai';
import { seededNetworkId } from '../../../src/services/network/seed.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  ask,
  make,
  makeNetwork,
  member,
  reader,
  errorOf,
  otherMember,
  type Resource,
} from './support.ts';

onEachDatabase('network: routers', { auth: 'noauth2' }, (world) => {
  const outside = seededNetworkId('RegionOne', 'public');
  const attach = (router: Resource, body: object, verb = 'add') =>
    ask(world, 'PUT', `/routers/${router.id}/${verb}_router_interface`, body, member);
  const put = (router: Resource, fields: object, as = member) =>
    ask(world, 'PUT', `/routers/${router.id}`, { router: fields }, as);
  const post = async (external_gateway_info: object, as = member): Promise<string> =>
    errorOf(await ask(world, 'POST', '/routers', { router: { external_gateway_info } }, as));

  describe('POST /v2.0/routers', () => {
    it('creates a router without a gateway', async () => {
      const { id, ...plain } = await make(world, 'router', { name: 'r' }, member);
      expect(id).to.be.a('string');
      expect(plain).to.deep.equal({
        name: 'r',
        admin_state_up: true,
        status: 'ACTIVE',
        project_id: 'blue',
        tenant_id: 'blue',
        external_gateway_info: null,
        conntrack_helpers: [],
        routes: [],
        availability_zone_hints: [],
        availability_zones: [],
        tags: [],
        description: '',
        created_at: '2026-11-20T12:00:00Z',
        updated_at: '2026-11-20T12:00:00Z',
        revision_number: 0,
      });
    });

    it('creates a router with a gateway, which an update clears', async () => {
      const router = await make(
        world,
        'router',
        { external_gateway_info: { network_id: outside } },
        member,
      );
      expect(router['external_gateway_info']).to.deep.include({
        network_id: outside,
        enable_snat: true,
      });
      expect(router['external_gateway_info'].external_fixed_ips[0].ip_address).to.match(
        /^172\.24\.4\./,
      );
      const cleared = await put(router, { external_gateway_info: {} }).expect(200);
      expect(cleared.body.router.external_gateway_info).to.equal(null);
    });

    it('returns 400 for a gateway on an internal or unknown network', async () => {
      const { network } = await makeNetwork(world, '10.1.0.0/24', member);
      expect(await post({ network_id: network.id })).to.equal(
        `400 BadRequest: Bad router request: Network ${network.id} is not an external network.`,
      );
      expect(await post({ network_id: 'x' })).to.contain("'x' is not a valid UUID");
      expect(await post({ enable_snat: true })).to.contain("Expected keys: {'network_id'}");
    });

    it('lets only administrators set SNAT and the addresses of a gateway', async () => {
      expect(await post({ network_id: outside, enable_snat: false })).to.contain(
        'create_router:external_gateway_info:enable_snat',
      );
      const admin = await make(world, 'router', {
        external_gateway_info: {
          network_id: outside,
          enable_snat: false,
          external_fixed_ips: [{ ip_address: '172.24.4.99' }],
        },
      });
      expect(admin['external_gateway_info']).to.deep.include({ enable_snat: false });
      expect(admin['external_gateway_info'].external_fixed_ips[0].ip_address).to.equal(
        '172.24.4.99',
      );
    });
  });

  describe('PUT /v2.0/routers/{id}/add_router_interface', () => {
    it('adds a subnet with a port that has the address of its gateway', async () => {
      const { network, subnet } = await makeNetwork(world, '10.1.0.0/24', member);
      const router = await make(world, 'router', {}, member);
      const { body } = await attach(router, { subnet_id: subnet.id }).expect(200);
      expect(body).to.deep.include({
        id: router.id,
        project_id: 'blue',
        network_id: network.id,
        subnet_id: subnet.id,
        subnet_ids: [subnet.id],
      });
      const port = await ask(world, 'GET', `/ports/${body.port_id}`, undefined, member);
      expect(port.body.port).to.deep.include({
        device_id: router.id,
        device_owner: 'network:router_interface',
        fixed_ips: [{ subnet_id: subnet.id, ip_address: '10.1.0.1' }],
        security_groups: [],
        status: 'ACTIVE',
      });
    });

    it('adds a port, returns 409 for a port in use, and deletes the port on removal', async () => {
      const { network } = await makeNetwork(world, '10.1.0.0/24', member);
      const router = await make(world, 'router', {}, member);
      const port = await make(world, 'port', { network_id: network.id }, member);
      const { body } = await attach(router, { port_id: port.id }).expect(200);
      expect(body.port_id).to.equal(port.id);
      expect(errorOf(await attach(router, { port_id: port.id }))).to.contain('409 PortInUse');
      await attach(router, { port_id: port.id }, 'remove').expect(200);
      await ask(world, 'GET', `/ports/${port.id}`).expect(404);
    });

    it('adds one of two overlapping subnets that are added concurrently', async () => {
      const router = await make(world, 'router', {}, member);
      const two = [
        await makeNetwork(world, '10.1.0.0/24', member),
        await makeNetwork(world, '10.1.0.0/16', member),
      ];
      const replies = await Promise.all(
        two.map(({ subnet }) => attach(router, { subnet_id: subnet.id })),
      );
      expect(replies.map(({ status }) => status).toSorted()).to.deep.equal([200, 400]);
      expect(errorOf(replies.find(({ status }) => status === 400)!)).to.match(
        /Cidr 10\.1\.0\.0\/\d+ of subnet \S+ overlaps with cidr 10\.1\.0\.0\/\d+ of subnet/,
      );
    });

    it('returns 400 for a subnet that the router has already', async () => {
      const { subnet } = await makeNetwork(world, '10.1.0.0/24', member);
      const router = await make(world, 'router', {}, member);
      await attach(router, { subnet_id: subnet.id }).expect(200);
      expect(errorOf(await attach(router, { subnet_id: subnet.id }))).to.equal(
        `400 BadRequest: Bad router request: Router already has a port on subnet ${subnet.id}.`,
      );
    });

    it('returns 400 without a port or subnet, or for an invalid id', async () => {
      const router = await make(world, 'router', {}, member);
      expect(errorOf(await attach(router, {}))).to.equal(
        '400 BadRequest: Bad router request: Either subnet_id or port_id must be specified.',
      );
      expect(errorOf(await attach(router, { subnet_id: 'x' }))).to.contain(
        "'x' is not a valid UUID",
      );
    });

    it('returns 400 for a port without an address', async () => {
      const { network } = await makeNetwork(world, '10.1.0.0/24', member);
      const router = await make(world, 'router', {}, member);
      const addressless = await make(
        world,
        'port',
        { network_id: network.id, fixed_ips: [] },
        member,
      );
      expect(errorOf(await attach(router, { port_id: addressless.id }))).to.contain(
        'Router port must have at least one fixed IP',
      );
    });

    it('returns 404 for a subnet of another project', async () => {
      const { subnet } = await makeNetwork(world, '10.1.0.0/24', otherMember);
      const router = await make(world, 'router', {}, member);
      expect(errorOf(await attach(router, { subnet_id: subnet.id }))).to.equal(
        `404 SubnetNotFound: Subnet ${subnet.id} could not be found.`,
      );
    });

    it('returns 409 when the port of an interface is deleted', async () => {
      const { subnet } = await makeNetwork(world, '10.1.0.0/24', member);
      const router = await make(world, 'router', {}, member);
      const { body } = await attach(router, { subnet_id: subnet.id }).expect(200);
      expect(
        errorOf(await ask(world, 'DELETE', `/ports/${body.port_id}`, undefined, member)),
      ).to.equal(
        `409 ServicePortInUse: Port ${body.port_id} cannot be deleted directly via the ` +
          'port API: has device owner network:router_interface.',
      );
    });
  });

  describe('PUT /v2.0/routers/{id}/remove_router_interface', () => {
    it('removes a subnet, and returns 404 if it is removed again', async () => {
      const { subnet } = await makeNetwork(world, '10.1.0.0/24', member);
      const router = await make(world, 'router', {}, member);
      await attach(router, { subnet_id: subnet.id }).expect(200);
      await attach(router, { subnet_id: subnet.id }, 'remove').expect(200);
      expect(errorOf(await attach(router, { subnet_id: subnet.id }, 'remove'))).to.equal(
        `404 RouterInterfaceNotFoundForSubnet: Router ${router.id} has no interface on ` +
          `subnet ${subnet.id}`,
      );
      await ask(world, 'DELETE', `/routers/${router.id}`, undefined, member).expect(204);
    });

    it('returns 409 when the subnet of a route is removed', async () => {
      const { subnet } = await makeNetwork(world, '10.1.0.0/24', member);
      const router = await make(world, 'router', {}, member);
      await attach(router, { subnet_id: subnet.id }).expect(200);
      await put(router, {
        routes: [{ destination: '10.9.0.0/16', nexthop: '10.1.0.9' }],
      }).expect(200);
      expect(errorOf(await attach(router, { subnet_id: subnet.id }, 'remove'))).to.contain(
        '409 RouterInterfaceInUseByRoute',
      );
    });
  });

  describe('PUT and DELETE /v2.0/routers/{id}', () => {
    it('sets routes over addresses on its subnets, and returns 400 for others', async () => {
      const { subnet } = await makeNetwork(world, '10.1.0.0/24', member);
      const router = await make(world, 'router', {}, member);
      await attach(router, { subnet_id: subnet.id }).expect(200);
      const routes = (nexthop: string) => ({ routes: [{ destination: '10.9.0.0/16', nexthop }] });
      expect(errorOf(await put(router, routes('10.2.0.1')))).to.contain(
        '400 InvalidRoutes: Invalid format for routes: ',
      );
      expect(errorOf(await put(router, routes('10.1.0.1')))).to.contain(
        'the nexthop is used by router',
      );
      expect((await put(router, routes('10.1.0.9')).expect(200)).body.router.routes).to.deep.equal(
        routes('10.1.0.9').routes,
      );
    });

    it('adds and removes single routes, and ignores those that are there or are not', async () => {
      const { subnet } = await makeNetwork(world, '10.1.0.0/24', member);
      const router = await make(world, 'router', {}, member);
      await attach(router, { subnet_id: subnet.id }).expect(200);
      const change = (verb: string, routes: unknown, who = member) =>
        ask(world, 'PUT', `/routers/${router.id}/${verb}_extraroutes`, { router: { routes } }, who);
      const to = (destination: string, nexthop = '10.1.0.9') => ({ destination, nexthop });
      const [one, two, again] = [
        to('10.8.0.0/16'),
        to('10.9.0.0/16'),
        to('10.8.0.0/16', '10.1.0.8'),
      ];
      await change('add', [one]).expect(200);
      const added = await change('add', [one, two, again]).expect(200);
      expect(added.body.router.routes).to.deep.equal([one, two, again]);
      const removed = await change('remove', [one, to('10.7.0.0/16')]).expect(200);
      expect(removed.body.router).to.deep.include({ id: router.id, routes: [two, again] });
      expect(errorOf(await change('add', [to('10.7.0.0/16', '10.2.0.9')]))).to.contain(
        'the nexthop is not connected with router',
      );
      expect(errorOf(await change('add', [{ destination: 'x', nexthop: '10.1.0.9' }]))).to.equal(
        "400 HTTPBadRequest: Invalid input for routes. Reason: 'x' is not a valid CIDR.",
      );
      expect(errorOf(await change('add', 'x'))).to.contain('400 HTTPBadRequest');
      expect(errorOf(await change('add', [one], otherMember))).to.contain('404 RouterNotFound');
      expect(errorOf(await change('remove', [two], reader))).to.contain('403 PolicyNotAuthorized');
      const { body } = await ask(world, 'GET', `/routers/${router.id}`, undefined, member);
      expect(body.router.routes).to.deep.equal([two, again]);
    });

    it('returns 404 to another project, and 403 to a reader', async () => {
      const router = await make(world, 'router', {}, member);
      expect(errorOf(await put(router, { name: 'x' }, otherMember))).to.contain(
        '404 RouterNotFound',
      );
      expect(errorOf(await put(router, { name: 'x' }, reader))).to.contain(
        '403 PolicyNotAuthorized',
      );
    });

    it('returns 409 while the router has interfaces', async () => {
      const { subnet } = await makeNetwork(world, '10.1.0.0/24', member);
      const router = await make(world, 'router', {}, member);
      const { body } = await attach(router, { subnet_id: subnet.id }).expect(200);
      expect(
        errorOf(await ask(world, 'DELETE', `/routers/${router.id}`, undefined, member)),
      ).to.equal(`409 RouterInUse: Router ${router.id} has ports still attached: ${body.port_id}`);
    });
  });
});
