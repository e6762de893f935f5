// Tests of the zone placement policy: the scenarios of its document, with servers really in the
// zones that it plans.
import { expect } from 'chai';
import { distribute } from '../../../src/services/clustering/domain/policies/distribution.ts';
import { onClustering, said } from './support.ts';

const places = (...weights: readonly number[]) =>
  weights.map((weight, at) => ({ name: `AZ${at + 1}`, weight }));
const counts = (...numbers: readonly number[]) =>
  Object.fromEntries(numbers.map((count, at) => [`AZ${at + 1}`, count]));

describe('the plan of the zone placement policy', () => {
  const four = places(100, 80, 60, 40);
  const equal = places(100, 100, 100, 100);
  const two = places(50, 50);
  const examples = [
    [four, [2, 2, 2, 1], 7, { AZ1: 3, AZ2: 2, AZ3: 1, AZ4: 1 }],
    [four, [2, 3, 2, 1], 7, { AZ1: 4, AZ2: 2, AZ3: 1 }],
    [four, [2, 4, 2, 2], 6, { AZ1: 4, AZ2: 1, AZ3: 1 }],
    [four, [4, 5, 1, 1], -3, { AZ2: 3 }],
    [four, [6, 2, 4, 6], -4, { AZ4: 4 }],
    [four, [2, 2, 2, 1], -2, { AZ3: 1, AZ4: 1 }],
    [equal, [2, 2, 2, 1], 5, { AZ1: 1, AZ2: 1, AZ3: 1, AZ4: 2 }],
    [two, [0, 0], 1, { AZ1: 1 }],
    [two, [0, 0], 2, { AZ1: 1, AZ2: 1 }],
    [two, [0, 0], 3, { AZ1: 2, AZ2: 1 }],
    [two, [1, 0], 1, { AZ2: 1 }],
    [two, [2, 2], -1, { AZ1: 1 }],
    [two, [2, 2], -3, { AZ1: 2, AZ2: 1 }],
    [two, [1, 0], -2, { AZ1: 2 }],
  ] as const;
  for (const [zones, current, count, plan] of examples)
    it(`is ${JSON.stringify(plan)} for ${count} where there are ${current.join(', ')}`, () => {
      expect(distribute(zones, counts(...current), count)).to.deep.equal(plan);
    });

  it('is none where the weights give no zone a share', () => {
    expect(distribute(places(0, 0), counts(0, 0), 1)).to.equal(undefined);
  });

  it('respects the caps of regions, and is none beyond them', () => {
    const capped = [
      { name: 'R1', weight: 100, cap: 1 },
      { name: 'R2', weight: 100, cap: 2 },
    ];
    expect(distribute(capped, {}, 3)).to.deep.equal({ R1: 1, R2: 2 });
    expect(distribute(capped, {}, 4)).to.equal(undefined);
  });
});

onClustering(
  'the zone placement policy',
  { 'nova-1': 1, 'nova-2': 1, 'nova-3': 1 },
  (the, world) => {
    let policy: string;
    const zones = [
      { name: 'nova-1', weight: 100 },
      { name: 'nova-2', weight: 50 },
    ];

    beforeEach(async () => {
      policy = await the.makePolicy('zone_placement', { zones });
    });

    const disable = (zone: string) =>
      world
        .ask('compute', 'PUT', '/compute/v2.1/os-services/disable', {
          token: 'admin',
          body: { binary: 'nova-compute', host: `${zone}-0` },
        })
        .expect(200);

    const empty = async (fields: object = {}): Promise<string> => {
      const cluster = await the.makeCluster(0, fields);
      await the.attach(cluster, policy);
      return cluster;
    };

    describe('S1: a cluster is scaled out', () => {
      it('by the count of the inputs, into the planned zones', async () => {
        const cluster = await empty();
        const action = await the.act(cluster, { scale_out: { count: 3 } });
        expect(action.data.creation).to.deep.include({
          count: 3,
          zones: { 'nova-1': 2, 'nova-2': 1 },
        });
        expect(action.data).to.include({ status: 'OK' });
        expect(await the.zonesOf(cluster)).to.deep.equal({ 'nova-1': 2, 'nova-2': 1 });
        const zonesInData = (await the.membersOf(cluster)).map(({ data }) => data.placement?.zone);
        expect(zonesInData).to.deep.equal(['nova-1', 'nova-1', 'nova-2']);
      });

      it('by one, where nobody says how many', async () => {
        const cluster = await empty();
        expect((await the.act(cluster, { scale_out: {} })).data.creation).to.deep.include({
          count: 1,
          zones: { 'nova-1': 1 },
        });
        expect(await the.zonesOf(cluster)).to.deep.equal({ 'nova-1': 1 });
      });

      it('by what another policy has decided, which comes before the inputs', async () => {
        const cluster = await empty();
        const scaling = await the.makePolicy('scaling', {
          event: 'CLUSTER_SCALE_OUT',
          adjustment: { number: 4 },
        });
        await the.attach(cluster, scaling);
        const action = await the.act(cluster, { scale_out: {} });
        expect(action.data.creation).to.deep.include({
          count: 4,
          zones: { 'nova-1': 3, 'nova-2': 1 },
        });
        expect(await the.zonesOf(cluster)).to.deep.equal({ 'nova-1': 3, 'nova-2': 1 });
      });

      it('by the text of a webhook', async () => {
        const cluster = await empty();
        const body = {
          receiver: {
            name: 'r',
            type: 'webhook',
            cluster_id: cluster,
            action: 'CLUSTER_SCALE_OUT',
            params: { count: '2' },
          },
        };
        const hook = (await the.ask('POST', '/receivers', { body }).expect(201)).body.receiver
          .channel.alarm_url as string;
        const path = new URL(hook).pathname + new URL(hook).search;
        const action = await the.queued(
          world.ask('clustering', 'POST', path, { token: null, version: '1.10' }),
        );
        expect(action.status, action.status_reason).to.equal('SUCCEEDED');
        expect(action.data.creation).to.deep.include({ count: 2, zones: { 'nova-1': 2 } });
      });
    });

    describe('S2: a cluster is scaled in', () => {
      it('by the plan, with and without a deletion policy', async () => {
        const cluster = await empty();
        await the.act(cluster, { scale_out: { count: 6 } });
        expect(await the.zonesOf(cluster)).to.deep.equal({ 'nova-1': 4, 'nova-2': 2 });
        const action = await the.act(cluster, { scale_in: { count: 3 } });
        expect(action.data.deletion).to.deep.include({
          count: 3,
          zones: { 'nova-1': 2, 'nova-2': 1 },
        });
        expect(await the.zonesOf(cluster)).to.deep.equal({ 'nova-1': 2, 'nova-2': 1 });

        const oldest = (await the.membersOf(cluster)).filter(
          ({ data }) => data.placement?.zone === 'nova-2',
        )[0]!;
        await the.attach(cluster, await the.makePolicy('deletion', { criteria: 'OLDEST_FIRST' }));
        const second = await the.act(cluster, { scale_in: { count: 1 } });
        expect(second.data.deletion!.zones).to.deep.equal({ 'nova-2': 1 });
        expect(second.data.deletion!.candidates).to.deep.equal([oldest.id]);
        expect((await the.membersOf(cluster)).map(({ id }) => id)).to.not.include(oldest.id);
      });

      it('by no more than there are', async () => {
        const cluster = await empty();
        await the.act(cluster, { scale_out: { count: 1 } });
        const action = await the.act(cluster, { scale_in: { count: 2 } });
        expect(action.data.deletion).to.deep.include({
          count: 2,
          zones: { 'nova-1': 1, 'nova-2': 1 },
        });
        expect((await the.showCluster(cluster)).nodes).to.deep.equal([]);
      });
    });

    describe('S3: a cluster is resized', () => {
      const resize = (number: number, type = 'EXACT_CAPACITY') => ({
        resize: { adjustment_type: type, number },
      });

      it('to more and to fewer nodes, by its parameters', async () => {
        const cluster = await empty();
        const grown = await the.act(cluster, resize(4));
        expect(grown.data.creation).to.deep.include({
          count: 4,
          zones: { 'nova-1': 3, 'nova-2': 1 },
        });
        expect(await the.zonesOf(cluster)).to.deep.equal({ 'nova-1': 3, 'nova-2': 1 });
        const shrunk = await the.act(cluster, resize(-2, 'CHANGE_IN_CAPACITY'));
        expect(shrunk.data.deletion).to.deep.include({
          count: 2,
          zones: { 'nova-1': 1, 'nova-2': 1 },
        });
        expect(await the.zonesOf(cluster)).to.deep.equal({ 'nova-1': 2 });
      });

      it('and is refused with the words of the size where that is not allowed', async () => {
        const cluster = await empty({ max_size: 3 });
        const action = await the.act(cluster, {
          resize: { adjustment_type: 'EXACT_CAPACITY', number: 2, strict: false },
        });
        expect(action.data.creation!.zones).to.deep.equal({ 'nova-1': 2 });
        const clamped = await the.act(cluster, {
          resize: { adjustment_type: 'EXACT_CAPACITY', number: 9, strict: false },
        });
        expect(clamped.data.creation).to.deep.include({ count: 1, zones: { 'nova-2': 1 } });
      });
    });

    describe('S4: a node is made in a cluster', () => {
      it('and has a zone by the plan for one', async () => {
        const cluster = await empty();
        await the.act(cluster, { scale_out: { count: 2 } });
        const body = { node: { name: 'n', profile_id: the.profile, cluster_id: cluster } };
        const reply = await the.ask('POST', '/nodes', { body }).expect(202);
        const node = await the.showNode(reply.body.node.id as string);
        expect(node, node.status_reason).to.deep.include({
          status: 'ACTIVE',
          data: { placement: { zone: 'nova-2' } },
        });
        const id = reply.headers['location']!.split('/actions/')[1]!;
        const { data } = (await the.ask('GET', `/actions/${id}`)).body.action as { data: object };
        expect(data).to.deep.include({
          status: 'OK',
          creation: { count: 1, zones: { 'nova-2': 1 } },
        });
        expect(await the.zonesOf(cluster)).to.deep.equal({ 'nova-1': 2, 'nova-2': 1 });
      });

      it('unless its profile has one already', async () => {
        const cluster = await empty();
        const own = await the.makeProfile({
          type: 'os.nova.server',
          version: '1.0',
          properties: { flavor: '1', image: 'cirros', availability_zone: 'nova-3' },
        });
        const body = { node: { name: 'n', profile_id: own, cluster_id: cluster } };
        const action = await the.queued(the.ask('POST', '/nodes', { body }));
        expect(action.data).to.not.have.property('creation');
        expect(await the.zonesOf(cluster)).to.deep.equal({ 'nova-3': 1 });
      });
    });

    it('fails, and says so in the action, where no zone is available', async () => {
      const cluster = await empty();
      await disable('nova-1');
      await disable('nova-2');
      const action = await the.act(cluster, { scale_out: { count: 1 } }, 'FAILED');
      expect(action.status_reason).to.equal(
        "Policy check failure: Failed policy 'policy': No availability zone found available.",
      );
      expect(action.data).to.deep.include({
        status: 'ERROR',
        reason: 'No availability zone found available.',
      });
      expect((await the.showCluster(cluster)).nodes).to.deep.equal([]);
      await the.act(cluster, { scale_out: { count: 1 } }, 'FAILED');
    });

    it('counts no nodes that stand elsewhere, and plans for the zones that are there', async () => {
      const cluster = await empty();
      await the.act(cluster, { scale_out: { count: 3 } });
      await disable('nova-1');
      const action = await the.act(cluster, { scale_out: { count: 1 } });
      expect(action.data.creation!.zones).to.deep.equal({ 'nova-2': 1 });
      expect(await the.zonesOf(cluster)).to.deep.equal({ 'nova-1': 2, 'nova-2': 2 });
    });

    it('is refused where it names zones that are not there, and is validated without looking', async () => {
      const spec = {
        type: 'senlin.policy.zone_placement',
        version: '1.0',
        properties: { zones: [{ name: 'x' }, { name: 'nova-1' }, { name: 'a' }] },
      };
      const reply = await the
        .ask('POST', '/policies', { body: { policy: { name: 'p', spec } } })
        .expect(400);
      expect(said(reply)).to.equal("The specified name '['a', 'x']' could not be found.");
      await the.ask('POST', '/policies/validate', { body: { policy: { spec } } }).expect(200);
    });

    it('goes only with servers', async () => {
      const heat = await the.makeProfile({
        type: 'os.heat.stack',
        version: '1.0',
        properties: { template: { a: 1 } },
      });
      const cluster = await the.makeCluster(1, { profile_id: heat });
      const action = await the.act(cluster, { policy_attach: { policy_id: policy } }, 'FAILED');
      expect(action.status_reason).to.equal(
        'Policy not applicable on profile type: os.heat.stack-1.0',
      );
    });
  },
);
