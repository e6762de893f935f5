// A process of a test run: it runs the files that it is told, one after the other, and keeps its
// clouds from file to file.
import { fileURLToPath } from 'node:url';
import Mocha from 'mocha';
import { closeClouds } from './cloud.ts';
import { covered } from './coverage.ts';
import { databases } from './databases.ts';

/** What the run tells a worker: a file, named from test/ on, or that there are no more. */
export type Order =
  { readonly file: string; readonly grep?: string | undefined } | { readonly end: true };

/** What a worker tells the run. */
export type Report =
  | { readonly at: string } // the test that begins
  | { readonly said: string }
  | { readonly done: Outcome }
  | { readonly covered: Record<string, Record<string, string[]>> };

/** How a file went. */
export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly pending: number;
}

const report = (one: Report): boolean => process.send!(one);

/** Tells which test begins, and at the end of a file what failed. */
class Reporter extends Mocha.reporters.Base {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    runner.on('test', (test) => report({ at: test.fullTitle() }));
    runner.on('hook', (hook) => report({ at: hook.fullTitle() }));
    runner.on('end', () => {
      if (this.failures.length) Mocha.reporters.Base.list(this.failures);
    });
  }
}

async function run(file: string, grep: string | undefined): Promise<Outcome> {
  const mocha = new Mocha({
    timeout: 0,
    forbidOnly: true,
    reporter: Reporter,
    ...(grep === undefined ? {} : { grep }),
  });
  mocha.addFile(fileURLToPath(new URL(`../${file}`, import.meta.url)));
  await mocha.loadFilesAsync();
  return new Promise((resolve) => {
    const runner: Mocha.Runner = mocha.run(() => {
      const { passes = 0, failures = 0, pending = 0 } = runner.stats ?? {};
      mocha.dispose();
      resolve({ passed: passes, failed: failures, pending });
    });
  });
}

async function obey(order: Order): Promise<void> {
  if ('file' in order) {
    const outcome = await run(order.file, order.grep).catch((error: Error) => {
      report({ said: `${error.stack}\n` });
      return { passed: 0, failed: 1, pending: 0 };
    });
    report({ done: outcome });
    return;
  }
  await closeClouds();
  await databases.stop();
  const names = [...covered].map(([service, operations]) => [
    service,
    Object.fromEntries([...operations].map(([id, versions]) => [id, [...versions]])),
  ]);
  const last: Report = {
    covered: Object.fromEntries(names) as Record<string, Record<string, string[]>>,
  };
  process.send!(last, () => process.exit());
}

/** What is printed goes the same way as the outcome, so that it stays with its file. */
process.stdout.write = (text: string | Uint8Array): boolean =>
  report({ said: Buffer.from(text as string).toString() });

process.on('message', (order: Order) => void obey(order));
process.on('disconnect', () => process.exit());
