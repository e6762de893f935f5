// Tests of the command line, each command as a process of its own.
import { expect } from 'chai';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageVersion } from '../../src/kernel/root.ts';
import { dropDatabase } from '../../src/kernel/db/open.ts';
import { databases } from '../support/databases.ts';
import { cumulet, urlOf, type Process } from './processes.ts';

const started: Process[] = [];

function run(line: string, env?: Record<string, string>): Process {
  const process = cumulet(line.split(' ').filter(Boolean), env);
  started.push(process);
  return process;
}

const inMemory = '--port 0 --database memory: --auth noauth2 --log-level warn';

describe('the command line', function () {
  this.timeout(40_000);

  afterEach(async () => {
    for (const process of started.splice(0)) {
      process.kill('SIGKILL');
      await process.ended;
    }
  });

  describe('start', () => {
    it('on port 0 prints where it listens, answers there, and ends cleanly at SIGTERM', async () => {
      const process = run(`start ${inMemory}`);
      const url = await urlOf(process);
      expect(url).to.match(/^http:\/\/127\.0\.0\.1:[1-9]\d+$/);
      expect(await (await fetch(`${url}/_emulator/health`)).json()).to.deep.equal({ status: 'ok' });
      process.kill('SIGTERM');
      const { code, err } = await process.ended;
      expect([code, err]).to.deep.equal([0, '']);
    });

    it('is what is done without a command', async () => {
      const process = run(inMemory);
      await urlOf(process);
      process.kill('SIGINT');
      expect((await process.ended).code).to.equal(0);
    });

    it('serves --listen at the root of a port of its own', async () => {
      const port = await freePort();
      const process = run(`start ${inMemory} --listen placement=${port}`);
      await process.said(new RegExp(`placement also at http://127.0.0.1:${port}\\n`));
      const reply = await fetch(`http://127.0.0.1:${port}/resource_providers`, { headers: { 'x-auth-token': 'admin' } });
      expect(await reply.json()).to.deep.equal({ resource_providers: [] });
    });

    it('lets a request finish that is on its way at SIGTERM, and does not wait for its connection to close', async () => {
      const process = run(`start ${inMemory}`);
      const { port } = new URL(await urlOf(process));
      const socket = connect(Number(port), '127.0.0.1');
      const answer = new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())));
      const body = JSON.stringify({ name: 'slow' });
      const head = `POST /placement/resource_providers HTTP/1.1\r\nhost: a\r\nx-auth-token: admin\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
      await new Promise<void>((resolve) => socket.write(head + body.slice(0, 3), () => resolve()));
      await fetch(`http://127.0.0.1:${port}/_emulator/health`); // so that the other one has been seen
      process.kill('SIGTERM');
      await untilRefused(Number(port));
      socket.write(body.slice(3));
      expect(await answer).to.match(/^HTTP\/1\.1 201 /);
      expect((await process.ended).code).to.equal(0);
    });

    it('keeps what it has in a folder, over a start', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'cumulet-test-'));
      try {
        const flags = `start --port 0 --database sqlite:${folder} --auth noauth2 --log-level warn`;
        const names = async (url: string): Promise<unknown> => {
          const { resource_providers: found } = (await (await fetch(`${url}/placement/resource_providers`, { headers: { 'x-auth-token': 'admin' } })).json()) as { resource_providers: { name: string }[] };
          return found.map(({ name }) => name);
        };
        const first = run(flags);
        const headers = { 'x-auth-token': 'admin', 'content-type': 'application/json' };
        await fetch(`${await urlOf(first)}/placement/resource_providers`, { method: 'POST', headers, body: '{"name":"kept"}' });
        first.kill('SIGTERM');
        await first.ended;
        expect(await names(await urlOf(run(flags)))).to.deep.equal(['kept']);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });

    for (const kind of ['sqlite', 'mysql'] as const) {
      it(`twice at once on one new database comes up twice [${kind}]`, async function () {
        const database = await databases.fresh(kind);
        if (!database) return this.skip();
        const folder = mkdtempSync(join(tmpdir(), 'cumulet-test-'));
        try {
          const url = database.kind === 'mysql' ? database.url.href : `sqlite:${folder}`;
          const flags = `start --port 0 --database ${url} --log-level warn`;
          const urls = await Promise.all([urlOf(run(flags)), urlOf(run(flags))]);
          for (const one of urls) expect((await fetch(`${one}/_emulator/ready`)).status).to.equal(200);
        } finally {
          rmSync(folder, { recursive: true });
          for (const part of ['', 'RegionOne']) await dropDatabase(database, part);
        }
      });
    }

    it('says of a taken port what to do, and ends', async () => {
      const taken = createServer().listen(0, '127.0.0.1');
      await new Promise((resolve) => taken.once('listening', resolve));
      const { port } = taken.address() as AddressInfo;
      try {
        const { code, err } = await run(`start --database memory: --port ${port}`).ended;
        expect([code, err]).to.deep.equal([1, `cumulet: Port ${port} is taken. Choose another with --port, or 0 for any that is free.\n`]);
        const listen = await run(`start ${inMemory} --listen placement=${port}`).ended;
        expect([listen.code, listen.err]).to.deep.equal([1, `cumulet: Port ${port} is taken. Choose another with --listen.\n`]);
      } finally {
        taken.close();
      }
    });

    it('says what else is wrong in one line, and ends', async () => {
      const wrong: readonly (readonly [flags: string, says: RegExp])[] = [
        [`${inMemory} --listen nova=0`, /^cumulet: --listen nova: there is no such service\. Services: placement, identity/],
        ['--host 0.0.0.0', /^cumulet: Listening on 0\.0\.0\.0 needs a password of your own/],
        ['--port 0 --database mysql://root@127.0.0.1:1/x', /^cumulet: .*127\.0\.0\.1:1/],
        ['--port 0 --database sqlite:/dev/null/x', /^cumulet: .*\/dev\/null/],
      ];
      const ended = await Promise.all(wrong.map(async ([flags, says]) => ({ says, ended: await run(`start ${flags}`).ended })));
      for (const { says, ended: { code, err } } of ended) {
        expect(err).to.match(says);
        expect(err.trim().split('\n'), err).to.have.length(1);
        expect(code).to.equal(1);
      }
    });
  });

  describe('exec', () => {
    const script = (text: string): string[] => ['exec', '--', process.execPath, '-e', text];
    const runScript = (text: string, env?: Record<string, string>): Process => {
      const child = cumulet(script(text), env);
      started.push(child);
      return child;
    };

    it('gives the command what it needs to sign in, and takes away what signs in elsewhere', async () => {
      const text = `
        const { OS_AUTH_URL, OS_USERNAME, OS_PASSWORD, OS_PROJECT_NAME, OS_CLIENT_CONFIG_FILE, OS_TOKEN, CUMULET_URL } = process.env;
        const identity = { methods: ['password'], password: { user: { name: OS_USERNAME, password: OS_PASSWORD, domain: { id: 'default' } } } };
        const scope = { project: { name: OS_PROJECT_NAME, domain: { id: 'default' } } };
        const body = JSON.stringify({ auth: { identity, scope } });
        fetch(OS_AUTH_URL + '/auth/tokens', { method: 'POST', headers: { 'content-type': 'application/json' }, body }).then((reply) =>
          console.log(JSON.stringify([reply.status, OS_TOKEN, OS_AUTH_URL === CUMULET_URL + '/identity/v3', require('fs').readFileSync(OS_CLIENT_CONFIG_FILE, 'utf8').includes(CUMULET_URL)])));`;
      const { code, out } = await runScript(text, { OS_TOKEN: 'old' }).ended;
      expect([code, out.trim()]).to.deep.equal([0, '[201,null,true,true]']);
    });

    it('ends as the command does', async () => {
      expect((await runScript('process.exit(7)').ended).code).to.equal(7);
      expect((await runScript("process.kill(process.pid, 'SIGKILL')").ended).code).to.equal(137);
    });

    it('hands flags after the command on to it', async () => {
      const child = cumulet(['exec', process.execPath, '-p', '7', '--port']);
      started.push(child);
      expect((await child.ended).out).to.equal('7\n');
    });

    it('says which command is not there', async () => {
      const { code, err } = await run('exec no-such-command').ended;
      expect([code, err]).to.deep.equal([1, "cumulet: 'no-such-command' is not installed, or not on PATH.\n"]);
    });

    it('passes SIGTERM on, and ends after the command has', async () => {
      const child = runScript("process.on('SIGTERM', () => process.exit(3)); setInterval(() => 0, 1000); console.log('up')");
      await child.said(/up/);
      child.kill('SIGTERM');
      expect((await child.ended).code).to.equal(3);
    });
  });

  describe('env', () => {
    it('prints what a shell can read, and nothing else', async () => {
      const { code, out } = await run("env --port 7070 --regions Two,One", { CUMULET_ADMIN_PASSWORD: "it's" }).ended;
      expect(code).to.equal(0);
      expect(out).to.include("export OS_AUTH_URL='http://127.0.0.1:7070/identity/v3'\n");
      expect(out).to.include("export OS_REGION_NAME='Two'\n");
      expect(out).to.include(`export OS_PASSWORD='it'\\''s'\n`);
      expect(out.trim().split('\n').every((line) => /^export OS_\w+='.*'$/.test(line))).to.equal(true);
    });

    it('puts an IPv6 address in brackets', async () => {
      expect((await run('env --host ::1').ended).out).to.include("OS_AUTH_URL='http://[::1]:6060/identity/v3'");
    });
  });

  describe('reset', () => {
    it('empties the emulator that runs, or a part of it', async () => {
      const url = await urlOf(run(`start ${inMemory} --regions One,Two`));
      const headers = { 'x-auth-token': 'admin', 'content-type': 'application/json' };
      const make = async (path: string): Promise<number> => (await fetch(`${url}${path}/placement/resource_providers`, { method: 'POST', headers, body: '{"name":"a"}' })).status;
      expect([await make('/One'), await make('/Two')]).to.deep.equal([201, 201]);
      expect((await run(`reset --url ${url} --region Two`).ended).code).to.equal(0);
      expect([await make('/One'), await make('/Two')]).to.deep.equal([409, 201]);
      expect((await run(`reset --url ${url}/`).ended).code).to.equal(0);
      expect([await make('/One'), await make('/Two')]).to.deep.equal([201, 201]);
      const { code, err } = await run(`reset --url ${url} --service nova`).ended;
      expect(code).to.equal(1);
      expect(err).to.match(/^cumulet: There is no service 'nova'\. Services: placement, identity\.\n$/);
    });

    it('says where nothing answers', async () => {
      const { code, err } = await run('reset --url http://127.0.0.1:1').ended;
      expect(code).to.equal(1);
      expect(err).to.match(/^cumulet: Nothing answers at http:\/\/127\.0\.0\.1:1\. Start the emulator with 'cumulet start'/);
    });

    it('says so where something else answers', async () => {
      const other = createServer((socket) => void socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\n\r\nno')).listen(0, '127.0.0.1');
      await new Promise((resolve) => other.once('listening', resolve));
      const { code, err } = await run(`reset --url http://127.0.0.1:${(other.address() as AddressInfo).port}`).ended;
      other.close();
      expect(code).to.equal(1);
      expect(err).to.match(/^cumulet: What answers at http:\/\/127\.0\.0\.1:\d+ is no emulator: 404/);
    });
  });

  it('tells its version, and of what it does not know how to get help', async () => {
    expect((await run('--version').ended).out).to.equal(`${packageVersion()}\n`);
    const { code, err } = await run('start --prot 5').ended;
    expect(code).to.equal(1);
    expect(err).to.match(/unknown option '--prot'[\s\S]*cumulet --help/);
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Resolves when nobody listens at the port any more. */
async function untilRefused(port: number): Promise<void> {
  for (;;) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (!open) return;
  }
}
