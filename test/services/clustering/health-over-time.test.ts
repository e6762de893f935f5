// Moves the clock of random small clouds in one step, and compares the rows with those after every
// round of every periodic job has run.
import { expect } from 'chai';
import { isoSeconds, SECOND, type Micros } from '../../../src/kernel/clock.ts';
import type { Database } from '../../../src/kernel/db/database.ts';
import { tableNames } from '../../../src/kernel/db/state.ts';
import type { Cloud } from '../../../src/kernel/model.ts';
import { moveClock } from '../../../src/emulator/clock/clock.ts';
import { noon, onEachDatabase, type World } from '../../support/cloud.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import { Clustering } from './support.ts';

/** The default cloud with pods, in which operations take time. */
const config = {
  auth: 'noauth2',
  regions: ['RegionOne', 'RegionTwo'],
  centralRegion: 'CentralRegion',
  latency: { 'server.create': 40 * SECOND, 'server.delete': 20 * SECOND },
} as const;

const hour: Micros = 3600 * SECOND;
const span = 4 * hour;

/** The text of a time from noon on, in minutes. */
const at = (minutes: number): string =>
  isoSeconds(noon + minutes * 60 * SECOND)
    .slice(0, 16)
    .replace('T', ' ');

async function send(
  world: World,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const service = path.split('/')[1]!;
  const token = { token: 'admin:demo' };
  const reply = await world.ask(service, method, path, body ? { ...token, body } : token);
  expect(reply.status, `${method} ${path} ${reply.text}`).to.be.lessThan(300);
  return reply.body as Record<string, unknown>;
}

/** Fills the cloud: hosts, leases, clusters with a health policy, and unhealthy nodes. */
async function fill(world: World, random: SeededRandom): Promise<void> {
  for (const name of ['one', 'two', 'three'])
    await world.http.post('/_emulator/hosts').send({ name }).expect(201);
  for (const name of ['two', 'three'])
    await send(world, 'POST', '/reservation/v1/os-hosts', { name });
  await world.http
    .put('/_emulator/reservation/settings')
    .send({ monitor_interval: random.pick([0, 60, 420]) })
    .expect(200);
  for (let count = random.between(0, 2); count > 0; count--) {
    const start = random.between(1, 200);
    await send(world, 'POST', '/reservation/v1/leases', {
      name: `lease ${count}`,
      start_date: at(start),
      end_date: at(start + random.between(1, 150)),
      before_end_date: null,
      events: [],
      reservations: [
        {
          resource_type: 'physical:host',
          min: 1,
          max: 1,
          hypervisor_properties: '',
          resource_properties: '',
        },
      ],
    }).catch(() => undefined); // there may be too few hosts
  }
  const clustering = new Clustering(world);
  clustering.profile = await clustering.createProfile();
  for (let count = random.between(1, 2); count > 0; count--) {
    const id = await clustering.createCluster(random.between(0, 2), { name: `cluster-${count}` });
    await world.http.post('/_emulator/clock/advance').send({ minutes: 2 }).expect(200);
    // A node on a disabled host is recovered again and again, which takes its time.
    const byHost = random.chance(0.3);
    const policy = await clustering.createPolicy(
      'health',
      {
        detection: {
          interval: byHost ? 1800 : random.pick([60, 100, 900]),
          node_update_timeout: random.pick([10, 1000, 9000]),
          detection_modes: [{ type: byHost ? 'HYPERVISOR_STATUS_POLLING' : 'NODE_STATUS_POLLING' }],
        },
        recovery: { actions: [{ name: random.pick(['RECREATE', 'REBUILD', 'REBOOT']) }] },
      },
      `health-${count}`,
      '1.1',
    );
    await clustering.attachPolicy(id, policy);
    for (const { physical_id: server } of await clustering.membersOf(id))
      if (server !== null && random.chance(0.4))
        await clustering.requestCompute('DELETE', `/servers/${server}`);
  }
  if (random.chance(0.5))
    await world
      .ask('compute', 'PUT', '/compute/v2.1/os-services/disable', {
        body: { host: random.pick(['one', 'two']), binary: 'nova-compute' },
      })
      .expect(200);
}

/**
 * The rows of a database as sorted text. What legitimately differs is left out or replaced: ids
 * that are random or counted, the random parts of generated names, and until when jobs are known
 * to be steady. The emulator's own tables are left out as well, such as the counters of locks.
 */
async function rowsOf(database: Database, known: ReadonlySet<string>): Promise<string[]> {
  const rows: string[] = [];
  for (const table of await tableNames(database)) {
    if (table.startsWith('cumulet_') || table === 'snapshots') continue;
    for (const row of (await database.db(table).select()) as Record<string, unknown>[]) {
      const same = Object.entries(row).filter(
        ([name, value]) =>
          !(typeof value === 'number' && /^id$|_id$/.test(name)) &&
          !(table === 'jobs' && name === 'steady_until'),
      );
      rows.push(`${table} ${JSON.stringify(same)}`);
    }
  }
  return rows.map((row) => withoutNewIds(row, known)).toSorted();
}

const idPattern =
  /[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}|(?<=node-|node_)[A-Za-z0-9]{8}|(?:[0-9a-f]{2}:){5}[0-9a-f]{2}|[0-9a-f]{8}(?=")/g;

const withoutNewIds = (text: string, known: ReadonlySet<string>): string =>
  text.replaceAll(idPattern, (id) => (known.has(id) ? id : 'new'));

const databasesOf = ({ central, regions }: Cloud): Database[] => [
  central,
  ...[...regions.values()].map(({ database }) => database),
];

async function allRows(cloud: Cloud, known: ReadonlySet<string>): Promise<string[]> {
  await cloud.explanations.flush(); // the last ones are written a moment later
  const rows: string[] = [];
  for (const database of databasesOf(cloud))
    for (const row of await rowsOf(database, known)) rows.push(`${database.name} ${row}`);
  return rows;
}

async function idsOf(cloud: Cloud): Promise<Set<string>> {
  const ids = new Set<string>();
  for (const database of databasesOf(cloud))
    for (const table of await tableNames(database))
      for (const row of (await database.db(table).select()) as object[])
        for (const [id] of JSON.stringify(row).matchAll(idPattern)) ids.add(id);
  return ids;
}

/** The rows that another list does not have as often. */
function missingIn(rows: readonly string[], others: readonly string[]): string[] {
  const left = [...rows];
  return others.filter((row) => {
    const at = left.indexOf(row);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** The cloud in which no round of a periodic job is skipped. */
const withoutSkipping = (cloud: Cloud): Cloud => ({
  ...cloud,
  interceptors: [
    ...cloud.interceptors,
    { aroundHandler: (_request, next) => next(), mayAffectServiceCalls: () => true },
  ],
});

onEachDatabase('a random cloud over some hours', config, (world) => {
  // One cloud is enough on MySQL, where it takes eight times as long.
  for (const seed of world.kind === 'mysql' ? [1] : [1, 2, 5, 6])
    it(`has the same rows with and without skipped rounds (${seed})`, async () => {
      const random = new SeededRandom(seed);
      await fill(world, random);
      await world.http.put('/_emulator/snapshots/before');
      const known = await idsOf(world.cloud);
      const end = { frozenAt: noon + span, offset: 0 };

      const { skipped } = await moveClock(world.cloud, end);
      const atOnce = await allRows(world.cloud, known);

      await world.http.post('/_emulator/snapshots/before/restore');
      await moveClock(withoutSkipping(world.cloud), end);
      const everyRound = await allRows(world.cloud, known);

      await world.http.post('/_emulator/snapshots/before/restore');
      for (let hours = 1; hours * hour <= span; hours++)
        await moveClock(world.cloud, { frozenAt: noon + hours * hour, offset: 0 });
      const byHour = await allRows(world.cloud, known);

      expect(skipped).to.be.greaterThan(0);
      expect(missingIn(everyRound, atOnce)).to.deep.equal([]);
      expect(missingIn(atOnce, everyRound)).to.deep.equal([]);
      expect(byHour).to.deep.equal(everyRound);
    });
});
