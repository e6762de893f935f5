// Runs the commands of the documentation unchanged, each page in a new folder.
import { expect } from 'chai';
import { execFileSync, spawnSync } from 'node:child_process';
import { packageRoot } from '../../src/kernel/package-root.ts';
import { startForkingClient, type ForkingClient } from './forking-client.ts';
import { readPages, type Page } from './pages.ts';
import { PageRunner } from './runner.ts';

/** The Python packages of the clients that the pages use. */
const packages = ['openstackclient', 'osc_placement', 'blazarclient', 'senlinclient'];

const canImport = (modules: readonly string[]): boolean =>
  spawnSync('/usr/bin/python3', ['-c', `import ${modules.join(', ')}`]).status === 0;

const ofPytest = ['ensurepip', 'openstack', 'pytest', 'setuptools', 'wheel', 'xdist'];

/** What only one page needs, with a check for it. */
const needed: Readonly<Record<string, { what: string; isInstalled: () => boolean }>> = {
  'docs/guides/go.md': { what: 'Go', isInstalled: () => spawnSync('go', ['version']).status === 0 },
  'docs/guides/python.md': {
    what: `the Python modules ${ofPytest.join(', ')}`,
    isInstalled: () => canImport(ofPytest),
  },
};

/**
 * Declares a suite that runs each page once for each title, in the same folder.
 * @param names the pages; all, if undefined
 */
export function runPages(titles: readonly string[], names?: readonly string[]): void {
  const pages = readPages().filter(
    ({ name, blocks }) =>
      (names?.includes(name) ?? true) && blocks.some((block) => block.notRun === undefined),
  );
  describe('clients: documentation', () => runPagesWith(titles, pages));
}

function runPagesWith(titles: readonly string[], pages: readonly Page[]): void {
  let client: ForkingClient | undefined;

  before(async function () {
    try {
      if (!canImport(packages)) throw new Error('a package is missing');
      execFileSync('openstack', ['--version'], { stdio: 'ignore' });
    } catch {
      console.log(`    skipped: the documentation needs the clients ${packages.join(', ')}`);
      this.skip();
    }
    // The pages call the built program.
    execFileSync('npm', ['run', 'build', '--silent'], {
      cwd: packageRoot(),
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    client = await startForkingClient();
  });

  after(() => client?.stop());

  for (const page of pages)
    describe(page.name, () => {
      let runner: PageRunner;
      before(function () {
        const need = needed[page.name];
        if (need && !need.isInstalled()) {
          console.log(`    skipped: ${page.name} needs ${need.what}`);
          this.skip();
        }
        runner = new PageRunner(client?.command);
      });
      after(() => runner?.close());

      for (const title of titles)
        it(title, async () => {
          const outcomes = await runner.run(page);
          for (const { block, skipped } of outcomes)
            if (block.needs !== undefined && skipped?.startsWith('needs'))
              console.log(`        line ${block.line} is skipped: it ${skipped}`);
          const failed = outcomes.find(({ failure }) => failure !== undefined);
          expect(failed && `line ${failed.block.line}: ${failed.failure}`).to.equal(undefined);
        });

      for (const { line, pending } of page.blocks)
        if (pending !== undefined) it(`line ${line}: ${pending}`);
    });
}
