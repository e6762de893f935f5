// Tests of the deletion policy: criteria, grace period and lifecycle hooks.
import { expect } from 'chai';
import { someone } from '../../../support/people.ts';
import { onClustering, type ShownAction } from '../support.ts';

onClustering('the deletion policy', { az1: 2 }, (clustering, world) => {
  it('chooses the youngest nodes, waits for the grace period, and keeps the capacity', async () => {
    const id = await clustering.createCluster(1);
    await world.setTime('2026-11-20T12:01:00Z');
    await clustering.runAction(id, { scale_out: { count: 1 } });
    const [old, young] = await clustering.membersOf(id);
    const properties = {
      criteria: 'YOUNGEST_FIRST',
      grace_period: 30,
      reduce_desired_capacity: false,
    };
    await clustering.attachPolicy(id, await clustering.createPolicy('deletion', properties));
    const action = await clustering.startAction(id, { scale_in: {} });
    expect(action).to.include({ status: 'RUNNING' });
    expect(action.data.deletion!.candidates).to.deep.equal([young!.id]);
    expect(await clustering.showCluster(id)).to.include({ status: 'RESIZING' });
    await world.setTime('2026-11-20T12:01:31Z');
    expect(await clustering.showAction(action.id)).to.include({ status: 'SUCCEEDED' });
    expect((await clustering.showCluster(id)).nodes).to.deep.equal([old!.id]);
    expect(await clustering.showCluster(id)).to.include({
      desired_capacity: 2,
      status: 'WARNING',
    });
  });

  describe('with a lifecycle hook', () => {
    let id: string;
    let action: ShownAction;
    let token: string;

    beforeEach(async () => {
      id = await clustering.createCluster(2);
      const hooks = { type: 'zaqar', timeout: 300, params: { queue: 'q' } };
      const policy = await clustering.createPolicy('deletion', { hooks }, 'hook', '1.1');
      await clustering.attachPolicy(id, policy);
      action = await clustering.startAction(id, { scale_in: {} });
      token = action.depends_on[0]!;
    });

    const complete = (caller: object = {}) =>
      clustering.request('POST', `/clusters/${id}/actions`, {
        body: { complete_lifecycle: { lifecycle_action_token: token } },
        ...caller,
      });

    it('makes nodes wait before they are deleted', async () => {
      expect(action).to.include({ status: 'WAITING' });
      expect(await clustering.showAction(token)).to.include({
        status: 'WAITING_LIFECYCLE_COMPLETION',
        cause: 'Derived Action with Lifecycle Hook',
      });
      expect((await clustering.showCluster(id)).nodes).to.have.length(2);
    });

    it('returns 404 to another project that completes the lifecycle', async () => {
      await complete(someone('member,reader', 'stranger', 'elsewhere')).expect(404);
    });

    it('deletes a node when a client completes the lifecycle', async () => {
      expect((await complete().expect(202)).body).to.deep.equal({ action: token });
      expect(await clustering.showAction(action.id)).to.include({ status: 'SUCCEEDED' });
      expect((await clustering.showCluster(id)).nodes).to.have.length(1);
    });

    it('deletes a node after the timeout', async () => {
      await world.setTime('2026-11-20T12:05:01Z');
      expect(await clustering.showAction(action.id)).to.include({ status: 'SUCCEEDED' });
    });
  });
});
