// Port forwardings of floating IPs, and what they keep in place.
import { expect } from 'chai';
import { newUuid } from '../../../src/kernel/ids.ts';
import { seededNetworkId } from '../../../src/services/network/seed.ts';
import { onEachDatabase, type Asked } from '../../support/cloud.ts';
import { ask, errorOf, make, makeNetwork, member, otherMember, reader } from './support.ts';
import type { Resource } from './support.ts';

interface Setup {
  readonly floating: Resource;
  readonly port: Resource;
  readonly router: Resource;
  readonly subnet: Resource;
}

onEachDatabase('network: port forwardings', { auth: 'noauth2' }, (world) => {
  const outside = seededNetworkId('RegionOne', 'public');
  const makeFloatingip = () => make(world, 'floatingip', { floating_network_id: outside }, member);
  const makePort = (network_id: string) => make(world, 'port', { network_id }, member);

  /** Creates a floating IP, and a port behind a router to the same external network. */
  async function setUp(cidr = '10.1.0.0/24'): Promise<Setup> {
    const { network, subnet } = await makeNetwork(world, cidr, member);
    const gateway = { external_gateway_info: { network_id: outside } };
    const router = await make(world, 'router', gateway, member);
    const path = `/routers/${router.id}/add_router_interface`;
    await ask(world, 'PUT', path, { subnet_id: subnet.id }, member).expect(200);
    const port = await makePort(network.id);
    return { floating: await makeFloatingip(), port, router, subnet };
  }
  const at = ({ id }: Resource, forwarding = ''): string =>
    `/floatingips/${id}/port_forwardings${forwarding && `/${forwarding}`}`;
  const ipOf = (port: Resource): string =>
    (port['fixed_ips'] as { ip_address: string }[])[0]!.ip_address;
  const post = (floating: Resource, port: Resource, fields: object = {}, as: Asked = member) => {
    const inside = { internal_port_id: port.id, internal_ip_address: ipOf(port) };
    const ports = { internal_port: 80, external_port: 8080 };
    const port_forwarding = { protocol: 'tcp', ...inside, ...ports, ...fields };
    return ask(world, 'POST', at(floating), { port_forwarding }, as);
  };
  const forward = async (
    { floating, port }: Pick<Setup, 'floating' | 'port'>,
    fields: object = {},
  ): Promise<Resource> => {
    const { body } = await post(floating, port, fields).expect(201);
    return (body as { port_forwarding: Resource }).port_forwarding;
  };
  const range = (internal: string, external: string): object => ({
    internal_port: null,
    external_port: null,
    internal_port_range: internal,
    external_port_range: external,
  });
  const put = (floating: Resource, id: string, port_forwarding: object) =>
    ask(world, 'PUT', at(floating, id), { port_forwarding }, member);
  const shown = async ({ id }: Resource): Promise<Resource> => {
    const { body } = await ask(world, 'GET', `/floatingips/${id}`, undefined, member).expect(200);
    return (body as { floatingip: Resource }).floatingip;
  };
  const idsOf = async (floating: Resource, query = ''): Promise<string[]> => {
    const path = `${at(floating)}${query}`;
    const { body } = await ask(world, 'GET', path, undefined, member).expect(200);
    return (body as { port_forwardings: Resource[] }).port_forwardings.map(({ id }) => id);
  };
  const remove = async (path: string): Promise<string> =>
    errorOf(await ask(world, 'DELETE', path, undefined, member));

  describe('POST /v2.0/floatingips/{id}/port_forwardings', () => {
    it('forwards a port, and puts the floating IP behind the router', async () => {
      const all = await setUp();
      const forwarding = await forward(all, { description: 'web' });
      expect(forwarding).to.deep.equal({
        id: forwarding.id,
        protocol: 'tcp',
        internal_port_id: all.port.id,
        internal_ip_address: ipOf(all.port),
        internal_port: 80,
        internal_port_range: '80:80',
        external_port: 8080,
        external_port_range: '8080:8080',
        description: 'web',
      });
      const { router_id, status, port_id, port_forwardings } = await shown(all.floating);
      expect({ router_id, status, port_id }).to.deep.equal({
        router_id: all.router.id,
        status: 'ACTIVE',
        port_id: null,
      });
      expect(port_forwardings).to.deep.equal([
        {
          id: forwarding.id,
          protocol: 'tcp',
          internal_port_id: all.port.id,
          internal_ip_address: ipOf(all.port),
          internal_port: 80,
          external_port: 8080,
        },
      ]);
    });

    it('forwards ranges to as many ports or to one', async () => {
      const all = await setUp();
      const many = await forward(all, range('80:84', '8080:8084'));
      expect(many).to.include({ internal_port: null, external_port_range: '8080:8084' });
      const one = await forward(all, range('22', '2200:2210'));
      expect(one).to.include({ internal_port: 22, external_port: null });
      const wrong = async (internal: string, external: string): Promise<string> =>
        errorOf(await post(all.floating, all.port, range(internal, external)));
      expect(await wrong('90:92', '9000:9005')).to.equal(
        '400 BadRequest: Bad port_forwarding request: Invalid ranges of internal and/or external ' +
          'ports. The relation between internal and external ports must be N-N or 1-N.',
      );
      expect(await wrong('90:92', '9000')).to.contain('Invalid ranges');
      expect(await wrong('92:90', '9000:9002')).to.equal(
        '400 HTTPBadRequest: Invalid input for internal_port_range. Reason: First port in a port ' +
          'range must be lower than the second port.',
      );
    });

    it('returns 400 if the ports collide with those of another forwarding', async () => {
      const all = await setUp();
      await forward(all, range('80:84', '8080:8084'));
      const other = await makePort(all.port['network_id'] as string);
      expect(errorOf(await post(all.floating, other, { external_port: 8082 }))).to.equal(
        '400 BadRequest: Bad port_forwarding request: There is a port collision with the ' +
          'external_port_range. The following ranges collide: 8080:8084 and 8082:8082.',
      );
      const second = await makeFloatingip();
      expect(errorOf(await post(second, all.port))).to.contain(
        'collision with the internal_port_range. The following ranges collide: 80:84 and 80:80',
      );
      await post(all.floating, other, { external_port: 8082, protocol: 'udp' }).expect(201);
    });

    it('returns 409 for an associated floating IP and for a port that has one', async () => {
      const all = await setUp();
      const other = await makePort(all.port['network_id'] as string);
      const path = `/floatingips/${all.floating.id}`;
      const body = { floatingip: { port_id: other.id } };
      await ask(world, 'PUT', path, body, member).expect(200);
      expect(errorOf(await post(all.floating, all.port))).to.contain(
        '409 FloatingIPPortAlreadyAssociated',
      );
      expect(errorOf(await post(await makeFloatingip(), other))).to.contain(
        '409 PortHasBindingFloatingIP: Cannot create port forwarding to floating IP ' +
          `${all.floating['floating_ip_address']} (${all.floating.id}) with port ${other.id}`,
      );
    });

    it('returns 400 for a port that no router connects with the floating IP', async () => {
      const all = await setUp();
      const { network, subnet } = await makeNetwork(world, '10.2.0.0/24', member);
      const lonely = await makePort(network.id);
      expect(errorOf(await post(all.floating, lonely))).to.equal(
        `400 BadRequest: Bad port_forwarding request: External network ${outside} is not ` +
          `reachable from subnet ${subnet.id}. Cannot set Port forwarding for port ${lonely.id} ` +
          `with Floating IP ${all.floating.id}.`,
      );
      await forward(all);
      const elsewhere = await setUp('10.3.0.0/24');
      expect(errorOf(await post(all.floating, elsewhere.port, { external_port: 8081 }))).to.contain(
        `had been set on router ${all.router.id}`,
      );
      const wrong = { internal_ip_address: '10.1.0.200' };
      expect(
        errorOf(await post(all.floating, all.port, { ...wrong, external_port: 1 })),
      ).to.contain('Requested internal IP address 10.1.0.200 is not suitable');
    });

    it('returns 400 for invalid attributes', async () => {
      const all = await setUp();
      const error = async (fields: object): Promise<string> =>
        errorOf(await post(all.floating, all.port, fields));
      expect(await error({ protocol: 'gre' })).to.contain("IP protocol 'gre' is not supported");
      expect(await error({ protocol: 'TCP' })).to.contain('TCP is not in dict_keys');
      expect(await error({ external_port: 65536 })).to.contain('is too large');
      expect(await error({ internal_port: 0 })).to.contain('is too small');
      expect(await error({ external_port: null })).to.contain('400 BadRequest');
      expect(await error({ internal_ip_address: undefined })).to.contain(
        "Required attribute 'internal_ip_address' not specified",
      );
      expect(await error({ internal_port_id: newUuid() })).to.contain('404 PortNotFound');
    });

    it('returns 403 to readers and other projects', async () => {
      const { floating, port } = await setUp();
      for (const caller of [reader, otherMember])
        expect(errorOf(await post(floating, port, {}, caller))).to.contain('403');
    });
  });

  describe('GET /v2.0/floatingips/{id}/port_forwardings', () => {
    it('filters, sorts and pages', async () => {
      const all = await setUp();
      const web = await forward(all, { description: 'web', external_port: 10000 });
      const ssh = await forward(all, { internal_port: 22, external_port: 222 });
      const many = await forward(all, { ...range('90:92', '9000:9002'), protocol: 'udp' });
      const sorted = '?sort_key=external_port&sort_dir=asc';
      expect(await idsOf(all.floating, sorted)).to.deep.equal([ssh.id, many.id, web.id]);
      const next = `${sorted}&limit=2&marker=${many.id}`;
      expect(await idsOf(all.floating, next)).to.deep.equal([web.id]);
      expect(await idsOf(all.floating, '?external_port=222')).to.deep.equal([ssh.id]);
      expect(await idsOf(all.floating, '?external_port_range=9000:9002')).to.deep.equal([many.id]);
      expect(await idsOf(all.floating, '?protocol=udp')).to.deep.equal([many.id]);
      expect(await idsOf(all.floating, '?description=web')).to.deep.equal([web.id]);
      const path = `${at(all.floating)}?internal_port=80`;
      expect(errorOf(await ask(world, 'GET', path, undefined, member))).to.contain(
        'is invalid attribute for filtering',
      );
    });

    it('returns 404 to other projects, and for the forwarding of another floating IP', async () => {
      const all = await setUp();
      const { id } = await forward(all);
      const foreign = await ask(world, 'GET', at(all.floating), undefined, otherMember);
      expect(errorOf(foreign)).to.contain('404 FloatingIPNotFound');
      const other = await makeFloatingip();
      expect(errorOf(await ask(world, 'GET', at(other, id), undefined, member))).to.equal(
        `404 PortForwardingNotFound: Port Forwarding ${id} could not be found.`,
      );
      await ask(world, 'GET', at(all.floating, id), undefined, reader).expect(200);
      await ask(world, 'DELETE', at(all.floating, id), undefined, reader).expect(403);
    });
  });

  describe('PUT /v2.0/floatingips/{id}/port_forwardings/{id}', () => {
    it('changes ports, the description and the internal port', async () => {
      const all = await setUp();
      const { id } = await forward(all);
      const changes = { internal_port: 81, external_port_range: '7000:7005', description: 'd' };
      const { body } = await put(all.floating, id, changes).expect(200);
      expect((body as { port_forwarding: Resource }).port_forwarding).to.include({
        internal_port: 81,
        external_port: null,
        external_port_range: '7000:7005',
        description: 'd',
      });
      const other = await makePort(all.port['network_id'] as string);
      expect(errorOf(await put(all.floating, id, { internal_port_id: other.id }))).to.equal(
        '200 : ',
      );
      const [forwarding] = (await shown(all.floating))['port_forwardings'] as Resource[];
      expect(forwarding).to.include({
        internal_port_id: other.id,
        internal_ip_address: ipOf(other),
      });
    });

    it('returns 400 for the ports of another forwarding and for a foreign address', async () => {
      const all = await setUp();
      await forward(all);
      const { id } = await forward(all, { internal_port: 22, external_port: 222 });
      expect(errorOf(await put(all.floating, id, { external_port: 8080 }))).to.equal(
        '400 BadRequest: Bad port_forwarding request: Another port forwarding entry with the ' +
          "same attributes already exists, conflicting values are {'floating_ip_address': " +
          `'${all.floating['floating_ip_address']}', 'external_port': 8080}.`,
      );
      const address = { internal_ip_address: '10.1.0.200' };
      expect(errorOf(await put(all.floating, id, address))).to.contain(
        'The internal IP does not correspond to an address on the internal port',
      );
      await put(all.floating, id, { external_port: 223 }).expect(200);
    });
  });

  describe('DELETE /v2.0/floatingips/{id}/port_forwardings/{id}', () => {
    it('takes the floating IP off the router with its last forwarding', async () => {
      const all = await setUp();
      const first = await forward(all);
      const second = await forward(all, { internal_port: 22, external_port: 222 });
      await remove(at(all.floating, first.id));
      expect((await shown(all.floating))['router_id']).to.equal(all.router.id);
      await remove(at(all.floating, second.id));
      expect(await shown(all.floating)).to.include({ router_id: null, status: 'DOWN' });
    });
  });

  describe('a floating IP with port forwardings', () => {
    it('can neither be deleted nor associated, and stays behind its router', async () => {
      const all = await setUp();
      await forward(all);
      const path = `/floatingips/${all.floating.id}`;
      const inUse =
        `409 FipInUseByPortForwarding: Floating IP ${all.floating.id} in use by Port Forwarding ` +
        'resources.';
      expect(await remove(path)).to.equal(inUse);
      const change = (floatingip: object) => ask(world, 'PUT', path, { floatingip }, member);
      expect(errorOf(await change({ port_id: all.port.id }))).to.equal(inUse);
      await change({ port_id: null }).expect(200);
      await change({ description: 'd' }).expect(200);
      expect(await shown(all.floating)).to.include({
        router_id: all.router.id,
        status: 'ACTIVE',
        description: 'd',
      });
    });

    it('keeps the interface and the gateway of its router', async () => {
      const all = await setUp();
      const { id } = await forward(all);
      const path = `/routers/${all.router.id}`;
      const detach = () =>
        ask(world, 'PUT', `${path}/remove_router_interface`, { subnet_id: all.subnet.id }, member);
      expect(errorOf(await detach())).to.contain('409 RouterInterfaceInUseByFloatingIP');
      const cleared = { router: { external_gateway_info: null } };
      expect(errorOf(await ask(world, 'PUT', path, cleared, member))).to.contain(
        '409 RouterExternalGatewayInUseByFloatingIp',
      );
      await remove(at(all.floating, id));
      await detach().expect(200);
    });
  });

  describe('a port with forwardings', () => {
    it('takes them with it when it is deleted', async () => {
      const all = await setUp();
      await forward(all);
      expect(await remove(`/ports/${all.port.id}`)).to.equal('204 : ');
      expect(await shown(all.floating)).to.include({ router_id: null, status: 'DOWN' });
      expect(await idsOf(all.floating)).to.deep.equal([]);
    });

    it('loses those of an address with the address', async () => {
      const all = await setUp();
      const [fixed] = all.port['fixed_ips'] as object[];
      const path = `/ports/${all.port.id}`;
      const more = { port: { fixed_ips: [fixed, { ip_address: '10.1.0.77' }] } };
      await ask(world, 'PUT', path, more, member).expect(200);
      const kept = await forward(all);
      await forward(all, { internal_ip_address: '10.1.0.77', external_port: 8081 });
      await ask(world, 'PUT', path, { port: { fixed_ips: [fixed] } }, member).expect(200);
      expect(await idsOf(all.floating)).to.deep.equal([kept.id]);
      expect((await shown(all.floating))['router_id']).to.equal(all.router.id);
    });
  });
});
