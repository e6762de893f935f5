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

/**
 * The expected duration of a test file: the last one, or an estimate from its size. `name` is
 * relative to test/.
 */
export const expectedSeconds = (durations: Durations, name: string, file: string): number =>
  durations[name] ?? statSync(join(packageRoot(), 'test', file)).size / bytesPerSecond;
