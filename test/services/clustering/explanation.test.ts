// GET /_emulator/explain/actions/{id}: what each policy of a cluster read, decided and cut.
import { expect } from 'chai';
import { onClustering } from './support.ts';

interface Explained {
  readonly outcome: string;
  readonly name: string;
  readonly summary: string;
  readonly text: readonly string[];
  readonly details: {
    readonly policies: readonly {
      readonly policy: string;
      readonly skipped: string | null;
      readonly cut: boolean;
      readonly steps: readonly Record<string, unknown>[];
      readonly decision: Record<string, unknown>;
    }[];
  };
}

onClustering('explanations of actions', { az1: 1, az2: 1 }, (clustering, world) => {
  const why = async (id: string): Promise<Explained> => {
    const { body } = await world.ask('', 'GET', `/_emulator/explain/actions/${id}`).expect(200);
    return (body as { explanation: Explained }).explanation;
  };
  const attach = async (cluster: string, type: string, properties: object): Promise<void> => {
    await clustering.attachPolicy(cluster, await clustering.createPolicy(type, properties));
  };
  const explainAll = (all = true) =>
    world.ask('', 'PUT', '/_emulator/explain', { body: { all } }).expect(200);

  it('explains a cut scale-out, even if only failures are explained', async () => {
    const cluster = await clustering.createCluster(2, { max_size: 3 });
    const adjustment = { type: 'CHANGE_IN_CAPACITY', number: 5, best_effort: true };
    await attach(cluster, 'scaling', { event: 'CLUSTER_SCALE_OUT', adjustment });
    const { id } = await clustering.runAction(cluster, { scale_out: {} });
    const explained = await why(id);
    expect(explained.outcome).to.equal('partial');
    expect(explained.text).to.deep.equal([
      'CLUSTER_SCALE_OUT of c is cut by policy.',
      '  policy (senlin.policy.scaling-1.0) before the action:',
      '    the cluster has 2 nodes; CHANGE_IN_CAPACITY 5: 5',
      '    best effort cuts 5 to 1 because of max_size 3',
      '    creation: {"count":1}',
    ]);
  });

  it('names the policy that refuses an action, and its numbers', async () => {
    const cluster = await clustering.createCluster(2, { max_size: 3 });
    const adjustment = { type: 'CHANGE_IN_PERCENTAGE', number: 50, min_step: 4, cooldown: 60 };
    await attach(cluster, 'scaling', { event: 'CLUSTER_SCALE_OUT', adjustment });
    const { id } = await clustering.runAction(cluster, { scale_out: {} }, 'FAILED');
    const { outcome, summary, details } = await why(id);
    expect(outcome).to.equal('failure');
    expect(summary).to.include(
      "The target capacity (6) is greater than the cluster's max_size (3).",
    );
    expect(details.policies[0]!.steps).to.deep.equal([
      { text: 'no operation yet; the cooldown is 60 s', cooldown: 60, elapsed: null },
      {
        text: 'the cluster has 2 nodes; 50 % of 2, at least 4 (min_step): 4',
        current: 2,
        count: 4,
      },
    ]);
  });

  it('explains a request that is refused in a cooldown, by the name of the cluster', async () => {
    const cluster = await clustering.createCluster(0);
    await attach(cluster, 'scaling', {
      event: 'CLUSTER_SCALE_OUT',
      adjustment: { number: 1, cooldown: 60 },
    });
    await clustering.runAction(cluster, { scale_out: {} });
    const path = `/clustering/v1/clusters/${cluster}/actions`;
    await world.ask('clustering', 'POST', path, { body: { scale_out: {} } }).expect(409);
    const { outcome, name, summary, details } = await why(cluster);
    expect(outcome).to.equal('failure');
    expect(await why(name)).to.deep.include({ summary, name });
    expect(summary).to.equal(
      "CLUSTER_SCALE_OUT of c is refused: the cooldown of policy 'policy' is still in progress.",
    );
    expect(details.policies[0]!.steps[0]).to.include({ cooldown: 60 });
  });

  it('says which nodes leave a pool, and that health checks pause', async () => {
    await explainAll();
    const cluster = await clustering.createCluster(0);
    await attach(cluster, 'health', {
      detection: { detection_modes: [{ type: 'NODE_STATUS_POLLING' }] },
      recovery: { actions: [{ name: 'RECREATE' }] },
    });
    const pool = { pool: { subnet: 'private-subnet' }, vip: { subnet: 'private-subnet' } };
    const policy = await clustering.createPolicy('loadbalance', pool, 'lb', '1.1');
    await clustering.attachPolicy(cluster, policy);
    await clustering.runAction(cluster, { scale_out: { count: 1 } });
    const shrunk = await why((await clustering.runAction(cluster, { scale_in: { count: 1 } })).id);
    expect(shrunk.text).to.include('    the action changes nodes, so health checks pause');
    expect(shrunk.text.join('\n')).to.match(/1 node leaves the pool: \S+/);
    await explainAll(false);
  });

  it('shows the arithmetic of a plan for zones and the choice of nodes', async () => {
    await explainAll();
    const cluster = await clustering.createCluster(0);
    const zones = [
      { name: 'az1', weight: 100 },
      { name: 'az2', weight: 200 },
    ];
    await attach(cluster, 'zone_placement', { zones });
    await attach(cluster, 'deletion', { criteria: 'OLDEST_FIRST' });
    const grown = await why((await clustering.runAction(cluster, { scale_out: { count: 3 } })).id);
    expect(grown.outcome).to.equal('success');
    const [plan, deletion] = grown.details.policies;
    expect(plan!.decision).to.deep.equal({ creation: { count: 3, zones: { az1: 1, az2: 2 } } });
    expect(plan!.steps.slice(1)).to.deep.include({
      text: 'az2: has 0, should have 2 by its weight 200; gets 2 of 3',
      place: 'az2',
      weight: 200,
      current: 0,
      fair: 2,
      cap: null,
      share: 2,
    });
    expect(deletion!.skipped).to.equal('it does not check CLUSTER_SCALE_OUT');
    const shrunk = await why((await clustering.runAction(cluster, { scale_in: { count: 1 } })).id);
    expect(shrunk.text.join('\n')).to.match(/removes 1 of 3 nodes: \S+ \(OLDEST_FIRST\)/);
  });

  it('does not explain an action that passes unless the cloud explains all decisions', async () => {
    await explainAll(false);
    const cluster = await clustering.createCluster(0);
    await attach(cluster, 'deletion', { criteria: 'OLDEST_FIRST' });
    await clustering.runAction(cluster, { scale_out: { count: 1 } });
    const { id } = await clustering.runAction(cluster, { scale_in: { count: 1 } });
    await world.ask('', 'GET', `/_emulator/explain/actions/${id}`).expect(404);
  });
});
