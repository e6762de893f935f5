// A worker process of a test run: it runs test files sequentially, and reuses its clouds for all of
// them.
import { fileURLToPath } from 'node:url';
import Mocha from 'mocha';
import { closeClouds } from './cloud.ts';
import { covered } from './coverage.ts';
import { databases } from './databases.ts';

/** A file to run, relative to test/. */
interface FileOrder {
  readonly file: string;
  /** The only service for which a sharded file declares its suite. */
  readonly service?: string | undefined;
  readonly grep?: string | undefined;
}

/** An order from the run to a worker: run a file, or exit. */
export type Order = FileOrder | { readonly end: true };

/** What a worker reports to the run. */
export type Report =
  | { readonly at: string } // the test that starts
  | { readonly said: string }
  | { readonly done: Outcome }
  | { readonly covered: Record<string, Record<string, string[]>> };

/** The results of a file. */
export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly pending: number;
}

const report = (one: Report): boolean => process.send!(one);

/** Reports each test that starts, and at the end of a file the failures. */
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

async function run({ file, service = '', grep }: FileOrder): Promise<Outcome> {
  const mocha = new Mocha({
    timeout: 0,
    forbidOnly: true,
    reporter: Reporter,
    ...(grep === undefined ? {} : { grep }),
  });
  // Does the same as mocha.loadFilesAsync, but with a distinct URL for each service: importing a
  // module that is already loaded would declare no tests.
  process.env['CUMULET_TEST_SERVICE'] = service;
  const url = new URL(`../${file}${service && `?service=${service}`}`, import.meta.url);
  const path = fileURLToPath(url);
  mocha.suite.emit('pre-require', globalThis, path, mocha);
  mocha.suite.emit('require', await import(url.href), path, mocha);
  mocha.suite.emit('post-require', globalThis, path, mocha);
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
    const outcome = await run(order).catch((error: Error) => {
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

/** Output goes to the run as a report, so that it appears with its file. */
process.stdout.write = (text: string | Uint8Array): boolean =>
  report({ said: Buffer.from(text as string).toString() });

process.on('message', (order: Order) => void obey(order));
process.on('disconnect', () => process.exit());
