// Random operations on leases, with database failures and concurrent clients. No host is allocated
// twice, all services agree, and nothing is left over.
import { expect } from 'chai';
import { Breaker } from '../../support/breaker.ts';
import { noon, onEachDatabase, type World } from '../../support/cloud.ts';
import { onTwoProcesses } from '../../support/processes.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import { checkNothingLeft, checkInvariants } from './invariants.ts';
import { must, prepare, Story, type Ask } from './stories.ts';
import { config, type Fields } from './support.ts';

const seeds = (process.env['CUMULET_TEST_SEEDS'] ?? '7,23').split(',').map(Number);
const rounds = Number(process.env['CUMULET_TEST_ROUNDS'] ?? 60);

/** Sends requests to an emulator in another process. */
const overHttp =
  (origin: string): Ask =>
  async (method, path, { token = 'admin', headers = {}, version, body } = {}) => {
    const service = path.split('/')[1];
    const all = {
      'x-auth-token': token!,
      ...headers,
      ...(version === undefined ? {} : { 'openstack-api-version': `${service} ${version}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const request = {
      method,
      headers: all,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    const response = await fetch(`${origin}${path}`, request);
    const text = await response.text();
    return { status: response.status, body: (text ? JSON.parse(text) : {}) as Fields };
  };

/** Sends requests to the emulator of the test. */
const inProcess =
  (world: World): Ask =>
  async (method, path, asked) => {
    const [, service = ''] = path.split('/');
    const { status, body } = await world.ask(service, method, path, asked ?? {});
    return { status, body: body as Record<string, unknown> };
  };

const tables = [
  'reservation_leases',
  'reservation_reservations',
  'reservation_events',
  'reservation_allocations',
  'reservation_floatingip_allocations',
];

async function expectEmpty(world: World): Promise<void> {
  const { db } = world.cloud.firstRegion.database;
  for (const table of tables) expect(await db(table).orderBy(1).select(), table).to.deep.equal([]);
  expect(
    await db('jobs').where('kind', 'like', 'reservation.%').orderBy('id').select(),
  ).to.deep.equal([]);
}

onEachDatabase('random leases', config, (world) => {
  for (const seed of seeds)
    it(`never exceed the capacity of hosts, over months (seed ${seed})`, async () => {
      const ask = inProcess(world);
      const dice = new SeededRandom(seed);
      const story = new Story(dice, noon / 1000, await prepare(ask));
      for (let round = 0; round < rounds; round++) {
        if (dice.chance(0.1)) await story.wait(ask, story.pause());
        else await story.next()(ask);
        await checkInvariants(ask);
      }
      await story.end(ask);
      await checkNothingLeft(ask);
      await expectEmpty(world);
    });
});

onEachDatabase('random leases with failures of the database', config, (world) => {
  for (const seed of seeds)
    it(`never exceed the capacity of hosts (seed ${seed})`, async () => {
      const ask = inProcess(world);
      const dice = new SeededRandom(seed);
      const network = await prepare(ask);
      const breaker = new Breaker(world.cloud.firstRegion.database.db);
      const story = new Story(dice, noon / 1000, network, {
        isConcurrent: false,
        isBroken: () => breaker.broken,
      });
      /** Runs an operation during which one of the statements may fail. */
      const mayBreak = async (run: () => Promise<void>): Promise<void> => {
        if (dice.chance(0.5)) breaker.arm(dice.between(1, 40));
        await run().catch((error: unknown) => {
          if (!breaker.broken) throw error;
        });
        breaker.disarm();
      };
      try {
        for (let round = 0; round < rounds; round++) {
          if (dice.chance(0.3)) await mayBreak(() => story.wait(ask, story.pause()));
          else await mayBreak(() => story.next()(ask));
          // Jobs that are retried later are due after a second.
          await story.wait(ask, 1 / 60);
          await checkInvariants(ask);
        }
      } finally {
        breaker.mend();
      }
      await story.end(ask);
      await checkNothingLeft(ask);
      await expectEmpty(world);
      // Replies to failures of the database have the status 500, which the api-ref does not list.
      const others = world.problems.filter(
        (problem) => !problem.endsWith('status 500 is not in the api-ref'),
      );
      world.problems.splice(0, Infinity, ...others);
    });
});

onTwoProcesses(
  'random leases of several clients through two processes',
  ['--hosts', '3'],
  (origins) => {
    for (const seed of seeds)
      it(`never exceed the capacity of hosts (seed ${seed})`, async () => {
        const [first, second] = origins().map(overHttp) as [Ask, Ask];
        const dice = new SeededRandom(seed);
        await must(first, 'POST', '/_emulator/reset');
        await must(first, 'PUT', '/_emulator/clock', {
          body: { now: new Date(noon / 1000).toISOString(), frozen: true },
        });
        const story = new Story(dice, noon / 1000, await prepare(first), {
          isConcurrent: true,
          isBroken: () => false,
        });
        for (let round = 0; round < rounds / 2; round++) {
          const clients = Array.from(
            { length: dice.between(2, 6) },
            () => [dice.pick([first, second]), story.next()] as const,
          );
          // Leases start and end during and between the requests of clients.
          const waits = dice.chance(0.4)
            ? [story.wait(dice.pick([first, second]), story.pause())]
            : [];
          await Promise.all([...clients.map(([ask, act]) => act(ask)), ...waits]);
          await story.setClock(second);
          await checkInvariants(dice.pick([first, second]));
        }
        await story.end(first);
        await checkNothingLeft(second);
      });
  },
);
