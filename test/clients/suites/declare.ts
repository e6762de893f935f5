// Declares the mocha tests of a suite of upstream's that is a Python package: every package of
// modules is one.
import { assert } from 'chai';
import { startServer, type Server } from '../server.ts';
import { Exceptions, type Result } from './exceptions.ts';
import { startPythonSuite, type PythonPackage, type PythonSuite } from './python.ts';

export interface Suite extends PythonPackage {
  readonly title: string;
  /** Why it cannot be run, where it cannot. */
  readonly lacking?: string | undefined;
  /** Packages of test modules, or single modules. */
  readonly packages: readonly string[];
  /** The YAML file of what does not pass; without one all passes. */
  readonly exceptions?: URL;
  /** Flags of the emulator. */
  readonly flags: readonly string[];
  /**
   * Whether, where a test sleeps, the clock of the emulator moves instead; false where tests sleep
   * indeed. By default long pauses are left out.
   */
  readonly movesClock?: boolean;
  /** Prepares the cloud at that address, and says how the suite finds it. */
  readonly configure: (origin: string, version: string) => Promise<Configuration>;
}

export interface Configuration {
  readonly files: Readonly<Record<string, string>>;
  readonly environment: Readonly<Record<string, string>>;
}

export function declare(suite: Suite): void {
  describe(suite.title, function () {
    const exceptions = new Exceptions(suite.exceptions);
    let server: Server | undefined;
    let python: PythonSuite | undefined;

    before(async function () {
      const started = suite.lacking ?? (await startPythonSuite(suite));
      if (typeof started === 'string') {
        console.log(`    ${suite.distribution} is not run: ${started}`);
        return this.skip();
      }
      python = started;
      exceptions.ofRelease(python.version);
      server = await startServer(suite.flags);
      const origin = server.authUrl.replace(/\/identity\/v3$/, '');
      const { files, environment } = await suite.configure(origin, python.version);
      await python.configure(files, environment);
      if (suite.movesClock !== undefined) await python.setClock(suite.movesClock ? origin : null);
    });

    after(async () => {
      if (!exceptions.empty)
        console.log(`    ${suite.distribution} ${python?.version}: ${exceptions.summary}`);
      exceptions.write();
      python?.stop();
      await server?.stop();
    });

    for (const name of suite.packages) {
      it(name, async function () {
        const modules = await python!.modules(name);
        if (!modules) return this.skip(); // other releases have it
        const results: Result[] = [];
        for (const module of modules)
          results.push(...(await python!.run(module, exceptions.notRun)));
        exceptions.keep(results);
      });
    }

    it('passes what no exception is needed for', () => assert.deepEqual(exceptions.needless, []));
  });
}
