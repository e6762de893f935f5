// Tests of the settings of Clustering, which upstream reads from senlin.conf.
import { expect } from 'chai';
import { Clustering, config, messageOf, novaSpec } from './support.ts';
import { onEachDatabase } from '../../support/cloud.ts';

onEachDatabase('settings of Clustering', config, (world) => {
  let clustering: Clustering;

  beforeEach(async () => {
    clustering = new Clustering(world);
    await clustering.createHosts({ az1: 1 });
    clustering.profile = await clustering.createProfile(novaSpec());
  });

  const change = (settings: object) =>
    world.http.put('/_emulator/clustering/settings').send(settings).expect(200);
  const postCluster = (fields: object) =>
    clustering.request('POST', '/clusters', {
      body: { cluster: { name: 'c', profile_id: clustering.profile, ...fields } },
    });

  it('health_check_interval_min allows shorter intervals of health policies', async () => {
    const properties = {
      detection: { interval: 10, detection_modes: [{ type: 'NODE_STATUS_POLLING' }] },
      recovery: { actions: [{ name: 'RECREATE' }] },
    };
    const post = () => clustering.postPolicy('health', properties, 'policy', '1.1');
    expect(messageOf(await post().expect(400))).to.contain(
      'Specified interval of 10 seconds has to be larger than health_check_interval_min of 60',
    );
    await change({ health_check_interval_min: 10 });
    await post().expect(201);
  });

  it('default_action_timeout is the timeout of new clusters and actions', async () => {
    await change({ default_action_timeout: 77 });
    const id = await clustering.createCluster(0);
    expect(await clustering.showCluster(id)).to.include({ timeout: 77 });
    const [action] = await clustering.actionsOn(id);
    expect(action).to.include({ timeout: 77 });
  });

  it('max_clusters_per_project limits the clusters of a project', async () => {
    await change({ max_clusters_per_project: 1 });
    await postCluster({}).expect(202);
    await postCluster({}).expect(500);
  });

  it('max_nodes_per_cluster limits the sizes in requests, and the growth of a cluster', async () => {
    await change({ max_nodes_per_cluster: 2 });
    const reply = await postCluster({ desired_capacity: 3 }).expect(400);
    expect(messageOf(reply)).to.contain('must be less than or equal to 2');
    const id = await clustering.createCluster(2);
    const message = await clustering.rejectedAction(id, { scale_out: { count: 1 } });
    expect(message).to.contain('maximum number of nodes allowed per cluster (2)');
    const action = await clustering.startAction(id, { scale_out: {} });
    expect(action).to.include({ status: 'FAILED' });
    expect(action.status_reason).to.contain('maximum number of nodes allowed per cluster (2)');
  });

  it('lock_retry_times and lock_retry_interval say when a locked node fails an action', async () => {
    await change({ lock_retry_times: 1, lock_retry_interval: 100 });
    const cluster = await clustering.createCluster(1);
    const [node] = await clustering.membersOf(cluster);
    const lock = { target: node!.id, exclusive: true, action_ids: '["other"]' };
    await world.cloud.firstRegion.database.db('clustering_locks').insert(lock);
    await clustering
      .request('POST', `/clusters/${cluster}/actions`, { body: { check: {} } })
      .expect(202);
    const status = async (): Promise<unknown> => {
      const actions = await clustering.actionsOn(node!.id);
      return actions.find(({ action }) => action === 'NODE_CHECK')?.status;
    };
    expect(await status()).to.equal('READY');
    const statusAfter = async (seconds: number): Promise<unknown> => {
      await world.http.post('/_emulator/clock/advance').send({ seconds }).expect(200);
      return status();
    };
    expect(await statusAfter(99)).to.equal('READY');
    expect(await statusAfter(1)).to.equal('FAILED');
  });

  it('max_actions_per_batch and batch_interval spread the actions of nodes', async () => {
    await change({ max_actions_per_batch: 2, batch_interval: 10 });
    await postCluster({ desired_capacity: 5 }).expect(202);
    const started = async (): Promise<number[]> => {
      const { body } = await clustering.request('GET', '/actions?action=NODE_CREATE').expect(200);
      const { actions } = body as { actions: { start_time: number | null }[] };
      const times = actions.flatMap(({ start_time: time }) => time ?? []);
      const first = Math.min(...times);
      return times.map((time) => time - first).toSorted((one, other) => one - other);
    };
    expect(await started()).to.deep.equal([0, 0]);
    await world.http.post('/_emulator/clock/advance').send({ seconds: 60 }).expect(200);
    expect(await started()).to.deep.equal([0, 0, 10, 10, 20]);
  });
});
