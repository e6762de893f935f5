// Tests of events, which record the actions of clients.
import { expect } from 'chai';
import { onClustering } from './support.ts';

onClustering('GET /events', { nova: 2 }, (clustering) => {
  it("lists a client's action, and none of the derived actions", async () => {
    const id = await clustering.createCluster(2);
    const path = `/events?cluster_id=${id}&sort=timestamp`;
    const { events } = (await clustering.request('GET', path).expect(200)).body as {
      events: Record<string, string>[];
    };
    expect(events.map(({ action, status }) => `${action} ${status}`).toSorted()).to.deep.equal([
      'CLUSTER_CREATE end',
      'CLUSTER_CREATE start',
    ]);
    expect(events.find(({ status }) => status === 'end')).to.include({
      status_reason: 'Cluster creation succeeded.',
      level: 'INFO',
      oname: 'c',
      otype: 'CLUSTER',
    });
  });
});
