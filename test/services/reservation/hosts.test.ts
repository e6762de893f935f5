// Tests of hosts that can be reserved: registering, extra capabilities, properties, allocations,
// and giving them back.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  aggregates,
  ask,
  boot,
  compute,
  config,
  expectFault,
  hostsWanted,
  inventoriesOf,
  makeLease,
  member,
  registerHosts,
  type Fields,
} from './support.ts';

onEachDatabase('hosts that can be reserved', config, (world) => {
  describe('the API around them', () => {
    it('names its version, as a choice, and needs a token even for that', async () => {
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
      const refused = await ask(world, 'GET', '/', { token: null }).expect(401);
      expect(refused.body).to.deep.equal({
        error: {
          code: 401,
          title: 'Unauthorized',
          message: 'The request you have made requires authentication.',
        },
      });
      expect(refused.headers).to.not.have.property('www-authenticate');
      const elsewhere = await ask(world, 'GET', '/v1/leases', { token: null }).expect(401);
      expect(elsewhere.headers['www-authenticate']).to.match(/^Keystone uri="/);
    });

    it('says its microversion, and takes no other', async () => {
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

    it('takes the suffix .json, and no slash at the end', async () => {
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

    it('lets administrators alone at hosts', async () => {
      for (const path of [
        '/v1/os-hosts',
        '/v1/os-hosts/1',
        '/v1/os-hosts/allocations',
        '/v1/os-hosts/properties',
      ])
        expectFault(
          await ask(world, 'GET', path, member),
          403,
          /^Policy doesn't allow blazar:oshosts:get\w* to be performed$/,
        );
    });
  });

  describe('POST /v1/os-hosts', () => {
    it('shows what the host has, and what is said of it', async () => {
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

    it('puts it into the freepool, gives it a provider, and closes it to ordinary servers', async () => {
      await registerHosts(world);
      expect(await aggregates(world)).to.deep.equal({
        freepool: ['compute-1', 'compute-2', 'compute-3'],
      });
      expect(await inventoriesOf(world, 'compute-2')).to.deep.equal({});
      const server = await boot(world, '1');
      expect(server).to.include({ status: 'ERROR' });
      expect(server['fault'].message).to.match(/^No valid host was found/);
    });

    it('takes the number of a hypervisor too, and an exact name alone', async () => {
      const { hypervisors } = (await compute(world, 'GET', '/os-hypervisors').expect(200))
        .body as Fields;
      await ask(world, 'POST', '/v1/os-hosts', { body: { id: String(hypervisors[1].id) } }).expect(
        201,
      );
      expectFault(
        await ask(world, 'POST', '/v1/os-hosts', { body: { name: 'compute' } }),
        404,
        "Host 'compute' not found!",
      );
    });

    it('refuses what is no host, is there already, or has servers', async () => {
      expectFault(
        await ask(world, 'POST', '/v1/os-hosts', { body: {} }),
        403,
        'Invalid values for host {}',
      );
      await registerHosts(world, 1);
      expectFault(
        await ask(world, 'POST', '/v1/os-hosts', { body: { name: 'compute-1' } }),
        409,
        'Conflict on creating resource provider blazar_compute-1 ',
      );
      const server = await boot(world, '1');
      const name = server['OS-EXT-SRV-ATTR:host'] as string;
      expectFault(
        await ask(world, 'POST', '/v1/os-hosts', { body: { name } }),
        409,
        /^Servers \[\[\{'uuid': '[0-9a-f-]{36}', 'name': /,
      );
      const long = await ask(world, 'POST', '/v1/os-hosts', {
        body: { name: 'compute-3', ['x'.repeat(65)]: 'y' },
      });
      if (name !== 'compute-3') expectFault(long, 400, 'Extra capability key too long');
    });
  });

  describe('extra capabilities', () => {
    it('change, unless a reservation has asked for them', async () => {
      const [first, second] = await registerHosts(world, 2, { gpu: 'True' });
      const body = { gpu: 'False', ssd: 'yes' };
      const { host } = (await ask(world, 'PUT', `/v1/os-hosts/${first}`, { body }).expect(200))
        .body as Fields;
      expect(host).to.include({ gpu: 'False', ssd: 'yes', updated_at: null });
      const unset = await ask(world, 'PUT', `/v1/os-hosts/${first}`, {
        body: { ssd: null, nothing: null },
      }).expect(200);
      expect((unset.body as Fields)['host']).to.not.have.any.keys('ssd', 'nothing');
      await makeLease(world, [hostsWanted({ resource_properties: '["==", "$gpu", "True"]' })]);
      expectFault(
        await ask(world, 'PUT', `/v1/os-hosts/${second}`, { body: { gpu: 'False' } }),
        409,
        `Can't add extracapabilities ['gpu'] to Host ${second}`,
      );
      const nothing = await ask(world, 'PUT', `/v1/os-hosts/${second}`, { body: {} }).expect(400);
      expect(nothing.body).to.deep.equal({
        error_code: 400,
        error_message: 'No data to update',
        error_name: 'INTERNAL_SERVER_ERROR',
      });
      expectFault(
        await ask(world, 'GET', '/v1/os-hosts/999999'),
        404,
        "Object with {'host_id': '999999'} not found",
      );
    });

    it('are listed by their names, with values where they are asked for', async () => {
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
    it('gives the host back to ordinary servers', async () => {
      const [id] = await registerHosts(world, 1);
      const { text } = await ask(world, 'DELETE', `/v1/os-hosts/${id}`).expect(204);
      expect(text).to.equal('');
      expect(await aggregates(world)).to.deep.equal({ freepool: [] });
      expect(await inventoriesOf(world, 'compute-1')).to.equal(undefined);
      expect(((await ask(world, 'GET', '/v1/os-hosts')).body as Fields)['hosts']).to.deep.equal([]);
      await compute(world, 'GET', `/os-hypervisors/${id}`).expect(200);
      await registerHosts(world, 1);
    });

    it('is refused while the host is reserved', async () => {
      const [id] = await registerHosts(world, 1);
      await makeLease(world, [hostsWanted()]);
      expectFault(
        await ask(world, 'DELETE', `/v1/os-hosts/${id}`),
        409,
        `Can't delete host ${id}. The host is reserved.`,
      );
    });
  });
});
