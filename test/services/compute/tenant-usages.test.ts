// Tests of the usage of projects in a period.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { putServer } from './servers/by-hand.ts';
import { ask, config, expectFault, member } from './support.ts';

onEachDatabase('compute: usage of projects', config, (world) => {
  describe('GET /os-simple-tenant-usage', () => {
    const day = 'start=2026-11-20T00:00:00&end=2026-11-21T00:00:00';

    it('sums the hours of servers within the period, up to now', async () => {
      await putServer(world, {
        name: 'runs',
        vcpus: 2,
        ram: 512,
        launched: '2026-11-20T10:00:00Z',
      });
      await putServer(world, {
        name: 'ran',
        vcpus: 1,
        ram: 512,
        launched: '2026-11-19T00:00:00Z',
        terminated: '2026-11-20T01:00:00Z',
      });
      await putServer(world, {
        name: 'before',
        launched: '2026-11-01T00:00:00Z',
        terminated: '2026-11-02T00:00:00Z',
      });
      const { body } = await ask(world, 'GET', `/os-simple-tenant-usage/demo?${day}`, member);
      expect(body.tenant_usage).to.deep.include({
        tenant_id: 'demo',
        total_hours: 3,
        total_vcpus_usage: 5,
        total_memory_mb_usage: 1536,
        start: '2026-11-20T00:00:00.000000',
        stop: '2026-11-20T12:00:00.000000',
      });
      const [ran, runs] = (body.tenant_usage.server_usages as { name: string }[]).toSorted(
        (a, b) => (a.name < b.name ? -1 : 1),
      );
      expect(ran).to.deep.include({
        name: 'ran',
        state: 'terminated',
        hours: 1,
        ended_at: '2026-11-20T01:00:00.000000',
        uptime: 90_000,
      });
      expect(runs).to.deep.include({
        name: 'runs',
        state: 'active',
        hours: 2,
        ended_at: null,
        uptime: 7200,
        vcpus: 2,
        started_at: '2026-11-20T10:00:00.000000',
      });
    });

    it('returns an empty usage for a project without servers', async () => {
      expect((await ask(world, 'GET', `/os-simple-tenant-usage/none?${day}`)).body).to.deep.equal({
        tenant_usage: {},
      });
    });

    it('lists the usage of all projects, with servers if details are requested', async () => {
      await putServer(world, { launched: '2026-11-20T10:00:00Z' });
      const brief = await ask(world, 'GET', `/os-simple-tenant-usage?${day}`);
      expect(brief.body.tenant_usages).to.have.length(1);
      expect(brief.body.tenant_usages[0]).to.not.have.property('server_usages');
      expect(
        (await ask(world, 'GET', `/os-simple-tenant-usage?${day}&detailed=1`)).body.tenant_usages[0]
          .server_usages,
      ).to.have.length(1);
    });

    it('returns 403 for the usage of all projects to a member', async () => {
      expectFault(
        await ask(world, 'GET', `/os-simple-tenant-usage?${day}`, member),
        403,
        /os-simple-tenant-usage:list/,
      );
    });

    it('returns pages of servers from 2.40 on', async () => {
      for (let count = 0; count < 3; count++)
        await putServer(world, { launched: '2026-11-20T10:00:00Z' });
      const { body } = await ask(world, 'GET', `/os-simple-tenant-usage/demo?${day}&limit=2`, {
        version: '2.40',
      });
      expect(body.tenant_usage.total_hours).to.equal(4);
      const next = new URL(
        (body as { tenant_usage_links: { href: string }[] }).tenant_usage_links[0]!.href,
      );
      const rest = await world.ask('compute', 'GET', next.pathname + next.search, {
        version: '2.40',
      });
      expect(rest.body.tenant_usage.total_hours).to.equal(2);
    });

    it('returns 400 for an unknown marker', async () => {
      expectFault(
        await ask(world, 'GET', `/os-simple-tenant-usage/demo?${day}&marker=x`, {
          version: '2.40',
        }),
        400,
        'Marker x could not be found.',
      );
    });

    it('starts and ends now without a period', async () => {
      await putServer(world, { launched: '2026-11-20T10:00:00Z' });
      const { status, body } = await ask(world, 'GET', '/os-simple-tenant-usage/demo', member);
      expect(status).to.equal(200);
      expect(body.tenant_usage).to.include({ total_hours: 0, start: '2026-11-20T12:00:00.000000' });
      expect(body.tenant_usage.server_usages).to.have.length(1);
      expect(
        (await ask(world, 'GET', '/os-simple-tenant-usage')).body.tenant_usages,
      ).to.have.length(1);
    });

    it('returns 400 for an invalid period', async () => {
      expectFault(
        await ask(world, 'GET', '/os-simple-tenant-usage/demo?end=2026-11-20T11:00:00'),
        400,
        'Invalid start time. The start time cannot occur after the end time.',
      );
      expectFault(
        await ask(world, 'GET', '/os-simple-tenant-usage/demo?start=yesterday'),
        400,
        /^Invalid datetime string/,
      );
    });
  });
});
