// GET /_emulator/capacity/leases: how many more leases fit, where, and what is in the way. Random
// questions are compared with leases that are created until one is refused.
import { expect } from 'chai';
import { machineNow } from '../../../src/kernel/clock.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import {
  config,
  createLease,
  hostReservation,
  instanceReservation,
  leaseBody,
  postLease,
  registerHosts,
  updateSettings,
  allocations,
  type Fields,
} from './support.ts';

/** CUMULET_TEST_SEED=... repeats a run. */
const firstSeed = Number(process.env['CUMULET_TEST_SEED'] ?? machineNow() % 1_000_000);
const clouds = Number(process.env['CUMULET_TEST_CLOUDS'] ?? 6);

type Question = Readonly<Record<string, string | number | boolean>>;

onEachDatabase('reservation: capacity for leases', config, (world) => {
  const ask = (question: Question) => {
    const words = Object.entries(question).map(([name, value]) => [name, String(value)]);
    const query = new URLSearchParams(words as [string, string][]);
    return world.ask('', 'GET', `/_emulator/capacity/leases?${query.toString()}`);
  };

  const capacity = async (question: Question): Promise<Fields> => {
    const reply = await ask(question);
    expect(reply.status, reply.text).to.equal(200);
    return (reply.body as Fields)['capacity'] as Fields;
  };

  const refusal = async (question: Question): Promise<string> => {
    const reply = await ask(question);
    expect(reply.status, reply.text).to.equal(400);
    return ((reply.body as Fields)['error'] as Fields)['message'] as string;
  };

  const onHosts = ({ hosts }: Fields): [string, number, string][] =>
    (hosts as Fields[]).map(({ name, count, reason }) => [name, count, reason]);

  it('counts leases of whole hosts, and names the reservations in the way', async () => {
    await registerHosts(world);
    await createLease(world, [hostReservation()]);
    const counted = await capacity({ hosts: 1, start: '+1h', for: '1h' });
    expect(onHosts(counted)).to.deep.equal([
      ['compute-1', 0, 'the host is reserved from 2026-11-20T13:00 to 2026-11-20T14:00'],
      ['compute-2', 1, 'one of these leases has the host'],
      ['compute-3', 1, 'one of these leases has the host'],
    ]);
    expect(counted).to.deep.include({
      count: 2,
      summary:
        '2 more leases fit, on 2 of 3 hosts. Then: one of these leases has the host (2 of 3).',
    });
    expect((await capacity({ hosts: 2, start: '+1h', for: '1h' })).count).to.equal(1);
    expect((await capacity({ hosts: 3, start: '+2h', for: '1h' })).count).to.equal(1);
  });

  it('counts leases of instances, and what is free of each resource class', async () => {
    await registerHosts(world, 2);
    const size = { vcpus: 1, memory_mb: 1024, disk_gb: 10 };
    const counted = await capacity({ instances: 5, ...size });
    expect(counted.count).to.equal(6);
    expect(onHosts(counted)).to.deep.equal([
      ['compute-1', 16, 'the host has no room left'],
      ['compute-2', 14, 'the host has room left, but too little for another lease'],
    ]);
    expect((counted['resources'] as Fields[])[0]).to.deep.equal({
      resource_class: 'VCPU',
      requested: 5,
      free: 32,
      largest: 16,
      largest_on: 'compute-1',
      fits_in_sum: 6,
    });
    expect((await capacity({ instances: 5, ...size, affinity: true })).count).to.equal(6);
    expect((await capacity({ instances: 2, ...size, affinity: false })).count).to.equal(16);
    expect((await capacity({ instances: 3, ...size, affinity: false })).count).to.equal(0);
  });

  it('says how to register hosts if there are none', async () => {
    const { count, summary } = await capacity({ hosts: 1 });
    expect([count, summary]).to.deep.equal([
      0,
      'No leases fit: no host is registered (openstack reservation host create NAME).',
    ]);
  });

  it('takes a flavor by its id or its name', async () => {
    await registerHosts(world, 1);
    const byId = await capacity({ instances: 2, flavor: '1' });
    expect(byId.count).to.be.greaterThan(0);
    expect(await capacity({ instances: 2, flavor: 'm1.tiny' })).to.deep.equal(byId);
  });

  it('refuses questions that are incomplete or mixed, and what Blazar refuses', async () => {
    await registerHosts(world, 1);
    expect(await refusal({})).to.equal('Give either hosts or instances.');
    expect(await refusal({ hosts: 1, instances: 1 })).to.equal('Give either hosts or instances.');
    expect(await refusal({ instances: 1 })).to.equal(
      'instances need a flavor, or vcpus and memory_mb.',
    );
    expect(await refusal({ hosts: 1, vcpus: 1 })).to.match(/^Whole hosts have no flavor/);
    expect(await refusal({ instances: 1, flavor: '1', vcpus: 1 })).to.match(/^A flavor has sizes/);
    expect(await refusal({ hosts: 1, start: '2020-01-01' })).to.equal(
      'Start date must be later than current date',
    );
    expect(await refusal({ hosts: 1, properties: '["==", "$no", "1"]' })).to.equal(
      'No host has the property no',
    );
    expect(await refusal({ hosts: 1, start: '2026-13-01' })).to.equal(
      "'2026-13-01' is not a time.",
    );
  });

  it('is a question of what-if, and counted over time', async () => {
    await registerHosts(world, 2);
    await createLease(world, [hostReservation({ min: 2, max: 2 })]);
    const path = '/_emulator/capacity/timeline?hosts=1&for=30m&until=2026-11-20T16:00:00Z';
    const { body } = await world.ask('', 'GET', path).expect(200);
    const { periods } = (body as Fields)['timeline'] as { periods: Fields[] };
    expect(periods.map(({ from, count }) => [from, count])).to.deep.equal([
      ['2026-11-20T12:00:00.000000Z', 2],
      ['2026-11-20T13:00:00.000000Z', 0],
      ['2026-11-20T14:00:00.000000Z', 2],
    ]);
    const question = { leases: { hosts: 1, start: '+1h', for: '30m' } };
    const asked = { changes: [{ end_lease: 'lease' }], questions: [question] };
    const reply = await world.ask('', 'POST', '/_emulator/what-if', { body: asked }).expect(200);
    const [answer] = ((reply.body as Fields)['what_if'] as Fields)['questions'] as Fields[];
    expect(answer).to.deep.include({ question: 'leases of hosts=1 start=+1h for=30m' });
    expect([answer!['before'].count, answer!['after'].count]).to.deep.equal([0, 2]);
  });

  /** A reservation, and the question for leases of it. */
  function randomReservation(random: SeededRandom): [Fields, Question] {
    const properties = random.chance(0.2) ? '["!=", "$hypervisor_hostname", "compute-2"]' : '';
    if (random.chance(0.3)) {
      const hosts = random.between(1, 2);
      const fields = { min: hosts, max: hosts, resource_properties: properties };
      return [hostReservation(fields), { hosts, properties }];
    }
    const amount = random.between(1, 4);
    if (random.chance(0.2))
      return [
        { resource_type: 'flavor:instance', amount, flavor_id: '4', affinity: null },
        { instances: amount, flavor: 'm1.large' },
      ];
    const size = { vcpus: random.between(8, 30), memory_mb: random.between(4000, 20_000) };
    const affinity = random.pick([null, true, false]);
    return [
      instanceReservation({ ...size, amount, affinity, resource_properties: properties }),
      {
        instances: amount,
        ...size,
        disk_gb: 10,
        properties,
        ...(affinity === null ? {} : { affinity }),
      },
    ];
  }

  for (let seed = firstSeed; seed < firstSeed + clouds; seed++)
    it(`counts as many as can be created, in the cloud of seed ${seed}`, async () => {
      const random = new SeededRandom(seed);
      await registerHosts(world);
      await updateSettings(world, { cleaning_time: random.pick([0, 60]) });
      for (let count = random.between(0, 4); count > 0; count--) {
        const hour = random.between(13, 16);
        const dates = { start_date: `2026-11-20 ${hour}:00`, end_date: '2026-11-20 17:00' };
        await postLease(world, leaseBody([randomReservation(random)[0]], dates));
      }
      const before = await slotsByHost();
      const [reservation, question] = randomReservation(random);
      const label = JSON.stringify(question);
      const counted = await capacity({ ...question, start: '+1h', for: '1h' });
      let created = 0;
      for (;;) {
        const reply = await postLease(world, leaseBody([reservation]));
        if (reply.status !== 201) break;
        created++;
      }
      expect(counted.count, label).to.equal(created);
      const after = await slotsByHost();
      for (const { uuid: id, name, count } of counted['hosts'] as Fields[])
        expect(count, `${label} on ${name}`).to.equal(
          (after.get(id as string) ?? 0) - (before.get(id as string) ?? 0),
        );
    });

  /** How many hosts or instances are reserved on each host, by its id in Blazar. */
  async function slotsByHost(): Promise<Map<string, number>> {
    return new Map(
      (await allocations(world)).map(({ resource_id: id, reservations }) => [
        id as string,
        (reservations as Fields[]).length,
      ]),
    );
  }
});
