// Tests of the API of hosts, which exists until 2.42.
import { expect } from 'chai';
import { onEachDatabase, type Asked } from '../../../support/cloud.ts';
import { ask, config, expectFault, member } from '../support.ts';
import { admin, madeServer } from '../servers/makers.ts';

onEachDatabase('compute: hosts', config, (world) => {
  const get = (path: string, version = '2.42', as: Asked = admin) =>
    ask(world, 'GET', path, { ...as, version });
  const put = (path: string, body: object) =>
    ask(world, 'PUT', path, { ...admin, version: '2.1', body });

  describe('GET /os-hosts', () => {
    it('lists the enabled services, and filters by zone', async () => {
      const { body } = await get('/os-hosts');
      expect(body.hosts).to.deep.include({
        host_name: 'controller',
        service: 'conductor',
        zone: 'internal',
      });
      expect(body.hosts).to.deep.include({
        host_name: 'compute-3',
        service: 'compute',
        zone: 'nova',
      });
      expect((await get('/os-hosts?zone=nova')).body.hosts).to.have.length(3);
      expect((await get('/os-hosts?zone=elsewhere')).body.hosts).to.deep.equal([]);
      await put('/os-services/disable', { host: 'compute-3', binary: 'nova-compute' }).expect(200);
      expect((await get('/os-hosts?zone=nova')).body.hosts).to.have.length(2);
    });

    it('returns 403 for a member', async () => {
      expectFault(
        await get('/os-hosts', '2.1', member),
        403,
        "Policy doesn't allow os_compute_api:os-hosts:list to be performed.",
      );
    });

    it('returns 404 from 2.43 on', async () => {
      expectFault(await get('/os-hosts', '2.43'), 404, 'The resource could not be found.');
    });
  });

  describe('GET /os-hosts/{id}', () => {
    it('returns total and used resources, and the usage of each project', async () => {
      await madeServer(world, { host: 'compute-1', flavorRef: '2' });
      const { host } = (await get('/os-hosts/compute-1')).body as {
        host: { resource: Record<string, unknown> }[];
      };
      expect(host.map(({ resource }) => resource['project'])).to.deep.equal([
        '(total)',
        '(used_now)',
        '(used_max)',
        'demo',
      ]);
      const used = { host: 'compute-1', cpu: 1, memory_mb: 2048, disk_gb: 20 };
      expect(host[2]!.resource).to.deep.equal({ ...used, project: '(used_max)' });
      expect(host[3]!.resource).to.deep.equal({ ...used, project: 'demo' });
      expect(host[1]!.resource['cpu']).to.equal(1);
    });

    it('returns 404 for an unknown host, and for one without nova-compute', async () => {
      for (const name of ['nope', 'controller'])
        expectFault(
          await get(`/os-hosts/${name}`),
          404,
          `Host '${name}' is not mapped to any cell`,
        );
    });
  });

  describe('PUT /os-hosts/{id}', () => {
    it('disables and enables a host for new servers, without changing its service', async () => {
      const off = await put('/os-hosts/compute-1', { status: 'Disable' });
      expect(off.body).to.deep.equal({ host: 'compute-1', status: 'disabled' });
      expect((await madeServer(world, { host: 'compute-1' })).status).to.equal('ERROR');
      const { services } = (await get('/os-services?host=compute-1')).body as {
        services: object[];
      };
      expect(services[0]).to.include({ status: 'enabled' });
      await put('/os-hosts/compute-1', { status: 'enable' }).expect(200);
      expect((await madeServer(world, { host: 'compute-1' })).status).to.equal('ACTIVE');
    });

    it('returns 404 for an unknown host', async () => {
      expectFault(
        await put('/os-hosts/nope', { status: 'enable' }),
        404,
        "Host 'nope' is not mapped to any cell",
      );
    });

    it('returns 400 for an unknown status, and for no status', async () => {
      expectFault(await put('/os-hosts/compute-1', { status: 'off' }), 400, /'off' is not one of/);
      expectFault(
        await put('/os-hosts/compute-1', {}),
        400,
        /is not valid under any of the given schemas/,
      );
    });

    it('returns 501 for the maintenance mode, and changes nothing', async () => {
      expectFault(
        await put('/os-hosts/compute-1', { status: 'disable', maintenance_mode: 'enable' }),
        501,
        'The requested functionality is not supported.',
      );
      expect((await madeServer(world, { host: 'compute-1' })).status).to.equal('ACTIVE');
    });
  });

  it('returns 501 for startup, shutdown and reboot', async () => {
    for (const verb of ['startup', 'shutdown', 'reboot']) {
      expectFault(
        await get(`/os-hosts/compute-1/${verb}`),
        501,
        'The requested functionality is not supported.',
      );
      expectFault(
        await get(`/os-hosts/nope/${verb}`),
        404,
        "Host 'nope' is not mapped to any cell",
      );
    }
  });

  it('returns 403 for startup by a member before it looks up the host', async () => {
    expectFault(
      await get('/os-hosts/nope/startup', '2.1', member),
      403,
      "Policy doesn't allow os_compute_api:os-hosts:start to be performed.",
    );
  });
});
