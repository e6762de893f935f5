// Runs the tests in the guide for JavaScript as written, with node:test and mocha. The whole page,
// with its installation and vitest, runs in test/clients/docs.test.ts.
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { packageRoot } from '../../src/kernel/package-root.ts';

const execute = promisify(execFile);

describe('the guide for JavaScript', () => {
  const guide = readFileSync(join(packageRoot(), 'docs', 'guides', 'javascript.md'), 'utf8');
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-guide-'));

  /** Runs a program in a folder in which the package is this checkout. @returns its output */
  const run = async (...args: readonly string[]): Promise<string> => {
    const env = Object.entries(process.env).filter(([name]) => !/^NODE_|^npm_/.test(name));
    const { stdout } = await execute(process.execPath, args, {
      cwd: folder,
      env: Object.fromEntries(env),
    }).catch((error: { stdout: string; stderr: string }) => {
      throw new Error(error.stdout + error.stderr);
    });
    return stdout;
  };

  before(() => {
    if (process.env['CUMULET_TEST_PROGRAM'] === undefined)
      execFileSync(process.execPath, ['build.mjs'], { cwd: packageRoot() });
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(packageRoot(), join(folder, 'node_modules', 'cumulet'), 'junction');
    for (const [, name, text] of guide.matchAll(/^cat > (\S+) <<'END'\n([^]*?)^END$/gm))
      writeFileSync(join(folder, name!), text!);
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  it('has a test that passes with node:test', async () => {
    expect(guide).to.include('\nnode --test cloud.test.mjs\n');
    expect(await run('--test', 'cloud.test.mjs')).to.match(/pass 1\b/);
  });

  it('has hooks and tests that pass with mocha', async () => {
    const [, args] = /^npx mocha (.+)$/m.exec(guide)!;
    const mocha = join(packageRoot(), 'node_modules', 'mocha', 'bin', 'mocha.js');
    expect(await run(mocha, ...args!.split(' '))).to.match(/3 passing/);
  });
});
