// Tests that whatever is done with leases in whatever order, also where the database fails, no host
// is promised twice, all services agree, and nothing is left over.
import { expect } from 'chai';
import { Breaker } from '../../support/breaker.ts';
import { noon, onEachDatabase, type World } from '../../support/cloud.ts';
import { onTwoProcesses } from '../../support/processes.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import { checkNothingLeft, checkPromises } from './promises.ts';
import { must, prepare, Story, type Ask } from './stories.ts';
import { config, type Fields } from './support.ts';

const seeds = (process.env['CUMULET_TEST_SEEDS'] ?? '7,23').split(',').map(Number);
const rounds = Number(process.env['CUMULET_TEST_ROUNDS'] ?? 60);

/** Requests to a process of its own. */
const through =
  (origin: string): Ask =>
  async (method, path, { token = 'admin', headers = {}, version, body } = {}) => {
    const service = path.split('/')[1];
    const all = {
      'x-auth-token': token!,
      ...headers,
      ...(version === undefined ? {} : { 'openstack-api-version': `${service} ${version}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const asked = {
      method,
      headers: all,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    const response = await fetch(`${origin}${path}`, asked);
    const text = await response.text();
    return { status: response.status, body: (text ? JSON.parse(text) : {}) as Fields };
  };

const within =
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
    it(`keep every promise, for months (seed ${seed})`, async function () {
      this.timeout(240_000);
      const ask = within(world);
      const dice = new SeededRandom(seed);
      const story = new Story(dice, noon / 1000, await prepare(ask));
      for (let round = 0; round < rounds; round++) {
        if (dice.chance(0.1)) await story.wait(ask, story.pause());
        else await story.next()(ask);
        await checkPromises(ask);
      }
      await story.end(ask);
      await checkNothingLeft(ask);
      await expectEmpty(world);
    });
});

onEachDatabase('random leases where the database fails', config, (world) => {
  for (const seed of seeds)
    it(`keep every promise (seed ${seed})`, async function () {
      this.timeout(240_000);
      const ask = within(world);
      const dice = new SeededRandom(seed);
      const network = await prepare(ask);
      const breaker = new Breaker(world.cloud.firstRegion.database.db);
      const story = new Story(dice, noon / 1000, network, {
        crowded: false,
        isBroken: () => breaker.broken,
      });
      /** Does something while a statement some way ahead may fail. */
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
          // What was put off is due again a second later.
          await story.wait(ask, 1 / 60);
          await checkPromises(ask);
        }
      } finally {
        breaker.mend();
      }
      await story.end(ask);
      await checkNothingLeft(ask);
      await expectEmpty(world);
      // Where the database has failed, an answer says so; what it answers is then not in the
      // api-ref.
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
      it(`keep every promise (seed ${seed})`, async function () {
        this.timeout(600_000);
        const [first, second] = origins().map(through) as [Ask, Ask];
        const dice = new SeededRandom(seed);
        await must(first, 'POST', '/_emulator/reset');
        await must(first, 'PUT', '/_emulator/clock', {
          body: { now: new Date(noon / 1000).toISOString(), frozen: true },
        });
        const story = new Story(dice, noon / 1000, await prepare(first), {
          crowded: true,
          isBroken: () => false,
        });
        for (let round = 0; round < rounds / 2; round++) {
          const clients = Array.from(
            { length: dice.between(2, 6) },
            () => [dice.pick([first, second]), story.next()] as const,
          );
          // Leases start and end while clients are served, and between them.
          const waits = dice.chance(0.4)
            ? [story.wait(dice.pick([first, second]), story.pause())]
            : [];
          await Promise.all([...clients.map(([ask, act]) => act(ask)), ...waits]);
          await story.setClock(second);
          await checkPromises(dice.pick([first, second]));
        }
        await story.end(first);
        await checkNothingLeft(second);
      });
  },
);
