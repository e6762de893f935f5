// Tests of the package: installs it into an empty project, as a user does, and uses it there.
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { packageRoot, packageVersion } from '../../../src/kernel/package-root.ts';
import { callEverything } from '../../library/every-method.ts';

type Library = typeof import('../../../src/library/index.ts');

const execute = promisify(execFile);

describe('the package', function () {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-package-'));
  const project = join(folder, 'project');
  let library: Library;
  let sizes: { readonly packed: number; readonly unpacked: number };

  /** Runs a command in the project, without the variables of npm and of other clouds. */
  const inProject = async (command: string, ...args: readonly string[]): Promise<string> => {
    const inherited = Object.entries(process.env).filter(
      ([name]) => !/^(?:npm_|CUMULET_|OS_|NODE_OPTIONS)/.test(name),
    );
    const { stdout } = await execute(command, args, {
      cwd: project,
      env: {
        ...Object.fromEntries(inherited),
        PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH']}`,
      },
    });
    return stdout;
  };

  /** Compilers that fail, ahead of those of the machine. */
  const hideCompilers = (): void => {
    mkdirSync(join(folder, 'bin'));
    for (const name of ['cc', 'c++', 'gcc', 'g++', 'clang', 'make', 'node-gyp']) {
      const file = join(folder, 'bin', name);
      writeFileSync(file, '#!/bin/sh\nexit 99\n');
      chmodSync(file, 0o755);
    }
  };

  before(async () => {
    mkdirSync(project);
    hideCompilers();
    const { stdout } = await execute(process.execPath, ['pack.mjs', folder], {
      cwd: packageRoot(),
    });
    const [, packed, unpacked] = /([\d.]+) MB packed, ([\d.]+) MB unpacked/.exec(stdout)!;
    sizes = { packed: Number(packed), unpacked: Number(unpacked) };
    writeFileSync(join(project, 'package.json'), '{"name": "project", "type": "module"}\n');
    await inProject('npm', 'install', join(folder, `cumulet-${packageVersion()}.tgz`));
    const entry = join(project, 'node_modules', 'cumulet', 'dist', 'index.js');
    library = (await import(pathToFileURL(entry).href)) as Library;
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  it('is small, and installs few other packages', async () => {
    expect(sizes.packed).to.be.lessThan(2.2);
    expect(sizes.unpacked).to.be.lessThan(9);
    const listed = await inProject('npm', 'ls', '--all', '--parseable');
    expect(listed.trim().split('\n')).to.have.length.lessThan(10);
  });

  it('contains only what runs, and its types and licenses', () => {
    const files = readdirSync(join(project, 'node_modules', 'cumulet'), {
      recursive: true,
      withFileTypes: true,
    }).filter((entry) => entry.isFile());
    const others = files
      .map(({ name }) => name)
      .filter((name) => !/\.(?:c?js|json|d\.ts)$/.test(name));
    const presets = readdirSync(join(packageRoot(), 'worlds', 'presets'));
    const page = ['icon.svg', 'index.html', 'style.css'];
    const scripts = others.filter((name) => name.endsWith('.sql'));
    expect(scripts).to.have.length(2);
    expect(others).to.have.members(
      ['README.md', 'LICENSE', 'licenses.txt'].concat(page, presets, scripts),
    );
  });

  it('serves the page', async () => {
    await using cloud = await library.startCloud({ hosts: 0 });
    for (const [file, type] of [
      ['', 'text/html'],
      ['page.js', 'text/javascript'],
      ['style.css', 'text/css'],
      ['icon.svg', 'image/svg+xml'],
    ] as const) {
      const reply = await fetch(`${cloud.url}/_emulator/ui/${file}`);
      expect(reply.status).to.equal(200);
      expect(reply.headers.get('content-type')).to.include(type);
    }
  });

  it('has the command cumulet', async () => {
    expect(await inProject('npx', '--no-install', 'cumulet', '--version')).to.equal(
      `${packageVersion()}\n`,
    );
    const script =
      'fetch(process.env.CUMULET_URL + "/_emulator/ready").then(r => process.exit(r.status - 200))';
    await inProject('npx', '--no-install', 'cumulet', 'exec', '--', 'node', '-e', script);
  });

  it('has a library whose methods all work, in two clouds at once', async () => {
    await using first = await library.startCloud({ hosts: 1 });
    await using second = await library.startCloud({ hosts: 2, clock: '2030-01-01' });
    await callEverything(first);
    expect(await second.hosts.list()).to.have.length(2);
    expect((await second.clock.read()).now).to.equal('2030-01-01T00:00:00.000000Z');
  });

  it('checks the bodies of requests', async () => {
    await using cloud = await library.startCloud({ hosts: 0, auth: 'noauth2' });
    const reply = await fetch(`${cloud.url}/compute/v2.1/flavors`, {
      method: 'POST',
      headers: { 'x-auth-token': 'admin', 'content-type': 'application/json' },
      body: JSON.stringify({ flavor: { name: 'x', ram: 'much', vcpus: 1, disk: 1 } }),
    });
    expect(reply.status).to.equal(400);
    expect(await reply.text()).to.include("'much' does not match");
  });

  for (const module of ['node16', 'nodenext'])
    it(`has types that compile with --strict and --module ${module}`, async () => {
      writeFileSync(join(project, 'use.mts'), program);
      const tsc = join(packageRoot(), 'node_modules', '.bin', 'tsc');
      const strict = ['--strict', '--exactOptionalPropertyTypes', '--noEmit', '--types', ''];
      const target = ['--target', 'es2022', '--lib', 'es2022', '--module', module];
      await inProject(tsc, ...strict, ...target, 'use.mts').catch((error: { stdout: string }) => {
        throw new Error(error.stdout);
      });
    });
});

/** A program that uses the types, and has mistakes that they must report. */
const program = `
import { connectCloud, startCloud, RequestAssertionError } from 'cumulet';
import type { Cloud, FaultRule, JournalEntry, StartOptions } from 'cumulet';

const options: StartOptions = { regions: ['One', 'Two'], hosts: 3, clock: new Date(), log: 'warn' };
await using cloud: Cloud = await startCloud(options);
const url: string = cloud.url;
const user: string | undefined = cloud.env['OS_USERNAME'];
const rule: FaultRule = await cloud.faults.add({
  match: { service: 'compute', operation: 'servers:create' },
  effect: { status: 503, headers: { 'retry-after': '1' } },
  count: 2,
});
const requests: readonly JournalEntry[] = await cloud.requests.list({ status: '4xx', limit: 10 });
const method: string | undefined = requests[0]?.method;
await cloud.clock.advance({ hours: 2 });
await cloud.clock.advance({ to: new Date() });
const other = await connectCloud(url, { controlToken: 'token' });
await other.requests.assert({ match: { status: 404 }, times: rule.hit });
export const near = (error: unknown): string[] =>
  error instanceof RequestAssertionError
    ? error.nearMisses.map(({ request }) => \`\${request.path} \${user} \${method}\`)
    : [];

// @ts-expect-error: there is no such option
await startCloud({ machines: 3 });
// @ts-expect-error: a rule needs an effect
await cloud.faults.add({ match: {} });
// @ts-expect-error: there is no such condition
await cloud.requests.assert({ match: { verb: 'GET' } });
`;
