// Runs the same scenarios on the real Clustering and on the emulator's, and lists the differences
// between their replies. usage: node --import tsx test/clients/clustering-oracle/run.ts
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { startEmulator } from '../../support/processes.ts';
import { prepareZones } from './cloud.ts';
import { differences, type Seen } from './compare.ts';
import { startReal } from './real.ts';
import { runScenario, type Scenario } from './scenario.ts';

interface Script {
  readonly scenarios: readonly Scenario[];
  /** Intended differences: a pattern for `scenario / step / path`, and the reason. */
  readonly intended: readonly { readonly at: string; readonly why: string }[];
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { verbose: { type: 'boolean' } },
});
const { scenarios, intended } = parse(
  readFileSync(new URL('scenarios.yaml', import.meta.url), 'utf8'),
) as Script;
const flags = [
  '--database',
  'memory:',
  '--hosts',
  '0',
  '--regions',
  'RegionOne,RegionTwo',
  '--log-level',
  'warn',
];

const [cloud, own] = await Promise.all([startEmulator(flags), startEmulator(flags)]);
await Promise.all([prepareZones(cloud.origin), prepareZones(own.origin)]);
const real = await startReal(cloud.origin);
console.log(`The real Clustering is at ${real.origin}, its logs are in ${real.folder}.`);
const worlds = [
  { origin: real.origin, cloud: cloud.origin },
  { origin: `${own.origin}/clustering`, cloud: own.origin },
] as const;

const counts = { same: 0, intended: 0, other: 0 };
const used = new Set<string>();

/** Runs a scenario on both at the same time. */
async function compare(scenario: Scenario): Promise<void> {
  const started = Date.now();
  const [real, ours] = (await Promise.all(worlds.map((world) => runScenario(scenario, world)))) as [
    Seen[],
    Seen[],
  ];
  const lines = real.flatMap(({ step, what }) => {
    const found = differences(what, ours.find((one) => one.step === step)?.what);
    if (!found.length) counts.same++;
    return found.map((difference) => `${scenario.name} / ${step} / ${difference}`);
  });
  console.log(`${scenario.name}: ${((Date.now() - started) / 1000).toFixed(0)} s`);
  for (const line of lines) {
    const intendedHere = intended.find(({ at }) => new RegExp(at).test(line));
    if (intendedHere) used.add(intendedHere.at);
    counts[intendedHere ? 'intended' : 'other']++;
    if (!intendedHere || values.verbose)
      console.log(`${intendedHere ? 'intended' : 'DIFFERS'}: ${line}`);
  }
}

try {
  const queue = scenarios.filter(
    ({ name }) => !positionals.length || positionals.some((word) => name.includes(word)),
  );
  await Promise.all(
    Array.from({ length: 5 }, async () => {
      for (let scenario = queue.shift(); scenario; scenario = queue.shift())
        await compare(scenario).catch((error: unknown) => {
          counts.other++;
          console.log(`DIFFERS: ${scenario!.name} failed: ${String(error)}`);
        });
    }),
  );
  if (!positionals.length)
    for (const { at } of intended) if (!used.has(at)) console.log(`No longer occurs: ${at}`);
  console.log(
    `${counts.same} equal replies; differences: ${counts.intended} intended, ` +
      `${counts.other} others.`,
  );
} finally {
  await Promise.all([real.stop(), cloud.stop(), own.stop()]);
}
process.exit(counts.other ? 1 : 0);
