// Runs the tests of the Go client and of its example with gophercloud, against this checkout.
import { expect } from 'chai';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../../src/kernel/package-root.ts';
import { buildProgram, writeCommand } from '../../support/program.ts';

/** The GOPATH of Debian's golang-github-gophercloud-gophercloud-dev. */
const debian = process.env['CUMULET_TEST_GOPATH'] ?? '/usr/share/gocode';
const client = join(packageRoot(), 'clients', 'go');

describe('clients: go', () => {
  let folder: string | undefined;

  before(function () {
    if (spawnSync('go', ['version']).status !== 0) {
      console.log('    skipped: Go is not installed (Debian: golang-go)');
      return this.skip();
    }
    buildProgram();
    folder = mkdtempSync(join(tmpdir(), 'cumulet-go-'));
    writeCommand(folder);
  });

  after(() => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  it('is formatted, and has nothing that go vet reports', async () => {
    expect(await run('gofmt', ['-l', '.'])).to.deep.equal({ code: 0, output: '' });
    expect(await run('go', ['vet', './...'])).to.deep.equal({ code: 0, output: '' });
  });

  it('compiles for Windows and macOS', async () => {
    for (const GOOS of ['windows', 'darwin'])
      expect(await run('go', ['vet', '.'], { GOOS })).to.deep.equal({ code: 0, output: '' });
  });

  it('passes its tests', async () => {
    const { code, output } = await run('go', ['test', '-count', '1', './...']);
    expect(code, output).to.equal(0);
  });

  it('passes the tests of the example with gophercloud', async function () {
    if (!existsSync(join(debian, 'src/github.com/gophercloud/gophercloud'))) {
      console.log(
        '      skipped: gophercloud is not installed ' +
          '(Debian: golang-github-gophercloud-gophercloud-dev)',
      );
      return this.skip();
    }
    // Debian's packages are for GOPATH, without modules.
    const own = join(folder!, 'gopath');
    mkdirSync(join(own, 'src'), { recursive: true });
    symlinkSync(client, join(own, 'src', 'cumulet'));
    const environment = { GO111MODULE: 'off', GOPATH: `${own}:${debian}` };
    const example = 'cumulet/examples/gophercloud';
    const { code, output } = await run('go', ['test', '-count', '1', example], environment);
    expect(code, output).to.equal(0);
  });

  /** Runs a command in the folder of the client, with the program of this checkout on PATH. */
  function run(
    command: string,
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<{ code: number | null; output: string }> {
    const inherited = Object.entries(process.env).filter(([name]) => !/^(OS_|CUMULET_)/.test(name));
    const child = spawn(command, args, {
      cwd: client,
      env: {
        ...Object.fromEntries(inherited),
        PATH: `${folder}:${process.env['PATH']}`,
        GOFLAGS: '',
        GOPROXY: 'off',
        ...environment,
      },
    });
    let output = '';
    child.stdout.on('data', (data: Buffer) => (output += data.toString()));
    child.stderr.on('data', (data: Buffer) => (output += data.toString()));
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve({ code, output }));
    });
  }
});
