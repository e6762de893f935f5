// Tests of the region placement policy in a cloud of several regions: servers really stand in the regions that it plans, and are looked after there.
import { expect } from 'chai';
import type { Region, Work } from '../../../src/kernel/model.ts';
import { closeRegion, openRegion } from '../../../src/kernel/powers/regions.ts';
import { systemWork } from '../../../src/kernel/work.ts';
import { runErrands } from '../../../src/services/clustering/domain/engine/errands.ts';
import { member, newest, novaSpec, onClustering, said, type ShownNode } from './support.ts';
import { noon } from '../../support/cloud.ts';

const here = 'RegionOne';
const there = 'RegionTwo';

onClustering(
  'the region placement policy',
  { nova: 2 },
  (the, world) => {
    beforeEach(() => the.makeHosts({ nova: 2 }, there));

    /** An empty cluster whose nodes are spread over the regions. */
    const spread = async (regions: readonly object[], fields: object = {}): Promise<string> => {
      const id = await the.makeCluster(0, fields);
      await the.attach(id, await the.makePolicy('region_placement', { regions }));
      return id;
    };
    const two = (first: object = {}, second: object = {}) => [{ name: here, ...first }, { name: there, ...second }]; // prettier-ignore

    /** How many servers of the cluster stand in each region, by what each of their Computes says. */
    const regionsOf = async (id: string, regions = [here, there]): Promise<Record<string, number>> => {
      const own = (await the.membersOf(id)).map(({ physical_id: server }) => server);
      const found: Record<string, number> = {};
      for (const region of regions) {
        const many = (await the.servers(region)).filter((server) => own.includes(server)).length;
        if (many) found[region] = many;
      }
      return found;
    };
    const away = async (id: string): Promise<ShownNode> =>
      (await the.membersOf(id)).find(({ data }) => data.placement?.region_name === there)!;

    it('makes servers in the planned regions, takes them away by the plan, and leaves none', async () => {
      const id = await spread(two({ weight: 100 }, { weight: 50 }));
      const grown = await the.act(id, { scale_out: { count: 3 } });
      expect(grown.data.creation).to.deep.include({ count: 3, regions: { [here]: 2, [there]: 1 } });
      expect(await regionsOf(id)).to.deep.equal({ [here]: 2, [there]: 1 });
      const placed = (await the.membersOf(id)).map(({ data, status }) => [data.placement?.region_name, status]);
      expect(placed).to.deep.equal([[here, 'ACTIVE'], [here, 'ACTIVE'], [there, 'ACTIVE']]); // prettier-ignore

      const shrunk = await the.act(id, { scale_in: {} });
      expect(shrunk.data.deletion).to.deep.include({ count: 1, regions: { [there]: 1 } });
      expect(await regionsOf(id)).to.deep.equal({ [here]: 2 });
      expect(await the.servers(there)).to.deep.equal([]);

      const resized = await the.act(id, { resize: { adjustment_type: 'EXACT_CAPACITY', number: 6 } });
      expect(resized.data.creation).to.deep.include({ count: 4, regions: { [here]: 2, [there]: 2 } });
      expect(await regionsOf(id)).to.deep.equal({ [here]: 4, [there]: 2 });
      expect(await the.showCluster(id)).to.include({ status: 'ACTIVE', desired_capacity: 6 });

      const gone = await the.queued(the.ask('DELETE', `/clusters/${id}`));
      expect(gone.status, gone.status_reason).to.equal('SUCCEEDED');
      expect([...(await the.servers()), ...(await the.servers(there))]).to.deep.equal([]);
      expect(await world.cloud.firstRegion.database.db('clustering_locks')).to.deep.equal([]);
    });

    it('respects caps, and has no plan beyond them', async () => {
      const id = await spread(two({ cap: 1 }));
      await the.act(id, { scale_out: { count: 2 } });
      expect(await regionsOf(id)).to.deep.equal({ [here]: 1, [there]: 1 });
      const more = await the.act(id, { scale_out: { count: 2 } }, 'FAILED');
      expect(more.status_reason).to.equal(
        "Policy check failure: Failed policy 'policy': There is no feasible plan to handle all nodes.",
      );
      await the.act(id, { scale_out: { count: 1 } });
      expect(await regionsOf(id)).to.deep.equal({ [here]: 1, [there]: 2 });
    });

    it('counts nodes that stood there before it came, and takes the oldest of a region with a deletion policy', async () => {
      const id = await the.makeCluster(2);
      await the.attach(id, await the.makePolicy('region_placement', { regions: two() }));
      const grown = await the.act(id, { scale_out: { count: 2 } });
      expect(grown.data.creation!.regions).to.deep.equal({ [there]: 2 });
      await world.setTime('2026-11-20T12:01:00Z');
      await the.act(id, { scale_out: { count: 2 } });
      await the.attach(id, await the.makePolicy('deletion', { criteria: 'YOUNGEST_FIRST' }));
      const youngest = (await the.membersOf(id)).slice(-2).map(({ id: node }) => node);
      const shrunk = await the.act(id, { scale_in: { count: 2 } });
      expect(shrunk.data.deletion).to.deep.include({ regions: { [here]: 1, [there]: 1 } });
      expect(shrunk.data.deletion!.candidates).to.have.members(youngest);
      expect(await regionsOf(id)).to.deep.equal({ [here]: 2, [there]: 2 });
    });

    it('finds a server that is gone there, and makes it anew in the same region', async () => {
      const id = await spread(two());
      await the.act(id, { scale_out: { count: 2 } });
      const lost = await away(id);
      await the.compute('DELETE', `/servers/${lost.physical_id}`, { region: there }).expect(204);
      await the.act(id, { check: {} });
      const ill = { status: 'ERROR', physical_id: null, status_reason: 'Check: Node is not ACTIVE.' };
      expect(await the.showNode(lost.id)).to.include(ill);
      await the.act(id, { recover: { check: true } });
      expect(await the.showNode(lost.id)).to.include({ status: 'ACTIVE', status_reason: 'Recovery succeeded' });
      expect(await regionsOf(id)).to.deep.equal({ [here]: 1, [there]: 1 });

      const detection = { node_update_timeout: 100, detection_modes: [{ type: 'NODE_STATUS_POLLING' }] };
      await the.attach(id, await the.makePolicy('health', { detection, recovery: { actions: [{ name: 'RECREATE' }] } }));
      const { physical_id: server } = await the.showNode(lost.id);
      await the.compute('POST', `/servers/${server}/action`, { region: there, body: { 'os-stop': null } }).expect(202);
      await world.setTime('2026-11-20T12:05:00Z');
      const recovered = await the.showNode(lost.id);
      expect(recovered).to.include({ status: 'ACTIVE', status_reason: 'Recovery succeeded' });
      expect(recovered.physical_id).to.not.equal(server);
      expect(await the.servers(there)).to.deep.equal([recovered.physical_id]);
    });

    it('lets nodes be shown, operated on, updated, and leave and join where they stand', async () => {
      const id = await spread(two());
      await the.act(id, { scale_out: { count: 2 } });
      const node = await away(id);
      const shown = await the.ask('GET', `/nodes/${node.id}?show_details=true`).expect(200);
      expect(shown.body.node.details).to.include({ id: node.physical_id, status: 'ACTIVE' });
      const collected = await the.ask('GET', `/clusters/${id}/attrs/details.status`).expect(200);
      expect(collected.body.cluster_attributes).to.have.length(2);

      const stopped = await the.queued(the.ask('POST', `/nodes/${node.id}/ops`, { body: { stop: {} } }));
      expect(stopped.status, stopped.status_reason).to.equal('SUCCEEDED');
      expect(await the.showServer(node.physical_id!, there)).to.include({ status: 'SHUTOFF' });
      const started = await the.queued(the.ask('POST', `/clusters/${id}/ops`, { body: { reboot: { params: { type: 'HARD' } } } })); // prettier-ignore
      expect(started.status, started.status_reason).to.equal('SUCCEEDED');
      expect(await the.showServer(node.physical_id!, there)).to.include({ status: 'ACTIVE' });

      const profile_id = await the.makeProfile(novaSpec({ name: 'renamed', flavor: 'm1.small' }), 'q');
      const updated = await the.queued(the.ask('PATCH', `/clusters/${id}`, { body: { cluster: { profile_id } } }));
      expect(updated.status, updated.status_reason).to.equal('SUCCEEDED');
      const server = (await the.showServer(node.physical_id!, there))!;
      expect([server['name'], server['flavor']]).to.deep.include('renamed').and.to.have.nested.property('[1].id', '2');

      await the.act(id, { del_nodes: { nodes: [node.id] } });
      const metadata = async (): Promise<unknown> => (await the.showServer(node.physical_id!, there))!['metadata'];
      expect(await metadata()).to.deep.equal({ cluster_node_id: node.id });
      await the.act(id, { add_nodes: { nodes: [node.id] } });
      expect(await metadata()).to.include({ cluster_id: id });
    });

    it('places a node that is made alone, unless its profile has a region', async () => {
      const id = await spread(two());
      const create = (profile_id: string) =>
        the.queued(the.ask('POST', '/nodes', { body: { node: { name: 'n', profile_id, cluster_id: id } } }));
      await create(the.profile);
      const second = await create(the.profile);
      expect(second.data.creation).to.deep.equal({ count: 1, regions: { [there]: 1 } });
      expect(await regionsOf(id)).to.deep.equal({ [here]: 1, [there]: 1 });
      const own = await create(await the.makeProfile(novaSpec({ context: { region_name: there } }), 'own'));
      expect(own.data).to.not.have.property('creation');
      expect(await regionsOf(id)).to.deep.equal({ [here]: 1, [there]: 2 });
    });

    it('has profiles checked in the region that they name', async () => {
      const flavor = { id: '77', name: 'only.there', ram: 64, vcpus: 1, disk: 1 };
      await the.compute('POST', '/flavors', { token: 'admin', region: there, body: { flavor } }).expect(200);
      const create = (properties: object) =>
        the.ask('POST', '/profiles', { body: { profile: { name: 'own', spec: novaSpec(properties) } } });
      const without = await create({ flavor: 'only.there' }).expect(400);
      expect(said(without)).to.equal("The specified flavor 'only.there' could not be found.");
      await create({ flavor: 'only.there', context: { region_name: there } }).expect(201);
      const nowhere = await create({ context: { region_name: 'Nowhere' } }).expect(400);
      expect(said(nowhere)).to.equal(
        'Failed in creating profile own: public endpoint for compute service in Nowhere region not found',
      );
      const id = await the.makeCluster(1, { profile_id: 'own' });
      expect(await regionsOf(id)).to.deep.equal({ [there]: 1 });
    });

    it('shows what goes on there in between, and lets it take its time', async () => {
      const id = await spread(two());
      const slow = novaSpec({ metadata: { simulated_wait_time: 20 } });
      const profile_id = await the.makeProfile(slow, 'slow');
      await the.queued(the.ask('PATCH', `/clusters/${id}`, { body: { cluster: { profile_id, profile_only: true } } }));
      const action = await the.begin(id, { scale_out: { count: 2 } });
      expect(action.status).to.equal('WAITING');
      expect(await the.servers(there)).to.have.length(1);
      for (const { status } of await the.membersOf(id)) expect(status).to.equal('CREATING');
      await world.setTime('2026-11-20T12:00:20Z');
      expect(await the.showAction(action.id)).to.include({ status: 'SUCCEEDED' });
      expect((await away(id)).status).to.equal('ACTIVE');
    });

    it('lets clusters of two regions have nodes in each other’s at once', async () => {
      const far = async (method: string, path: string, body?: object): Promise<Record<string, Record<string, string>>> => {
        const asked = { version: newest, ...member, ...(body ? { body } : {}) };
        const reply = await world.ask('clustering', method, `/${there}/clustering/v1${path}`, asked);
        expect(reply.status, reply.text).to.be.oneOf([200, 201, 202]);
        return reply.body as Record<string, Record<string, string>>;
      };
      const properties = { regions: [{ name: here }] };
      const spec = { type: 'senlin.policy.region_placement', version: '1.0', properties };
      await far('POST', '/policies', { policy: { name: 'r', spec } });
      await far('POST', '/profiles', { profile: { name: 'p', spec: novaSpec() } });
      await far('POST', '/clusters', { cluster: { name: 'f', profile_id: 'p', desired_capacity: 0 } });
      await far('POST', '/clusters/f/actions', { policy_attach: { policy_id: 'r' } });
      const id = await spread([{ name: there }]);
      const body = { scale_out: { count: 3 } };
      await Promise.all([
        the.ask('POST', `/clusters/${id}/actions`, { body }).expect(202),
        far('POST', '/clusters/f/actions', body),
      ]);
      await Promise.all([the.showCluster(id), far('GET', '/clusters/f'), the.showCluster(id), far('GET', '/clusters/f')]);
      await world.setTime('2026-11-20T12:00:10Z');
      expect(await the.showCluster(id)).to.include({ status: 'ACTIVE', desired_capacity: 3 });
      expect((await far('GET', '/clusters/f'))['cluster']).to.include({ status: 'ACTIVE', desired_capacity: 3 });
      expect([(await the.servers(here)).length, (await the.servers(there)).length]).to.deep.equal([3, 3]);
    });

    describe('where a region is not there', () => {
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
        const id = await spread(two());
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
        expect(said(reply)).to.equal("The specified regions '['another', 'none']' could not be found.");
        const spec = { type: 'senlin.policy.region_placement', version: '1.0', properties: { regions } };
        await the.ask('POST', '/policies/validate', { body: { policy: { spec } } }).expect(200);
      });

      it('one that Keystone knows and nobody serves gets nodes, which fail and say so', async () => {
        await world.ask('identity', 'POST', '/identity/v3/regions', { body: { region: { id: third } } }).expect(201);
        const id = await spread([{ name: here }, { name: third }]);
        const action = await the.act(id, { scale_out: { count: 2 } }, 'FAILED');
        expect(action.status_reason).to.equal('Failed in creating nodes.');
        expect(action.data.creation!.regions).to.deep.equal({ [here]: 1, [third]: 1 });
        const [good, bad] = await the.membersOf(id);
        expect(good).to.include({ status: 'ACTIVE' });
        expect(bad).to.include({ status: 'ERROR', status_reason: `Failed in creating server: ${words}.` });
        expect(await the.showCluster(id)).to.include({ status: 'WARNING' });
        await the.act(id, { del_nodes: { nodes: [bad!.id], destroy_after_deletion: true } });
        expect((await the.membersOf(id)).map(({ id: node }) => node)).to.deep.equal([good!.id]);
      });

      it('one that is dropped takes its servers with it: they are found lost, and others take their place', async function () {
        this.timeout(60_000);
        await open();
        const id = await spread([{ name: here, weight: 50 }, { name: third }]); // prettier-ignore
        await the.act(id, { scale_out: { count: 3 } });
        expect(await regionsOf(id, [here, third])).to.deep.equal({ [here]: 1, [third]: 2 });
        await close();
        await the.act(id, { check: {} });
        const lost = (await the.membersOf(id)).filter(({ status }) => status === 'ERROR');
        expect(lost).to.have.length(2);
        const shown = await the.ask('GET', `/nodes/${lost[0]!.id}?show_details=true`).expect(200);
        expect(shown.body.node).to.include({ physical_id: null }).and.to.not.have.property('details');
        const failed = await the.queued(the.ask('POST', `/nodes/${lost[0]!.id}/actions`, { body: { recover: {} } }));
        expect(failed).to.include({ status: 'FAILED', status_reason: 'Node recover failed.' });

        const grown = await the.act(id, { scale_out: { count: 2 } });
        expect(grown.data.creation!.regions).to.deep.equal({ [here]: 2 });
        const rid = await the.act(id, { del_nodes: { nodes: lost.map((node) => node.id), destroy_after_deletion: true } });
        expect(rid.status).to.equal('SUCCEEDED');
        expect(await regionsOf(id)).to.deep.equal({ [here]: 3 });
        expect(await the.showCluster(id)).to.include({ status: 'ACTIVE', desired_capacity: 3 });
      });

      it('a cluster whose regions are all gone does not grow, and can be deleted', async function () {
        this.timeout(60_000);
        await open();
        const id = await spread([{ name: third }]);
        await the.act(id, { scale_out: { count: 1 } });
        const [node] = await the.membersOf(id);
        const details = () => the.ask('GET', `/nodes/${node!.id}?show_details=true`);
        expect((await details()).body.node.details).to.include({ status: 'ACTIVE' });
        await close();
        expect((await details()).body.node.details).to.deep.equal({ Error: { code: 500, message: words } });
        const action = await the.act(id, { scale_out: { count: 1 } }, 'FAILED');
        expect(action.status_reason).to.equal("Policy check failure: Failed policy 'policy': No region is found usable.");
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
        Object.assign(silent, { database: { ...database, db: Object.assign(refuse, { transaction: refuse }) } });
        const action = await the.begin(id, { scale_out: { count: 1 } }).finally(() => Object.assign(silent, { database }));
        expect(action.status).to.equal('WAITING');
        const [node] = await the.membersOf(id);
        expect(node).to.include({ status: 'CREATING' });
        const [{ id: subject }] = (await the.ask('GET', `/actions?target=${node!.id}`)).body.actions as [{ id: string }];
        // Two processes do the errand at once, as after one of them was thought to have ended.
        const { cloud } = world;
        const work: Work = systemWork(cloud, cloud.firstRegion, cloud.firstRegion.database.db, noon);
        await Promise.all([runErrands(work, { subject }), runErrands(work, { subject })]);
        await world.setTime('2026-11-20T12:00:05Z');
        expect(await the.showAction(action.id)).to.include({ status: 'SUCCEEDED' });
        expect(await the.servers(there)).to.deep.equal([(await the.showNode(node!.id)).physical_id]);
      });
    });
  },
  { regions: [here, there] },
);
