// Tests resource filters.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask } from './support.ts';

onEachDatabase('resource filters', { auth: 'noauth2' }, (world) => {
  const filters = async (query = ''): Promise<{ resource: string; filters: string[] }[]> =>
    (await ask(world, 'alice', 'GET', `/resource_filters${query}`).expect(200)).body
      .resource_filters as never;

  it('lists the filters of all resources', async () => {
    expect((await filters()).map(({ resource }) => resource)).to.include.members([
      'volume',
      'snapshot',
      'pool',
      'backup',
    ]);
  });

  it('lists the filters of one resource, and none of an unknown resource', async () => {
    expect(await filters('?resource=volume_type')).to.deep.equal([
      { resource: 'volume_type', filters: ['is_public', 'extra_specs'] },
    ]);
    expect(await filters('?resource=nope')).to.deep.equal([]);
  });

  it('returns 404 before 3.33', async () => {
    await ask(world, 'alice', 'GET', '/resource_filters', { version: '3.32' }).expect(404);
  });
});
