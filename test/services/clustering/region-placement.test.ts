// Tests of the region placement policy in a cloud of several regions: servers really stand in the
// regions that it plans, and are looked after there.
import { expect } from 'chai';
import { member, newest, novaSpec, onClustering, said, type ShownNode } from './support.ts';

const here = 'RegionOne';
const there = 'RegionTwo';

onClustering(
  'the region placement policy',
  { nova: 2 },
  (the, world) => {
    beforeEach(() => the.makeHosts({ nova: 2 }, there));

    const spread = (regions: readonly object[]): Promise<string> =>
      the.makeSpread('region_placement', { regions });
    const two = (first: object = {}, second: object = {}) => [
      { name: here, ...first },
      { name: there, ...second },
    ];
    const regionsOf = (id: string, regions = [here, there]) => the.regionsOf(id, regions);
    const away = async (id: string): Promise<ShownNode> =>
      (await the.membersOf(id)).find(({ data }) => data.placement?.region_name === there)!;

    it('makes servers in the planned regions, takes them away by the plan, and leaves none', async () => {
      const id = await spread(two({ weight: 100 }, { weight: 50 }));
      const grown = await the.act(id, { scale_out: { count: 3 } });
      expect(grown.data.creation).to.deep.include({ count: 3, regions: { [here]: 2, [there]: 1 } });
      expect(await regionsOf(id)).to.deep.equal({ [here]: 2, [there]: 1 });
      const placed = (await the.membersOf(id)).map(({ data, status }) => [
        data.placement?.region_name,
        status,
      ]);
      expect(placed).to.deep.equal([
        [here, 'ACTIVE'],
        [here, 'ACTIVE'],
        [there, 'ACTIVE'],
      ]);

      const shrunk = await the.act(id, { scale_in: {} });
      expect(shrunk.data.deletion).to.deep.include({ count: 1, regions: { [there]: 1 } });
      expect(await regionsOf(id)).to.deep.equal({ [here]: 2 });
      expect(await the.servers(there)).to.deep.equal([]);

      const resized = await the.act(id, {
        resize: { adjustment_type: 'EXACT_CAPACITY', number: 6 },
      });
      expect(resized.data.creation).to.deep.include({
        count: 4,
        regions: { [here]: 2, [there]: 2 },
      });
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
        "Policy check failure: Failed policy 'policy': There is no feasible plan to handle " +
          'all nodes.',
      );
      await the.act(id, { scale_out: { count: 1 } });
      expect(await regionsOf(id)).to.deep.equal({ [here]: 1, [there]: 2 });
    });

    it(
      'counts nodes that stood there before it came, and takes the oldest of a region with a ' +
        'deletion policy',
      async () => {
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
      },
    );

    it('finds a server that is gone there, and makes it anew in the same region', async () => {
      const id = await spread(two());
      await the.act(id, { scale_out: { count: 2 } });
      const lost = await away(id);
      await the.compute('DELETE', `/servers/${lost.physical_id}`, { region: there }).expect(204);
      await the.act(id, { check: {} });
      const ill = {
        status: 'ERROR',
        physical_id: null,
        status_reason: 'Check: Node is not ACTIVE.',
      };
      expect(await the.showNode(lost.id)).to.include(ill);
      await the.act(id, { recover: { check: true } });
      expect(await the.showNode(lost.id)).to.include({
        status: 'ACTIVE',
        status_reason: 'Recovery succeeded',
      });
      expect(await regionsOf(id)).to.deep.equal({ [here]: 1, [there]: 1 });

      const detection = {
        node_update_timeout: 100,
        detection_modes: [{ type: 'NODE_STATUS_POLLING' }],
      };
      await the.attach(
        id,
        await the.makePolicy('health', {
          detection,
          recovery: { actions: [{ name: 'RECREATE' }] },
        }),
      );
      const { physical_id: server } = await the.showNode(lost.id);
      await the
        .compute('POST', `/servers/${server}/action`, { region: there, body: { 'os-stop': null } })
        .expect(202);
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

      const stopped = await the.queued(
        the.ask('POST', `/nodes/${node.id}/ops`, { body: { stop: {} } }),
      );
      expect(stopped.status, stopped.status_reason).to.equal('SUCCEEDED');
      expect(await the.showServer(node.physical_id!, there)).to.include({ status: 'SHUTOFF' });
      const started = await the.queued(
        the.ask('POST', `/clusters/${id}/ops`, { body: { reboot: { params: { type: 'HARD' } } } }),
      );
      expect(started.status, started.status_reason).to.equal('SUCCEEDED');
      expect(await the.showServer(node.physical_id!, there)).to.include({ status: 'ACTIVE' });

      const profile_id = await the.makeProfile(
        novaSpec({ name: 'renamed', flavor: 'm1.small' }),
        'q',
      );
      const updated = await the.queued(
        the.ask('PATCH', `/clusters/${id}`, { body: { cluster: { profile_id } } }),
      );
      expect(updated.status, updated.status_reason).to.equal('SUCCEEDED');
      const server = (await the.showServer(node.physical_id!, there))!;
      expect([server['name'], server['flavor']])
        .to.deep.include('renamed')
        .and.to.have.nested.property('[1].id', '2');

      await the.act(id, { del_nodes: { nodes: [node.id] } });
      const metadata = async (): Promise<unknown> =>
        (await the.showServer(node.physical_id!, there))!['metadata'];
      expect(await metadata()).to.deep.equal({ cluster_node_id: node.id });
      await the.act(id, { add_nodes: { nodes: [node.id] } });
      expect(await metadata()).to.include({ cluster_id: id });
    });

    it('places a node that is made alone, unless its profile has a region', async () => {
      const id = await spread(two());
      const create = (profile_id: string) =>
        the.queued(
          the.ask('POST', '/nodes', { body: { node: { name: 'n', profile_id, cluster_id: id } } }),
        );
      await create(the.profile);
      const second = await create(the.profile);
      expect(second.data.creation).to.deep.equal({ count: 1, regions: { [there]: 1 } });
      expect(await regionsOf(id)).to.deep.equal({ [here]: 1, [there]: 1 });
      const own = await create(
        await the.makeProfile(novaSpec({ context: { region_name: there } }), 'own'),
      );
      expect(own.data).to.not.have.property('creation');
      expect(await regionsOf(id)).to.deep.equal({ [here]: 1, [there]: 2 });
    });

    it('has profiles checked in the region that they name', async () => {
      const flavor = { id: '77', name: 'only.there', ram: 64, vcpus: 1, disk: 1 };
      await the
        .compute('POST', '/flavors', { token: 'admin', region: there, body: { flavor } })
        .expect(200);
      const create = (properties: object) =>
        the.ask('POST', '/profiles', {
          body: { profile: { name: 'own', spec: novaSpec(properties) } },
        });
      const without = await create({ flavor: 'only.there' }).expect(400);
      expect(said(without)).to.equal("The specified flavor 'only.there' could not be found.");
      await create({ flavor: 'only.there', context: { region_name: there } }).expect(201);
      const nowhere = await create({ context: { region_name: 'Nowhere' } }).expect(400);
      expect(said(nowhere)).to.equal(
        'Failed in creating profile own: public endpoint for compute service in Nowhere ' +
          'region not found',
      );
      const id = await the.makeCluster(1, { profile_id: 'own' });
      expect(await regionsOf(id)).to.deep.equal({ [there]: 1 });
    });

    it('shows what goes on there in between, and lets it take its time', async () => {
      const id = await spread(two());
      const slow = novaSpec({ metadata: { simulated_wait_time: 20 } });
      const profile_id = await the.makeProfile(slow, 'slow');
      await the.queued(
        the.ask('PATCH', `/clusters/${id}`, {
          body: { cluster: { profile_id, profile_only: true } },
        }),
      );
      const action = await the.begin(id, { scale_out: { count: 2 } });
      expect(action.status).to.equal('WAITING');
      expect(await the.servers(there)).to.have.length(1);
      for (const { status } of await the.membersOf(id)) expect(status).to.equal('CREATING');
      await world.setTime('2026-11-20T12:00:20Z');
      expect(await the.showAction(action.id)).to.include({ status: 'SUCCEEDED' });
      expect((await away(id)).status).to.equal('ACTIVE');
    });

    it('lets clusters of two regions have nodes in each other’s at once', async () => {
      const far = async (
        method: string,
        path: string,
        body?: object,
      ): Promise<Record<string, Record<string, string>>> => {
        const asked = { version: newest, ...member, ...(body ? { body } : {}) };
        const reply = await world.ask(
          'clustering',
          method,
          `/${there}/clustering/v1${path}`,
          asked,
        );
        expect(reply.status, reply.text).to.be.oneOf([200, 201, 202]);
        return reply.body as Record<string, Record<string, string>>;
      };
      const properties = { regions: [{ name: here }] };
      const spec = { type: 'senlin.policy.region_placement', version: '1.0', properties };
      await far('POST', '/policies', { policy: { name: 'r', spec } });
      await far('POST', '/profiles', { profile: { name: 'p', spec: novaSpec() } });
      await far('POST', '/clusters', {
        cluster: { name: 'f', profile_id: 'p', desired_capacity: 0 },
      });
      await far('POST', '/clusters/f/actions', { policy_attach: { policy_id: 'r' } });
      const id = await spread([{ name: there }]);
      const body = { scale_out: { count: 3 } };
      await Promise.all([
        the.ask('POST', `/clusters/${id}/actions`, { body }).expect(202),
        far('POST', '/clusters/f/actions', body),
      ]);
      await Promise.all([
        the.showCluster(id),
        far('GET', '/clusters/f'),
        the.showCluster(id),
        far('GET', '/clusters/f'),
      ]);
      await world.setTime('2026-11-20T12:00:10Z');
      expect(await the.showCluster(id)).to.include({ status: 'ACTIVE', desired_capacity: 3 });
      expect((await far('GET', '/clusters/f'))['cluster']).to.include({
        status: 'ACTIVE',
        desired_capacity: 3,
      });
      expect([(await the.servers(here)).length, (await the.servers(there)).length]).to.deep.equal([
        3, 3,
      ]);
    });
  },
  { regions: [here, there] },
);
