// Tests of the region placement policy where a region is forked, is not there, goes away, or does
// not answer for a while.
import { expect } from 'chai';
import type { Region, Context } from '../../../src/kernel/model.ts';
import { closeRegion, openRegion } from '../../../src/emulator/regions/regions.ts';
import { systemContext } from '../../../src/kernel/context.ts';
import { runRemoteTasks } from '../../../src/services/clustering/domain/engine/remote-tasks.ts';
import { noon } from '../../support/cloud.ts';
import { member, onClustering, said, type ShownNode } from './support.ts';

const here = 'RegionOne';
const there = 'RegionTwo';

onClustering(
  'the region placement policy where a region is not there',
  { nova: 2 },
  (the, world) => {
    beforeEach(() => the.makeHosts({ nova: 2 }, there));

    const spread = (regions: readonly object[]): Promise<string> =>
      the.makeSpread('region_placement', { regions });
    const regionsOf = (id: string, regions = [here, there]) => the.regionsOf(id, regions);
    const third = 'RegionThree';
    let region: Region | undefined;
    const open = async (): Promise<void> => {
      region = await openRegion(world.cloud, third);
      await the.makeHosts({ nova: 1 }, third);
    };
    const close = async (): Promise<void> => {
      await closeRegion(world.cloud, region!, { drop: true });
      region = undefined;
    };
    afterEach(async () => {
      if (region) await close();
    });

    it('one that is forked has servers of its own, and none of those that stand elsewhere', async function () {
      this.timeout(60_000);
      const id = await spread([{ name: here }, { name: there }]);
      await the.act(id, { scale_out: { count: 2 } });
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
      expect(await the.servers(third)).to.deep.equal([]);
      expect(await regionsOf(id)).to.deep.equal({ [here]: 1, [there]: 1 });
    });
    const words = `public endpoint for compute service in ${third} region not found`;

    it('a policy that names it is refused, and is validated without looking', async () => {
      const regions = [{ name: 'none' }, { name: here }, { name: 'another' }];
      const reply = await the.createPolicy('region_placement', { regions }).expect(400);
      expect(said(reply)).to.equal(
        "The specified regions '['another', 'none']' could not be found.",
      );
      const spec = {
        type: 'senlin.policy.region_placement',
        version: '1.0',
        properties: { regions },
      };
      await the.ask('POST', '/policies/validate', { body: { policy: { spec } } }).expect(200);
    });

    it('one that Keystone knows and nobody serves gets nodes, which fail and say so', async () => {
      await world
        .ask('identity', 'POST', '/identity/v3/regions', { body: { region: { id: third } } })
        .expect(201);
      const id = await spread([{ name: here }, { name: third }]);
      const action = await the.act(id, { scale_out: { count: 2 } }, 'FAILED');
      expect(action.status_reason).to.equal('Failed in creating nodes.');
      expect(action.data.creation!.regions).to.deep.equal({ [here]: 1, [third]: 1 });
      const [good, bad] = await the.membersOf(id);
      expect(good).to.include({ status: 'ACTIVE' });
      expect(bad).to.include({
        status: 'ERROR',
        status_reason: `Failed in creating server: ${words}.`,
      });
      expect(await the.showCluster(id)).to.include({ status: 'WARNING' });
      await the.act(id, { del_nodes: { nodes: [bad!.id], destroy_after_deletion: true } });
      expect((await the.membersOf(id)).map(({ id: node }) => node)).to.deep.equal([good!.id]);
    });

    it(
      'one that is dropped takes its servers with it: they are found lost, and others take ' +
        'their place',
      async function () {
        this.timeout(60_000);
        await open();
        const id = await spread([{ name: here, weight: 50 }, { name: third }]);
        await the.act(id, { scale_out: { count: 3 } });
        expect(await regionsOf(id, [here, third])).to.deep.equal({ [here]: 1, [third]: 2 });
        await close();
        await the.act(id, { check: {} });
        const lost = (await the.membersOf(id)).filter(({ status }) => status === 'ERROR');
        expect(lost).to.have.length(2);
        const shown = await the.ask('GET', `/nodes/${lost[0]!.id}?show_details=true`).expect(200);
        expect(shown.body.node)
          .to.include({ physical_id: null })
          .and.to.not.have.property('details');
        const failed = await the.queued(
          the.ask('POST', `/nodes/${lost[0]!.id}/actions`, { body: { recover: {} } }),
        );
        expect(failed).to.include({ status: 'FAILED', status_reason: 'Node recover failed.' });

        const grown = await the.act(id, { scale_out: { count: 2 } });
        expect(grown.data.creation!.regions).to.deep.equal({ [here]: 2 });
        const rid = await the.act(id, {
          del_nodes: { nodes: lost.map((node) => node.id), destroy_after_deletion: true },
        });
        expect(rid.status).to.equal('SUCCEEDED');
        expect(await regionsOf(id)).to.deep.equal({ [here]: 3 });
        expect(await the.showCluster(id)).to.include({ status: 'ACTIVE', desired_capacity: 3 });
      },
    );

    it('a cluster whose regions are all gone does not grow, and can be deleted', async function () {
      this.timeout(60_000);
      await open();
      const id = await spread([{ name: third }]);
      await the.act(id, { scale_out: { count: 1 } });
      const [node] = await the.membersOf(id);
      const details = () => the.ask('GET', `/nodes/${node!.id}?show_details=true`);
      expect((await details()).body.node.details).to.include({ status: 'ACTIVE' });
      await close();
      expect((await details()).body.node.details).to.deep.equal({
        Error: { code: 500, message: words },
      });
      const action = await the.act(id, { scale_out: { count: 1 } }, 'FAILED');
      expect(action.status_reason).to.equal(
        "Policy check failure: Failed policy 'policy': No region is found usable.",
      );
      const gone = await the.queued(the.ask('DELETE', `/clusters/${id}`));
      expect(gone.status, gone.status_reason).to.equal('SUCCEEDED');
    });

    it('one that does not answer for a while holds up nobody, and nothing is done twice there', async () => {
      const id = await spread([{ name: there }]);
      const silent = world.cloud.regions.get(there)!;
      const { database } = silent;
      const refuse = (): never => {
        throw new Error('It does not answer.');
      };
      Object.assign(silent, {
        database: { ...database, db: Object.assign(refuse, { transaction: refuse }) },
      });
      const action = await the
        .begin(id, { scale_out: { count: 1 } })
        .finally(() => Object.assign(silent, { database }));
      expect(action.status).to.equal('WAITING');
      const [node] = await the.membersOf(id);
      expect(node).to.include({ status: 'CREATING' });
      const [{ id: subject }] = (await the.ask('GET', `/actions?target=${node!.id}`)).body
        .actions as [{ id: string }];
      // Two processes do the errand at once, as after one of them was thought to have ended.
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
      expect(await the.showAction(action.id)).to.include({ status: 'SUCCEEDED' });
      expect(await the.servers(there)).to.deep.equal([(await the.showNode(node!.id)).physical_id]);
    });
  },
  { regions: [here, there] },
);
