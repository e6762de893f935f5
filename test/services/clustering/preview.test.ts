// POST /_emulator/explain/actions: what an action would do to a cluster, without taking it.
import { expect } from 'chai';
import { rowCounter } from '../../support/rows.ts';
import { onClustering } from './support.ts';

interface Previewed {
  readonly outcome: string;
  readonly name: string;
  readonly summary: string;
  readonly text: readonly string[];
  readonly details: {
    readonly reason: string | null;
    readonly policies: readonly { readonly decision: Record<string, unknown> }[];
    readonly nodes: readonly {
      readonly action: string;
      readonly node: string;
      readonly zone: string | null;
    }[];
  };
}

onClustering('previews of actions', { az1: 2, az2: 2 }, (clustering, world) => {
  const preview = async (cluster: string, action: object): Promise<Previewed> => {
    const body = { cluster, action };
    const reply = await world.ask('', 'POST', '/_emulator/explain/actions', { body }).expect(200);
    return (reply.body as { explanation: Previewed }).explanation;
  };
  const refused = async (cluster: string, action: object, status: number): Promise<string> => {
    const body = { cluster, action };
    const reply = await world.ask('', 'POST', '/_emulator/explain/actions', { body });
    expect(reply.status).to.equal(status);
    return (reply.body as { error: { message: string } }).error.message;
  };
  const attach = async (cluster: string, type: string, properties: object): Promise<void> => {
    await clustering.attachPolicy(cluster, await clustering.createPolicy(type, properties));
  };

  it('say which nodes a scale-out would create, and where', async () => {
    const cluster = await clustering.createCluster(1);
    await attach(cluster, 'zone_placement', { zones: [{ name: 'az1' }, { name: 'az2' }] });
    const { outcome, summary, details } = await preview(cluster, { scale_out: { count: 3 } });
    expect(outcome).to.equal('success');
    expect(summary).to.equal('CLUSTER_SCALE_OUT would start 3 actions of nodes.');
    expect(details.nodes.map(({ action }) => action)).to.deep.equal(
      Array.from({ length: 3 }, () => 'NODE_CREATE'),
    );
    const zones = details.nodes.map(({ zone }) => zone).toSorted();
    await clustering.runAction(cluster, { scale_out: { count: 3 } });
    const placed = await clustering.zonesOf(cluster);
    expect(zones.filter((zone) => zone === 'az2')).to.have.length(placed['az2']!);
  });

  it('write nothing, and keep no explanation', async () => {
    const cluster = await clustering.createCluster(2);
    const action = { type: 'CHANGE_IN_CAPACITY', number: 2, cooldown: 600 };
    await attach(cluster, 'scaling', { event: 'CLUSTER_SCALE_OUT', adjustment: action });
    const count = await rowCounter(world.cloud);
    const rows = await count();
    await preview(cluster, { scale_out: {} });
    await preview(cluster, { scale_in: { count: 5 } }).catch(() => undefined);
    expect(await count()).to.deep.equal(rows);
    // The preview has not begun a cooldown.
    await clustering.runAction(cluster, { scale_out: {} });
    await world.ask('', 'GET', `/_emulator/explain/actions/${cluster}`).expect(404);
  });

  it('name the nodes that a scale-in would delete', async () => {
    const cluster = await clustering.createCluster(3);
    await attach(cluster, 'deletion', { criteria: 'OLDEST_FIRST' });
    const { details } = await preview(cluster, { scale_in: { count: 1 } });
    const before = await clustering.membersOf(cluster);
    await clustering.runAction(cluster, { scale_in: { count: 1 } });
    const left = (await clustering.membersOf(cluster)).map(({ name }) => name);
    const gone = before.map(({ name }) => name).filter((name) => !left.includes(name));
    expect(details.nodes).to.deep.equal([
      { action: 'NODE_DELETE', node: gone[0]!, zone: details.nodes[0]!.zone },
    ]);
  });

  it('say that a policy would cut or refuse the action', async () => {
    const cluster = await clustering.createCluster(2, { max_size: 3 });
    const adjustment = { type: 'CHANGE_IN_CAPACITY', number: 5 };
    const policy = { event: 'CLUSTER_SCALE_OUT', adjustment };
    await attach(cluster, 'scaling', policy);
    const failed = await preview(cluster, { scale_out: {} });
    expect(failed.outcome).to.equal('failure');
    expect(failed.summary).to.match(/^CLUSTER_SCALE_OUT would fail: Policy check failure: /);
    expect(failed.details.nodes).to.deep.equal([]);
    const other = await clustering.createCluster(2, { max_size: 3 });
    await attach(other, 'scaling', { ...policy, adjustment: { ...adjustment, best_effort: true } });
    const cut = await preview(other, { scale_out: {} });
    expect(cut.outcome).to.equal('partial');
    expect(cut.details.nodes).to.have.length(1);
    expect(cut.text).to.include('    best effort cuts 5 to 1 because of max_size 3');
  });

  it('say that a request would be refused in a cooldown', async () => {
    const cluster = await clustering.createCluster(0);
    const adjustment = { number: 1, cooldown: 60 };
    await attach(cluster, 'scaling', { event: 'CLUSTER_SCALE_OUT', adjustment });
    await clustering.runAction(cluster, { scale_out: {} });
    const { outcome, summary, details } = await preview(cluster, { scale_out: {} });
    expect(outcome).to.equal('failure');
    expect(summary).to.match(/^CLUSTER_SCALE_OUT would be refused: .* cooldown/);
    expect(details.policies).to.have.length(1);
  });

  it('return the errors of Clustering for the inputs, and 404 for an unknown cluster', async () => {
    const cluster = await clustering.createCluster(1, { max_size: 2 });
    const { name } = await clustering.showCluster(cluster);
    expect(await refused(name, { scale_out: { count: 0 } }, 400)).to.equal(
      'Count for scale-out request cannot be 0.',
    );
    expect(await refused(cluster, { jump: {} }, 400)).to.match(/^Name one action of a cluster/);
    expect(await refused('none', { check: {} }, 404)).to.equal("There is no cluster 'none'.");
  });
});
