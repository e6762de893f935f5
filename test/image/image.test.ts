// Builds the image on a base that mmdebstrap makes from Debian, and uses a container of it. The
// container gets its own root directory and user, and the network of this machine.
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '../../src/kernel/package-root.ts';

const root = packageRoot();
/** The bases and what the builds have in common, which the next run uses again. */
const cache = join(root, 'tmp', 'image');
const storage = ['--root', join(cache, 'storage'), '--runroot', join(cache, 'run')];

const call = (file: string, ...args: readonly string[]): string =>
  execFileSync(file, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
const buildah = (...args: readonly string[]): string =>
  call('buildah', ...storage, '--storage-driver', 'vfs', ...args).trim();

/** What keeps the suite from running; undefined if nothing does. */
function missing(): string | undefined {
  const absent = ['buildah', 'mmdebstrap'].filter((name) => spawnSync(name, ['--version']).error);
  if (absent.length) return `Debian's ${absent.join(' and ')}`;
  return process.getuid?.() === 0 ? undefined : 'root';
}

/** The bases: one with npm and a shell for the build, and one with nothing but Node.js. */
const bases = {
  build: ['--variant=minbase', '--include=ca-certificates,libstdc++6'],
  run: ['--variant=extract', '--include=base-files,ca-certificates,libc6,libgcc-s1,libstdc++6'],
} as const;

/** Makes a base from Debian's packages and the Node.js of this machine. @returns its name */
function makeBase(kind: keyof typeof bases): string {
  const name = `localhost/cumulet-base-${kind}`;
  if (buildah('images', '--format', '{{.Name}}').split('\n').includes(name)) return name;
  const archive = join(cache, `${kind}.tar`);
  if (!existsSync(archive)) {
    call('mmdebstrap', '--quiet', ...bases[kind], 'bookworm', `${archive}.tmp`);
    renameSync(`${archive}.tmp`, archive);
  }
  const container = buildah('from', 'scratch');
  buildah('add', '--quiet', container, archive, '/');
  buildah('copy', '--quiet', container, process.execPath, '/usr/bin/node');
  if (kind === 'build') {
    const npm = call('npm', 'root', '--global').trim();
    buildah('copy', '--quiet', container, join(npm, 'npm'), '/usr/lib/node_modules/npm');
    for (const command of ['npm', 'npx']) {
      const file = `../lib/node_modules/npm/bin/${command}-cli.js`;
      inside(container, 'ln', '-sf', file, `/usr/bin/${command}`);
    }
  }
  buildah('commit', '--quiet', '--rm', container, name);
  return name;
}

const inside = (container: string, ...command: readonly string[]): string =>
  buildah('run', '--isolation', 'chroot', container, '--', ...command);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

describe('the image', function () {
  this.timeout(0);
  const image = 'localhost/cumulet-under-test';
  const token = 'only-for-tests';
  const containers: string[] = [];
  let folder: string;
  let running: ChildProcess | undefined;

  before(function () {
    const need = missing();
    if (need !== undefined) {
      console.log(`    skipped: building the image needs ${need}`);
      return this.skip();
    }
    mkdirSync(cache, { recursive: true });
    buildah(
      'build',
      '--isolation=chroot',
      '--format=docker',
      '--layers',
      '--volume=/etc/ssl/certs:/etc/ssl/certs:ro',
      `--build-arg=BUILD_BASE=${makeBase('build')}`,
      `--build-arg=BASE=${makeBase('run')}`,
      `--build-arg=NPM_CONFIG_REGISTRY=${call('npm', 'config', 'get', 'registry').trim()}`,
      '--build-arg=NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt',
      `--tag=${image}`,
      '.',
    );
  });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'cumulet-image-'));
  });

  afterEach(async () => {
    if (running?.exitCode === null) {
      const ended = new Promise((done) => running!.once('exit', done));
      running.kill('SIGTERM');
      await ended;
    }
    for (const container of containers.splice(0)) buildah('rm', container);
    rmSync(folder, { recursive: true });
  });

  /** Starts the image's own command on a free port. @returns its container and URL */
  async function start(variables: Readonly<Record<string, string>>): Promise<[string, string]> {
    const container = buildah('from', '--pull-never', image);
    containers.push(container);
    const port = await freePort();
    const all = {
      CUMULET_PORT: String(port),
      CUMULET_ADMIN_PASSWORD: 'only-for-tests',
      CUMULET_CONTROL_TOKEN: token,
      ...variables,
    };
    const env = Object.entries(all).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
    buildah('config', ...env, container);
    const command = ['node', '/usr/local/bin/cumulet', 'start'];
    const options = [...storage, '--storage-driver', 'vfs', 'run', '--isolation', 'chroot'];
    running = spawn('buildah', [...options, container, '--', ...command], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    const url = await new Promise<string>((done, fail) => {
      running!.once('exit', (code) => fail(new Error(`It ended with ${code}: ${output}`)));
      running!.stdout!.on('data', (data: Buffer) => {
        output += data.toString();
        const found = /listens at (\S+)\n/.exec(output);
        if (found) done(found[1]!);
      });
    });
    return [container, url];
  }

  interface Config {
    readonly User: string;
    readonly Volumes: Readonly<Record<string, object>>;
    readonly Healthcheck: { readonly Test: readonly string[] };
  }

  const inspect = (): Config =>
    (
      JSON.parse(buildah('inspect', '--type', 'image', image)) as {
        Docker: { config: Config };
      }
    ).Docker.config;

  it('is smaller than 150 MB, on a base that has nothing but Node.js', () => {
    const format = ['images', '--format', '{{.Size}}'];
    const sizes = [makeBase('run'), image].map((name) => buildah(...format, name));
    console.log(`      base ${sizes[0]}, image ${sizes[1]}`);
    const [size, unit] = sizes[1]!.split(' ');
    expect(unit).to.equal('MB');
    expect(Number(size)).to.be.lessThan(150);
  });

  it('has a user without rights, a volume and a health check', () => {
    const { User, Volumes, Healthcheck } = inspect();
    expect([User, Object.keys(Volumes)]).to.deep.equal(['10001:10001', ['/var/lib/cumulet']]);
    expect(Healthcheck.Test.join(' ')).to.equal('CMD node /usr/local/bin/cumulet status');
  });

  it('serves a client, and its health check passes', async () => {
    const [container, url] = await start({ CUMULET_DATABASE: 'memory:' });
    const status = inside(container, 'node', '/usr/local/bin/cumulet', 'status', '--json');
    expect(JSON.parse(status)).to.include({ running: true, url });
    const headers = { 'x-control-token': token };
    const reply = await fetch(`${url}/_emulator/environment`, { headers });
    const { environment } = (await reply.json()) as { environment: Record<string, string> };
    const client = spawnSync('openstack', ['token', 'issue', '-f', 'value', '-c', 'project_id'], {
      env: { PATH: process.env['PATH'], HOME: folder, no_proxy: '127.0.0.1', ...environment },
      encoding: 'utf8',
    });
    if (client.error) return; // the client is not installed
    expect([client.status, client.stdout], client.stderr).to.deep.equal([
      0,
      client.stdout.replace(/^(?![0-9a-f]{32}\n$)[^]*$/, 'an id of 32 digits'),
    ]);
  });

  it('writes its state as the user of the image, and nothing outside of the volume', async () => {
    const [container] = await start({ CUMULET_TLS: '1' });
    const script = `
      const { statSync, accessSync, readdirSync, constants } = require('fs');
      const canWrite = (path) => { try { accessSync(path, constants.W_OK); return true } catch { return false } };
      console.log(JSON.stringify({
        user: process.getuid(),
        writable: ['/', '/opt/cumulet', '/usr/local/bin', '/etc'].filter(canWrite),
        owner: statSync('/var/lib/cumulet').uid,
        files: readdirSync('/var/lib/cumulet'),
      }))`;
    const seen = JSON.parse(inside(container, 'node', '-e', script)) as { files: string[] };
    expect(seen).to.deep.include({ user: 10001, writable: [], owner: 10001 });
    expect(seen.files).to.include('tls');
  });

  it('refuses to start with the default password', async () => {
    const failed = await start({ CUMULET_ADMIN_PASSWORD: 'secret' }).catch(
      (error: Error) => error.message,
    );
    expect(failed).to.match(/^It ended with 1/);
  });
});
