// Tests of the quotas of projects and users.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { putServer } from './servers/by-hand.ts';
import { admin, postServer } from './servers/makers.ts';
import { ask, config, expectFault, member, reader } from './support.ts';

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

onEachDatabase('compute: quota sets', config, (world) => {
  const put = (quota_set: object, path = '/os-quota-sets/demo', version = '2.1') =>
    ask(world, 'PUT', path, { version, body: { quota_set } });
  const shown = async (path: string, version = '2.1'): Promise<Record<string, unknown>> =>
    (await ask(world, 'GET', path, { version })).body.quota_set as Record<string, unknown>;

  describe('/os-quota-sets/{tenant_id}', () => {
    it('contains networks until 2.35 and files until 2.56', async () => {
      const keys = async (version: string): Promise<string[]> =>
        Object.keys(await shown('/os-quota-sets/demo', version)).toSorted();
      expect(await keys('2.35')).to.deep.equal([...newest, ...files, ...networks, 'id'].toSorted());
      expect(await keys('2.56')).to.deep.equal([...newest, ...files, 'id'].toSorted());
      expect(await keys('2.57')).to.deep.equal([...newest, 'id'].toSorted());
    });

    it('returns the default limits of a new cloud', async () => {
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

    it('sets limits, and returns them without an id', async () => {
      const { status, body } = await put({ cores: 40, instances: '15', server_groups: -1 });
      expect(status).to.equal(200);
      expect(body.quota_set)
        .to.deep.include({ cores: 40, instances: 15, server_groups: -1, ram: 51_200 })
        .and.not.have.property('id');
      expect(await shown('/os-quota-sets/demo')).to.deep.include({ cores: 40, instances: 15 });
      expect(await shown('/os-quota-sets/other')).to.deep.include({ cores: 20, instances: 10 });
    });

    it('sets limits of a user, and returns 400 if they exceed those of the project', async () => {
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

    it('returns 400 for a limit below the usage, unless it is forced', async () => {
      await putServer(world, { vcpus: 2, ram: 1024 });
      expectFault(
        await put({ cores: 1 }),
        400,
        'Quota limit 1 for cores must be greater than or equal to already used and reserved 2.',
      );
      expect((await put({ cores: 1, force: 'True' })).body.quota_set.cores).to.equal(1);
    });

    it('returns limits and usage of a project and of a user', async () => {
      await putServer(world, { vcpus: 2, ram: 1024 });
      await put({ cores: 1, force: 'True' });
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

    it('deletes the limits of a user, or all limits of a project', async () => {
      await put({ cores: 30 });
      await put({ cores: 5 }, '/os-quota-sets/demo?user_id=u');
      const reply = await ask(world, 'DELETE', '/os-quota-sets/demo?user_id=u');
      expect([reply.status, reply.text]).to.deep.equal([202, '']);
      expect(await shown('/os-quota-sets/demo?user_id=u')).to.deep.include({ cores: 30 });
      await ask(world, 'DELETE', '/os-quota-sets/demo');
      expect(await shown('/os-quota-sets/demo')).to.deep.include({ cores: 20 });
    });

    it('returns 400 for invalid limits', async () => {
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
    });

    it('returns 400 for resources that the version does not have', async () => {
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

    it('limits concurrent requests of a project that had no limits before', async () => {
      const create = (): PromiseLike<{ status: number }> => postServer(world, {}, admin);
      const none = { instances: -1, cores: -1, ram: -1, server_group_members: -1 };
      for (const limit of [1, 4]) {
        await put(none, '/os-quota-sets/demo', '2.57');
        await create();
        await create(); // this one knows that there are no limits
        const { instances } = (await shown('/os-quota-sets/demo/detail')) as {
          instances: { in_use: number };
        };
        await put({ instances: instances.in_use + limit });
        const replies = await Promise.all(Array.from({ length: 20 }, create));
        expect(replies.filter(({ status }) => status === 202)).to.have.length(limit);
        expect(replies.filter(({ status }) => status === 403)).to.have.length(20 - limit);
      }
    });

    it('lets a reader see the limits of their own project and the defaults of any', async () => {
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
    });

    it('returns 403 for changes by a member', async () => {
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
});
