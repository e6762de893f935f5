// Tests of snapshots at the Block storage gateway.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { alice, bob, messageOf, Tenancy, threePods, type Json } from './support.ts';

onEachDatabase('gateway: snapshots', threePods, (world) => {
  const unknownId = '00000000-0000-0000-0000-000000000001';
  let cloud: Tenancy;
  let volume: Json;
  beforeEach(async () => {
    cloud = new Tenancy(world);
    volume = await cloud.volume('v');
  });

  const create = async (name: string): Promise<Json> => {
    const { body } = await cloud
      .cinder('POST', '/snapshots', { body: { snapshot: { volume_id: volume['id'], name } } })
      .expect(202);
    return (body as Json)['snapshot'] as Json;
  };

  it('POST /snapshots creates the snapshot in the pod of its volume, and routes it', async () => {
    const { id } = await create('s');
    expect(await cloud.podOf(id)).to.equal('Pod1');
    await cloud.cinder('GET', `/snapshots/${id}`).expect(200);
  });

  it('POST /snapshots returns 404 for an unknown volume', async () => {
    const reply = await cloud
      .cinder('POST', '/snapshots', { body: { snapshot: { volume_id: unknownId } } })
      .expect(404);
    expect(messageOf(reply.body)).to.equal(`Volume ${unknownId} could not be found.`);
  });

  it('GET /snapshots sorts and pages, and links to the next page', async () => {
    for (const name of ['b', 'a']) await create(name);
    const { body } = await cloud.cinder('GET', '/snapshots?sort=name:asc&limit=1').expect(200);
    const { snapshots, snapshots_links: links } = body as { snapshots: Json[] } & Json;
    expect(snapshots.map(({ name }) => name as string)).to.deep.equal(['a']);
    expect(links[0].href).to.match(/\/CentralRegion\/volume\/v3\/snapshots\?.*marker=/);
  });

  it('GET /snapshots returns 400 for an invalid query, with and without a pod', async () => {
    for (const as of [alice, bob])
      for (const query of ['limit=none', 'sort=colour:asc'])
        await cloud.cinder('GET', `/snapshots?${query}`, { as }).expect(400);
  });

  it('GET /snapshots returns 404 for an unknown marker, with and without a pod', async () => {
    for (const as of [alice, bob]) {
      const reply = await cloud.cinder('GET', `/snapshots?marker=${unknownId}`, { as }).expect(404);
      expect(messageOf(reply.body)).to.equal(`Snapshot ${unknownId} could not be found.`);
    }
  });

  it('DELETE /snapshots/{snapshot_id} removes the routing', async () => {
    const { id } = await create('s');
    await cloud.cinder('DELETE', `/snapshots/${id}`).expect(202);
    await cloud.cinder('GET', `/snapshots/${id}`).expect(404);
    expect(await cloud.podOf(id)).to.equal(undefined);
  });
});
