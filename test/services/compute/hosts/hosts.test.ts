// Tests of hosts as they were seen until 2.42, and of the audits of what runs on them.
import { expect } from 'chai';
import { onEachDatabase, type Asked } from '../../../support/cloud.ts';
import { ask, config, expectFault, member } from '../support.ts';
import { admin, madeServer, newest } from '../servers/makers.ts';

onEachDatabase('compute: hosts', config, (world) => {
  const get = (path: string, version = '2.42', as: Asked = admin) =>
    ask(world, 'GET', path, { ...as, version });
  const put = (path: string, body: object) =>
    ask(world, 'PUT', path, { ...admin, version: '2.1', body });

  describe('GET /os-hosts', () => {
    it('has a line for each service that is enabled', async () => {
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

    it('is for administrators, until 2.42', async () => {
      expectFault(
        await get('/os-hosts', '2.1', member),
        403,
        "Policy doesn't allow os_compute_api:os-hosts:list to be performed.",
      );
      expectFault(await get('/os-hosts', '2.43'), 404, 'The resource could not be found.');
    });
  });

  describe('GET /os-hosts/{id}', () => {
    it('sums up what is there, and what is used by whom', async () => {
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

    it('answers 404 where no servers can run', async () => {
      for (const name of ['nope', 'controller'])
        expectFault(
          await get(`/os-hosts/${name}`),
          404,
          `Host '${name}' is not mapped to any cell`,
        );
    });
  });

  describe('PUT /os-hosts/{id}', () => {
    it('keeps new servers from a host, or lets them there, whatever its service says', async () => {
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

    it('refuses what it does not know', async () => {
      expectFault(
        await put('/os-hosts/nope', { status: 'enable' }),
        404,
        "Host 'nope' is not mapped to any cell",
      );
      expectFault(await put('/os-hosts/compute-1', { status: 'off' }), 400, /'off' is not one of/);
      expectFault(
        await put('/os-hosts/compute-1', {}),
        400,
        /is not valid under any of the given schemas/,
      );
      expectFault(
        await put('/os-hosts/compute-1', { status: 'disable', maintenance_mode: 'enable' }),
        501,
        'The requested functionality is not supported.',
      );
      expect((await madeServer(world, { host: 'compute-1' })).status).to.equal('ACTIVE');
    });
  });

  it('cannot be started, stopped or restarted', async () => {
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
    expectFault(
      await get('/os-hosts/nope/startup', '2.1', member),
      403,
      "Policy doesn't allow os_compute_api:os-hosts:start to be performed.",
    );
  });

  describe('audits', () => {
    const path = '/os-instance_usage_audit_log';
    const hosts = ['compute-1', 'compute-2', 'compute-3'];

    it('have not run for the last month', async () => {
      expect((await get(path, newest)).body.instance_usage_audit_logs).to.deep.equal({
        period_beginning: '2026-10-01 00:00:00',
        period_ending: '2026-11-01 00:00:00',
        num_hosts: 3,
        num_hosts_done: 0,
        num_hosts_running: 0,
        num_hosts_not_run: 3,
        hosts_not_run: hosts,
        total_instances: 0,
        total_errors: 0,
        overall_status: '0 of 3 hosts done. 0 errors.',
        log: {},
      });
    });

    it('are told of the month that was over at a time', async () => {
      const ends = async (moment: string): Promise<string> =>
        (
          (await get(`${path}/${encodeURIComponent(moment)}`, newest)).body
            .instance_usage_audit_log as { period_ending: string }
        ).period_ending;
      expect(await ends('2026-01-02 00:00:00')).to.equal('2026-01-01 00:00:00');
      expect(await ends('2026-03-01 00:00:00')).to.equal('2026-02-01 00:00:00');
      expect(await ends('2026-03-01 00:00:00.000001')).to.equal('2026-03-01 00:00:00');
      expect(await ends('2026-1-1 0:0:0')).to.equal('2025-12-01 00:00:00');
    });

    it('are refused for what is no time', async () => {
      for (const moment of [
        'x',
        '2026-02-30 00:00:00',
        '2026-11-20T12:00:00',
        '2026-11-20 12:00:00.',
        '2026-11-20 12:00',
      ])
        expectFault(
          await get(`${path}/${encodeURIComponent(moment)}`),
          400,
          `Invalid timestamp for date ${moment}`,
        );
    });
  });
});
