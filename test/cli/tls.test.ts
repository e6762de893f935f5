// Tests of --tls and --native-ports: certificates, clients that trust them, and the catalog.
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { expect } from 'chai';
import { connectCloud } from '../../src/library/index.ts';
import { configOf } from '../../src/config.ts';
import type { Config } from '../../src/kernel/settings.ts';
import { trustingFetch } from '../../src/kernel/tls/fetch.ts';
import { createAuthority, issueCertificate } from '../../src/kernel/tls/certificates.ts';
import { run, type Running } from '../../src/server.ts';
import { cumulet } from '../kernel/processes.ts';
import { databases } from '../support/databases.ts';
import { startEmulator } from '../support/processes.ts';

let folder: string;
const running: Running[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cumulet-tls-'));
});

afterEach(async () => {
  for (const one of running.splice(0)) await one.stop();
  rmSync(folder, { recursive: true });
});

async function start(fields: Partial<Config> = {}): Promise<Running> {
  const database = { kind: 'sqlite', folder: join(folder, 'state') } as const;
  const one = await run(configOf({ port: 0, database, logLevel: 'silent', hosts: '0', ...fields }));
  running.push(one);
  return one;
}

const refusal = (fields: Partial<Config>): Promise<string> =>
  start(fields).then(
    () => 'none',
    (error: Error) => error.message.replaceAll(folder, '.'),
  );

/** The certificate that a server sends, checked with an authority. */
const certificateAt = (origin: string, ca: string, servername: string): Promise<X509Certificate> =>
  new Promise((done, fail) => {
    const { port, hostname } = new URL(origin);
    const socket = connectTls({ port: Number(port), host: hostname, ca, servername }, () => {
      done(socket.getPeerX509Certificate()!);
      socket.end();
    });
    socket.once('error', fail);
  });

describe('--tls', () => {
  it('serves HTTPS with a certificate of an authority that a restart keeps', async () => {
    const { origin, cacert } = await start({ tls: true, tlsNames: ['cloud.test', '10.1.2.3'] });
    expect(origin).to.match(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(cacert).to.equal(join(folder, 'state', 'tls', 'ca.pem'));
    const ca = readFileSync(cacert!, 'utf8');
    for (const name of ['localhost', 'cloud.test'])
      expect((await certificateAt(origin, ca, name)).checkHost(name)).to.equal(name);
    const certificate = await certificateAt(origin, ca, 'localhost');
    expect(['127.0.0.1', '::1', '10.1.2.3'].map((ip) => certificate.checkIP(ip))).to.not.include(
      undefined,
    );
    for (const name of ['ca-key.pem', 'server.pem'])
      expect(statSync(join(folder, 'state', 'tls', name)).mode & 0o777).to.equal(0o600);
    await running.pop()!.stop();
    const again = await start({ tls: true });
    expect(readFileSync(again.cacert!, 'utf8')).to.equal(ca);
    const kept = await certificateAt(again.origin, ca, 'localhost');
    expect(kept.fingerprint).to.equal(certificate.fingerprint);
  });

  it('issues another certificate of the same authority for further names', async () => {
    const first = await start({ tls: true });
    const ca = readFileSync(first.cacert!, 'utf8');
    await running.pop()!.stop();
    const { origin } = await start({ tls: true, tlsNames: ['later.test'] });
    expect((await certificateAt(origin, ca, 'later.test')).checkHost('later.test')).to.equal(
      'later.test',
    );
  });

  it('makes certificates that OpenSSL accepts in strict mode', function () {
    const authority = createAuthority('a machine');
    writeFileSync(join(folder, 'ca.pem'), authority.cert);
    writeFileSync(join(folder, 'cert.pem'), issueCertificate(authority, ['::1', 'a.test']).cert);
    const args = ['verify', '-x509_strict', '-verify_hostname', 'a.test', '-CAfile', 'ca.pem'];
    try {
      execFileSync('openssl', ['version']);
    } catch {
      this.skip();
    }
    const text = execFileSync('openssl', [...args, 'cert.pem'], { cwd: folder }).toString();
    expect(text).to.equal('cert.pem: OK\n');
  });

  it('has https in the catalog and the links, and its authority in what clients read', async () => {
    const { origin, cacert } = await start({ tls: true });
    const get = async (path: string): Promise<string> =>
      (await trustingFetch(`${origin}${path}`, {}, cacert)).text();
    expect(await get('/_emulator/openrc')).to.include(`export OS_CACERT='${cacert}'`);
    expect(await get('/_emulator/clouds.yaml')).to.include(`cacert: ${cacert}`);
    expect(await get('/identity/v3')).to.include(`${origin}/identity/v3/`);
    const cloud = await connectCloud(origin, { cacert: cacert! });
    expect(cloud.env).to.include({ OS_AUTH_URL: `${origin}/identity/v3`, OS_CACERT: cacert });
    await cloud.snapshot('a');
    expect(await cloud.export({ snapshot: 'a' })).to.match(/^\{"cumulet"/);
  });

  it('tells a client in plain HTTP to use https, in the format of the service', async () => {
    const { origin } = await start({ tls: true });
    const plain = origin.replace('https:', 'http:');
    const reply = await fetch(`${plain}/compute/v2.1`);
    expect(reply.status).to.equal(400);
    const { badRequest } = (await reply.json()) as { badRequest: { message: string } };
    expect(badRequest.message).to.equal(
      `This port serves HTTPS, and the request is plain HTTP. Use ${origin}, or the option --tls ` +
        'of the command cumulet.',
    );
  });

  it('serves a given certificate', async () => {
    const authority = createAuthority('elsewhere');
    const pair = issueCertificate(authority, ['127.0.0.1']);
    const files = Object.entries({ cert: pair.cert, key: pair.key, ca: authority.cert });
    for (const [name, text] of files) writeFileSync(join(folder, name), text);
    const [tlsCert, tlsKey, tlsCa] = ['cert', 'key', 'ca'].map((name) => join(folder, name));
    const { origin, cacert } = await start({ tlsCert, tlsKey, tlsCa });
    expect(cacert).to.equal(tlsCa);
    const reply = await trustingFetch(`${origin}/_emulator/health`, {}, cacert);
    expect(reply.status).to.equal(200);
    expect(existsSync(join(folder, 'state', 'tls'))).to.equal(false);
    await running.pop()!.stop();
    expect((await start({ tlsCert, tlsKey })).cacert).to.equal(undefined);
  });

  it('refuses a certificate without its key, with another key, and files without one', async () => {
    const authority = createAuthority('elsewhere');
    const tlsCert = join(folder, 'cert');
    const tlsKey = join(folder, 'key');
    writeFileSync(tlsCert, issueCertificate(authority, ['localhost']).cert);
    writeFileSync(tlsKey, authority.key);
    expect(await refusal({ tlsCert })).to.equal(
      '--tls-cert ./cert: its private key is missing. Give it with --tls-key.',
    );
    expect(await refusal({ tlsCert, tlsKey })).to.equal(
      './key is not the private key of ./cert. Give both of one server.',
    );
    expect(await refusal({ tlsCert: tlsKey, tlsKey })).to.equal(
      '--tls-cert ./key: the file does not contain a certificate in PEM.',
    );
    expect(await refusal({ tlsCert: join(folder, 'none'), tlsKey })).to.match(
      /^--tls-cert \.\/none cannot be read: ENOENT/,
    );
  });

  it('is found by the commands without an option, and trusted by the command of exec', async () => {
    const { origin } = await start({ tls: true });
    const env = { OS_CACERT: join(folder, 'state', 'tls', 'ca.pem'), XDG_STATE_HOME: folder };
    const { port } = new URL(origin);
    const status = await cumulet(['status', '--port', port, '--json'], { env }).ended;
    expect(JSON.parse(status.out)).to.include({ running: true, url: origin });
    const script =
      'fetch(process.env.OS_AUTH_URL).then((reply) => console.log(reply.status, reply.url))';
    const words = ['exec', '--tls', '--', process.execPath, '-e', script];
    const { code, out } = await cumulet(words, { env: { XDG_STATE_HOME: folder } }).ended;
    expect([code, out]).to.deep.equal([0, out]);
    expect(out).to.match(/^200 https:\/\/127\.0\.0\.1:\d+\/identity\/v3\n$/);
  });

  it('has one certificate in all processes on MySQL', async function () {
    const url = await databases.freshUrl();
    if (!url) return this.skip();
    const flags = ['--tls', '--workers', '2', '--database', url];
    const emulator = await startEmulator(flags, { XDG_STATE_HOME: folder });
    try {
      const found = await Promise.all(
        Array.from({ length: 6 }, () => fingerprintAt(emulator.origin)),
      );
      expect(new Set(found).size).to.equal(1);
    } finally {
      await emulator.stop();
    }
  });
});

const fingerprintAt = (origin: string): Promise<string> =>
  new Promise((done, fail) => {
    const port = Number(new URL(origin).port);
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      done(socket.getPeerX509Certificate()!.fingerprint);
      socket.end();
    });
    socket.once('error', fail);
  });

describe('--native-ports', () => {
  /** Starts with an offset whose ports are free: another program may use some. */
  async function startNative(fields: Partial<Config>): Promise<[Running, number]> {
    const first = 10_000 + (process.pid % 200) * 100;
    for (let offset = first; offset < first + 10_000; offset += 1000)
      try {
        return [await start({ nativePorts: offset, ...fields }), offset];
      } catch (error) {
        if (!/already in use/.test((error as Error).message)) throw error;
      }
    throw new Error('No range of ports is free.');
  }

  it('serves each service at its port, also in further regions, and lists these ports', async () => {
    const [{ origin }, offset] = await startNative({ regions: ['RegionOne', 'RegionTwo'] });
    const at = (port: number): string => `http://127.0.0.1:${port + offset}`;
    const body = {
      auth: {
        identity: {
          methods: ['password'],
          password: { user: { name: 'admin', password: 'secret', domain: { id: 'default' } } },
        },
        scope: { project: { name: 'admin', domain: { id: 'default' } } },
      },
    };
    const request = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    for (const keystone of [`${origin}/identity`, at(5000)]) {
      const reply = await fetch(`${keystone}/v3/auth/tokens`, request);
      const { token } = (await reply.json()) as { token: { catalog: Service[] } };
      expect(urlsOf(token.catalog)).to.include({
        'identity RegionTwo': at(5000),
        'compute RegionOne': `${at(8774)}/v2.1`,
        'compute RegionTwo': `${at(8874)}/v2.1`,
        'placement RegionOne': at(8778),
        'image RegionOne': at(9292),
        'network RegionTwo': at(9796),
        'clustering RegionOne': at(8777),
        'reservation RegionOne': `${at(1234)}/v1`,
      });
      const headers = { 'x-auth-token': reply.headers.get('x-subject-token')! };
      const made = await fetch(`${at(8878)}/resource_providers`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ name: keystone.slice(-8).replaceAll(/\W/g, '') }),
      });
      expect(made.status).to.equal(201);
      const listed = async (url: string): Promise<number> => {
        const answer = await fetch(`${url}/resource_providers`, { headers });
        return ((await answer.json()) as { resource_providers: [] }).resource_providers.length;
      };
      expect(await listed(`${origin}/RegionTwo/placement`)).to.be.greaterThan(0);
      expect(await listed(at(8778))).to.equal(0);
    }
  });

  it('suggests an offset if one of its ports is in use', async () => {
    const [, offset] = await startNative({});
    const database = { kind: 'memory' } as const;
    expect(await refusal({ database, nativePorts: offset })).to.equal(
      `Port ${5000 + offset} is already in use. Choose another with --native-ports <offset>.`,
    );
  });
});

interface Service {
  readonly type: string;
  readonly endpoints: readonly { region: string; interface: string; url: string }[];
}

const urlsOf = (catalog: readonly Service[]): Record<string, string> =>
  Object.fromEntries(
    catalog.flatMap(({ type, endpoints }) =>
      endpoints
        .filter((one) => one.interface === 'public')
        .map(({ region, url }) => [`${type} ${region}`, url]),
    ),
  );
