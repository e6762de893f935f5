// Tests of the batch policy: the nodes of a cluster are updated in batches.
import { expect } from 'chai';
import { novaSpec, onClustering } from '../support.ts';

onClustering('the batch policy', { az1: 2 }, (clustering, world) => {
  it('updates a batch of nodes, and the next one after a pause', async () => {
    const id = await clustering.createCluster(3);
    const profile_id = await clustering.createProfile(novaSpec({ name: 'renamed' }), 'q');
    const properties = { min_in_service: 1, max_batch_size: 2, pause_time: 10 };
    await clustering.attachPolicy(id, await clustering.createPolicy('batch', properties));
    const action = await clustering.queuedAction(
      clustering.request('PATCH', `/clusters/${id}`, { body: { cluster: { profile_id } } }),
    );
    const updated = async (): Promise<boolean[]> =>
      (await clustering.membersOf(id)).map((node) => node.profile_id === profile_id);
    expect(action.data.update!.plan.map(({ length }) => length)).to.deep.equal([2, 1]);
    expect(await updated()).to.deep.equal([true, true, false]);
    await world.setTime('2026-11-20T12:00:11Z');
    expect(await clustering.showAction(action.id)).to.include({ status: 'SUCCEEDED' });
    expect((await updated()).every(Boolean)).to.equal(true);
    expect(await clustering.showCluster(id)).to.include({ status: 'ACTIVE', profile_id });
  });
});
