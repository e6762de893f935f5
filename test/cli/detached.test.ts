// Tests of emulators in the background: start --detach, status, logs and stop.
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cumulet, type Ended } from '../kernel/processes.ts';

interface Status {
  readonly running: boolean;
  readonly url: string;
  readonly version: string | null;
  readonly state: string | null;
  readonly regions: readonly string[] | null;
  readonly uptime_seconds: number | null;
  readonly pid: number | null;
  readonly log: string | null;
}

describe('emulators in the background', () => {
  let home: string;
  const run = (...args: readonly string[]): Promise<Ended> =>
    cumulet(args, { env: { XDG_STATE_HOME: home } }).ended;
  const inMemory = ['start', '--detach', '--port', '0', '--database', 'memory:'];
  const urlIn = ({ out, err }: Ended): string => {
    const [, url] = /listens at (\S+)\n/.exec(out) ?? expect.fail(out + err);
    return url!;
  };
  const statusAt = async (...which: readonly string[]): Promise<[number | null, Status]> => {
    const { code, out } = await run('status', '--json', ...which);
    return [code, JSON.parse(out) as Status];
  };
  const recordOf = (url: string): string =>
    join(home, 'cumulet', `127.0.0.1-${new URL(url).port}.json`);

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'cumulet-home-'));
  });

  afterEach(async () => {
    const names = readdirSync(home, { recursive: true }).map(String);
    for (const name of names.filter((one) => one.endsWith('.json'))) {
      const { origin } = JSON.parse(readFileSync(join(home, name), 'utf8')) as { origin: string };
      await run('stop', '--url', origin);
    }
    rmSync(home, { recursive: true });
  });

  it('start prints a summary once the emulator is ready, which then goes on', async () => {
    const started = await run(...inMemory);
    expect([started.code, started.err]).to.deep.equal([0, '']);
    const url = urlIn(started);
    const { port } = new URL(url);
    expect(started.out).to.match(new RegExp(`Stop +\\S.* stop --port ${port} `));
    expect((await fetch(`${url}/_emulator/ready`)).status).to.equal(200);
    const [code, status] = await statusAt('--port', port);
    expect(code).to.equal(0);
    expect(status).to.include({ running: true, url, state: 'in memory' });
    expect(status.regions).to.deep.equal(['RegionOne']);
    expect(status.uptime_seconds).to.be.at.least(0);
    expect(status.version).to.match(/^\d+\./);
    const { out } = await run('status', '--port', port);
    expect(out).to.match(new RegExp(`^Cumulet runs at ${url}\n`));
    expect(out).to.include(`(process ${status.pid})`);
  });

  it('stop waits until the emulator has ended', async () => {
    const url = urlIn(await run(...inMemory));
    const { port } = new URL(url);
    const stopped = await run('stop', '--port', port);
    expect([stopped.code, stopped.out]).to.deep.equal([
      0,
      `Stopped the emulator at ${url} (in memory).\n`,
    ]);
    expect(await fetch(url).catch(() => 'refused')).to.equal('refused');
    const [code, status] = await statusAt('--port', port);
    expect([code, status.running, status.pid]).to.deep.equal([1, false, null]);
    const again = await run('stop', '--port', port);
    expect([again.code, again.out]).to.deep.equal([
      0,
      `No emulator runs at ${url}. Start one with '${startOf(again.out)} start --detach'.\n`,
    ]);
  });

  it('are chosen by their port, URL or folder', async () => {
    const folders = ['a', 'b'].map((name) => join(home, name));
    const urls = await Promise.all(
      folders.map(async (folder) =>
        urlIn(await run('start', '--detach', '--port', '0', '--database', `sqlite:${folder}`)),
      ),
    );
    for (const [index, folder] of folders.entries()) {
      const [, byFolder] = await statusAt('--folder', folder);
      const [, byPort] = await statusAt('--port', new URL(urls[index]!).port);
      const [, byName] = await statusAt('--url', urls[index]!.replace('127.0.0.1', 'localhost'));
      expect(byFolder).to.include({
        running: true,
        url: urls[index],
        state: `the folder ${folder}`,
      });
      expect(byFolder.log).to.equal(join(folder, 'cumulet.log'));
      expect([byPort.pid, byName.pid]).to.deep.equal([byFolder.pid, byFolder.pid]);
    }
    await run('stop', '--folder', folders[0]!);
    expect((await statusAt('--folder', folders[0]!))[0]).to.equal(1);
    expect((await statusAt('--folder', folders[1]!))[0]).to.equal(0);
  });

  it('logs prints the requests, and with --follow ends when the emulator does', async () => {
    const url = urlIn(await run(...inMemory));
    const { port } = new URL(url);
    await fetch(`${url}/placement/nowhere`);
    const following = cumulet(['logs', '--follow', '--port', port], {
      env: { XDG_STATE_HOME: home },
    });
    await following.said(/GET \/placement\/nowhere/);
    await fetch(`${url}/placement/later`);
    await following.said(/GET \/placement\/later/);
    const { log } = (await statusAt('--port', port))[1];
    expect(statSync(log!).mode & 0o777).to.equal(0o600);
    expect((await run('logs', '--port', port)).out).to.include('/placement/later');
    await run('stop', '--port', port);
    expect((await following.ended).code).to.equal(0);
  });

  it('start reports why the emulator could not start', async () => {
    const url = urlIn(await run(...inMemory));
    const { port } = new URL(url);
    const second = await run('start', '--detach', '--port', port, '--database', 'memory:');
    expect([second.code, second.out, second.err]).to.deep.equal([
      1,
      '',
      `cumulet: Port ${port} is already in use. Choose another with --port, or 0 for any free port.\n`,
    ]);
    expect((await statusAt('--port', port))[0]).to.equal(0);
  });

  it('status reports an emulator that was killed, and logs still prints its log', async () => {
    const url = urlIn(await run(...inMemory));
    const { port } = new URL(url);
    await fetch(`${url}/placement/nowhere`);
    const { pid, log } = (await statusAt('--port', port))[1];
    process.kill(pid!, 'SIGKILL');
    let killed = await run('status', '--port', port);
    while (killed.code === 0) killed = await run('status', '--port', port);
    expect(killed.out).to.equal(
      `The emulator at ${url} has ended without 'cumulet stop'. Its log is ${log}.\n`,
    );
    expect((await run('logs', '--port', port)).code).to.equal(0);
    expect((await run('stop', '--port', port)).code).to.equal(0);
    expect(
      readdirSync(join(home, 'cumulet')).filter((name) => name.endsWith('.json')),
    ).to.deep.equal([]);
  });

  it('stop does not end another process that has got the number of a dead emulator', async () => {
    const url = urlIn(await run(...inMemory));
    const { port } = new URL(url);
    const file = recordOf(url);
    const text = readFileSync(file, 'utf8');
    await run('stop', '--port', port);
    const record = JSON.parse(text) as { pid: number };
    // This process would end at the signal.
    writeFileSync(file, JSON.stringify({ ...record, pid: process.pid }));
    const [code, status] = await statusAt('--port', port);
    expect([code, status.running, status.pid]).to.deep.equal([1, false, null]);
    expect((await run('stop', '--port', port)).code).to.equal(0);
  });

  it('status finds an emulator in the foreground, and stop refuses to stop it', async () => {
    const foreground = cumulet(['--port', '0', '--database', 'memory:', '--log-level', 'warn']);
    try {
      const [, url] = await foreground.said(/listens at (\S+)\n/);
      const { port } = new URL(url!);
      const [code, status] = await statusAt('--port', port);
      expect(code).to.equal(0);
      expect(status).to.include({ running: true, url, state: null, uptime_seconds: null });
      const refused = await run('stop', '--port', port);
      expect(refused.code).to.equal(1);
      expect(refused.err).to.match(/does not run in the background of this user\. Stop it where/);
    } finally {
      foreground.kill('SIGKILL');
      await foreground.ended;
    }
  });

  it('start --detach goes on after npm has ended', function () {
    const env = { ...process.env, XDG_STATE_HOME: home };
    const npm = spawnSync(
      'npm',
      ['start', '--ignore-scripts', '--silent', '--', ...inMemory.slice(1)],
      { env, encoding: 'utf8' },
    );
    if (npm.error) this.skip();
    const [, url] = /listens at (\S+)\n/.exec(npm.stdout) ?? expect.fail(npm.stdout + npm.stderr);
    return fetch(`${url}/_emulator/ready`).then(({ status }) => expect(status).to.equal(200));
  });
});

/** How the command names itself in a message. */
const startOf = (text: string): string => /Start one with '(.+) start/.exec(text)?.[1] ?? '';
