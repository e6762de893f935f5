// Floating IPs, and their association with ports behind routers.
import { expect } from 'chai';
import { seededNetworkId } from '../../../src/services/network/seed.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask, make, makeNetwork, member, errorOf, someone, type Resource } from './support.ts';

onEachDatabase('network: floating IPs', { auth: 'noauth2' }, (world) => {
  const outside = seededNetworkId('RegionOne', 'public');
  const attach = (router: Resource, body: object, verb = 'add') =>
    ask(world, 'PUT', `/routers/${router.id}/${verb}_router_interface`, body, member);
  const put = (router: Resource, fields: object, as = member) =>
    ask(world, 'PUT', `/routers/${router.id}`, { router: fields }, as);

  /** Creates a port behind a router with an external gateway. */
  async function makePortBehindRouter(
    cidr = '10.1.0.0/24',
  ): Promise<{ port: Resource; router: Resource; subnet: Resource; network: Resource }> {
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
  const makeFloatingip = (fields: object = {}) =>
    make(world, 'floatingip', { floating_network_id: outside, ...fields }, member);
  const update = (floating: Resource, fields: object) =>
    ask(world, 'PUT', `/floatingips/${floating.id}`, { floatingip: fields }, member);
  const post = async (fields: object): Promise<string> =>
    errorOf(
      await ask(
        world,
        'POST',
        '/floatingips',
        { floatingip: { floating_network_id: outside, ...fields } },
        member,
      ),
    );

  describe('POST /v2.0/floatingips', () => {
    it('creates a floating IP without a port', async () => {
      const floating = await makeFloatingip();
      expect(floating).to.deep.include({
        status: 'DOWN',
        port_id: null,
        fixed_ip_address: null,
        router_id: null,
        port_details: null,
      });
      expect(floating['floating_ip_address']).to.match(/^172\.24\.4\./);
    });

    it('can be associated with the interface of a router', async () => {
      const { router } = await makePortBehindRouter();
      const ports = await ask(
        world,
        'GET',
        `/ports?device_id=${router.id}&device_owner=network:router_interface`,
      );
      const [own] = ports.body.ports as Resource[];
      expect(await makeFloatingip({ port_id: own!.id })).to.include({
        port_id: own!.id,
        router_id: router.id,
        status: 'ACTIVE',
      });
    });

    it('lets managers request an address', async () => {
      const { port } = await makePortBehindRouter();
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
    });

    it('returns 403 when a member requests an address, and allocates none', async () => {
      expect(await post({ floating_ip_address: '172.24.4.77' })).to.contain(
        'create_floatingip:floating_ip_address',
      );
      expect(
        (await ask(world, 'GET', '/ports?device_owner=network:floatingip')).body.ports,
      ).to.deep.equal([]);
    });

    it('returns 400 for a network that is not external', async () => {
      const network = await make(world, 'network', {}, member);
      expect(await post({ floating_network_id: network.id })).to.equal(
        `400 BadRequest: Bad floatingip request: Network ${network.id} is not a valid ` +
          'external network.',
      );
    });

    it('returns 404 if no router connects the port with the external network', async () => {
      const { network, subnet } = await makeNetwork(world, '10.1.0.0/24', member);
      const port = await make(world, 'port', { network_id: network.id }, member);
      expect(await post({ port_id: port.id })).to.equal(
        `404 ExternalGatewayForFloatingIPNotFound: External network ${outside} is not ` +
          `reachable from subnet ${subnet.id}. Therefore, cannot associate Port ${port.id} ` +
          'with a Floating IP.',
      );
    });

    it('returns 400 for the port of a DHCP server', async () => {
      const { network } = await makePortBehindRouter();
      const dhcp = await make(world, 'port', {
        network_id: network.id,
        device_owner: 'network:dhcp',
        project_id: 'blue',
      });
      const body = { floatingip: { floating_network_id: outside, port_id: dhcp.id } };
      expect(errorOf(await ask(world, 'POST', '/floatingips', body, member))).to.contain(
        `Port ${dhcp.id} is unable to be assigned a floating IP`,
      );
    });
  });

  describe('PUT /v2.0/floatingips/{id}', () => {
    it('associates a floating IP with a port and disassociates it', async () => {
      const { port, router } = await makePortBehindRouter();
      const floating = await makeFloatingip();
      const associated = await update(floating, { port_id: port.id }).expect(200);
      expect(associated.body.floatingip).to.deep.include({
        port_id: port.id,
        fixed_ip_address: '10.1.0.3',
        router_id: router.id,
        status: 'ACTIVE',
      });
      expect(associated.body.floatingip.port_details).to.include({ name: 'p', device_id: '' });
      expect((await update(floating, { description: 'd' }).expect(200)).body.floatingip).to.include(
        {
          port_id: port.id,
          description: 'd',
        },
      );
      expect((await update(floating, { port_id: null }).expect(200)).body.floatingip).to.include({
        port_id: null,
        status: 'DOWN',
      });
    });

    it('clears the association on an empty update', async () => {
      const { port } = await makePortBehindRouter();
      const floating = await makeFloatingip({ port_id: port.id });
      expect((await update(floating, {}).expect(200)).body.floatingip).to.include({
        port_id: null,
        fixed_ip_address: null,
        status: 'DOWN',
      });
    });

    it('returns 400 without an address, or with a wrong one, for a port with several addresses', async () => {
      const { network } = await makePortBehindRouter();
      const fixed_ips = [{ ip_address: '10.1.0.20' }, { ip_address: '10.1.0.21' }];
      const port = await make(world, 'port', { network_id: network.id, fixed_ips }, member);
      const floating = await makeFloatingip();
      expect(errorOf(await update(floating, { port_id: port.id }))).to.contain(
        'has multiple fixed IPv4 addresses.  Must provide a specific IPv4 address',
      );
      expect(
        errorOf(await update(floating, { port_id: port.id, fixed_ip_address: '10.1.0.9' })),
      ).to.contain('does not have fixed ip 10.1.0.9');
      expect(errorOf(await update(floating, { fixed_ip_address: '10.1.0.20' }))).to.contain(
        'fixed_ip_address cannot be specified without a port_id',
      );
    });

    it('associates the requested address, which then needs its router, subnet and gateway', async () => {
      const { network, subnet } = await makePortBehindRouter();
      const fixed_ips = [{ ip_address: '10.1.0.20' }, { ip_address: '10.1.0.21' }];
      const port = await make(world, 'port', { network_id: network.id, fixed_ips }, member);
      const floating = await makeFloatingip();
      const reply = await update(floating, {
        port_id: port.id,
        fixed_ip_address: '10.1.0.21',
      }).expect(200);
      expect(reply.body.floatingip.fixed_ip_address).to.equal('10.1.0.21');
      expect(
        errorOf(
          await update(await makeFloatingip(), { port_id: port.id, fixed_ip_address: '10.1.0.21' }),
        ),
      ).to.contain('409 FloatingIPPortAlreadyAssociated');
      expect(
        errorOf(
          await attach({ id: reply.body.floatingip.router_id }, { subnet_id: subnet.id }, 'remove'),
        ),
      ).to.contain('409 RouterInterfaceInUseByFloatingIP');
      expect(
        errorOf(
          await put({ id: reply.body.floatingip.router_id }, { external_gateway_info: null }),
        ),
      ).to.contain('409 RouterExternalGatewayInUseByFloatingIp');
    });
  });

  describe('DELETE /v2.0/floatingips/{id}', () => {
    it('deletes a floating IP with its port on the external network', async () => {
      const floating = await makeFloatingip();
      await ask(world, 'DELETE', `/floatingips/${floating.id}`, undefined, member).expect(204);
      const ports = await ask(world, 'GET', `/ports?device_owner=network:floatingip`);
      expect(ports.body.ports).to.deep.equal([]);
    });
  });

  describe('an associated floating IP', () => {
    it('is DOWN while no agent hosts its router', async () => {
      const { port, router } = await makePortBehindRouter();
      const floating = await makeFloatingip({ port_id: port.id });
      const status = async (): Promise<unknown> =>
        (await ask(world, 'GET', `/floatingips/${floating.id}`, undefined, member)).body.floatingip
          .status;
      expect(await status()).to.equal('ACTIVE');
      const [agent] = (await ask(world, 'GET', `/routers/${router.id}/l3-agents`)).body
        .agents as Resource[];
      await ask(world, 'DELETE', `/agents/${agent!.id}/l3-routers/${router.id}`).expect(204);
      expect(await status()).to.equal('DOWN');
      await update(floating, { port_id: null }).expect(200);
      expect((await update(floating, { port_id: port.id }).expect(200)).body.floatingip).to.include(
        { status: 'DOWN', router_id: router.id },
      );
      await ask(world, 'POST', `/agents/${agent!.id}/l3-routers`, { router_id: router.id }).expect(
        201,
      );
      expect(await status()).to.equal('ACTIVE');
    });

    it('returns 400 when the associated address of a port is removed', async () => {
      const { port } = await makePortBehindRouter();
      await makeFloatingip({ port_id: port.id });
      expect(
        errorOf(await ask(world, 'PUT', `/ports/${port.id}`, { port: { fixed_ips: [] } }, member)),
      ).to.contain('its original fixed_ip has been associated');
    });

    it('is disassociated when its port is deleted', async () => {
      const { port } = await makePortBehindRouter();
      const floating = await makeFloatingip({ port_id: port.id });
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

  it('GET /v2.0/floatingip_pools lists the IPv4 subnets of external networks by page', async () => {
    const external = await make(world, 'network', { 'router:external': true });
    const fields = { network_id: external.id, name: 's', ip_version: 4, cidr: '198.51.100.0/24' };
    const subnet = await make(world, 'subnet', fields);
    const six = { network_id: external.id, ip_version: 6, cidr: 'fd00::/64' };
    await make(world, 'subnet', six);
    await makeNetwork(world, '10.5.0.0/24', member);
    const pools = async (query = ''): Promise<Record<string, unknown>[]> => {
      const reply = await ask(world, 'GET', `/floatingip_pools${query}`, undefined, member);
      return reply.body.floatingip_pools;
    };
    const all = await pools();
    expect(all).to.have.length(2);
    expect(all).to.deep.include({
      subnet_id: subnet.id,
      subnet_name: 's',
      network_id: external.id,
      cidr: '198.51.100.0/24',
      project_id: 'blue',
      tenant_id: 'blue',
    });
    expect(await pools('?limit=1')).to.deep.equal([all[0]]);
    const marker = String(all[0]!['subnet_id']);
    expect(await pools(`?limit=1&marker=${marker}&fields=cidr`)).to.deep.equal([
      { cidr: all[1]!['cidr'] },
    ]);
    const filtered = await ask(world, 'GET', '/floatingip_pools?cidr=x', undefined, member);
    expect(errorOf(filtered)).to.contain('400 HTTPBadRequest');
  });
});
