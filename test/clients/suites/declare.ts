// Declares mocha tests for an upstream test suite in Python: one for each package of test modules.
import { assert } from 'chai';
import { startServer, type Server } from '../server.ts';
import { Exceptions, type Result } from './exceptions.ts';
import { startPythonSuite, type PythonPackage, type PythonSuite } from './python.ts';

export interface Suite extends PythonPackage {
  readonly title: string;
  /** Why the suite cannot run; undefined if it can. */
  readonly lacking?: string | undefined;
  /** Packages of test modules, or single modules. */
  readonly packages: readonly string[];
  /** The YAML files of tests that do not pass; without any, all must pass. */
  readonly exceptions?: readonly URL[];
  /** Flags of the emulator. */
  readonly flags: readonly string[];
  /**
   * True to move the emulator's clock instead of sleeping, false to really sleep. By default, only
   * long pauses are skipped.
   */
  readonly movesClock?: boolean;
  /** Prepares the cloud at this address. @returns the files and environment of the suite */
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
        console.log(`    skipped: ${suite.distribution}: ${started}`);
        return this.skip();
      }
      python = started;
      exceptions.selectRelease(python.version);
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
        if (!modules) return this.skip(); // only other releases have it
        const results: Result[] = [];
        for (const module of modules)
          results.push(...(await python!.run(module, exceptions.notRun)));
        exceptions.record(results);
      });
    }

    it('has no unnecessary exceptions', () => assert.deepEqual(exceptions.unnecessary, []));
  });
}
