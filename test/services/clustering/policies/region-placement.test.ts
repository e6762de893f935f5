// Tests of the region placement policy, with servers in the regions that it plans.
import { expect } from 'chai';
import { member, newest, novaSpec, onClustering, messageOf, type ShownNode } from '../support.ts';

const here = 'RegionOne';
const there = 'RegionTwo';

onClustering(
  'the region placement policy',
  { nova: 2 },
  (clustering, world) => {
    beforeEach(() => clustering.createHosts({ nova: 2 }, there));

    const createSpread = (regions: readonly object[]): Promise<string> =>
      clustering.createClusterWith('region_placement', { regions });
    const two = (first: object = {}, second: object = {}) => [
      { name: here, ...first },
      { name: there, ...second },
    ];
    const regionsOf = (id: string, regions = [here, there]) => clustering.regionsOf(id, regions);
    const remoteNode = async (id: string): Promise<ShownNode> =>
      (await clustering.membersOf(id)).find(({ data }) => data.placement?.region_name === there)!;

    it('creates and removes servers by the plan, and leaves none after deletion', async () => {
      const id = await createSpread(two({ weight: 100 }, { weight: 50 }));
      const grown = await clustering.runAction(id, { scale_out: { count: 3 } });
      expect(grown.data.creation).to.deep.include({ count: 3, regions: { [here]: 2, [there]: 1 } });
      expect(await regionsOf(id)).to.deep.equal({ [here]: 2, [there]: 1 });
      const placed = (await clustering.membersOf(id)).map(({ data, status }) => [
        data.placement?.region_name,
        status,
      ]);
      expect(placed).to.deep.equal([
        [here, 'ACTIVE'],
        [here, 'ACTIVE'],
        [there, 'ACTIVE'],
      ]);

      const shrunk = await clustering.runAction(id, { scale_in: {} });
      expect(shrunk.data.deletion).to.deep.include({ count: 1, regions: { [there]: 1 } });
      expect(await regionsOf(id)).to.deep.equal({ [here]: 2 });
      expect(await clustering.serverIds(there)).to.deep.equal([]);

      const resized = await clustering.runAction(id, {
        resize: { adjustment_type: 'EXACT_CAPACITY', number: 6 },
      });
      expect(resized.data.creation).to.deep.include({
        count: 4,
        regions: { [here]: 2, [there]: 2 },
      });
      expect(await regionsOf(id)).to.deep.equal({ [here]: 4, [there]: 2 });
      expect(await clustering.showCluster(id)).to.include({
        status: 'ACTIVE',
        desired_capacity: 6,
      });

      const gone = await clustering.queuedAction(clustering.request('DELETE', `/clusters/${id}`));
      expect(gone.status, gone.status_reason).to.equal('SUCCEEDED');
      expect([
        ...(await clustering.serverIds()),
        ...(await clustering.serverIds(there)),
      ]).to.deep.equal([]);
      expect(await world.cloud.firstRegion.database.db('clustering_locks')).to.deep.equal([]);
    });

    it('fails an action that exceeds the caps', async () => {
      const id = await createSpread(two({ cap: 1 }));
      await clustering.runAction(id, { scale_out: { count: 2 } });
      expect(await regionsOf(id)).to.deep.equal({ [here]: 1, [there]: 1 });
      const more = await clustering.runAction(id, { scale_out: { count: 2 } }, 'FAILED');
      expect(more.status_reason).to.equal(
        "Policy check failure: Failed policy 'policy': There is no feasible plan to handle " +
          'all nodes.',
      );
      await clustering.runAction(id, { scale_out: { count: 1 } });
      expect(await regionsOf(id)).to.deep.equal({ [here]: 1, [there]: 2 });
    });

    it('counts nodes from before it was attached, and lets a deletion policy choose', async () => {
      const id = await clustering.createCluster(2);
      await clustering.attachPolicy(
        id,
        await clustering.createPolicy('region_placement', { regions: two() }),
      );
      const grown = await clustering.runAction(id, { scale_out: { count: 2 } });
      expect(grown.data.creation!.regions).to.deep.equal({ [there]: 2 });
      await world.setTime('2026-11-20T12:01:00Z');
      await clustering.runAction(id, { scale_out: { count: 2 } });
      await clustering.attachPolicy(
        id,
        await clustering.createPolicy('deletion', { criteria: 'YOUNGEST_FIRST' }),
      );
      const youngest = (await clustering.membersOf(id)).slice(-2).map(({ id: node }) => node);
      const shrunk = await clustering.runAction(id, { scale_in: { count: 2 } });
      expect(shrunk.data.deletion).to.deep.include({ regions: { [here]: 1, [there]: 1 } });
      expect(shrunk.data.deletion!.candidates).to.have.members(youngest);
      expect(await regionsOf(id)).to.deep.equal({ [here]: 2, [there]: 2 });
    });

    it('recreates a lost server in the same region', async () => {
      const id = await createSpread(two());
      await clustering.runAction(id, { scale_out: { count: 2 } });
      const lost = await remoteNode(id);
      await clustering
        .requestCompute('DELETE', `/servers/${lost.physical_id}`, { region: there })
        .expect(204);
      await clustering.runAction(id, { check: {} });
      const unhealthy = {
        status: 'ERROR',
        physical_id: null,
        status_reason: 'Check: Node is not ACTIVE.',
      };
      expect(await clustering.showNode(lost.id)).to.include(unhealthy);
      await clustering.runAction(id, { recover: { check: true } });
      expect(await clustering.showNode(lost.id)).to.include({
        status: 'ACTIVE',
        status_reason: 'Recovery succeeded',
      });
      expect(await regionsOf(id)).to.deep.equal({ [here]: 1, [there]: 1 });

      const detection = {
        node_update_timeout: 100,
        detection_modes: [{ type: 'NODE_STATUS_POLLING' }],
      };
      await clustering.attachPolicy(
        id,
        await clustering.createPolicy('health', {
          detection,
          recovery: { actions: [{ name: 'RECREATE' }] },
        }),
      );
      const { physical_id: server } = await clustering.showNode(lost.id);
      await clustering
        .requestCompute('POST', `/servers/${server}/action`, {
          region: there,
          body: { 'os-stop': null },
        })
        .expect(202);
      await world.setTime('2026-11-20T12:05:00Z');
      const recovered = await clustering.showNode(lost.id);
      expect(recovered).to.include({ status: 'ACTIVE', status_reason: 'Recovery succeeded' });
      expect(recovered.physical_id).to.not.equal(server);
      expect(await clustering.serverIds(there)).to.deep.equal([recovered.physical_id]);
    });

    it('shows, operates on, updates, removes and adds nodes in another region', async () => {
      const id = await createSpread(two());
      await clustering.runAction(id, { scale_out: { count: 2 } });
      const node = await remoteNode(id);
      const shown = await clustering
        .request('GET', `/nodes/${node.id}?show_details=true`)
        .expect(200);
      expect(shown.body.node.details).to.include({ id: node.physical_id, status: 'ACTIVE' });
      const collected = await clustering
        .request('GET', `/clusters/${id}/attrs/details.status`)
        .expect(200);
      expect(collected.body.cluster_attributes).to.have.length(2);

      const stopped = await clustering.queuedAction(
        clustering.request('POST', `/nodes/${node.id}/ops`, { body: { stop: {} } }),
      );
      expect(stopped.status, stopped.status_reason).to.equal('SUCCEEDED');
      expect(await clustering.showServer(node.physical_id!, there)).to.include({
        status: 'SHUTOFF',
      });
      const started = await clustering.queuedAction(
        clustering.request('POST', `/clusters/${id}/ops`, {
          body: { reboot: { params: { type: 'HARD' } } },
        }),
      );
      expect(started.status, started.status_reason).to.equal('SUCCEEDED');
      expect(await clustering.showServer(node.physical_id!, there)).to.include({
        status: 'ACTIVE',
      });

      const profile_id = await clustering.createProfile(
        novaSpec({ name: 'renamed', flavor: 'm1.small' }),
        'q',
      );
      const updated = await clustering.queuedAction(
        clustering.request('PATCH', `/clusters/${id}`, { body: { cluster: { profile_id } } }),
      );
      expect(updated.status, updated.status_reason).to.equal('SUCCEEDED');
      const server = (await clustering.showServer(node.physical_id!, there))!;
      expect([server['name'], server['flavor']])
        .to.deep.include('renamed')
        .and.to.have.nested.property('[1].id', '2');

      await clustering.runAction(id, { del_nodes: { nodes: [node.id] } });
      const metadata = async (): Promise<unknown> =>
        (await clustering.showServer(node.physical_id!, there))!['metadata'];
      expect(await metadata()).to.deep.equal({ cluster_node_id: node.id });
      await clustering.runAction(id, { add_nodes: { nodes: [node.id] } });
      expect(await metadata()).to.include({ cluster_id: id });
    });

    it('places a single new node, unless its profile names a region', async () => {
      const id = await createSpread(two());
      const create = (profile_id: string) =>
        clustering.queuedAction(
          clustering.request('POST', '/nodes', {
            body: { node: { name: 'n', profile_id, cluster_id: id } },
          }),
        );
      await create(clustering.profile);
      const second = await create(clustering.profile);
      expect(second.data.creation).to.deep.equal({ count: 1, regions: { [there]: 1 } });
      expect(await regionsOf(id)).to.deep.equal({ [here]: 1, [there]: 1 });
      const own = await create(
        await clustering.createProfile(novaSpec({ context: { region_name: there } }), 'own'),
      );
      expect(own.data).to.not.have.property('creation');
      expect(await regionsOf(id)).to.deep.equal({ [here]: 1, [there]: 2 });
    });

    it('validates a profile in the region that it names', async () => {
      const flavor = { id: '77', name: 'only.there', ram: 64, vcpus: 1, disk: 1 };
      await clustering
        .requestCompute('POST', '/flavors', { token: 'admin', region: there, body: { flavor } })
        .expect(200);
      const create = (properties: object) =>
        clustering.request('POST', '/profiles', {
          body: { profile: { name: 'own', spec: novaSpec(properties) } },
        });
      const without = await create({ flavor: 'only.there' }).expect(400);
      expect(messageOf(without)).to.equal("The specified flavor 'only.there' could not be found.");
      await create({ flavor: 'only.there', context: { region_name: there } }).expect(201);
      const nowhere = await create({ context: { region_name: 'Nowhere' } }).expect(400);
      expect(messageOf(nowhere)).to.equal(
        'Failed in creating profile own: public endpoint for compute service in Nowhere ' +
          'region not found',
      );
      const id = await clustering.createCluster(1, { profile_id: 'own' });
      expect(await regionsOf(id)).to.deep.equal({ [there]: 1 });
    });

    it('waits for slow servers in another region', async () => {
      const id = await createSpread(two());
      const slow = novaSpec({ metadata: { simulated_wait_time: 20 } });
      const profile_id = await clustering.createProfile(slow, 'slow');
      await clustering.queuedAction(
        clustering.request('PATCH', `/clusters/${id}`, {
          body: { cluster: { profile_id, profile_only: true } },
        }),
      );
      const action = await clustering.startAction(id, { scale_out: { count: 2 } });
      expect(action.status).to.equal('WAITING');
      expect(await clustering.serverIds(there)).to.have.length(1);
      for (const { status } of await clustering.membersOf(id)) expect(status).to.equal('CREATING');
      await world.setTime('2026-11-20T12:00:20Z');
      expect(await clustering.showAction(action.id)).to.include({ status: 'SUCCEEDED' });
      expect((await remoteNode(id)).status).to.equal('ACTIVE');
    });

    it('lets two clusters create nodes in the region of the other at the same time', async () => {
      const requestThere = async (
        method: string,
        path: string,
        body?: object,
      ): Promise<Record<string, Record<string, string>>> => {
        const options = { version: newest, ...member, ...(body ? { body } : {}) };
        const reply = await world.ask(
          'clustering',
          method,
          `/${there}/clustering/v1${path}`,
          options,
        );
        expect(reply.status, reply.text).to.be.oneOf([200, 201, 202]);
        return reply.body as Record<string, Record<string, string>>;
      };
      const properties = { regions: [{ name: here }] };
      const spec = { type: 'senlin.policy.region_placement', version: '1.0', properties };
      await requestThere('POST', '/policies', { policy: { name: 'r', spec } });
      await requestThere('POST', '/profiles', { profile: { name: 'p', spec: novaSpec() } });
      await requestThere('POST', '/clusters', {
        cluster: { name: 'f', profile_id: 'p', desired_capacity: 0 },
      });
      await requestThere('POST', '/clusters/f/actions', { policy_attach: { policy_id: 'r' } });
      const id = await createSpread([{ name: there }]);
      const body = { scale_out: { count: 3 } };
      await Promise.all([
        clustering.request('POST', `/clusters/${id}/actions`, { body }).expect(202),
        requestThere('POST', '/clusters/f/actions', body),
      ]);
      await Promise.all([
        clustering.showCluster(id),
        requestThere('GET', '/clusters/f'),
        clustering.showCluster(id),
        requestThere('GET', '/clusters/f'),
      ]);
      await world.setTime('2026-11-20T12:00:10Z');
      expect(await clustering.showCluster(id)).to.include({
        status: 'ACTIVE',
        desired_capacity: 3,
      });
      expect((await requestThere('GET', '/clusters/f'))['cluster']).to.include({
        status: 'ACTIVE',
        desired_capacity: 3,
      });
      expect([
        (await clustering.serverIds(here)).length,
        (await clustering.serverIds(there)).length,
      ]).to.deep.equal([3, 3]);
    });
  },
  { regions: [here, there] },
);
