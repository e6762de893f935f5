// Tests of the commands: in this process if possible, otherwise each in a process of its own.
import { expect } from 'chai';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, connect, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, type Running } from '../../src/server.ts';
import { reset } from '../../src/emulator/reset/commands.ts';
import { exportNow } from '../../src/emulator/snapshots/snapshots.ts';
import { configOf } from '../../src/config.ts';
import { cumulet, urlOf, type Process } from '../kernel/processes.ts';
import type { Config } from '../../src/kernel/settings.ts';

const inMemory = [
  '--port',
  '0',
  '--database',
  'memory:',
  '--auth',
  'noauth2',
  '--log-level',
  'warn',
];
const headers = { 'x-auth-token': 'admin', 'content-type': 'application/json' };

const make = async (url: string, name = 'a'): Promise<number> =>
  (
    await fetch(`${url}/resource_providers`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name }),
    })
  ).status;

async function names(url: string): Promise<string[]> {
  const body = (await (await fetch(`${url}/resource_providers`, { headers })).json()) as {
    resource_providers: { name: string }[];
  };
  return body.resource_providers.map(({ name }) => name);
}

async function listener(answer = ''): Promise<Server & { port: number }> {
  const server = createServer((socket) => void socket.end(answer)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return Object.assign(server, { port: (server.address() as AddressInfo).port });
}

describe('running servers', () => {
  const running: Running[] = [];
  const start = async (fields: Partial<Config> = {}): Promise<Running> => {
    const one = await run(
      configOf({
        port: 0,
        database: { kind: 'memory' },
        auth: 'noauth2',
        logLevel: 'silent',
        hosts: '0',
        ...fields,
      }),
    );
    running.push(one);
    return one;
  };

  afterEach(async () => {
    for (const one of running.splice(0)) await one.stop();
  });

  const refusal = async (fields: Partial<Config>): Promise<string> =>
    start(fields).then(
      () => 'none',
      (error: Error) => error.message,
    );

  it('picks a free port for port 0', async () => {
    const { origin } = await start();
    expect(origin).to.match(/^http:\/\/127\.0\.0\.1:[1-9]\d+$/);
    expect(await (await fetch(`${origin}/_emulator/health`)).json()).to.deep.equal({
      status: 'ok',
    });
  });

  it('puts an IPv6 address in brackets', async function () {
    const { origin } = await start({ host: '::1' }).catch(() => this.skip());
    expect(origin).to.match(/^http:\/\/\[::1\]:\d+$/);
    expect((await fetch(`${origin}/_emulator/health`)).status).to.equal(200);
  });

  it('serves one service at the root of its own port', async () => {
    const { origin, servicePorts } = await start({
      listen: [{ service: 'placement', host: undefined, port: 0 }],
    });
    const [placement] = servicePorts;
    await make(`${origin}/placement`);
    expect(await names(placement!.origin)).to.deep.equal(['a']);
    expect((await fetch(`${placement!.origin}/_emulator/health`, { headers })).status).to.equal(
      404,
    );
  });

  it('keeps its state in a folder across restarts', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cumulet-test-'));
    try {
      const database = { kind: 'sqlite', folder } as const;
      const first = await start({ database });
      await make(`${first.origin}/placement`);
      await running.pop()!.stop();
      expect(await names(`${(await start({ database })).origin}/placement`)).to.deep.equal(['a']);
    } finally {
      await running.pop()!.stop();
      rmSync(folder, { recursive: true });
    }
  });

  it('suggests another port if one is in use', async () => {
    const taken = await listener();
    expect(await refusal({ port: taken.port })).to.equal(
      `Port ${taken.port} is already in use. Choose another with --port, or 0 for any free port.`,
    );
    const listen = [{ service: 'placement', host: undefined, port: taken.port }];
    expect(await refusal({ listen })).to.equal(
      `Port ${taken.port} is already in use. Choose another with --listen.`,
    );
    taken.close();
  });

  it('lists the services if --listen names an unknown one', async () => {
    expect(await refusal({ listen: [{ service: 'nova', host: undefined, port: 0 }] })).to.match(
      /^--listen nova: unknown service\. Services: identity, placement/,
    );
  });

  it('names the database that cannot be opened', async () => {
    expect(
      await refusal({
        database: { kind: 'mysql', url: new URL('mysql://root@127.0.0.1:1/x'), name: 'x' },
      }),
    ).to.include('127.0.0.1:1');
    expect(await refusal({ database: { kind: 'sqlite', folder: '/dev/null/x' } })).to.include(
      '/dev/null',
    );
  });

  it('resets everything, a region, or a service', async () => {
    const { origin: url } = await start({ regions: ['One', 'Two'] });
    const makeBoth = async (): Promise<number[]> => [
      await make(`${url}/One/placement`),
      await make(`${url}/Two/placement`),
    ];
    expect(await makeBoth()).to.deep.equal([201, 201]);
    await reset({ url, region: 'Two' });
    expect(await makeBoth()).to.deep.equal([409, 201]);
    await reset({ url: `${url}/` });
    expect(await makeBoth()).to.deep.equal([201, 201]);
    await reset({ url, service: 'identity' });
    expect(await makeBoth()).to.deep.equal([409, 409]);
    await reset({ url, service: 'placement' });
    expect(await makeBoth()).to.deep.equal([201, 201]);
    await reset({ url, preset: 'full' });
    expect(await makeBoth()).to.deep.equal([201, 201]);
  });

  it('reports why a reset failed', async () => {
    const { origin: url } = await start();
    const why = (options: Parameters<typeof reset>[0]): Promise<string> =>
      reset(options).then(
        () => 'none',
        (error: Error) => error.message,
      );
    expect(await why({ url, service: 'nova' })).to.equal(
      "There is no service 'nova'. Services: identity, placement, image, network, volume, " +
        'compute, reservation, clustering, tricircle.',
    );
    expect(await why({ url, region: 'Mars' })).to.equal(
      "There is no region 'Mars'. Regions: RegionOne.",
    );
    expect(await why({ url: 'http://127.0.0.1:1' })).to.match(
      /^No emulator answers at http:\/\/127\.0\.0\.1:1\. Start one with '.+ start', or give/,
    );
    const other = await listener(
      'HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\nconnection: close\r\n\r\nno',
    );
    expect(await why({ url: `http://127.0.0.1:${other.port}` })).to.match(
      /^The server at http:\/\/127\.0\.0\.1:\d+ is not a Cumulet emulator: it returns 404/,
    );
    other.close();
  });
});

describe('the command line', function () {
  const started: Process[] = [];
  const command = (args: readonly string[], env?: Record<string, string>): Process => {
    const process = cumulet(args, { env });
    started.push(process);
    return process;
  };

  afterEach(async () => {
    for (const process of started.splice(0)) {
      process.kill('SIGKILL');
      await process.ended;
    }
  });

  it(
    'start: completes a request in flight at SIGTERM, then exits without waiting for its ' +
      'connection',
    async () => {
      const process = command(['start', ...inMemory]);
      const { port } = new URL(await urlOf(process));
      const socket = connect(Number(port), '127.0.0.1');
      const answer = new Promise<string>((resolve) =>
        socket.once('data', (data) => resolve(data.toString())),
      );
      const body = JSON.stringify({ name: 'slow' });
      const head =
        'POST /placement/resource_providers HTTP/1.1\r\nhost: localhost\r\nx-auth-token: ' +
        `admin\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
      await new Promise<void>((resolve) => socket.write(head + body.slice(0, 3), () => resolve()));
      // by now the server has seen the first connection
      await fetch(`http://127.0.0.1:${port}/_emulator/health`);
      process.kill('SIGTERM');
      await untilRefused(Number(port));
      socket.write(body.slice(3));
      expect(await answer).to.match(/^HTTP\/1\.1 201 /);
      const { code, err } = await process.ended;
      expect([code, err]).to.deep.equal([0, '']);
    },
  );

  it('starts without a command, and exits at SIGINT, with a line on the state', async () => {
    const process = command(inMemory);
    await urlOf(process);
    process.kill('SIGINT');
    const { code, out } = await process.ended;
    expect(code).to.equal(0);
    expect(out).to.match(/\nCumulet has stopped\. The cloud was in memory, and is gone\.\n$/);
  });

  it('start: prints where the cloud is, whether it is new, and how to go on', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cumulet-test-'));
    try {
      const output = async (): Promise<string> => {
        const database = `sqlite:${folder}`;
        const process = command(['--port', '0', '--database', database, '--log-level', 'warn']);
        await process.said(/Stop /);
        process.kill('SIGTERM');
        return (await process.ended).out;
      };
      const first = await output();
      expect(
        first
          .split('\n')
          .slice(1, -2)
          .map((line) => line.trim().split(/  +/)[0]),
      ).to.deep.equal(['Version', 'State', 'Regions', 'Sign in', 'Then', 'Control', 'Stop']);
      expect(first).to.include(`State    the folder ${folder} (new)\n`);
      expect(first).to.match(/Sign in {2}eval "\$\(curl -sS http.+\/_emulator\/openrc\)"\n/);
      expect(first).to.include(`The cloud is kept in the folder ${folder}: the next start`);
      expect(await output()).to.include(`State    the folder ${folder} (used before)\n`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('start: warns if the Keystone of another cloud does not answer', async () => {
    const keystone = 'http://127.0.0.1:1/identity/v3';
    const process = command(['--port', '0', '--database', 'memory:', '--keystone', keystone]);
    await urlOf(process);
    process.kill('SIGTERM');
    expect((await process.ended).err).to.match(
      /"msg":"The Keystone at http:\/\/127\.0\.0\.1:1\/identity\/v3 does not answer\. Requests get 503/,
    );
  });

  it('start: writes short lines with --log-format text', async () => {
    const process = command(['start', ...inMemory.slice(0, -2), '--log-format', 'text']);
    const url = await urlOf(process);
    await fetch(`${url}/placement/resource_providers`, { headers });
    process.kill('SIGTERM');
    expect((await process.ended).err).to.match(
      /^[\d:]{8} GET \/placement\/resource_providers 200 \d+ ms admin$/m,
    );
  });

  it('start: refuses a folder that another emulator uses, until that one has died', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cumulet-test-'));
    const database = `sqlite:${folder}`;
    const args = ['start', '--port', '0', '--log-level', 'warn', '--database', database];
    try {
      const both = [command(args), command(args)];
      const urls = await Promise.allSettled(both.map(urlOf));
      const first = urls.findIndex(({ status }) => status === 'fulfilled');
      expect(urls[1 - first]!.status).to.equal('rejected');
      const holder = both[first]!;
      const { port } = new URL((urls[first] as PromiseFulfilledResult<string>).value);
      const { code, err } = await command(args).ended;
      expect(code).to.equal(1);
      expect(err.replace(/since 2\d{3}-\d\d-\d\dT[\d:]{8}Z/, 'since TIME')).to.equal(
        `cumulet: Another emulator uses the folder ${folder} (process ${holder.pid}, port ` +
          `${port}, since TIME). Stop it, or choose another folder with --database ` +
          'sqlite:<folder>. To run several processes on one cloud, use ' +
          '--database mysql://user:password@host:port/name.\n',
      );
      holder.kill('SIGKILL');
      await holder.ended;
      const url = await urlOf(command(args));
      expect((await fetch(`${url}/_emulator/ready`)).status).to.equal(200);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('reports an error in one line, and exits with 1', async () => {
    const taken = await listener();
    const wrong = await Promise.all([
      command(['start', '--database', 'memory:', '--port', String(taken.port)]).ended,
      command(['--host', '0.0.0.0']).ended,
      command(['exec', 'no-such-command']).ended,
    ]);
    taken.close();
    expect(wrong.map(({ code }) => code)).to.deep.equal([1, 1, 1]);
    expect(wrong.map(({ err }) => err)).to.deep.equal([
      `cumulet: Port ${taken.port} is already in use. Choose another with --port, or 0 for ` +
        'any free port.\n',
      'cumulet: Other machines can reach 0.0.0.0, and the default password is public. Set ' +
        'another one with --admin-password <password> or CUMULET_ADMIN_PASSWORD.\n',
      "cumulet: Command 'no-such-command' not found. Install it, or add its folder to PATH.\n",
    ]);
  });

  it('suggests what is known instead of an unknown command, option, operation or folder', async () => {
    const wrong = await Promise.all([
      command(['strat']).ended,
      command(['--prot', '1']).ended,
      command(['--database', 'memory:', '--latency', 'server.craete=1s']).ended,
      command(['--database', 'memory:', '--policy-dir', '/dev/null/policies']).ended,
    ]);
    expect(wrong.map(({ code }) => code)).to.deep.equal([1, 1, 1, 1]);
    const [word, flag, latency, folder] = wrong.map(({ err }) => err);
    expect(word).to.match(/^error: unknown command 'strat'\n\(Did you mean start\?\)\n/);
    expect(flag).to.match(/^error: unknown option '--prot'\n\(Did you mean --port\?\)\n/);
    expect(latency).to.match(
      /^cumulet: --latency server\.craete: unknown name\. Valid names: image\.import, /,
    );
    expect(folder).to.match(/^cumulet: --policy-dir \/dev\/null\/policies: no such folder\./);
  });

  it('shows the options of start in its help, and the defaults of each command', async () => {
    const [all, start, exec, env] = await Promise.all(
      [['--help'], ['start', '--help'], ['exec', '--help'], ['env', '--help']].map(
        async (words) => (await command(words).ended).out,
      ),
    );
    expect(all).to.match(/Commands:\n {2}start [^]*\nOptions of start:\n\nServer:\n {2}--config /);
    expect(all).to.match(/\nServer:\n[^]*\n {2}--port <number> /);
    expect(start).to.match(/\nOperations of --latency: image\.import, /);
    expect(exec).to.match(/\(default: 0\)[^]*\(default:\s+memory:\)/);
    expect(exec).not.to.match(/env:\s+CUMULET_(?:PORT|DATABASE|JOURNAL)/);
    expect(env).to.include('--url <url>').and.not.include('--database');
  });

  it(
    'exec: sets OS_* for the command, removes those of another cloud, passes its options, ' +
      'and returns its exit code',
    async () => {
      const text = `
      const { OS_AUTH_URL, OS_USERNAME, OS_PASSWORD, OS_PROJECT_NAME, OS_CLIENT_CONFIG_FILE, OS_TOKEN, CUMULET_URL } = process.env;
      const identity = { methods: ['password'], password: { user: { name: OS_USERNAME, password: OS_PASSWORD, domain: { id: 'default' } } } };
      const scope = { project: { name: OS_PROJECT_NAME, domain: { id: 'default' } } };
      const body = JSON.stringify({ auth: { identity, scope } });
      const config = require('fs').readFileSync(OS_CLIENT_CONFIG_FILE, 'utf8');
      fetch(OS_AUTH_URL + '/auth/tokens', { method: 'POST', headers: { 'content-type': 'application/json' }, body }).then(({ status }) => {
        console.log(JSON.stringify([status, OS_TOKEN, OS_AUTH_URL === CUMULET_URL + '/identity/v3', config.includes(CUMULET_URL), process.argv.slice(1)]));
        process.exit(7);
      });`;
      const { code, out } = await command(
        ['exec', process.execPath, '-e', text, 'x', '--port', '5'],
        { OS_TOKEN: 'old' },
      ).ended;
      expect([code, out.trim()]).to.deep.equal([7, '[201,null,true,true,["x","--port","5"]]']);
    },
  );

  it('exec: ignores the variables of an emulator that keeps running', async () => {
    const env = {
      CUMULET_PORT: '1',
      CUMULET_HOST: '0.0.0.0',
      CUMULET_LISTEN: 'placement=1',
      CUMULET_WORKERS: '4',
      CUMULET_DATABASE: 'sqlite:/dev/null/folder',
      CUMULET_JOURNAL: '0',
    };
    const show = 'console.log(process.env.CUMULET_URL, process.env.no_proxy)';
    const { code, out, err } = await command(['exec', process.execPath, '-e', show], env).ended;
    expect([code, err]).to.deep.equal([0, '']);
    expect(out).to.match(/^http:\/\/127\.0\.0\.1:\d{2,} (?:.+,)?127\.0\.0\.1\n$/);
  });

  it('exec: needs the password of the users in a seed file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cumulet-test-'));
    const seed = join(folder, 'seed.ndjson');
    try {
      const running = await run(
        configOf({
          port: 0,
          database: { kind: 'memory' },
          logLevel: 'silent',
          hosts: '0',
          adminPassword: 'own',
        }),
      );
      for await (const part of await exportNow(running.cloud)) appendFileSync(seed, part);
      await running.stop();
      const exec = (...words: string[]) =>
        command([
          'exec',
          '--seed',
          seed,
          ...words,
          process.execPath,
          '-p',
          'process.env.OS_PASSWORD',
        ]).ended;
      const [right, wrong] = await Promise.all([
        exec('--admin-password', 'own'),
        exec('--admin-password', 'zz'),
      ]);
      expect([right.code, right.out, right.err]).to.deep.equal([0, 'own\n', '']);
      expect([wrong.code, wrong.out]).to.deep.equal([1, '']);
      expect(wrong.err).to.match(
        /The command could not sign in: the password of the user admin is /,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('exec: passes SIGTERM on, and exits after the command', async () => {
    const child = command([
      'exec',
      '--',
      process.execPath,
      '-e',
      "process.on('SIGTERM', () => process.exit(3)); setInterval(() => 0, 1000); console.log('up')",
    ]);
    await child.said(/up/);
    child.kill('SIGTERM');
    expect((await child.ended).code).to.equal(3);
  });

  it('fault: adds, lists and removes the rules of a running emulator', async () => {
    const url = await urlOf(command(['start', ...inMemory]));
    const fault = async (...words: string[]): Promise<string> => {
      const { out, err } = await command(['fault', ...words, '--url', url]).ended;
      return out + err;
    };
    expect(
      await fault('add', '--service', 'placement', '--status', '503', '--count', '2'),
    ).to.equal('1\n');
    const list = await fetch(`${url}/placement/resource_providers`, {
      headers: { 'x-auth-token': 'admin' },
    });
    expect(list.status).to.equal(503);
    expect(await fault('list')).to.equal(
      '1  {"service":"placement"} -> {"status":503}  matched 1, hit 1 of 2\n',
    );
    const wrong = await Promise.all([
      fault('add', '--service', 'nova', '--drop'),
      fault('clear', '77'),
      fault('clear'),
    ]);
    expect(wrong[0]).to.match(
      /^cumulet: There is no service 'nova'\. Services: identity, placement/,
    );
    expect(wrong[1]).to.match(/^cumulet: No fault rule '77'\./);
    expect(await (await fetch(`${url}/_emulator/faults`)).json()).to.deep.equal({ faults: [] });
  });

  it('env: asks the emulator for the variables, and prints them for a shell', async () => {
    const args = ['start', '--port', '0', '--database', 'memory:', '--log-level', 'warn'];
    const url = await urlOf(command(args, { CUMULET_ADMIN_PASSWORD: "it's" }));
    const [posix, windows] = await Promise.all([
      command(['env'], { CUMULET_URL: url }).ended,
      command(['env', '--shell', 'powershell', '--url', url]).ended,
    ]);
    expect([posix.code, windows.code]).to.deep.equal([0, 0]);
    expect(posix.out).to.match(/^unset OS_CLOUD /);
    expect(posix.out).to.include(`export OS_AUTH_URL='${url}/identity/v3'\n`);
    expect(posix.out).to.include(`export OS_PASSWORD='it'\\''s'\n`);
    expect(windows.out).to.include(`$env:OS_PASSWORD = 'it''s'\n`);
  });

  it('reads the address from CUMULET_URL, unless the command line has one', async () => {
    const url = await urlOf(command(['start', ...inMemory]));
    const { port } = new URL(url);
    const ends = await Promise.all([
      command(['reset'], { CUMULET_URL: url }).ended,
      command(['reset', '--port', port], { CUMULET_URL: 'http://127.0.0.1:1' }).ended,
    ]);
    expect(ends.map(({ code, err }) => [code, err])).to.deep.equal([
      [0, ''],
      [0, ''],
    ]);
  });

  it('warns about a variable that belongs to no option', async () => {
    const { err } = await command(['env', '--port', '1'], { CUMULET_PRT: '1' }).ended;
    expect(err).to.match(
      /^cumulet: warning: There is no variable CUMULET_PRT, .+ Did you mean CUMULET_PORT\?\ncumulet: No/,
    );
  });
});

/** Resolves when no process listens on the port any more. */
async function untilRefused(port: number): Promise<void> {
  for (;;) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      }).once('error', () => resolve(false));
    });
    if (!open) return;
  }
}
