// Runs the pytest tests of the Python client, and of its pytest plugin, against this checkout.
import { expect } from 'chai';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../../src/kernel/package-root.ts';
import { buildProgram, writeCommand } from '../../support/program.ts';
import { installPythonClient } from '../../support/python-client.ts';

/** The interpreter that has pytest; CUMULET_TEST_PYTEST overrides Debian's. */
const python = process.env['CUMULET_TEST_PYTEST'] ?? '/usr/bin/python3';

describe('clients: python', () => {
  let folder: string | undefined;
  let packages: string;

  before(function () {
    try {
      execFileSync(python, ['-c', 'import pytest'], { stdio: 'ignore' });
    } catch {
      console.log(`    skipped: ${python} has no pytest (Debian: python3-pytest)`);
      return this.skip();
    }
    try {
      execFileSync(python, ['-c', 'import xdist'], { stdio: 'ignore' });
    } catch {
      console.log('    without pytest-xdist: it is not installed (Debian: python3-pytest-xdist)');
    }
    buildProgram();
    folder = mkdtempSync(join(tmpdir(), 'cumulet-python-'));
    writeCommand(folder);
    packages = installPythonClient(folder);
  });

  after(() => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  it('has types that mypy accepts, for its own code and for a test', function () {
    const source = join(packageRoot(), 'clients', 'python');
    if (spawnSync('/usr/bin/mypy', ['--version']).status !== 0) {
      console.log('      skipped: mypy is not installed (Debian: mypy)');
      return this.skip();
    }
    writeFileSync(join(folder!, 'typed.py'), typedTest);
    const cache = ['--cache-dir', join(folder!, 'mypy')];
    const check = (cwd: string, ...files: readonly string[]): string =>
      spawnSync('/usr/bin/mypy', ['--strict', ...cache, ...files], {
        cwd,
        encoding: 'utf8',
        env: { ...process.env, MYPYPATH: packages },
      }).stdout;
    expect(check(source, 'src')).to.match(/^Success/);
    const found = check(folder!, 'typed.py');
    expect(found.match(/^typed\.py:\d+/gm), found).to.deep.equal(['typed.py:9', 'typed.py:10']);
  });

  for (const file of ['test_client.py', 'test_server.py', 'test_plugin.py'])
    it(`passes ${file}`, async () => {
      const { code, output } = await runPytest(join(import.meta.dirname, file), folder!, packages);
      expect(code, output).to.equal(0);
    });
});

/** A test whose last two lines have mistakes that the types must report. */
const typedTest = `from typing import Dict

from cumulet import Cloud


def test_types(cloud: Cloud) -> None:
    environment: Dict[str, str] = cloud.env
    cloud.requests.check({"operation": "servers:create"}, times=1 if environment else 2)
    cloud.requests.check({"verb": "GET"})
    cloud.clock.advance(days="two")
`;

/** The plugin that runs other test suites, and not the one that writes next to the sources. */
const plugins = ['pytester', 'no:cacheprovider'];

/** Runs a test file with the client of this checkout, without writing next to the sources. */
function runPytest(
  file: string,
  folder: string,
  packages: string,
): Promise<{ code: number | null; output: string }> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(OS_|CUMULET_|PYTEST_)/.test(name),
  );
  const child = spawn(
    python,
    ['-m', 'pytest', '-q', ...plugins.flatMap((one) => ['-p', one]), file],
    {
      cwd: folder,
      env: {
        ...Object.fromEntries(inherited),
        PATH: `${folder}:${process.env['PATH']}`,
        PYTHONPATH: packages,
        PYTHONDONTWRITEBYTECODE: '1',
      },
    },
  );
  let output = '';
  const keep = (data: Buffer): void => void (output += data.toString());
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}
