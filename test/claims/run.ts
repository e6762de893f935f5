// 64 writers claim through four processes on one database: from a provider that is nearly full, in
// a region that is nearly full, and for servers of a group that is nearly full. In rounds, at whose
// end everything granted must be there, and nothing else, within the capacity.
// Usage: npm run suite:claims -- [--minutes 10] [--database mysql://... ...] [--seed 1]
// Several databases are the nodes of one Galera cluster; the processes are spread over them.
import { parseArgs } from 'node:util';
import { databases } from '../support/databases.ts';
import { startEmulator, type Emulator } from '../support/processes.ts';
import { buildProgram } from '../support/program.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { ProviderClaims } from './provider-claims.ts';
import { GroupServers, hosts } from './group-servers.ts';
import { Writer, type Scenario } from './writer.ts';

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    database: { type: 'string', multiple: true },
    seed: { type: 'string', default: '1' },
  },
});
const [processes, writers, secondsPerRound] = [4, 64, 10];

/** Lets all writers work for a while, and checks the result. @returns the problems */
async function runRound(scenario: Scenario, all: readonly Writer[]): Promise<string[]> {
  const until = Date.now() + secondsPerRound * 1000;
  const work = async (writer: Writer): Promise<void> => {
    do await scenario.step(writer);
    while (Date.now() < until);
  };
  await Promise.all(all.map(work));
  return scenario.check(all);
}

async function run(emulators: readonly Emulator[]): Promise<number> {
  const scenarios = [
    new ProviderClaims('a hot provider', 1, 150),
    new ProviderClaims('a region', 12, 12),
    new GroupServers(),
  ];
  const seed = Number(options.seed);
  const crews = scenarios.map(() =>
    Array.from({ length: writers }, (_, index) => {
      const { origin } = emulators[index % emulators.length]!;
      return new Writer(origin, new SeededRandom(seed * 1000 + index));
    }),
  );
  for (const [at, scenario] of scenarios.entries()) await scenario.prepare(crews[at]![0]!);
  const end = Date.now() + Number(options.minutes) * 60_000;
  let failed = 0;
  for (let round = 0; Date.now() < end; round++) {
    const at = round % scenarios.length;
    const violations = await runRound(scenarios[at]!, crews[at]!);
    const problems = [...crews[at]!.flatMap((writer) => writer.takeProblems()), ...violations];
    const sum = (count: (writer: Writer) => number): number =>
      crews[at]!.reduce((total, writer) => total + count(writer), 0);
    console.log(
      `${scenarios[at]!.name}: ${sum((one) => one.granted)} granted, ` +
        `${sum((one) => one.refused)} refused, ${sum((one) => one.busy)} busy so far, ` +
        `${problems.length} problems`,
    );
    for (const problem of problems.slice(0, 20)) console.log(`  ${problem}`);
    failed += problems.length;
  }
  return failed;
}

buildProgram();
const urls = options.database ?? [await databases.freshUrl()].flatMap((url) => url ?? []);
if (!urls.length) throw new Error('This needs MariaDB or MySQL: install mariadb-server.');
const start = (index: number): Promise<Emulator> =>
  startEmulator([
    '--database',
    urls[index % urls.length]!,
    '--auth',
    'noauth2',
    '--hosts',
    String(hosts),
  ]);
// The first one creates the tables: the nodes of a Galera cluster do not share the lock for that.
const first = await start(0);
const others = Array.from({ length: processes - 1 }, (_, index) => start(index + 1));
const emulators = [first, ...(await Promise.all(others))];
try {
  const failed = await run(emulators);
  console.log(`${failed} problems (seed ${options.seed})`);
  process.exitCode = failed ? 1 : 0;
} finally {
  await Promise.all(emulators.map((one) => one.stop()));
  await databases.stop();
}
