// Routers with their gateways and interfaces, and the floating IPs that lead through them.
import { expect } from 'chai';
import { seededNetworkId } from '../../../src/services/network/seed.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  ask,
  make,
  makeNetwork,
  member,
  reader,
  refusal,
  someone,
  stranger,
  type Thing,
} from './support.ts';

onEachDatabase('network: routers', { auth: 'noauth2' }, (world) => {
  const outside = seededNetworkId('RegionOne', 'public');
  const attach = (router: Thing, body: object, verb = 'add') =>
    ask(world, 'PUT', `/routers/${router.id}/${verb}_router_interface`, body, member);
  const put = (router: Thing, fields: object, as = member) =>
    ask(world, 'PUT', `/routers/${router.id}`, { router: fields }, as);

  it('are made with a gateway or without one', async () => {
    const { id, ...plain } = await make(world, 'router', { name: 'r' }, member);
    expect(id).to.be.a('string');
    expect(plain).to.deep.equal({
      name: 'r',
      admin_state_up: true,
      status: 'ACTIVE',
      project_id: 'blue',
      tenant_id: 'blue',
      external_gateway_info: null,
      routes: [],
      availability_zone_hints: [],
      availability_zones: [],
      tags: [],
      description: '',
      created_at: '2026-11-20T12:00:00Z',
      updated_at: '2026-11-20T12:00:00Z',
      revision_number: 0,
    });
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
    const away = await put(router, { external_gateway_info: {} }).expect(200);
    expect(away.body.router.external_gateway_info).to.equal(null);
  });

  it('want a gateway that leads out, and its details from admins', async () => {
    const { network } = await makeNetwork(world, '10.1.0.0/24', member);
    const post = async (external_gateway_info: object, as = member): Promise<string> =>
      refusal(await ask(world, 'POST', '/routers', { router: { external_gateway_info } }, as));
    expect(await post({ network_id: network.id })).to.equal(
      `400 BadRequest: Bad router request: Network ${network.id} is not an external network.`,
    );
    expect(await post({ network_id: 'x' })).to.contain("'x' is not a valid UUID");
    expect(await post({ enable_snat: true })).to.contain("Expected keys: {'network_id'}");
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
    expect(admin['external_gateway_info'].external_fixed_ips[0].ip_address).to.equal('172.24.4.99');
  });

  it('have subnets attached at the address of their gateway, and taken off', async () => {
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
    expect(
      refusal(await ask(world, 'DELETE', `/ports/${body.port_id}`, undefined, member)),
    ).to.equal(
      `409 ServicePortInUse: Port ${body.port_id} cannot be deleted directly via the port API: has device owner network:router_interface.`,
    );
    expect(refusal(await attach(router, { subnet_id: subnet.id }))).to.equal(
      `400 BadRequest: Bad router request: Router already has a port on subnet ${subnet.id}.`,
    );
    expect(
      refusal(await ask(world, 'DELETE', `/routers/${router.id}`, undefined, member)),
    ).to.equal(`409 RouterInUse: Router ${router.id} has ports still attached: ${body.port_id}`);
    await attach(router, { subnet_id: subnet.id }, 'remove').expect(200);
    expect(refusal(await attach(router, { subnet_id: subnet.id }, 'remove'))).to.equal(
      `404 RouterInterfaceNotFoundForSubnet: Router ${router.id} has no interface on subnet ${subnet.id}`,
    );
    await ask(world, 'DELETE', `/routers/${router.id}`, undefined, member).expect(204);
  });

  it('have ports attached that nothing uses', async () => {
    const { network } = await makeNetwork(world, '10.1.0.0/24', member);
    const router = await make(world, 'router', {}, member);
    const port = await make(world, 'port', { network_id: network.id }, member);
    const { body } = await attach(router, { port_id: port.id }).expect(200);
    expect(body.port_id).to.equal(port.id);
    expect(refusal(await attach(router, { port_id: port.id }))).to.contain('409 PortInUse');
    await attach(router, { port_id: port.id }, 'remove').expect(200);
    await ask(world, 'GET', `/ports/${port.id}`).expect(404);
    expect(refusal(await attach(router, {}))).to.equal(
      '400 BadRequest: Bad router request: Either subnet_id or port_id must be specified.',
    );
    expect(refusal(await attach(router, { subnet_id: 'x' }))).to.contain("'x' is not a valid UUID");
    const addressless = await make(
      world,
      'port',
      { network_id: network.id, fixed_ips: [] },
      member,
    );
    expect(refusal(await attach(router, { port_id: addressless.id }))).to.contain(
      'Router port must have at least one fixed IP',
    );
  });

  it('have no two subnets that overlap, also when both come at once', async () => {
    const router = await make(world, 'router', {}, member);
    const two = [
      await makeNetwork(world, '10.1.0.0/24', member),
      await makeNetwork(world, '10.1.0.0/16', member),
    ];
    const replies = await Promise.all(
      two.map(({ subnet }) => attach(router, { subnet_id: subnet.id })),
    );
    expect(replies.map(({ status }) => status).toSorted()).to.deep.equal([200, 400]);
    expect(refusal(replies.find(({ status }) => status === 400)!)).to.match(
      /Cidr 10\.1\.0\.0\/\d+ of subnet \S+ overlaps with cidr 10\.1\.0\.0\/\d+ of subnet/,
    );
  });

  it('have routes over what they are connected with', async () => {
    const { subnet } = await makeNetwork(world, '10.1.0.0/24', member);
    const router = await make(world, 'router', {}, member);
    await attach(router, { subnet_id: subnet.id }).expect(200);
    const routes = (nexthop: string) => ({ routes: [{ destination: '10.9.0.0/16', nexthop }] });
    expect(refusal(await put(router, routes('10.2.0.1')))).to.contain(
      '400 InvalidRoutes: Invalid format for routes: ',
    );
    expect(refusal(await put(router, routes('10.1.0.1')))).to.contain(
      'the nexthop is used by router',
    );
    expect((await put(router, routes('10.1.0.9')).expect(200)).body.router.routes).to.deep.equal(
      routes('10.1.0.9').routes,
    );
    expect(refusal(await attach(router, { subnet_id: subnet.id }, 'remove'))).to.contain(
      '409 RouterInterfaceInUseByRoute',
    );
  });

  it('are only for their project', async () => {
    const { subnet } = await makeNetwork(world, '10.1.0.0/24', stranger);
    const router = await make(world, 'router', {}, member);
    expect(refusal(await attach(router, { subnet_id: subnet.id }))).to.equal(
      `404 SubnetNotFound: Subnet ${subnet.id} could not be found.`,
    );
    expect(refusal(await put(router, { name: 'x' }, stranger))).to.contain('404 RouterNotFound');
    expect(refusal(await put(router, { name: 'x' }, reader))).to.contain('403 PolicyNotAuthorized');
  });

  describe('floating IPs', () => {
    /** A port behind a router that leads out. */
    async function behind(
      cidr = '10.1.0.0/24',
    ): Promise<{ port: Thing; router: Thing; subnet: Thing; network: Thing }> {
      const { network, subnet } = await makeNetwork(world, cidr, member);
      const router = await make(
        world,
        'router',
        { external_gateway_info: { network_id: outside } },
        member,
      );
      await attach(router, { subnet_id: subnet.id }).expect(200);
      return {
        network,
        subnet,
        router,
        port: await make(world, 'port', { network_id: network.id, name: 'p' }, member),
      };
    }
    const take = (fields: object = {}) =>
      make(world, 'floatingip', { floating_network_id: outside, ...fields }, member);
    const change = (floating: Thing, fields: object) =>
      ask(world, 'PUT', `/floatingips/${floating.id}`, { floatingip: fields }, member);

    it('lead to a port, elsewhere and nowhere', async () => {
      const { port, router } = await behind();
      const floating = await take();
      expect(floating).to.deep.include({
        status: 'DOWN',
        port_id: null,
        fixed_ip_address: null,
        router_id: null,
        port_details: null,
      });
      expect(floating['floating_ip_address']).to.match(/^172\.24\.4\./);
      const there = await change(floating, { port_id: port.id }).expect(200);
      expect(there.body.floatingip).to.deep.include({
        port_id: port.id,
        fixed_ip_address: '10.1.0.2',
        router_id: router.id,
        status: 'ACTIVE',
      });
      expect(there.body.floatingip.port_details).to.include({ name: 'p', device_id: '' });
      expect((await change(floating, { description: 'd' }).expect(200)).body.floatingip).to.include(
        {
          port_id: port.id,
          description: 'd',
        },
      );
      expect((await change(floating, { port_id: null }).expect(200)).body.floatingip).to.include({
        port_id: null,
        status: 'DOWN',
      });
      await ask(world, 'DELETE', `/floatingips/${floating.id}`, undefined, member).expect(204);
      const ports = await ask(world, 'GET', `/ports?device_owner=network:floatingip`);
      expect(ports.body.ports).to.deep.equal([]);
    });

    it('want to know the address where a port has several', async () => {
      const { network, subnet } = await behind();
      const fixed_ips = [{ ip_address: '10.1.0.20' }, { ip_address: '10.1.0.21' }];
      const port = await make(world, 'port', { network_id: network.id, fixed_ips }, member);
      const floating = await take();
      expect(refusal(await change(floating, { port_id: port.id }))).to.contain(
        'has multiple fixed IPv4 addresses.  Must provide a specific IPv4 address',
      );
      expect(
        refusal(await change(floating, { port_id: port.id, fixed_ip_address: '10.1.0.9' })),
      ).to.contain('does not have fixed ip 10.1.0.9');
      expect(refusal(await change(floating, { fixed_ip_address: '10.1.0.20' }))).to.contain(
        'fixed_ip_address cannot be specified without a port_id',
      );
      const reply = await change(floating, {
        port_id: port.id,
        fixed_ip_address: '10.1.0.21',
      }).expect(200);
      expect(reply.body.floatingip.fixed_ip_address).to.equal('10.1.0.21');
      expect(
        refusal(await change(await take(), { port_id: port.id, fixed_ip_address: '10.1.0.21' })),
      ).to.contain('409 FloatingIPPortAlreadyAssociated');
      expect(
        refusal(
          await attach({ id: reply.body.floatingip.router_id }, { subnet_id: subnet.id }, 'remove'),
        ),
      ).to.contain('409 RouterInterfaceInUseByFloatingIP');
      expect(
        refusal(
          await put({ id: reply.body.floatingip.router_id }, { external_gateway_info: null }),
        ),
      ).to.contain('409 RouterExternalGatewayInUseByFloatingIp');
    });

    it('are DOWN while no agent hosts their router', async () => {
      const { port, router } = await behind();
      const floating = await take({ port_id: port.id });
      const status = async (): Promise<unknown> =>
        (await ask(world, 'GET', `/floatingips/${floating.id}`, undefined, member)).body.floatingip
          .status;
      expect(await status()).to.equal('ACTIVE');
      const [agent] = (await ask(world, 'GET', `/routers/${router.id}/l3-agents`)).body
        .agents as Thing[];
      await ask(world, 'DELETE', `/agents/${agent!.id}/l3-routers/${router.id}`).expect(204);
      expect(await status()).to.equal('DOWN');
      await change(floating, { port_id: null }).expect(200);
      expect((await change(floating, { port_id: port.id }).expect(200)).body.floatingip).to.include(
        { status: 'DOWN', router_id: router.id },
      );
      await ask(world, 'POST', `/agents/${agent!.id}/l3-routers`, { router_id: router.id }).expect(
        201,
      );
      expect(await status()).to.equal('ACTIVE');
    });

    it('may lead to the interface of a router, and to no port of a DHCP server', async () => {
      const { router, network } = await behind();
      const ports = await ask(
        world,
        'GET',
        `/ports?device_id=${router.id}&device_owner=network:router_interface`,
      );
      const [own] = ports.body.ports as Thing[];
      expect(await take({ port_id: own!.id })).to.include({
        port_id: own!.id,
        router_id: router.id,
        status: 'ACTIVE',
      });
      const dhcp = await make(world, 'port', {
        network_id: network.id,
        device_owner: 'network:dhcp',
        project_id: 'blue',
      });
      const body = { floatingip: { floating_network_id: outside, port_id: dhcp.id } };
      expect(refusal(await ask(world, 'POST', '/floatingips', body, member))).to.contain(
        `Port ${dhcp.id} is unable to be assigned a floating IP`,
      );
    });

    it('need a router in between', async () => {
      const { network, subnet } = await makeNetwork(world, '10.1.0.0/24', member);
      const port = await make(world, 'port', { network_id: network.id }, member);
      const post = async (fields: object): Promise<string> =>
        refusal(
          await ask(
            world,
            'POST',
            '/floatingips',
            { floatingip: { floating_network_id: outside, ...fields } },
            member,
          ),
        );
      expect(await post({ port_id: port.id })).to.equal(
        `404 ExternalGatewayForFloatingIPNotFound: External network ${outside} is not reachable from subnet ${subnet.id}. Therefore, cannot associate Port ${port.id} with a Floating IP.`,
      );
      expect(await post({ floating_network_id: network.id })).to.equal(
        `400 BadRequest: Bad floatingip request: Network ${network.id} is not a valid external network.`,
      );
      expect(await post({ floating_ip_address: '172.24.4.77' })).to.contain(
        'create_floatingip:floating_ip_address',
      );
      expect(
        (await ask(world, 'GET', '/ports?device_owner=network:floatingip')).body.ports,
      ).to.deep.equal([]);
    });

    it('have an address of choice for managers, and lead nowhere once the port is gone', async () => {
      const { port } = await behind();
      const manager = someone('manager,member,reader', 'max', 'blue');
      const floating = await make(
        world,
        'floatingip',
        { floating_network_id: outside, floating_ip_address: '172.24.4.77', port_id: port.id },
        manager,
      );
      expect(floating['floating_ip_address']).to.equal('172.24.4.77');
      const list = await ask(
        world,
        'GET',
        `/floatingips?port_id=${port.id}&status=ACTIVE&floating_ip_address=172.24.4.77`,
        undefined,
        member,
      );
      expect(list.body.floatingips).to.have.length(1);
      expect(
        refusal(await ask(world, 'PUT', `/ports/${port.id}`, { port: { fixed_ips: [] } }, member)),
      ).to.contain('its original fixed_ip has been associated');
      await ask(world, 'DELETE', `/ports/${port.id}`, undefined, member).expect(204);
      const after = await ask(world, 'GET', `/floatingips/${floating.id}`, undefined, member);
      expect(after.body.floatingip).to.include({
        port_id: null,
        fixed_ip_address: null,
        router_id: null,
        status: 'DOWN',
      });
    });
  });
});
