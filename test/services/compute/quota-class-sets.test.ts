// Tests of quota classes, of which `default` gives projects their default limits.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask, config, expectFault, member } from './support.ts';

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

onEachDatabase('compute: quota classes', config, (world) => {
  const put = (quota_set: object, path = '/os-quota-sets/demo', version = '2.1') =>
    ask(world, 'PUT', path, { version, body: { quota_set } });
  const shown = async (path: string, version = '2.1'): Promise<Record<string, unknown>> =>
    (await ask(world, 'GET', path, { version })).body.quota_set as Record<string, unknown>;

  describe('/os-quota-class-sets/{id}', () => {
    it('contains groups instead of networks from 2.50 on', async () => {
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

    it('applies the class default to projects without limits of their own', async () => {
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

    it('stores other classes without effect', async () => {
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
    });

    it('returns 403 for a member', async () => {
      expectFault(
        await ask(world, 'GET', '/os-quota-class-sets/gold', member),
        403,
        /os-quota-class-sets:show/,
      );
    });
  });
});
