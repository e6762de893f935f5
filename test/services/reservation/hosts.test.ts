// Tests of reservable hosts, their extra capabilities and properties, and of versions and paths of
// the API.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  aggregates,
  ask,
  bootServer,
  compute,
  config,
  expectError,
  hostReservation,
  inventoriesOf,
  createLease,
  member,
  placement,
  registerHosts,
  type Fields,
} from './support.ts';

onEachDatabase('hosts', config, (world) => {
  describe('the API', () => {
    it('lists its version with the status 300', async () => {
      const { body, headers } = await ask(world, 'GET', '/').expect(300);
      const [version] = (body as Fields)['versions'] as Fields[];
      expect(version).to.include({
        id: 'v1.0',
        status: 'CURRENT',
        min_version: '1.0',
        max_version: '1.0',
      });
      expect(version!['links'][0].href).to.match(/^http:\/\/127\.0\.0\.1:\d+\/reservation\/v1$/);
      expect(headers).to.not.have.property('openstack-api-version');
      await ask(world, 'GET', '/versions').expect(300);
    });

    it('returns 401 without a token, in another format for the list of versions', async () => {
      const list = await ask(world, 'GET', '/', { token: null }).expect(401);
      expect(list.body).to.deep.equal({
        error: {
          code: 401,
          title: 'Unauthorized',
          message: 'The request you have made requires authentication.',
        },
      });
      expect(list.headers).to.not.have.property('www-authenticate');
      const leases = await ask(world, 'GET', '/v1/leases', { token: null }).expect(401);
      expect(leases.headers['www-authenticate']).to.match(/^Keystone uri="/);
    });

    it('returns its microversion, and an error for any other', async () => {
      const { headers } = await ask(world, 'GET', '/v1/leases', { version: '1.0' }).expect(200);
      expect(headers['openstack-api-version']).to.equal('reservation 1.0');
      expect(headers['vary']).to.equal('OpenStack-API-Version');
      await ask(world, 'GET', '/v1/leases', { version: 'latest' }).expect(200);
      const newer = await ask(world, 'GET', '/v1/leases', { version: '1.1' }).expect(406);
      expect(newer.body).to.deep.equal({
        error: 406,
        error_message:
          'Version 1.1 is not supported by the API. Minimum is 1.0 and maximum is 1.0.',
      });
      const wrong = await ask(world, 'GET', '/v1/leases', { version: '1.foo' }).expect(400);
      expect((wrong.body as Fields)['error_message']).to.equal(
        'API Version String 1.foo is of invalid format. Must be of format MajorNum.MinorNum.',
      );
    });

    it('accepts the suffix .json, but no trailing slash', async () => {
      await ask(world, 'GET', '/v1/leases.json').expect(200);
      await ask(world, 'GET', '/v1/os-hosts/.json').expect(200);
      for (const path of [
        '/v1',
        '/v1/',
        '/v1/leases/',
        '/v1/os-hosts/',
        '/v1/os-hosts.json',
        '/v2/leases',
      ]) {
        const { body } = await ask(world, 'GET', path).expect(404);
        expect((body as Fields)['error'], path).to.equal(404);
      }
      const { body } = await ask(world, 'PATCH', '/v1/leases', { body: {} }).expect(405);
      expect(body).to.deep.equal({
        error: 405,
        error_message: 'The method is not allowed for the requested URL.',
      });
    });

    it('returns 403 for hosts to a member', async () => {
      for (const path of [
        '/v1/os-hosts',
        '/v1/os-hosts/1',
        '/v1/os-hosts/allocations',
        '/v1/os-hosts/properties',
      ])
        expectError(
          await ask(world, 'GET', path, member),
          403,
          /^Policy doesn't allow blazar:oshosts:get\w* to be performed$/,
        );
    });
  });

  describe('POST /v1/os-hosts', () => {
    it('registers a host with its extra capabilities #blazar-4', async () => {
      const { body } = await ask(world, 'POST', '/v1/os-hosts', {
        body: { name: 'compute-1', gpu: 'True', vcpus: '99' },
      }).expect(201);
      const { host } = body as Fields;
      expect(host).to.include({
        hypervisor_hostname: 'compute-1',
        service_name: 'compute-1',
        hypervisor_type: 'QEMU',
        availability_zone: 'nova',
        status: null,
        reservable: true,
        created_at: '2026-11-20 12:00:00',
        updated_at: null,
        gpu: 'True',
      });
      expect(host.vcpus).to.be.a('number').and.not.equal(99);
      expect(JSON.parse(host.cpu_info as string)).to.be.an('object');
      expect(host.id).to.match(/^\d+$/);
      expect((await ask(world, 'GET', `/v1/os-hosts/${host.id}`).expect(200)).body).to.deep.equal({
        host,
      });
      expect((await ask(world, 'GET', '/v1/os-hosts').expect(200)).body).to.deep.equal({
        hosts: [host],
      });
    });

    it('adds the host to the freepool, and keeps ordinary servers off it #blazar-6 #blazar-18', async () => {
      await registerHosts(world);
      expect(await aggregates(world)).to.deep.equal({
        freepool: ['compute-1', 'compute-2', 'compute-3'],
      });
      expect(await inventoriesOf(world, 'compute-2')).to.deep.equal({});
      const server = await bootServer(world, '1');
      expect(server).to.include({ status: 'ERROR' });
      expect(server['fault'].message).to.match(/^No valid host was found/);
    });

    it('creates a reservation provider below that of the compute node #blazar-5', async () => {
      await registerHosts(world, 1);
      const find = async (name: string): Promise<Fields> => {
        const path = `/resource_providers?name=${name}`;
        const { body } = await placement(world, 'GET', path, { version: '1.29' }).expect(200);
        return ((body as Fields)['resource_providers'] as [Fields])[0];
      };
      const node = await find('compute-1');
      expect(await find('blazar_compute-1')).to.include({
        parent_provider_uuid: node['uuid'],
        root_provider_uuid: node['uuid'],
      });
    });

    it('finds the hypervisor by id or by its exact name', async () => {
      const { hypervisors } = (await compute(world, 'GET', '/os-hypervisors').expect(200))
        .body as Fields;
      await ask(world, 'POST', '/v1/os-hosts', { body: { id: String(hypervisors[1].id) } }).expect(
        201,
      );
      expectError(
        await ask(world, 'POST', '/v1/os-hosts', { body: { name: 'compute' } }),
        404,
        "Host 'compute' not found!",
      );
    });

    it('returns an error for a missing or registered host, and for one with servers', async () => {
      expectError(
        await ask(world, 'POST', '/v1/os-hosts', { body: {} }),
        403,
        'Invalid values for host {}',
      );
      await registerHosts(world, 1);
      expectError(
        await ask(world, 'POST', '/v1/os-hosts', { body: { name: 'compute-1' } }),
        409,
        'Conflict on creating resource provider blazar_compute-1 ',
      );
      const server = await bootServer(world, '1');
      const name = server['OS-EXT-SRV-ATTR:host'] as string;
      expectError(
        await ask(world, 'POST', '/v1/os-hosts', { body: { name } }),
        409,
        /^Servers \[\[\{'uuid': '[0-9a-f-]{36}', 'name': /,
      );
      const long = await ask(world, 'POST', '/v1/os-hosts', {
        body: { name: 'compute-3', ['x'.repeat(65)]: 'y' },
      });
      if (name !== 'compute-3') expectError(long, 400, 'Extra capability key too long');
    });
  });

  describe('extra capabilities', () => {
    it('change in a PUT, and are deleted by null', async () => {
      const [first] = await registerHosts(world, 2, { gpu: 'True' });
      const body = { gpu: 'False', ssd: 'yes' };
      const { host } = (await ask(world, 'PUT', `/v1/os-hosts/${first}`, { body }).expect(200))
        .body as Fields;
      expect(host).to.include({ gpu: 'False', ssd: 'yes', updated_at: null });
      const unset = await ask(world, 'PUT', `/v1/os-hosts/${first}`, {
        body: { ssd: null, nothing: null },
      }).expect(200);
      expect((unset.body as Fields)['host']).to.not.have.any.keys('ssd', 'nothing');
    });

    it('return 409 for a change of one that a reservation requires', async () => {
      const [first, second] = await registerHosts(world, 2, { gpu: 'True' });
      await ask(world, 'PUT', `/v1/os-hosts/${first}`, { body: { gpu: 'False' } }).expect(200);
      await createLease(world, [
        hostReservation({ resource_properties: '["==", "$gpu", "True"]' }),
      ]);
      expectError(
        await ask(world, 'PUT', `/v1/os-hosts/${second}`, { body: { gpu: 'False' } }),
        409,
        `Can't add extracapabilities ['gpu'] to Host ${second}`,
      );
    });

    it('return 400 for an empty body, and 404 for an unknown host', async () => {
      const [second] = await registerHosts(world, 1);
      const nothing = await ask(world, 'PUT', `/v1/os-hosts/${second}`, { body: {} }).expect(400);
      expect(nothing.body).to.deep.equal({
        error_code: 400,
        error_message: 'No data to update',
        error_name: 'INTERNAL_SERVER_ERROR',
      });
      expectError(
        await ask(world, 'GET', '/v1/os-hosts/999999'),
        404,
        "Object with {'host_id': '999999'} not found",
      );
    });

    it('are listed by name, with values if the query has detail', async () => {
      const [first] = await registerHosts(world, 2, { gpu: 'True' });
      await ask(world, 'PUT', `/v1/os-hosts/${first}`, {
        body: { gpu: 'False', ssd: 'yes' },
      }).expect(200);
      const list = async (query = ''): Promise<unknown> =>
        ((await ask(world, 'GET', `/v1/os-hosts/properties${query}`).expect(200)).body as Fields)[
          'resource_properties'
        ];
      expect(await list()).to.deep.equal([{ property: 'gpu' }, { property: 'ssd' }]);
      expect(await list('?detail=False')).to.deep.equal([
        { property: 'gpu', private: false, values: ['False', 'True'] },
        { property: 'ssd', private: false, values: ['yes'] },
      ]);
      const { body } = await ask(world, 'PATCH', '/v1/os-hosts/properties/gpu', {
        body: { private: true },
      }).expect(200);
      expect((body as Fields)['resource_property']).to.include({
        resource_type: 'physical:host',
        property_name: 'gpu',
        private: true,
      });
      expect(await list()).to.deep.equal([{ property: 'ssd' }]);
      expect(await list('?all=True')).to.deep.equal([{ property: 'gpu' }, { property: 'ssd' }]);
      await ask(world, 'PATCH', '/v1/os-hosts/properties/none', { body: { private: true } }).expect(
        404,
      );
    });
  });

  describe('DELETE /v1/os-hosts/{id}', () => {
    it('makes the host available to ordinary servers again #blazar-23 #blazar-24', async () => {
      const [id] = await registerHosts(world, 1);
      const { text } = await ask(world, 'DELETE', `/v1/os-hosts/${id}`).expect(204);
      expect(text).to.equal('');
      expect(await aggregates(world)).to.deep.equal({ freepool: [] });
      expect(await inventoriesOf(world, 'compute-1')).to.equal(undefined);
      expect(((await ask(world, 'GET', '/v1/os-hosts')).body as Fields)['hosts']).to.deep.equal([]);
      await compute(world, 'GET', `/os-hypervisors/${id}`).expect(200);
      await registerHosts(world, 1);
    });

    it('returns 409 while the host is reserved', async () => {
      const [id] = await registerHosts(world, 1);
      await createLease(world, [hostReservation()]);
      expectError(
        await ask(world, 'DELETE', `/v1/os-hosts/${id}`),
        409,
        `Can't delete host ${id}. The host is reserved.`,
      );
    });
  });
});
