// The bindings of a port to several hosts.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask, errorOf, make, makeNetwork, member, someone, type Resource } from './support.ts';

onEachDatabase('network: port bindings', { auth: 'noauth2' }, (world) => {
  const nova = someone('admin,service', 'nova', 'service');
  const bound = {
    vif_type: 'ovs',
    vif_details: {
      connectivity: 'l2',
      port_filter: true,
      ovs_hybrid_plug: false,
      datapath_type: 'system',
      bridge_name: 'br-int',
    },
  };
  const unbound = { vif_type: 'unbound', vif_details: {} };

  /** Creates the port of a server on a host. */
  async function makePort(fields: object = {}): Promise<Resource> {
    const { network } = await makeNetwork(world, '10.1.0.0/24', member);
    return make(
      world,
      'port',
      {
        network_id: network.id,
        project_id: 'blue',
        device_id: 'server',
        device_owner: 'compute:nova',
        'binding:host_id': 'h1',
        ...fields,
      },
      nova,
    );
  }

  const call = (method: string, { id }: Resource, path = '', binding?: object, as = nova) =>
    ask(world, method, `/ports/${id}/bindings${path}`, binding && { binding }, as);
  const bind = (port: Resource, host: string, fields: object = {}, as = nova) =>
    call('POST', port, '', { host, ...fields }, as);
  const list = async (port: Resource, query = '', as = nova) =>
    (await call('GET', port, query, undefined, as).expect(200)).body as {
      bindings: Record<string, unknown>[];
      bindings_links?: { rel: string; href: string }[];
    };
  const states = async (port: Resource): Promise<unknown[]> =>
    (await list(port)).bindings.map((one) => [one['host'], one['status'], one['vif_type']]);
  const show = async ({ id }: Resource): Promise<Resource> =>
    (await ask(world, 'GET', `/ports/${id}`, undefined, nova).expect(200)).body.port;

  describe('POST /v2.0/ports/{id}/bindings', () => {
    it('creates an inactive binding, and leaves the active one', async () => {
      const port = await makePort();
      const { body } = await bind(port, 'h2', { profile: { a: 1 } }).expect(201);
      const rest = { vnic_type: 'normal', ...bound };
      const created = { host: 'h2', profile: { a: 1 }, status: 'INACTIVE', ...rest };
      expect(body).to.deep.equal({ binding: created });
      expect((await list(port)).bindings).to.deep.equal([
        { host: 'h1', profile: {}, status: 'ACTIVE', ...rest },
        created,
      ]);
      expect(await show(port)).to.include({ 'binding:host_id': 'h1', revision_number: 1 });
    });

    it('returns 409 for a host to which the port is bound', async () => {
      const port = await makePort();
      const expected = (host: string) =>
        `409 PortBindingAlreadyExists: Binding for port ${port.id} on host ${host} already exists.`;
      expect(errorOf(await bind(port, 'h1'))).to.equal(expected('h1'));
      await bind(port, 'h2').expect(201);
      expect(errorOf(await bind(port, 'h2'))).to.equal(expected('h2'));
    });

    it('returns 400 for a port that does not belong to a server', async () => {
      const port = await makePort({ device_owner: '' });
      const error =
        `400 BadRequest: Bad port request: Invalid port ${port.id}. Operation only valid on ` +
        'compute and shared filesystem ports.';
      expect(errorOf(await bind(port, 'h2'))).to.equal(error);
      expect(errorOf(await call('GET', port))).to.equal(error);
      expect(errorOf(await call('PUT', port, '/h1/activate'))).to.equal(error);
    });

    it('returns 400 for an invalid body before 403, and 403 before 404', async () => {
      const port = await makePort();
      const missing = { id: 'x' };
      expect(errorOf(await call('POST', port, '', {}, member))).to.equal(
        "400 HTTPBadRequest: Failed to parse request. Required attribute 'host' not specified",
      );
      expect(errorOf(await bind(port, 'h2', { status: 'ACTIVE' }))).to.equal(
        "400 HTTPBadRequest: Attribute 'status' not allowed in POST",
      );
      expect(errorOf(await bind(port, 'h2', { vnic_type: 'x' }))).to.contain('400 HTTPBadRequest');
      expect(errorOf(await bind(port, 'h2', { profile: { a: 'x'.repeat(5000) } }))).to.equal(
        '400 InvalidInput: Invalid input for operation: binding:profile value too large.',
      );
      expect(errorOf(await bind(missing, 'h2', {}, member))).to.equal(
        '403 PolicyNotAuthorized: rule:create_port_binding is disallowed by policy',
      );
      expect(errorOf(await bind(missing, 'h2'))).to.equal(
        '404 PortNotFound: Port x could not be found.',
      );
    });
  });

  describe('GET /v2.0/ports/{id}/bindings', () => {
    it('filters, pages and reduces the list', async () => {
      const port = await makePort();
      await bind(port, 'h2').expect(201);
      await bind(port, 'h3').expect(201);
      expect((await list(port, '?status=INACTIVE&fields=host')).bindings).to.deep.equal([
        { host: 'h2' },
        { host: 'h3' },
      ]);
      const page = await list(port, '?limit=1&marker=h1&fields=host');
      expect(page.bindings).to.deep.equal([{ host: 'h2' }]);
      expect(page.bindings_links![0]!.href).to.contain('marker=h2');
      expect(errorOf(await call('GET', port, '?colour=red'))).to.contain(
        'is invalid attribute for filtering',
      );
      expect(errorOf(await call('GET', port, '?sort_key=host&sort_dir=asc'))).to.contain(
        'is invalid attribute for sort_keys',
      );
    });

    it('is empty for the owner of the port, who gets 404 for one binding', async () => {
      const port = await makePort();
      expect((await list(port, '', member)).bindings).to.deep.equal([]);
      for (const method of ['GET', 'DELETE'])
        expect(errorOf(await call(method, port, '/h1', undefined, member))).to.equal(
          '404 HTTPNotFound: The resource could not be found.',
        );
    });

    it('makes the port appear in the list of ports of each host', async () => {
      const port = await makePort();
      await bind(port, 'h2').expect(201);
      for (const host of ['h1', 'h2']) {
        const { body } = await ask(world, 'GET', `/ports?binding:host_id=${host}`, undefined, nova);
        expect((body.ports as Resource[]).map(({ id }) => id)).to.deep.equal([port.id]);
      }
    });
  });

  describe('PUT /v2.0/ports/{id}/bindings/{host}', () => {
    it('updates an inactive binding, and clears a profile that it does not name', async () => {
      const port = await makePort();
      await bind(port, 'h2', { profile: { a: 1 } }).expect(201);
      const { body } = await call('PUT', port, '/h2', { vnic_type: 'direct' }).expect(200);
      expect(body.binding).to.deep.include({
        host: 'h2',
        vnic_type: 'direct',
        profile: {},
        status: 'INACTIVE',
      });
    });

    it('moves the active binding to another host', async () => {
      const port = await makePort();
      const { body } = await call('PUT', port, '/h1', { host: 'h9', profile: { a: 1 } }).expect(
        200,
      );
      expect(body.binding).to.deep.include({ host: 'h9', status: 'ACTIVE' });
      expect(await show(port)).to.deep.include({
        'binding:host_id': 'h9',
        'binding:profile': { a: 1 },
        status: 'ACTIVE',
      });
    });

    it('returns 404 for an unknown host, and 409 for that of another binding', async () => {
      const port = await makePort();
      await bind(port, 'h2').expect(201);
      expect(errorOf(await call('PUT', port, '/h9', { profile: {} }))).to.equal(
        `404 PortBindingNotFound: Binding for port ${port.id} for host h9 could not be found.`,
      );
      expect(errorOf(await call('PUT', port, '/h2', { host: 'h1' }))).to.contain(
        '409 PortBindingAlreadyExists',
      );
    });
  });

  describe('PUT /v2.0/ports/{id}/bindings/{host}/activate', () => {
    it('swaps the active binding, whose predecessor is unbound', async () => {
      const port = await makePort();
      await bind(port, 'h2', { profile: { a: 1 } }).expect(201);
      const { body } = await call('PUT', port, '/h2/activate').expect(200);
      expect(body).to.deep.equal({
        host: 'h2',
        vnic_type: 'normal',
        profile: { a: 1 },
        status: 'ACTIVE',
        ...bound,
      });
      expect(await states(port)).to.deep.equal([
        ['h1', 'INACTIVE', 'unbound'],
        ['h2', 'ACTIVE', 'ovs'],
      ]);
      expect(await show(port)).to.deep.include({
        'binding:host_id': 'h2',
        'binding:profile': { a: 1 },
        status: 'ACTIVE',
      });
      const again = await call('PUT', port, '/h1', { profile: {} }).expect(200);
      expect(again.body.binding).to.deep.include({ status: 'INACTIVE', ...bound });
    });

    it('keeps the binding without a host of an unbound port', async () => {
      const port = await makePort({ 'binding:host_id': '' });
      await bind(port, 'h2').expect(201);
      await call('PUT', port, '/h2/activate').expect(200);
      expect((await list(port)).bindings[0]).to.deep.include({ host: '', ...unbound });
    });

    it('returns 409 for the active binding, and 404 for an unknown one', async () => {
      const port = await makePort();
      expect(errorOf(await call('PUT', port, '/h1/activate'))).to.equal(
        `409 PortBindingAlreadyActive: Binding for port ${port.id} on host h1 is already active.`,
      );
      expect(errorOf(await call('PUT', port, '/h2/activate'))).to.contain(
        '404 PortBindingNotFound',
      );
    });
  });

  describe('DELETE /v2.0/ports/{id}/bindings/{host}', () => {
    it('deletes an inactive binding', async () => {
      const port = await makePort();
      await bind(port, 'h2').expect(201);
      await call('DELETE', port, '/h2').expect(204);
      expect(errorOf(await call('DELETE', port, '/h2'))).to.contain('404 PortBindingNotFound');
      expect(await states(port)).to.deep.equal([['h1', 'ACTIVE', 'ovs']]);
    });

    it('unbinds the port with its active binding', async () => {
      const port = await makePort();
      await call('DELETE', port, '/h1').expect(204);
      expect(await show(port)).to.include({ 'binding:host_id': '', status: 'DOWN' });
    });
  });

  it('goes when the port is bound to its host, or deleted', async () => {
    const port = await makePort();
    await bind(port, 'h2').expect(201);
    const fields = { 'binding:host_id': 'h2' };
    await ask(world, 'PUT', `/ports/${port.id}`, { port: fields }, nova).expect(200);
    expect(await states(port)).to.deep.equal([['h2', 'ACTIVE', 'ovs']]);
    await bind(port, 'h3').expect(201);
    await ask(world, 'DELETE', `/ports/${port.id}`, undefined, nova).expect(204);
    expect(errorOf(await call('GET', port))).to.contain('404 PortNotFound');
  });
});
