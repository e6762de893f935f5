// Keeps the durations of the last run of each test file, in a file that git ignores.
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../src/kernel/package-root.ts';

const path = join(packageRoot(), 'tmp', 'test-durations.json');

/** Seconds, by test file. */
export type Durations = Readonly<Record<string, number>>;

/** The durations of the last runs; empty before the first. */
export function readDurations(): Durations {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Durations;
  } catch {
    return {};
  }
}

/** Adds the durations of a run to those of earlier runs. */
export function writeDurations(measured: Durations): void {
  mkdirSync(dirname(path), { recursive: true });
  const rounded = Object.entries({ ...readDurations(), ...measured }).map(
    ([file, seconds]) => [file, Number(seconds.toFixed(1))] as const,
  );
  writeFileSync(path, `${JSON.stringify(Object.fromEntries(rounded.toSorted()), null, 2)}\n`);
}

/** A rough rate for estimating the duration of files that have never run. */
const bytesPerSecond = 2_000;

/** Files that take far longer than their size suggests, with their seconds on two cores. */
const longFiles: Durations = {
  'clients/docs.test.ts': 900,
  'clients/clients.test.ts': 200,
  'contract/fuzzing/fuzzing.test.ts compute': 160,
  'clients/python/python.test.ts': 110,
  'contract/fuzzing/fuzzing.test.ts identity': 100,
  'contract/fuzzing/fuzzing.test.ts network': 100,
  'contract/fuzzing/fuzzing.test.ts emulator': 80,
  'cli/detached.test.ts': 65,
  'contract/fuzzing/fuzzing.test.ts volume': 60,
  'clients/openstacksdk/openstacksdk.test.ts': 60,
  'cli/doctor.test.ts': 50,
  'cli/commands.test.ts': 50,
  'services/gateway/network-audit.test.ts': 45,
};

/**
 * The expected duration of a test file: the last one, or an estimate. `name` is relative to test/.
 */
export const expectedSeconds = (durations: Durations, name: string, file: string): number =>
  durations[name] ??
  longFiles[name] ??
  statSync(join(packageRoot(), 'test', file)).size / bytesPerSecond;
