// Tests of startCloud() and connectCloud(): options, credentials, errors, and the end of a cloud.
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import {
  connectCloud,
  CumuletError,
  RequestAssertionError,
  startCloud,
  type Cloud,
  type StartOptions,
} from '../../src/library/index.ts';

/** The error of a promise. @throws Error if there is none */
async function errorOf(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error('It did not fail.');
}

/** The names of Compute's flavors, as a client with the variables of the cloud reads them. */
async function flavorsOf({ env }: Cloud): Promise<string[]> {
  const user = {
    name: env['OS_USERNAME'],
    password: env['OS_PASSWORD'],
    domain: { name: env['OS_USER_DOMAIN_NAME'] },
  };
  const scope = {
    project: {
      name: env['OS_PROJECT_NAME'],
      domain: { name: env['OS_PROJECT_DOMAIN_NAME'] },
    },
  };
  const signedIn = await fetch(`${env['OS_AUTH_URL']}/auth/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      auth: { identity: { methods: ['password'], password: { user } }, scope },
    }),
  });
  const { token } = (await signedIn.json()) as {
    token: { catalog: { type: string; endpoints: { interface: string; url: string }[] }[] };
  };
  const compute = token.catalog.find(({ type }) => type === 'compute')!;
  const { url } = compute.endpoints.find((one) => one.interface === 'public')!;
  const listed = await fetch(`${url}/flavors`, {
    headers: { 'x-auth-token': signedIn.headers.get('x-subject-token')! },
  });
  return ((await listed.json()) as { flavors: { name: string }[] }).flavors.map(({ name }) => name);
}

describe('startCloud()', () => {
  let cloud: Cloud;

  before(async () => {
    cloud = await startCloud({ hosts: 1 });
  });

  beforeEach(() => cloud.reset());

  after(() => cloud.stop());

  it('starts a cloud that clients can use with its variables', async () => {
    expect(cloud.url).to.match(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await flavorsOf(cloud)).to.include('m1.tiny');
  });

  it('has a clouds.yaml', () => {
    const { clouds } = parse(cloud.cloudsYaml) as {
      clouds: Record<string, { auth: Record<string, string> }>;
    };
    expect(clouds['cumulet']!.auth).to.include({
      auth_url: cloud.env['OS_AUTH_URL'],
      username: 'admin',
      password: 'secret',
    });
  });

  it('keeps the newest 1,000 requests, for assertions', async () => {
    await flavorsOf(cloud);
    const [request] = await cloud.requests.assert({
      match: { service: 'compute', operation: 'flavors:list', status: 200 },
      times: 1,
    });
    expect(request).to.include({ method: 'GET', path: '/v2.1/flavors', project_name: 'admin' });
  });

  it('throws an assertion error with the near misses if an assertion fails', async () => {
    await flavorsOf(cloud);
    const error = (await errorOf(
      cloud.requests.assert({ match: { operation: 'flavors:list', status: 404 } }),
    )) as RequestAssertionError;
    expect(error).to.be.instanceOf(RequestAssertionError);
    expect(error).to.include({ name: 'AssertionError', code: 'ERR_ASSERTION', matched: 0 });
    expect(error.message)
      .to.include('Expected at least 1 request to flavors:list with status 404, found none.')
      .and.to.match(/GET \S*\/flavors.+ 200/);
    expect(error.nearMisses[0]).to.include({ condition: 'status', actual: '200' });
  });

  it('moves the clock, and reports the jobs that it has run', async () => {
    await cloud.clock.freeze('2030-01-01');
    expect(await cloud.clock.advance({ days: 1, hours: 2 })).to.include({
      now: '2030-01-02T02:00:00.000000Z',
      frozen: true,
    });
    expect((await cloud.clock.set(new Date('2031-05-06T07:08:09Z'))).now).to.match(/^2031-05-06/);
    expect(await cloud.clock.unfreeze()).to.include({ frozen: false });
  });

  it('injects faults until they are cleared', async () => {
    const rule = { match: { operation: 'flavors:list' }, effect: { status: 503 } };
    await cloud.faults.add({ ...rule, count: 5 });
    expect(await flavorsOf(cloud).catch(() => [])).to.deep.equal([]);
    const [shown] = await cloud.faults.list();
    expect(shown).to.deep.include({ ...rule, hit: 1, spent: false });
    await cloud.faults.clear();
    expect(await flavorsOf(cloud)).to.include('m1.tiny');
  });

  it('restores a snapshot', async () => {
    await cloud.hosts.add({ name: 'kept' });
    await cloud.snapshot('two-hosts');
    await cloud.reset();
    expect(await cloud.hosts.list()).to.have.length(1);
    await cloud.restore('two-hosts');
    expect((await cloud.hosts.list()).map(({ name }) => name)).to.include('kept');
  });

  it('says what to do if a call fails', async () => {
    const error = await errorOf(cloud.restore('unknown'));
    expect(error).to.be.instanceOf(CumuletError).and.to.include({ status: 404 });
    expect(error.message).to.match(/unknown/);
    await cloud.requests.keep(0);
    expect((await errorOf(cloud.requests.list())).message).to.include('npx cumulet requests keep');
    await cloud.requests.keep(1000);
  });
});

describe('the options of startCloud()', () => {
  it('are those of the command line', async () => {
    await using cloud = await startCloud({
      regions: ['North', 'South'],
      hosts: 2,
      adminPassword: 'another',
      latency: { 'server.create': '5s' },
      journal: 0,
    });
    expect((await cloud.regions.list()).map(({ name }) => name)).to.deep.equal(['North', 'South']);
    expect(await cloud.hosts.list({ region: 'South' })).to.have.length(2);
    expect(cloud.env).to.include({ OS_REGION_NAME: 'North', OS_PASSWORD: 'another' });
  });

  it('freeze the clock with `clock`, also after a reset', async () => {
    await using cloud = await startCloud({ hosts: 0, clock: new Date('2030-01-01') });
    const frozen = { now: '2030-01-01T00:00:00.000000Z', frozen: true };
    expect(await cloud.clock.read()).to.include(frozen);
    await cloud.clock.advance({ weeks: 1 });
    await cloud.reset({ service: 'placement' });
    expect((await cloud.clock.read()).now).to.match(/^2030-01-08/);
    await cloud.reset();
    expect(await cloud.clock.read()).to.include(frozen);
  });

  describe('in a file', () => {
    let folder: string;
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'cumulet-test-'));
    });
    afterEach(() => rmSync(folder, { recursive: true }));
    const write = (text: string): string => {
      const file = join(folder, 'mine.yaml');
      writeFileSync(file, text);
      return file;
    };

    it('apply with `config`, but for those of an emulator that keeps running', async () => {
      const config = write(
        'options: { regions: [North], admin-password: filed, port: 1, database: "sqlite:x" }\n' +
          'world: { hosts: 2, servers: [{ name: web }] }\n',
      );
      await using cloud = await startCloud({ config });
      expect(cloud.env).to.include({ OS_REGION_NAME: 'North', OS_PASSWORD: 'filed' });
      expect(cloud.url).not.to.match(/:1$/);
      expect(await cloud.hosts.list()).to.have.length(2);
      expect(await flavorsOf(cloud)).to.include('m1.tiny');
      expect(readdirSync(folder)).to.deep.equal(['mine.yaml']);
    });

    it('give way to the options of the call', async () => {
      const config = write('options: { regions: [North] }\nworld: { hosts: 2 }\n');
      await using cloud = await startCloud({ config, regions: ['South'], preset: 'empty' });
      expect((await cloud.info()).regions).to.deep.equal(['South']);
      expect(await cloud.hosts.list()).to.deep.equal([]);
    });

    it('are refused with the line of a mistake', async () => {
      const config = write('options:\n  prot: 1\n');
      expect((await errorOf(startCloud({ config }))).message).to.match(
        /mine\.yaml:2: there is no option 'prot'\. Did you mean port\?/,
      );
    });
  });

  it('send the control token', async () => {
    await using cloud = await startCloud({ hosts: 0, controlToken: 'sesame' });
    expect((await cloud.info()).regions).to.deep.equal(['RegionOne']);
    expect((await errorOf(connectCloud(cloud.url))).message).to.match(/control token/);
    await connectCloud(cloud.url, { controlToken: 'sesame' });
  });

  it('are refused if they are unknown or not valid', async () => {
    const messageOf = async (options: object): Promise<string> =>
      (await errorOf(startCloud(options as StartOptions))).message;
    expect(await messageOf({ host5: 1 })).to.match(
      /^startCloud\(\) has no option 'host5'\. .*hosts/,
    );
    expect(await messageOf({ workers: 2 })).to.match(/no option 'workers'/);
    expect(await messageOf({ journal: -1 })).to.equal(
      "'-1' is not valid for the option 'journal'. Use a number of requests from 0 to 20000.",
    );
    expect(await messageOf({ log: 'loud' })).to.match(/'loud' is not valid/);
    expect(await messageOf({ clock: 'tomorrow' })).to.match(/tomorrow/);
  });

  it('leave no server behind if the start fails', async () => {
    const port = await freePort();
    await errorOf(startCloud({ port, hosts: 0, clock: 'tomorrow' }));
    await using cloud = await startCloud({ port, hosts: 0 });
    expect(cloud.url).to.equal(`http://127.0.0.1:${port}`);
  });
});

describe('the end of a cloud', () => {
  it('comes with `await using`, with stop(), and only once', async () => {
    let cloud: Cloud;
    {
      await using inside = await startCloud({ hosts: 0 });
      cloud = inside;
    }
    await cloud.stop();
    await cloud.stop();
    expect((await errorOf(cloud.clock.read())).message).to.equal(
      `The cloud at ${cloud.url} has been stopped. Start another one with startCloud().`,
    );
    expect((await errorOf(connectCloud(cloud.url))).message).to.match(
      /^No emulator answers at .+ Start one with startCloud\(\)/,
    );
  });

  it('leaves the listeners of the process unchanged', async () => {
    const listeners = (): unknown =>
      process.eventNames().map((name) => [name, process.listenerCount(name)]);
    const before = listeners();
    const environment = { ...process.env };
    const cloud = await startCloud({ hosts: 0 });
    expect(listeners()).to.deep.equal(before);
    await cloud.stop();
    expect(listeners()).to.deep.equal(before);
    expect(process.env).to.deep.equal(environment);
    expect(process.exitCode).to.equal(undefined);
  });
});

describe('connectCloud()', () => {
  it('returns the same object for a running emulator, which outlives it', async () => {
    await using started = await startCloud({ hosts: 0 });
    const connected = await connectCloud(`${started.url}/`);
    expect(connected).to.deep.include({
      url: started.url,
      env: started.env,
      cloudsYaml: started.cloudsYaml,
    });
    await connected.clock.freeze('2030-01-01');
    expect((await started.clock.read()).frozen).to.equal(true);
    await connected.stop();
    expect((await started.info()).regions).to.deep.equal(['RegionOne']);
  });

  it('takes the address of CUMULET_URL', async () => {
    await using started = await startCloud({ hosts: 0 });
    process.env['CUMULET_URL'] = started.url;
    try {
      expect((await connectCloud()).url).to.equal(started.url);
    } finally {
      delete process.env['CUMULET_URL'];
    }
    expect((await errorOf(connectCloud())).message).to.match(/needs the address .+ CUMULET_URL/);
  });

  it('says so if the server is not an emulator', async () => {
    const server: Server = createServer((_, response) => response.writeHead(404).end('none'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect((await errorOf(connectCloud(url))).message).to.equal(
      `The server at ${url} is not a Cumulet emulator: it returns 404 Not Found. Give ` +
        'connectCloud() the address of an emulator.',
    );
    server.close();
  });
});

/** A port that nothing listens on. */
async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
