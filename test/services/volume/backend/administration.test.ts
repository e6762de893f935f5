// Tests clusters, workers and failover: what a cloud answers whose only volume service is in no
// cluster, never dies, and does not replicate.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, askAsAdmin, messageOf } from '../support.ts';

onEachDatabase('clusters, workers and failover of Volume', { auth: 'noauth2' }, (world) => {
  it('lists no clusters, and finds none', async () => {
    for (const path of ['/clusters', '/clusters/detail?disabled=false&frozen=x'])
      expect((await askAsAdmin(world, 'GET', path).expect(200)).body).to.deep.equal({
        clusters: [],
      });
    const missing = await askAsAdmin(world, 'GET', '/clusters/c@lvm').expect(404);
    expect(messageOf(missing)).to.equal('Cluster c@lvm could not be found.');
    for (const action of ['enable', 'disable'])
      await askAsAdmin(world, 'PUT', `/clusters/${action}`, { name: 'c' }).expect(404);
    await ask(world, 'alice', 'GET', '/clusters').expect(403);
    await askAsAdmin(world, 'GET', '/clusters', undefined, '3.6').expect(404);
  });

  it('checks the filters of clusters', async () => {
    const refusal = async (query: string, version?: string): Promise<string> =>
      messageOf(
        await askAsAdmin(world, 'GET', `/clusters?${query}`, undefined, version).expect(400),
      );
    expect(await refusal('state=up')).to.equal(
      'Invalid input received: Invalid filter keys: state',
    );
    expect(await refusal('frozen=1', '3.25')).to.include('Invalid filter keys: frozen');
    expect(await refusal('is_up=maybe')).to.equal("Value 'maybe' for 'is_up' is not a boolean.");
  });

  it('cleans up services that are down, of which there are none, or others on demand', async () => {
    const cleanUp = async (body: object): Promise<Record<string, object[]>> =>
      (await askAsAdmin(world, 'POST', '/workers/cleanup', body).expect(202)).body as never;
    expect(await cleanUp({})).to.deep.equal({ cleaning: [], unavailable: [] });
    expect(await cleanUp({ is_up: true, binary: 'cinder-volume' })).to.deep.equal({
      cleaning: [
        { id: 2, host: 'cumulet@lvmdriver-1', binary: 'cinder-volume', cluster_name: null },
      ],
      unavailable: [],
    });
    expect((await cleanUp({ is_up: true, disabled: true }))['cleaning']).to.deep.equal([]);
  });

  it('refuses to clean up unknown types, and resources without work', async () => {
    const refusal = async (body: object): Promise<string> =>
      messageOf(await askAsAdmin(world, 'POST', '/workers/cleanup', body).expect(400));
    expect(await refusal({ resource_type: 'backup' })).to.equal(
      'Invalid input received: Resource type Backup not valid, must be Volume or Snapshot',
    );
    const id = '5c1f8b60-0000-4000-8000-00000000000a';
    expect(await refusal({ resource_id: id })).to.equal(
      `Invalid input received: There is no resource with UUID ${id} pending cleanup.`,
    );
    await ask(world, 'alice', 'POST', '/workers/cleanup', { body: {} }).expect(403);
  });

  it('refuses to fail over a backend that does not replicate', async () => {
    const refusal = async (body: object): Promise<string> =>
      messageOf(await askAsAdmin(world, 'PUT', '/os-services/failover_host', body).expect(400));
    expect(await refusal({ host: 'cumulet@lvmdriver-1' })).to.equal(
      'Invalid input received: No service could be changed: replication_status in ' +
        "['cumulet@lvmdriver-1'] must be ['enabled', 'failed-over'] and must be up to failover.",
    );
    expect(await refusal({ host: 'nowhere' })).to.equal(
      'Invalid input received: No service found with host=nowhere',
    );
    expect(await refusal({ cluster: 'c' })).to.equal(
      'Invalid input received: No service found with cluster=c',
    );
  });
});
