// Tests of volume types at the Block storage gateway, which copies them to all pods by name.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { admin, bottomRegions, Tenancy, threePods, type Json } from './support.ts';

onEachDatabase('gateway: volume types', threePods, (world) => {
  let cloud: Tenancy;
  let path: string;
  beforeEach(async () => {
    cloud = new Tenancy(world);
    const { body } = await cloud
      .cinder('POST', '/types', { as: admin, body: { volume_type: { name: 't' } } })
      .expect(200);
    path = `/types/${(body as Json)['volume_type'].id}`;
  });

  const findIn = async (at: string): Promise<Json | undefined> => {
    const { body } = await cloud.cinder('GET', '/types', { as: admin, at }).expect(200);
    return ((body as Json)['volume_types'] as Json[]).find(({ name }) => name === 't');
  };

  it('POST /types creates the type in all pods', async () => {
    for (const at of bottomRegions) expect(await findIn(at), at).to.include({ name: 't' });
  });

  it('POST /types/{type_id}/extra_specs sets the extra specs in all pods', async () => {
    await cloud
      .cinder('POST', `${path}/extra_specs`, { as: admin, body: { extra_specs: { a: '1' } } })
      .expect(200);
    for (const at of bottomRegions)
      expect((await findIn(at))?.['extra_specs'], at).to.deep.equal({ a: '1' });
  });

  it('PUT /types/{type_id} changes the type in all pods', async () => {
    await cloud
      .cinder('PUT', path, { as: admin, body: { volume_type: { description: 'd' } } })
      .expect(200);
    for (const at of bottomRegions) expect((await findIn(at))?.['description'], at).to.equal('d');
  });

  it('DELETE /types/{type_id} deletes the type in all pods', async () => {
    await cloud.cinder('DELETE', path, { as: admin }).expect(202);
    for (const at of bottomRegions) expect(await findIn(at), at).to.equal(undefined);
  });
});
