// Runs random operations on all services at once, while the clock moves, faults are injected,
// snapshots are restored and processes are killed. At the end all services must agree.
// Usage: npm run suite:chaos -- [--minutes 60] [--database sqlite|mysql] [--clients 4] [--seed 1]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { databases } from '../support/databases.ts';
import { startEmulator, type Emulator } from '../support/processes.ts';
import { buildProgram } from '../support/program.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { admin, Client } from './client.ts';
import { findViolations } from './invariants.ts';
import { chooseOperation } from './operations.ts';

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    database: { type: 'string', multiple: true, default: ['sqlite', 'mysql'] },
    clients: { type: 'string', default: '4' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean' },
  },
});

if (options.help) {
  console.log(
    'npm run suite:chaos -- [--minutes 60] [--database sqlite|mysql] [--clients 4] [--seed 1]',
  );
  process.exit(0);
}

const minutes = Number(options.minutes);
const seed = Number(options.seed);

/** Seconds between two kills of a process, and replies: a slow machine gives fewer a second. */
const betweenKills = { seconds: 20, replies: 300 };

/** Prepares the cloud: hosts for leases, and a quota that is large enough. */
async function prepare(client: Client): Promise<void> {
  for (const name of ['compute-5', 'compute-6'])
    await client.send(admin, 'POST', '/reservation/v1/os-hosts', { name });
  const quota = { quota_set: { cores: 200, instances: 100, ram: -1 } };
  const [project] = await client.list(admin, '/identity/v3/projects?name=demo', 'projects');
  await client.send(admin, 'PUT', `/compute/v2.1/os-quota-sets/${project!['id']}`, quota);
  await client.send(admin, 'PUT', '/placement/resource_classes/CUSTOM_CHAOS');
  await client.send(admin, 'PUT', '/_emulator/snapshots/chaos', {});
}

/** Removes the faults, and moves the clock until all jobs have run. */
async function settle(client: Client): Promise<void> {
  await client.require('DELETE', '/_emulator/faults');
  for (const wait of [1, 5, 60, 60, 60])
    await client.require('POST', '/_emulator/clock/advance', { minutes: wait });
}

async function runOn(kind: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-chaos-'));
  const url = kind === 'mysql' ? await databases.freshUrl() : `sqlite:${folder}`;
  if (url === undefined) {
    console.log(`${kind}: skipped, because no MySQL server is installed.`);
    return [];
  }
  const start = (): Promise<Emulator> => startEmulator(['--database', url, '--hosts', '6']);
  const emulators: Emulator[] = [await start()];
  if (kind === 'mysql') emulators.push(await start());
  const client = new Client(emulators);
  await prepare(client);
  const random = new SeededRandom(seed);
  const end = Date.now() + (minutes * 60_000) / options.database.length;
  let kills = 0;
  const work = async (): Promise<void> => {
    while (Date.now() < end) await chooseOperation(random)({ client, random });
  };
  const replies = (): number => client.counts.requests - client.counts.unanswered;
  const killer = async (): Promise<void> => {
    for (let since = Date.now(), before = replies(); ;) {
      await sleep(500);
      if (Date.now() >= end) return;
      const isSoon = Date.now() - since < betweenKills.seconds * 1000;
      if (isSoon || replies() - before < betweenKills.replies) continue;
      [since, before] = [Date.now(), replies()];
      const victim = random.between(0, emulators.length - 1);
      await emulators[victim]!.kill();
      emulators[victim] = await start();
      kills += 1;
    }
  };
  const reporter = async (): Promise<void> => {
    for (let shown = 0; Date.now() < end;) {
      await sleep(Math.min(30_000, Math.max(0, end - Date.now())));
      const { requests, failed, unanswered } = client.counts;
      console.log(
        `${kind}: ${requests} requests, ${failed} refused, ${unanswered} without a reply, ` +
          `${kills} kills, ${client.problems.length} problems`,
      );
      for (const problem of client.problems.slice(shown)) console.log(`  ${problem}`);
      shown = client.problems.length;
    }
  };
  try {
    await Promise.all([
      ...Array.from({ length: Number(options.clients) }, work),
      killer(),
      reporter(),
    ]);
    await settle(client);
    const { violations, sizes } = await findViolations(client);
    console.log(`${kind}: at the end ${JSON.stringify(sizes)}`);
    return [...client.problems, ...violations];
  } finally {
    await Promise.all(emulators.map((one) => one.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

buildProgram();
let failed = 0;
for (const kind of options.database) {
  const problems = await runOn(kind);
  console.log(`${kind}: ${problems.length} problems (seed ${seed})`);
  for (const problem of problems) console.log(`  ${problem}`);
  failed += problems.length;
}
await databases.stop();
process.exitCode = failed ? 1 : 0;
