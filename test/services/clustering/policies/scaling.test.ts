// Tests of the scaling policy: counts, limits and cooldown.
import { expect } from 'chai';
import { errorTypeOf, messageOf, onClustering } from '../support.ts';

onClustering('the scaling policy', { az1: 2 }, (clustering, world) => {
  const adjustment = { type: 'CHANGE_IN_PERCENTAGE', number: 50, min_step: 2, cooldown: 60 };
  let policy: string;
  let id: string;

  beforeEach(async () => {
    id = await clustering.createCluster(2, { max_size: 6 });
    const properties = { event: 'CLUSTER_SCALE_OUT', adjustment };
    policy = await clustering.createPolicy('scaling', properties);
    await clustering.attachPolicy(id, policy);
  });

  it('adds min_step nodes if the percentage is less', async () => {
    const action = await clustering.runAction(id, { scale_out: {} });
    expect(action.data).to.deep.include({ status: 'OK', reason: 'Scaling request validated.' });
    expect(action.data.creation!.count).to.equal(2);
  });

  it('makes scaling return 409 during the cooldown', async () => {
    await clustering.runAction(id, { scale_out: {} });
    const body = { scale_out: {} };
    const reply = await clustering.request('POST', `/clusters/${id}/actions`, { body }).expect(409);
    expect(errorTypeOf(reply)).to.equal('ActionCooldown');
    expect(messageOf(reply)).to.equal(
      `The CLUSTER_SCALE_OUT action for cluster ${id} cannot be processed due to Policy ` +
        `${policy} cooldown still in progress`,
    );
  });

  it('fails an action that exceeds the limits of the cluster', async () => {
    await clustering.runAction(id, { scale_out: {} });
    await world.setTime('2026-11-20T12:02:00Z');
    const action = await clustering.runAction(id, { scale_out: { count: 9 } }, 'FAILED');
    expect(action.status_reason).to.equal(
      "Policy check failure: Failed policy 'policy': The target capacity (13) is greater than " +
        "the cluster's max_size (6).",
    );
  });
});
