// Tests of the region placement policy with forked, unknown, deleted or unreachable regions.
import { expect } from 'chai';
import type { Region, Context } from '../../../../src/kernel/model.ts';
import { closeRegion, openRegion } from '../../../../src/emulator/regions/regions.ts';
import { systemContext } from '../../../../src/kernel/context.ts';
import { runRemoteTasks } from '../../../../src/services/clustering/domain/engine/remote-tasks.ts';
import { noon } from '../../../support/cloud.ts';
import { member, onClustering, messageOf, type ShownNode } from '../support.ts';

const here = 'RegionOne';
const there = 'RegionTwo';

onClustering(
  'the region placement policy with missing regions',
  { nova: 2 },
  (clustering, world) => {
    beforeEach(() => clustering.createHosts({ nova: 2 }, there));

    const createSpread = (regions: readonly object[]): Promise<string> =>
      clustering.createClusterWith('region_placement', { regions });
    const regionsOf = (id: string, regions = [here, there]) => clustering.regionsOf(id, regions);
    const third = 'RegionThree';
    let region: Region | undefined;
    const open = async (): Promise<void> => {
      region = await openRegion(world.cloud, third);
      await clustering.createHosts({ nova: 1 }, third);
    };
    const close = async (): Promise<void> => {
      await closeRegion(world.cloud, region!, { drop: true });
      region = undefined;
    };
    afterEach(async () => {
      if (region) await close();
    });

    it('gives a forked region its own servers, and none in third regions', async () => {
      const id = await createSpread([{ name: here }, { name: there }]);
      await clustering.runAction(id, { scale_out: { count: 2 } });
      region = await openRegion(world.cloud, third, { from: world.cloud.firstRegion });
      const path = `/${third}/clustering/v1`;
      const nodes = await world
        .ask('clustering', 'GET', `${path}/nodes?cluster_id=${id}&sort=index`, { ...member })
        .expect(200);
      const [own, other] = nodes.body.nodes as ShownNode[];
      expect([own!.status, own!.data.placement!.region_name]).to.deep.equal(['ACTIVE', third]);
      expect(other).to.include({ status: 'ERROR', physical_id: null });
      await world.ask('clustering', 'DELETE', `${path}/clusters/${id}`, { ...member }).expect(202);
      await world.ask('clustering', 'GET', `${path}/clusters/${id}`, { ...member }).expect(404);
      expect(await clustering.serverIds(third)).to.deep.equal([]);
      expect(await regionsOf(id)).to.deep.equal({ [here]: 1, [there]: 1 });
    });
    const missing = `public endpoint for compute service in ${third} region not found`;

    it('returns 400 for a policy with unknown regions, which validation ignores', async () => {
      const regions = [{ name: 'none' }, { name: here }, { name: 'another' }];
      const reply = await clustering.postPolicy('region_placement', { regions }).expect(400);
      expect(messageOf(reply)).to.equal(
        "The specified regions '['another', 'none']' could not be found.",
      );
      const spec = {
        type: 'senlin.policy.region_placement',
        version: '1.0',
        properties: { regions },
      };
      await clustering
        .request('POST', '/policies/validate', { body: { policy: { spec } } })
        .expect(200);
    });

    it('fails to create nodes in a region that only Keystone knows', async () => {
      await world
        .ask('identity', 'POST', '/identity/v3/regions', { body: { region: { id: third } } })
        .expect(201);
      const id = await createSpread([{ name: here }, { name: third }]);
      const action = await clustering.runAction(id, { scale_out: { count: 2 } }, 'FAILED');
      expect(action.status_reason).to.equal('Failed in creating nodes.');
      expect(action.data.creation!.regions).to.deep.equal({ [here]: 1, [third]: 1 });
      const [good, bad] = await clustering.membersOf(id);
      expect(good).to.include({ status: 'ACTIVE' });
      expect(bad).to.include({
        status: 'ERROR',
        status_reason: `Failed in creating server: ${missing}.`,
      });
      expect(await clustering.showCluster(id)).to.include({ status: 'WARNING' });
      await clustering.runAction(id, {
        del_nodes: { nodes: [bad!.id], destroy_after_deletion: true },
      });
      expect((await clustering.membersOf(id)).map(({ id: node }) => node)).to.deep.equal([
        good!.id,
      ]);
    });

    it('replaces the servers of a deleted region elsewhere', async () => {
      await open();
      const id = await createSpread([{ name: here, weight: 50 }, { name: third }]);
      await clustering.runAction(id, { scale_out: { count: 3 } });
      expect(await regionsOf(id, [here, third])).to.deep.equal({ [here]: 1, [third]: 2 });
      await close();
      await clustering.runAction(id, { check: {} });
      const lost = (await clustering.membersOf(id)).filter(({ status }) => status === 'ERROR');
      expect(lost).to.have.length(2);
      const shown = await clustering
        .request('GET', `/nodes/${lost[0]!.id}?show_details=true`)
        .expect(200);
      expect(shown.body.node).to.include({ physical_id: null }).and.to.not.have.property('details');
      const failed = await clustering.queuedAction(
        clustering.request('POST', `/nodes/${lost[0]!.id}/actions`, { body: { recover: {} } }),
      );
      expect(failed).to.include({ status: 'FAILED', status_reason: 'Node recover failed.' });

      const grown = await clustering.runAction(id, { scale_out: { count: 2 } });
      expect(grown.data.creation!.regions).to.deep.equal({ [here]: 2 });
      const removed = await clustering.runAction(id, {
        del_nodes: { nodes: lost.map((node) => node.id), destroy_after_deletion: true },
      });
      expect(removed.status).to.equal('SUCCEEDED');
      expect(await regionsOf(id)).to.deep.equal({ [here]: 3 });
      expect(await clustering.showCluster(id)).to.include({
        status: 'ACTIVE',
        desired_capacity: 3,
      });
    });

    it('deletes a cluster without regions, but does not grow it', async () => {
      await open();
      const id = await createSpread([{ name: third }]);
      await clustering.runAction(id, { scale_out: { count: 1 } });
      const [node] = await clustering.membersOf(id);
      const details = () => clustering.request('GET', `/nodes/${node!.id}?show_details=true`);
      expect((await details()).body.node.details).to.include({ status: 'ACTIVE' });
      await close();
      expect((await details()).body.node.details).to.deep.equal({
        Error: { code: 500, message: missing },
      });
      const action = await clustering.runAction(id, { scale_out: { count: 1 } }, 'FAILED');
      expect(action.status_reason).to.equal(
        "Policy check failure: Failed policy 'policy': No region is found usable.",
      );
      const gone = await clustering.queuedAction(clustering.request('DELETE', `/clusters/${id}`));
      expect(gone.status, gone.status_reason).to.equal('SUCCEEDED');
    });

    it('waits for an unreachable region, and creates each server in it only once', async () => {
      const id = await createSpread([{ name: there }]);
      const unreachable = world.cloud.regions.get(there)!;
      const { database } = unreachable;
      const fail = (): never => {
        throw new Error('It does not answer.');
      };
      Object.assign(unreachable, {
        database: { ...database, db: Object.assign(fail, { transaction: fail }) },
      });
      const action = await clustering
        .startAction(id, { scale_out: { count: 1 } })
        .finally(() => Object.assign(unreachable, { database }));
      expect(action.status).to.equal('WAITING');
      const [node] = await clustering.membersOf(id);
      expect(node).to.include({ status: 'CREATING' });
      const [{ id: subject }] = (await clustering.request('GET', `/actions?target=${node!.id}`))
        .body.actions as [{ id: string }];
      // Two processes run the remote task at the same time, as if one of them had seemed dead.
      const { cloud } = world;
      const context: Context = systemContext(
        cloud,
        cloud.firstRegion,
        cloud.firstRegion.database.db,
        noon,
      );
      await Promise.all([
        runRemoteTasks(context, { subject }),
        runRemoteTasks(context, { subject }),
      ]);
      await world.setTime('2026-11-20T12:00:05Z');
      expect(await clustering.showAction(action.id)).to.include({ status: 'SUCCEEDED' });
      expect(await clustering.serverIds(there)).to.deep.equal([
        (await clustering.showNode(node!.id)).physical_id,
      ]);
    });
  },
  { regions: [here, there] },
);
