// Tests of quotas of projects, users and classes, and of the limits that follow from them.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { putServer } from './servers/by-hand.ts';
import { ask, config, expectFault, member, reader, someone } from './support.ts';

const newest = [
  'cores',
  'instances',
  'key_pairs',
  'metadata_items',
  'ram',
  'server_group_members',
  'server_groups',
];
const files = ['injected_file_content_bytes', 'injected_file_path_bytes', 'injected_files'];
const networks = ['fixed_ips', 'floating_ips', 'security_group_rules', 'security_groups'];

onEachDatabase('compute: quotas', config, (world) => {
  const put = (quota_set: object, path = '/os-quota-sets/demo', version = '2.1') =>
    ask(world, 'PUT', path, { version, body: { quota_set } });
  const shown = async (path: string, version = '2.1'): Promise<Record<string, unknown>> =>
    (await ask(world, 'GET', path, { version })).body.quota_set as Record<string, unknown>;

  describe('os-quota-sets', () => {
    it('loses networks with 2.36 and files with 2.57', async () => {
      const keys = async (version: string): Promise<string[]> =>
        Object.keys(await shown('/os-quota-sets/demo', version)).toSorted();
      expect(await keys('2.35')).to.deep.equal([...newest, ...files, ...networks, 'id'].toSorted());
      expect(await keys('2.56')).to.deep.equal([...newest, ...files, 'id'].toSorted());
      expect(await keys('2.57')).to.deep.equal([...newest, 'id'].toSorted());
    });

    it('begins with the usual limits', async () => {
      expect(await shown('/os-quota-sets/demo', '2.57')).to.deep.equal({
        id: 'demo',
        instances: 10,
        cores: 20,
        ram: 51_200,
        metadata_items: 128,
        key_pairs: 100,
        server_groups: 10,
        server_group_members: 10,
      });
      expect(await shown('/os-quota-sets/demo/defaults')).to.deep.include({
        id: 'demo',
        cores: 20,
        fixed_ips: -1,
        injected_files: 5,
      });
    });

    it('sets limits, and answers without an id', async () => {
      const { status, body } = await put({ cores: 40, instances: '15', server_groups: -1 });
      expect(status).to.equal(200);
      expect(body.quota_set)
        .to.deep.include({ cores: 40, instances: 15, server_groups: -1, ram: 51_200 })
        .and.not.have.property('id');
      expect(await shown('/os-quota-sets/demo')).to.deep.include({ cores: 40, instances: 15 });
      expect(await shown('/os-quota-sets/other')).to.deep.include({ cores: 20, instances: 10 });
    });

    it('of users lie below those of the project', async () => {
      await put({ cores: 5 }, '/os-quota-sets/demo?user_id=u');
      expect(await shown('/os-quota-sets/demo?user_id=u')).to.deep.include({
        cores: 5,
        instances: 10,
      });
      expect(await shown('/os-quota-sets/demo')).to.deep.include({ cores: 20 });
      expectFault(
        await put({ cores: 16 }, '/os-quota-sets/demo?user_id=v'),
        400,
        'Quota limit 16 for cores must be less than or equal to 15.',
      );
      expectFault(
        await put({ cores: 4 }),
        400,
        'Quota limit 4 for cores must be greater than or equal to already used and reserved 5.',
      );
    });

    it('may not go below what is used, unless that is forced', async () => {
      await putServer(world, { vcpus: 2, ram: 1024 });
      expectFault(
        await put({ cores: 1 }),
        400,
        'Quota limit 1 for cores must be greater than or equal to already used and reserved 2.',
      );
      expect((await put({ cores: 1, force: 'True' })).body.quota_set.cores).to.equal(1);
      expect((await shown('/os-quota-sets/demo/detail'))['cores']).to.deep.equal({
        limit: 1,
        in_use: 2,
        reserved: 0,
      });
      expect((await shown('/os-quota-sets/demo/detail'))['ram']).to.deep.equal({
        limit: 51_200,
        in_use: 1024,
        reserved: 0,
      });
      expect((await shown('/os-quota-sets/demo/detail?user_id=nobody'))['cores']).to.deep.equal({
        limit: 1,
        in_use: 0,
        reserved: 0,
      });
    });

    it('are forgotten, those of a user or all of the project', async () => {
      await put({ cores: 30 });
      await put({ cores: 5 }, '/os-quota-sets/demo?user_id=u');
      const reply = await ask(world, 'DELETE', '/os-quota-sets/demo?user_id=u');
      expect([reply.status, reply.text]).to.deep.equal([202, '']);
      expect(await shown('/os-quota-sets/demo?user_id=u')).to.deep.include({ cores: 30 });
      await ask(world, 'DELETE', '/os-quota-sets/demo');
      expect(await shown('/os-quota-sets/demo')).to.deep.include({ cores: 20 });
    });

    it('refuse what is no limit', async () => {
      expectFault(
        await put({ cores: -2 }),
        400,
        'Invalid input for field/attribute cores. Value: -2. -2 is less than the minimum of -1',
      );
      expectFault(
        await put({ cores: '-2' }),
        400,
        'Invalid input for field/attribute cores. Value: -2. -2 is less than the minimum of -1',
      );
      expectFault(
        await put({ cores: '2147483648' }),
        400,
        /is greater than the maximum of 2147483647$/,
      );
      expectFault(await put({ cores: 'x' }), 400, /does not match/);
      expectFault(
        await put({ beer: 1 }),
        400,
        /Additional properties are not allowed \('beer' was unexpected\)$/,
      );
      expectFault(
        await put({ fixed_ips: 1 }, '/os-quota-sets/demo', '2.36'),
        400,
        /'fixed_ips' was unexpected/,
      );
    });

    it('are read by members of the project, and written by administrators', async () => {
      expect((await ask(world, 'GET', '/os-quota-sets/demo', reader)).status).to.equal(200);
      expectFault(
        await ask(world, 'GET', '/os-quota-sets/other', reader),
        403,
        "Policy doesn't allow os_compute_api:os-quota-sets:show to be performed.",
      );
      expectFault(
        await ask(world, 'GET', '/os-quota-sets/other/detail', reader),
        403,
        /os-quota-sets:detail/,
      );
      expect((await ask(world, 'GET', '/os-quota-sets/other/defaults', reader)).status).to.equal(
        200,
      );
      expectFault(
        await ask(world, 'PUT', '/os-quota-sets/demo', { ...member, body: { quota_set: {} } }),
        403,
        /os-quota-sets:update/,
      );
      expectFault(
        await ask(world, 'DELETE', '/os-quota-sets/demo', member),
        403,
        /os-quota-sets:delete/,
      );
    });
  });

  describe('os-quota-class-sets', () => {
    it('has groups from 2.50 on, and no networks', async () => {
      const keys = async (version: string): Promise<string[]> =>
        Object.keys(
          (await ask(world, 'GET', '/os-quota-class-sets/default', { version })).body
            .quota_class_set as object,
        ).toSorted();
      const groups = ['server_group_members', 'server_groups'];
      expect(await keys('2.49')).to.deep.equal(
        [
          ...newest.filter((name) => !groups.includes(name)),
          ...files,
          ...networks,
          'id',
        ].toSorted(),
      );
      expect(await keys('2.50')).to.deep.equal([...newest, ...files, 'id'].toSorted());
      expect(await keys('2.57')).to.deep.equal([...newest, 'id'].toSorted());
    });

    it('of the name default is what projects without limits of their own have', async () => {
      const { body } = await ask(world, 'PUT', '/os-quota-class-sets/default', {
        version: '2.57',
        body: { quota_class_set: { cores: 50 } },
      });
      expect(body.quota_class_set).to.deep.include({ cores: 50 }).and.not.have.property('id');
      expect(await shown('/os-quota-sets/demo/defaults')).to.deep.include({ cores: 50 });
      expect(await shown('/os-quota-sets/demo')).to.deep.include({ cores: 50 });
      await put({ cores: 7 });
      expect(await shown('/os-quota-sets/demo')).to.deep.include({ cores: 7 });
    });

    it('of another name has no effect', async () => {
      await ask(world, 'PUT', '/os-quota-class-sets/gold', {
        body: { quota_class_set: { cores: 99 } },
      });
      expect(
        (await ask(world, 'GET', '/os-quota-class-sets/gold')).body.quota_class_set,
      ).to.deep.include({
        id: 'gold',
        cores: 99,
      });
      expect(await shown('/os-quota-sets/demo')).to.deep.include({ cores: 20 });
      expectFault(
        await ask(world, 'GET', '/os-quota-class-sets/gold', member),
        403,
        /os-quota-class-sets:show/,
      );
    });
  });

  describe('GET /limits', () => {
    const absolute = async (
      version: string,
      as = member,
      query = '',
    ): Promise<Record<string, number>> =>
      (await ask(world, 'GET', `/limits${query}`, { ...as, version })).body.limits
        .absolute as Record<string, number>;

    it('says what the project may have and has', async () => {
      await putServer(world, { vcpus: 3, ram: 512 });
      await ask(world, 'POST', '/os-server-groups', {
        ...member,
        body: { server_group: { name: 'g', policies: ['affinity'] } },
      });
      expect(await absolute('2.57')).to.deep.equal({
        maxTotalInstances: 10,
        maxTotalCores: 20,
        maxTotalRAMSize: 51_200,
        maxTotalKeypairs: 100,
        maxServerMeta: 128,
        maxServerGroups: 10,
        maxServerGroupMembers: 10,
        totalInstancesUsed: 1,
        totalCoresUsed: 3,
        totalRAMUsed: 512,
        totalServerGroupsUsed: 1,
      });
    });

    it('says less with 2.36, 2.39 and 2.57', async () => {
      const lost = async (before: string, after: string): Promise<string[]> => {
        const left = Object.keys(await absolute(after));
        return Object.keys(await absolute(before))
          .filter((name) => !left.includes(name))
          .toSorted();
      };
      expect(await lost('2.35', '2.36')).to.deep.equal([
        'maxSecurityGroupRules',
        'maxSecurityGroups',
        'maxTotalFloatingIps',
        'totalFloatingIpsUsed',
        'totalSecurityGroupsUsed',
      ]);
      expect(await lost('2.38', '2.39')).to.deep.equal(['maxImageMeta']);
      expect(await lost('2.56', '2.57')).to.deep.equal(['maxPersonality', 'maxPersonalitySize']);
    });

    it('says it of another project to administrators', async () => {
      await putServer(world, { vcpus: 3 });
      expect(await absolute('2.57', {} as typeof member, '?tenant_id=demo')).to.deep.include({
        totalCoresUsed: 3,
      });
      expectFault(
        await ask(world, 'GET', '/limits?tenant_id=other', member),
        403,
        "Policy doesn't allow os_compute_api:limits:other_project to be performed.",
      );
      expect(
        (await ask(world, 'GET', '/limits?reserved=False', someone('reader'))).status,
      ).to.equal(200);
    });
  });

  describe('os-simple-tenant-usage', () => {
    const day = 'start=2026-11-20T00:00:00&end=2026-11-21T00:00:00';

    it('counts the hours of the period that servers ran in, up to now', async () => {
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

    it('is nothing for a project without servers, and a list for all', async () => {
      expect((await ask(world, 'GET', `/os-simple-tenant-usage/none?${day}`)).body).to.deep.equal({
        tenant_usage: {},
      });
      await putServer(world, { launched: '2026-11-20T10:00:00Z' });
      const brief = await ask(world, 'GET', `/os-simple-tenant-usage?${day}`);
      expect(brief.body.tenant_usages).to.have.length(1);
      expect(brief.body.tenant_usages[0]).to.not.have.property('server_usages');
      expect(
        (await ask(world, 'GET', `/os-simple-tenant-usage?${day}&detailed=1`)).body.tenant_usages[0]
          .server_usages,
      ).to.have.length(1);
      expectFault(
        await ask(world, 'GET', `/os-simple-tenant-usage?${day}`, member),
        403,
        /os-simple-tenant-usage:list/,
      );
    });

    it('comes in pages of servers from 2.40 on', async () => {
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
      expectFault(
        await ask(world, 'GET', `/os-simple-tenant-usage/demo?${day}&marker=x`, {
          version: '2.40',
        }),
        400,
        'Marker x could not be found.',
      );
    });

    it('is of this moment where no time is given', async () => {
      await putServer(world, { launched: '2026-11-20T10:00:00Z' });
      const { status, body } = await ask(world, 'GET', '/os-simple-tenant-usage/demo', member);
      expect(status).to.equal(200);
      expect(body.tenant_usage).to.include({ total_hours: 0, start: '2026-11-20T12:00:00.000000' });
      expect(body.tenant_usage.server_usages).to.have.length(1);
      expect(
        (await ask(world, 'GET', '/os-simple-tenant-usage')).body.tenant_usages,
      ).to.have.length(1);
    });

    it('refuses periods that are none', async () => {
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
