// Tests of the zone placement policy, with servers in the zones that it plans.
import { expect } from 'chai';
import { messageOf, onClustering } from '../support.ts';

onClustering(
  'the zone placement policy',
  { 'nova-1': 1, 'nova-2': 1, 'nova-3': 1 },
  (clustering, world) => {
    let policy: string;
    const zones = [
      { name: 'nova-1', weight: 100 },
      { name: 'nova-2', weight: 50 },
    ];

    beforeEach(async () => {
      policy = await clustering.createPolicy('zone_placement', { zones });
    });

    const disable = (zone: string) =>
      world
        .ask('compute', 'PUT', '/compute/v2.1/os-services/disable', {
          token: 'admin',
          body: { binary: 'nova-compute', host: `${zone}-0` },
        })
        .expect(200);

    const createEmpty = async (fields: object = {}): Promise<string> => {
      const cluster = await clustering.createCluster(0, fields);
      await clustering.attachPolicy(cluster, policy);
      return cluster;
    };

    describe('CLUSTER_SCALE_OUT', () => {
      it('creates the requested number of nodes in the planned zones #senlin-1 #senlin-2 #senlin-5 #senlin-12', async () => {
        const cluster = await createEmpty();
        const action = await clustering.runAction(cluster, { scale_out: { count: 3 } });
        expect(action.data.creation).to.deep.include({
          count: 3,
          zones: { 'nova-1': 2, 'nova-2': 1 },
        });
        expect(action.data).to.include({ status: 'OK' });
        expect(await clustering.zonesOf(cluster)).to.deep.equal({ 'nova-1': 2, 'nova-2': 1 });
        const zonesInData = (await clustering.membersOf(cluster)).map(
          ({ data }) => data.placement?.zone,
        );
        expect(zonesInData).to.deep.equal(['nova-1', 'nova-1', 'nova-2']);
      });

      it('creates one node without a count #senlin-6', async () => {
        const cluster = await createEmpty();
        expect(
          (await clustering.runAction(cluster, { scale_out: {} })).data.creation,
        ).to.deep.include({
          count: 1,
          zones: { 'nova-1': 1 },
        });
        expect(await clustering.zonesOf(cluster)).to.deep.equal({ 'nova-1': 1 });
      });

      it('creates as many nodes as another policy has decided #senlin-3 #senlin-4', async () => {
        const cluster = await createEmpty();
        const scaling = await clustering.createPolicy('scaling', {
          event: 'CLUSTER_SCALE_OUT',
          adjustment: { number: 4 },
        });
        await clustering.attachPolicy(cluster, scaling);
        const action = await clustering.runAction(cluster, { scale_out: {} });
        expect(action.data.creation).to.deep.include({
          count: 4,
          zones: { 'nova-1': 3, 'nova-2': 1 },
        });
        expect(await clustering.zonesOf(cluster)).to.deep.equal({ 'nova-1': 3, 'nova-2': 1 });
      });

      it('reads the count of a webhook, which is text', async () => {
        const cluster = await createEmpty();
        const { channel } = await clustering.createReceiver({
          cluster_id: cluster,
          action: 'CLUSTER_SCALE_OUT',
          params: { count: '2' },
        });
        const { pathname, search } = new URL(channel.alarm_url);
        const action = await clustering.queuedAction(
          world.ask('clustering', 'POST', pathname + search, { token: null, version: '1.10' }),
        );
        expect(action.status, action.status_reason).to.equal('SUCCEEDED');
        expect(action.data.creation).to.deep.include({ count: 2, zones: { 'nova-1': 2 } });
      });
    });

    describe('CLUSTER_SCALE_IN', () => {
      it('removes nodes by the plan, with and without a deletion policy #senlin-2 #senlin-11 #senlin-13', async () => {
        const cluster = await createEmpty();
        await clustering.runAction(cluster, { scale_out: { count: 6 } });
        expect(await clustering.zonesOf(cluster)).to.deep.equal({ 'nova-1': 4, 'nova-2': 2 });
        const action = await clustering.runAction(cluster, { scale_in: { count: 3 } });
        expect(action.data.deletion).to.deep.include({
          count: 3,
          zones: { 'nova-1': 2, 'nova-2': 1 },
        });
        expect(await clustering.zonesOf(cluster)).to.deep.equal({ 'nova-1': 2, 'nova-2': 1 });

        const oldest = (await clustering.membersOf(cluster)).filter(
          ({ data }) => data.placement?.zone === 'nova-2',
        )[0]!;
        await clustering.attachPolicy(
          cluster,
          await clustering.createPolicy('deletion', { criteria: 'OLDEST_FIRST' }),
        );
        const second = await clustering.runAction(cluster, { scale_in: { count: 1 } });
        expect(second.data.deletion!.zones).to.deep.equal({ 'nova-2': 1 });
        expect(second.data.deletion!.candidates).to.deep.equal([oldest.id]);
        expect((await clustering.membersOf(cluster)).map(({ id }) => id)).to.not.include(oldest.id);
      });

      it('removes one node without a count #senlin-6', async () => {
        const cluster = await createEmpty();
        await clustering.runAction(cluster, { scale_out: { count: 3 } });
        const { data } = await clustering.runAction(cluster, { scale_in: {} });
        expect(data.deletion).to.deep.include({ count: 1, zones: { 'nova-2': 1 } });
        expect(await clustering.zonesOf(cluster)).to.deep.equal({ 'nova-1': 2 });
      });

      describe('if the zones of the policy have fewer nodes than requested', () => {
        const reason = 'There is no feasible plan to handle all nodes.';
        const elsewhere = async (count: number): Promise<string> => {
          const cluster = await clustering.createCluster(0);
          const other = await clustering.createPolicy('zone_placement', {
            zones: [{ name: 'nova-3' }],
          });
          await clustering.attachPolicy(cluster, other);
          await clustering.runAction(cluster, { scale_out: { count } });
          await clustering.runAction(cluster, { policy_detach: { policy_id: other } });
          await clustering.attachPolicy(cluster, policy);
          return cluster;
        };
        const expectRefusal = async (cluster: string, count: number): Promise<void> => {
          const before = (await clustering.showCluster(cluster)).nodes;
          const body = { scale_in: { count } };
          const action = await clustering.runAction(cluster, body, 'FAILED');
          expect(action.status_reason).to.equal(
            `Policy check failure: Failed policy 'policy': ${reason}`,
          );
          expect(action.data).to.include({ status: 'ERROR', reason });
          expect((await clustering.showCluster(cluster)).nodes).to.deep.equal(before);
        };

        it('fails and removes nothing if all nodes are in another zone #senlin-10', async () => {
          await expectRefusal(await elsewhere(2), 2);
        });

        it('fails and removes nothing if some nodes are in another zone', async () => {
          const cluster = await elsewhere(3);
          await clustering.runAction(cluster, { scale_out: { count: 2 } });
          expect(await clustering.zonesOf(cluster)).to.deep.equal({ 'nova-1': 2, 'nova-3': 3 });
          await expectRefusal(cluster, 4);
        });

        it('fails and removes nothing with a deletion policy', async () => {
          const cluster = await elsewhere(2);
          await clustering.attachPolicy(
            cluster,
            await clustering.createPolicy('deletion', { criteria: 'OLDEST_FIRST' }),
          );
          await expectRefusal(cluster, 1);
        });

        it('fails and removes nothing if the cluster has fewer nodes #senlin-10', async () => {
          const cluster = await createEmpty();
          await clustering.runAction(cluster, { scale_out: { count: 3 } });
          await expectRefusal(cluster, 5);
        });

        it('removes the nodes in its zones only if these are enough', async () => {
          const cluster = await elsewhere(1);
          await clustering.runAction(cluster, { scale_out: { count: 2 } });
          const action = await clustering.runAction(cluster, { scale_in: { count: 2 } });
          expect(action.data.deletion).to.deep.include({ count: 2, zones: { 'nova-1': 2 } });
          expect(await clustering.zonesOf(cluster)).to.deep.equal({ 'nova-3': 1 });
        });
      });
    });

    describe('CLUSTER_RESIZE', () => {
      const resize = (number: number, type = 'EXACT_CAPACITY') => ({
        resize: { adjustment_type: type, number },
      });

      it('creates and removes nodes by the plan #senlin-2 #senlin-14', async () => {
        const cluster = await createEmpty();
        const grown = await clustering.runAction(cluster, resize(4));
        expect(grown.data.creation).to.deep.include({
          count: 4,
          zones: { 'nova-1': 3, 'nova-2': 1 },
        });
        expect(await clustering.zonesOf(cluster)).to.deep.equal({ 'nova-1': 3, 'nova-2': 1 });
        const shrunk = await clustering.runAction(cluster, resize(-2, 'CHANGE_IN_CAPACITY'));
        expect(shrunk.data.deletion).to.deep.include({
          count: 2,
          zones: { 'nova-1': 1, 'nova-2': 1 },
        });
        expect(await clustering.zonesOf(cluster)).to.deep.equal({ 'nova-1': 2 });
      });

      it('plans only as many nodes as the limits allow without strict', async () => {
        const cluster = await createEmpty({ max_size: 3 });
        const action = await clustering.runAction(cluster, {
          resize: { adjustment_type: 'EXACT_CAPACITY', number: 2, strict: false },
        });
        expect(action.data.creation!.zones).to.deep.equal({ 'nova-1': 2 });
        const clamped = await clustering.runAction(cluster, {
          resize: { adjustment_type: 'EXACT_CAPACITY', number: 9, strict: false },
        });
        expect(clamped.data.creation).to.deep.include({ count: 1, zones: { 'nova-2': 1 } });
      });
    });

    describe('CLUSTER_RESIZE by a webhook', () => {
      it('fails the check for invalid parameters #senlin-15', async () => {
        const cluster = await createEmpty({ max_size: 3 });
        const { channel } = await clustering.createReceiver({
          cluster_id: cluster,
          action: 'CLUSTER_RESIZE',
          params: { adjustment_type: 'EXACT_CAPACITY', number: 9, strict: true },
        });
        const { pathname, search } = new URL(channel.alarm_url);
        const action = await clustering.queuedAction(
          world.ask('clustering', 'POST', pathname + search, { token: null, version: '1.10' }),
        );
        expect(action.status).to.equal('FAILED');
        expect(action.data).to.deep.include({
          status: 'ERROR',
          reason: "The target capacity (9) is greater than the cluster's max_size (3).",
        });
        expect((await clustering.showCluster(cluster)).nodes).to.deep.equal([]);
      });
    });

    describe('NODE_CREATE', () => {
      it('creates a node of a cluster in the planned zone #senlin-2 #senlin-17', async () => {
        const cluster = await createEmpty();
        await clustering.runAction(cluster, { scale_out: { count: 2 } });
        const body = { node: { name: 'n', profile_id: clustering.profile, cluster_id: cluster } };
        const reply = await clustering.request('POST', '/nodes', { body }).expect(202);
        const node = await clustering.showNode(reply.body.node.id as string);
        expect(node, node.status_reason).to.deep.include({
          status: 'ACTIVE',
          data: { placement: { zone: 'nova-2' } },
        });
        const id = reply.headers['location']!.split('/actions/')[1]!;
        const { data } = (await clustering.request('GET', `/actions/${id}`)).body.action as {
          data: object;
        };
        expect(data).to.deep.include({
          status: 'OK',
          creation: { count: 1, zones: { 'nova-2': 1 } },
        });
        expect(await clustering.zonesOf(cluster)).to.deep.equal({ 'nova-1': 2, 'nova-2': 1 });
      });

      it('keeps the zone of the profile #senlin-16', async () => {
        const cluster = await createEmpty();
        const own = await clustering.createProfile({
          type: 'os.nova.server',
          version: '1.0',
          properties: { flavor: '1', image: 'cirros', availability_zone: 'nova-3' },
        });
        const body = { node: { name: 'n', profile_id: own, cluster_id: cluster } };
        const action = await clustering.queuedAction(
          clustering.request('POST', '/nodes', { body }),
        );
        expect(action.data).to.not.have.property('creation');
        expect(await clustering.zonesOf(cluster)).to.deep.equal({ 'nova-3': 1 });
      });
    });

    it('fails the action if no zone is available #senlin-8', async () => {
      const cluster = await createEmpty();
      await disable('nova-1');
      await disable('nova-2');
      const action = await clustering.runAction(cluster, { scale_out: { count: 1 } }, 'FAILED');
      expect(action.status_reason).to.equal(
        "Policy check failure: Failed policy 'policy': No availability zone found available.",
      );
      expect(action.data).to.deep.include({
        status: 'ERROR',
        reason: 'No availability zone found available.',
      });
      expect((await clustering.showCluster(cluster)).nodes).to.deep.equal([]);
      await clustering.runAction(cluster, { scale_out: { count: 1 } }, 'FAILED');
    });

    it('plans for available zones only, and counts only their nodes #senlin-7', async () => {
      const cluster = await createEmpty();
      await clustering.runAction(cluster, { scale_out: { count: 3 } });
      await disable('nova-1');
      const action = await clustering.runAction(cluster, { scale_out: { count: 1 } });
      expect(action.data.creation!.zones).to.deep.equal({ 'nova-2': 1 });
      expect(await clustering.zonesOf(cluster)).to.deep.equal({ 'nova-1': 2, 'nova-2': 2 });
    });

    it('returns 400 for unknown zones, which validation ignores', async () => {
      const spec = {
        type: 'senlin.policy.zone_placement',
        version: '1.0',
        properties: { zones: [{ name: 'x' }, { name: 'nova-1' }, { name: 'a' }] },
      };
      const reply = await clustering
        .request('POST', '/policies', { body: { policy: { name: 'p', spec } } })
        .expect(400);
      expect(messageOf(reply)).to.equal("The specified name '['a', 'x']' could not be found.");
      await clustering
        .request('POST', '/policies/validate', { body: { policy: { spec } } })
        .expect(200);
    });
  },
);
