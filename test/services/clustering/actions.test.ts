// Tests of actions that take time: what clients see meanwhile, conflicts, timeouts, cancellation.
import { expect } from 'chai';
import { someone } from '../../support/people.ts';
import { errorTypeOf, messageOf, novaSpec, onClustering, type ShownAction } from './support.ts';

const second = 1_000_000;

onClustering(
  'actions with latencies',
  { nova: 1 },
  (clustering, world) => {
    const createAction = async (id: string): Promise<ShownAction> =>
      (await clustering.actionsOn(id))[0]!;
    const locks = (): Promise<unknown> => world.cloud.firstRegion.database.db('clustering_locks');

    describe('a running action', () => {
      it('shows its cluster and nodes in transitional states', async () => {
        const id = await clustering.createCluster(2);
        expect(await clustering.showCluster(id)).to.include({ status: 'CREATING' });
        const [node] = await clustering.membersOf(id);
        expect(node).to.include({
          status: 'CREATING',
          status_reason: 'Creation in progress',
          physical_id: null,
        });
      });

      it('waits for the actions that it depends on', async () => {
        const action = await createAction(await clustering.createCluster(2));
        expect(action).to.include({
          status: 'WAITING',
          status_reason: 'Waiting for depended actions.',
        });
        expect(action.depends_on).to.have.length(2);
      });

      it('makes other actions on the cluster return 409', async () => {
        const id = await clustering.createCluster(2);
        const locked = await clustering
          .request('POST', `/clusters/${id}/actions`, { body: { scale_out: {} } })
          .expect(409);
        expect(errorTypeOf(locked)).to.equal('ResourceIsLocked');
        expect(messageOf(locked)).to.equal(
          `CLUSTER_SCALE_OUT for cluster '${id}' cannot be completed because it is already locked.`,
        );
        const busy = await clustering.request('DELETE', `/clusters/${id}`).expect(409);
        expect([errorTypeOf(busy), messageOf(busy)]).to.deep.equal([
          'ActionInProgress',
          `The cluster '${id}' is in status CREATING.`,
        ]);
      });

      it('ends when the latency has passed', async () => {
        const id = await clustering.createCluster(2);
        const { id: action } = await createAction(id);
        await world.setTime('2026-11-20T12:00:10Z');
        expect(await clustering.showAction(action)).to.deep.include({
          status: 'SUCCEEDED',
          depends_on: [],
        });
        expect(await clustering.showCluster(id)).to.include({
          status: 'ACTIVE',
          created_at: '2026-11-20T12:00:10Z',
        });
      });

      it('makes way for the next action as soon as it has ended', async () => {
        const id = await clustering.createCluster(2);
        await world.setTime('2026-11-20T12:00:10Z');
        const body = { scale_in: {} };
        await clustering.request('POST', `/clusters/${id}/actions`, { body }).expect(202);
        expect(await clustering.showCluster(id)).to.include({
          status: 'RESIZING',
          status_reason: 'Cluster scale in started.',
        });
        await world.setTime('2026-11-20T12:00:15Z');
        expect(await clustering.showCluster(id)).to.include({
          status: 'ACTIVE',
          desired_capacity: 1,
        });
      });

      it('fails after the timeout of its cluster, and releases its locks', async () => {
        const id = await clustering.createCluster(1, { timeout: 5 });
        await world.setTime('2026-11-20T12:00:06Z');
        const action = await createAction(id);
        expect(action).to.include({
          status: 'FAILED',
          status_reason: `CLUSTER_CREATE [${action.id.slice(0, 8)}] timeout`,
        });
        await world.setTime('2026-11-20T12:01:00Z');
        expect(await locks()).to.deep.equal([]);
      });

      it('takes as long as the metadata of the profile simulates', async () => {
        const spec = novaSpec({ metadata: { simulated_wait_time: 20 } });
        const profile_id = await clustering.createProfile(spec, 'slow');
        const id = await clustering.createCluster(1, { profile_id });
        await world.setTime('2026-11-20T12:00:19Z');
        expect(await clustering.showCluster(id)).to.include({ status: 'CREATING' });
        await world.setTime('2026-11-20T12:00:21Z');
        expect(await clustering.showCluster(id)).to.include({ status: 'ACTIVE' });
      });
    });

    describe('PATCH /actions/{action_id}', () => {
      const start = async (): Promise<{ cluster: string; action: ShownAction }> => {
        const cluster = await clustering.createCluster(0);
        const action = await clustering.startAction(cluster, { scale_out: { count: 1 } });
        expect(action.status).to.equal('WAITING');
        return { cluster, action };
      };
      const patch = (path: string, status = 'CANCELLED', caller: object = {}) =>
        clustering.request('PATCH', `/actions/${path}`, {
          body: { action: { status } },
          ...caller,
        });

      it('returns 400 for another status than CANCELLED', async () => {
        const { action } = await start();
        const reply = await patch(action.id, 'BOGUS').expect(400);
        expect(messageOf(reply)).to.equal(`Unknown status BOGUS for action ${action.id}.`);
      });

      it('returns 404 for an action of another project', async () => {
        const { action } = await start();
        const other = someone('member,reader', 'stranger', 'elsewhere');
        await patch(`${action.id}?force=true`, 'CANCELLED', other).expect(404);
        expect(await clustering.showAction(action.id)).to.include({ status: 'WAITING' });
      });

      it('cancels an action and its children at once with force', async () => {
        const { action } = await start();
        await patch(`${action.id}?force=true`).expect(202);
        expect(await clustering.showAction(action.id)).to.include({
          status: 'CANCELLED',
          status_reason: 'Action execution force cancelled',
        });
        const child = await clustering.showAction(action.depends_on[0]!);
        expect(child).to.include({ status: 'CANCELLED', action: 'NODE_CREATE' });
      });

      it('returns 409 for an action that has been cancelled', async () => {
        const { action } = await start();
        await patch(`${action.id}?force=true`).expect(202);
        await world.setTime('2026-11-20T12:01:00Z');
        expect(errorTypeOf(await patch(action.id).expect(409))).to.equal('ActionImmutable');
      });

      it('releases all locks', async () => {
        const { cluster, action } = await start();
        await patch(`${action.id}?force=true`).expect(202);
        await world.setTime('2026-11-20T12:01:00Z');
        await clustering.runAction(cluster, { check: {} });
        expect(await locks()).to.deep.equal([]);
      });
    });
  },
  { latency: { 'server.create': 10 * second, 'cluster.scaleIn': 5 * second } },
);
