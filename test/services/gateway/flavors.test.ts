// Tests of flavors at the Compute gateway, which copies them to all pods.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { admin, bottomRegions, Tenancy, threePods, type Json } from './support.ts';

onEachDatabase('gateway: flavors', threePods, (world) => {
  const flavor = { name: 'f', ram: 64, vcpus: 1, disk: 1, description: 'first' };
  let cloud: Tenancy;
  let path: string;
  beforeEach(async () => {
    cloud = new Tenancy(world);
    const { body } = await cloud
      .nova('POST', '/flavors', { as: admin, body: { flavor } })
      .expect(200);
    path = `/flavors/${(body as Json)['flavor'].id}`;
  });

  const showIn = async (at: string): Promise<Json> => {
    const { body } = await cloud.nova('GET', path, { as: admin, at }).expect(200);
    return (body as Json)['flavor'] as Json;
  };

  it('POST /flavors creates the flavor in all pods, with the generated id', async () => {
    for (const at of bottomRegions)
      expect(await showIn(at), at).to.include({ name: 'f', ram: 64, description: 'first' });
  });

  it('POST /flavors returns 403 to a member', async () => {
    await cloud.nova('POST', '/flavors', { body: { flavor } }).expect(403);
  });

  it('PUT /flavors/{flavor_id} changes the flavor in all pods', async () => {
    await cloud
      .nova('PUT', path, { as: admin, body: { flavor: { description: 'second' } } })
      .expect(200);
    for (const at of bottomRegions)
      expect(await showIn(at), at).to.include({ name: 'f', ram: 64, description: 'second' });
  });

  it('writes to os-extra_specs give all pods the same extra specs', async () => {
    await cloud
      .nova('POST', `${path}/os-extra_specs`, {
        as: admin,
        body: { extra_specs: { a: '1', b: '2' } },
      })
      .expect(200);
    await cloud
      .nova('PUT', `${path}/os-extra_specs/a`, { as: admin, body: { a: '3' } })
      .expect(200);
    await cloud.nova('DELETE', `${path}/os-extra_specs/b`, { as: admin }).expect(200);
    for (const at of bottomRegions)
      expect((await showIn(at))['extra_specs'], at).to.deep.equal({ a: '3' });
  });

  it('DELETE /flavors/{flavor_id} deletes the flavor in all pods', async () => {
    await cloud.nova('DELETE', path, { as: admin }).expect(202);
    for (const at of bottomRegions) await cloud.nova('GET', path, { as: admin, at }).expect(404);
  });
});
