// Tests of the engine: what pollers see in between, conflicts, cancelling, webhooks, other
// profiles, and the distribution over any sequence.
import { expect } from 'chai';
import fc from 'fast-check';
import { distribute } from '../../../src/services/clustering/domain/policies/distribution.ts';
import { someone } from '../../support/people.ts';
import { heatSpec, novaSpec, onClustering, said, typeOf } from './support.ts';

const second = 1_000_000;

describe('the distribution over zones', () => {
  it('never strays from the weights by a node, where a cluster grows, however it grows', () => {
    const weights = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 6 });
    const steps = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(weights, steps, (all, growth) => {
        const places = all.map((weight, at) => ({ name: `z${at}`, weight }));
        const sum = all.reduce((a, b) => a + b, 0);
        const current: Record<string, number> = {};
        let total = 0;
        for (const count of growth) {
          const plan = distribute(places, current, count)!;
          expect(Object.values(plan).reduce((a, b) => a + b, 0)).to.equal(count);
          for (const [name, many] of Object.entries(plan))
            current[name] = (current[name] ?? 0) + many;
          total += count;
          // No zone has more than its share, rounded up.
          for (const { name, weight } of places)
            expect(current[name] ?? 0).to.be.at.most(Math.ceil((total * weight) / sum));
        }
      }),
      { numRuns: 500 },
    );
  });

  it(
    'never takes more from a zone than leaves it its share, rounded down, and more than is ' +
      'there only where that is too little',
    () => {
      const zones = fc.array(
        fc.record({
          weight: fc.integer({ min: 1, max: 300 }),
          count: fc.integer({ min: 0, max: 20 }),
        }),
        {
          minLength: 1,
          maxLength: 6,
        },
      );
      fc.assert(
        fc.property(zones, fc.double({ min: 0, max: 1, noNaN: true }), (all, share) => {
          const places = all.map(({ weight }, at) => ({ name: `z${at}`, weight }));
          const current = Object.fromEntries(all.map(({ count }, at) => [`z${at}`, count]));
          const total = all.reduce((sum, { count }) => sum + count, 0);
          const count = Math.round(total * share);
          if (!count) return;
          const sum = places.reduce((a, { weight }) => a + weight, 0);
          const plan = distribute(places, current, -count)!;
          expect(Object.values(plan).reduce((a, b) => a + b, 0)).to.equal(count);
          for (const { name, weight } of places) {
            const left = current[name]! - (plan[name] ?? 0);
            expect(left).to.be.at.least(
              Math.min(current[name]!, Math.floor(((total - count) * weight) / sum)),
            );
          }
        }),
        { numRuns: 500 },
      );
    },
  );
});

onClustering('the zone distribution of servers', { az1: 1, az2: 1, az3: 1 }, (the) => {
  it('is as the weights ask, after any sequence of scaling and resizing', async () => {
    const zones = [
      { name: 'az1', weight: 100 },
      { name: 'az2', weight: 100 },
      { name: 'az3', weight: 50 },
    ];
    const id = await the.makeCluster(0);
    await the.attach(id, await the.makePolicy('zone_placement', { zones }));
    for (const body of [
      { scale_out: { count: 5 } },
      { scale_in: { count: 2 } },
      { resize: { adjustment_type: 'EXACT_CAPACITY', number: 8 } },
      { scale_in: {} },
      { resize: { adjustment_type: 'CHANGE_IN_PERCENTAGE', number: -50 } },
      { scale_out: { count: 6 } },
    ]) {
      await the.act(id, body);
      const found = await the.zonesOf(id);
      const total = Object.values(found).reduce((a, b) => a + b, 0);
      expect((await the.showCluster(id)).desired_capacity).to.equal(total);
      for (const { name, weight } of zones) {
        expect(found[name] ?? 0, JSON.stringify(body)).to.be.at.least(
          Math.floor((total * weight) / 250) - 1,
        );
        expect(found[name] ?? 0, JSON.stringify(body)).to.be.at.most(
          Math.ceil((total * weight) / 250) + 1,
        );
      }
    }
  });
});

onClustering(
  'the engine with latencies',
  { nova: 1 },
  (the, world) => {
    it('shows what goes on, refuses what conflicts with it, and takes the next at once', async () => {
      const id = await the.makeCluster(2);
      expect(await the.showCluster(id)).to.include({ status: 'CREATING' });
      const [one] = await the.membersOf(id);
      expect(one).to.include({
        status: 'CREATING',
        status_reason: 'Creation in progress',
        physical_id: null,
      });
      const [action] = (await the.ask('GET', `/actions?target=${id}`)).body.actions as {
        id: string;
        status: string;
        depends_on: string[];
      }[];
      expect(action).to.include({
        status: 'WAITING',
        status_reason: 'Waiting for depended actions.',
      });
      expect(action!.depends_on).to.have.length(2);
      const locked = await the
        .ask('POST', `/clusters/${id}/actions`, { body: { scale_out: {} } })
        .expect(409);
      expect(typeOf(locked)).to.equal('ResourceIsLocked');
      expect(said(locked)).to.equal(
        `CLUSTER_SCALE_OUT for cluster '${id}' cannot be completed because it is already locked.`,
      );
      const busy = await the.ask('DELETE', `/clusters/${id}`).expect(409);
      expect([typeOf(busy), said(busy)]).to.deep.equal([
        'ActionInProgress',
        `The cluster '${id}' is in status CREATING.`,
      ]);
      await world.setTime('2026-11-20T12:00:10Z');
      expect(await the.showAction(action!.id)).to.deep.include({
        status: 'SUCCEEDED',
        depends_on: [],
      });
      expect(await the.showCluster(id)).to.include({
        status: 'ACTIVE',
        created_at: '2026-11-20T12:00:10Z',
      });
      await the.ask('POST', `/clusters/${id}/actions`, { body: { scale_in: {} } }).expect(202);
      expect(await the.showCluster(id)).to.include({
        status: 'RESIZING',
        status_reason: 'Cluster scale in started.',
      });
      await world.setTime('2026-11-20T12:00:15Z');
      expect(await the.showCluster(id)).to.include({ status: 'ACTIVE', desired_capacity: 1 });
    });

    it('cancels what waits, with what it waits for, and leaves no lock', async () => {
      const id = await the.makeCluster(0);
      const action = await the.begin(id, { scale_out: { count: 1 } });
      expect(action.status).to.equal('WAITING');
      const bad = await the
        .ask('PATCH', `/actions/${action.id}`, { body: { action: { status: 'BOGUS' } } })
        .expect(400);
      expect(said(bad)).to.equal(`Unknown status BOGUS for action ${action.id}.`);
      const cancelled = { body: { action: { status: 'CANCELLED' } } };
      const stranger = someone('member,reader', 'stranger', 'elsewhere');
      await the
        .ask('PATCH', `/actions/${action.id}?force=true`, { ...cancelled, ...stranger })
        .expect(404);
      await the.ask('PATCH', `/actions/${action.id}?force=true`, cancelled).expect(202);
      expect(await the.showAction(action.id)).to.include({
        status: 'CANCELLED',
        status_reason: 'Action execution force cancelled',
      });
      await world.setTime('2026-11-20T12:01:00Z');
      const over = await the
        .ask('PATCH', `/actions/${action.id}`, { body: { action: { status: 'CANCELLED' } } })
        .expect(409);
      expect(typeOf(over)).to.equal('ActionImmutable');
      const next = await the.begin(id, { check: {} });
      expect(next.status, next.status_reason).to.equal('SUCCEEDED');
      expect(await world.cloud.firstRegion.database.db('clustering_locks')).to.deep.equal([]);
    });

    it('lets the timeout of a cluster end an action that takes too long', async () => {
      const id = await the.makeCluster(1, { timeout: 5 });
      await world.setTime('2026-11-20T12:00:06Z');
      const [action] = (await the.ask('GET', `/actions?target=${id}`)).body.actions as {
        id: string;
        status: string;
        status_reason: string;
      }[];
      expect(action).to.include({
        status: 'FAILED',
        status_reason: `CLUSTER_CREATE [${action!.id.slice(0, 8)}] timeout`,
      });
      await world.setTime('2026-11-20T12:01:00Z');
      expect(await world.cloud.firstRegion.database.db('clustering_locks')).to.deep.equal([]);
    });

    it('waits as long as a profile for tests says', async () => {
      const slow = await the.makeProfile(
        novaSpec({ metadata: { simulated_wait_time: 20 } }),
        'slow',
      );
      const id = await the.makeCluster(1, { profile_id: slow });
      await world.setTime('2026-11-20T12:00:19Z');
      expect(await the.showCluster(id)).to.include({ status: 'CREATING' });
      await world.setTime('2026-11-20T12:00:21Z');
      expect(await the.showCluster(id)).to.include({ status: 'ACTIVE' });
    });
  },
  { latency: { 'server.create': 10 * second, 'cluster.scaleIn': 5 * second } },
);

onClustering('receivers and other profiles', {}, (the, world) => {
  it('a webhook needs V and no token, and acts for its owner', async () => {
    const id = await the.makeCluster(0, { profile_id: await the.makeProfile(heatSpec) });
    const body = {
      receiver: {
        name: 'r',
        type: 'webhook',
        cluster_id: id,
        action: 'CLUSTER_RESIZE',
        params: { max_size: 2 },
      },
    };
    const { receiver } = (await the.ask('POST', '/receivers', { body }).expect(201)).body as {
      receiver: { id: string; channel: { alarm_url: string } };
    };
    expect(receiver.channel.alarm_url).to.match(
      new RegExp(`/clustering/v1/webhooks/${receiver.id}/trigger\\?V=2&max_size=2$`),
    );
    const hook = `/clustering/v1/webhooks/${receiver.id}/trigger`;
    const without = await world.ask('clustering', 'POST', hook, { token: null }).expect(400);
    expect(without.body.message).to.equal('V query parameter is required in webhook trigger URL');
    const reply = await world.ask('clustering', 'POST', `${hook}?V=2`, { token: null }).expect(202);
    const action = await the.showAction(reply.body.action as string);
    expect(action).to.deep.include({
      status: 'SUCCEEDED',
      name: `webhook_${receiver.id.slice(0, 8)}`,
      inputs: { max_size: 2, params: null },
    });
    expect(action).to.include({ user: 'demo', project: 'demo' });
    expect(await the.showCluster(id)).to.include({ max_size: 2 });
    const missing = await the
      .ask('POST', '/receivers', { body: { receiver: { name: 'r', type: 'webhook' } } })
      .expect(400);
    expect(said(missing)).to.equal('Cluster identity is required for creating webhook receiver.');
    await the.ask('DELETE', `/clusters/${id}`).expect(202);
    await the.ask('GET', `/receivers/${receiver.id}`).expect(404);
  });

  it('stacks and containers are as far as clients see them', async () => {
    const id = await the.makeCluster(2, { profile_id: await the.makeProfile(heatSpec) });
    const [one] = await the.membersOf(id);
    expect(one).to.include({ status: 'ACTIVE' });
    const { node } = (await the.ask('GET', `/nodes/${one!.id}?show_details=true`).expect(200))
      .body as {
      node: { details: object };
    };
    expect(node.details).to.include({ id: one!.physical_id, stack_status: 'CREATE_COMPLETE' });
    const empty = { type: 'os.heat.stack', version: '1.0', properties: {} };
    const reply = await the
      .ask('POST', '/profiles', { body: { profile: { name: 's', spec: empty } } })
      .expect(400);
    expect(said(reply)).to.equal(
      "Both template and template_url are not specified for profile 's'.",
    );
    const docker = {
      type: 'container.dockerinc.docker',
      version: '1.0',
      properties: { image: 'nginx', host_cluster: id },
    };
    await the
      .ask('POST', '/profiles', { body: { profile: { name: 'd', spec: docker } } })
      .expect(201);
  });
});
