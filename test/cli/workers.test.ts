// Tests of several processes on one port: how they start, stop, die and are replaced, and how they
// end with npm; and of the scripts of npm.
import { expect } from 'chai';
import { existsSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { databases } from '../support/databases.ts';
import { openLine, type Line } from '../kernel/line.ts';
import { cumulet, urlOf, type Process } from '../kernel/processes.ts';

const flags = ['start', '--port', '0', '--auth', 'noauth2', '--hosts', '0', '--log-level', 'error'];

/** The processes that a process has started. */
const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

const isAlive = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[2] !== 'Z';
  } catch {
    return false;
  }
};

/** Polls, because this process gets no event for the condition. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe('workers', function () {
  const started: Process[] = [];
  let mysql: URL;
  let line: Line | undefined;

  before(async function () {
    const database = await databases.fresh('mysql');
    if (database?.kind !== 'mysql' || !existsSync('/proc/self/task')) return this.skip();
    mysql = database.url;
    line = await openLine(Number(mysql.port));
  });

  after(() => line?.cut());

  afterEach(async () => {
    await line?.mend();
    for (const process of started.splice(0)) {
      process.kill('SIGKILL');
      await process.ended;
    }
  });

  const command = (
    args: readonly string[],
    env?: Record<string, string>,
    beneath = false,
  ): Process => {
    const process = cumulet(args, { env, beneath });
    started.push(process);
    return process;
  };
  const throughLine = (): string => {
    const url = new URL(mysql);
    url.port = String(line!.port);
    url.searchParams.delete('socketPath');
    return url.href;
  };

  it('report why they cannot start, and exit, without a database', async () => {
    const { code, err } = await command([
      ...flags,
      '--workers',
      '2',
      '--database',
      'mysql://root:hidden@127.0.0.1:1/x',
    ]).ended;
    expect(code).to.equal(1);
    expect(err).to.include(
      'The database mysql://root:***@127.0.0.1:1/x cannot be opened: connect ECONNREFUSED ' +
        '127.0.0.1:1',
    );
    expect(err).to.include('The workers cannot start.');
  });

  it('keep serving while a dead one cannot be replaced, and replace it later', async () => {
    const process = command([...flags, '--workers', '2', '--database', throughLine()]);
    const url = await urlOf(process);
    const [first, second] = childrenOf(process.pid);
    await line!.cut();
    globalThis.process.kill(first!, 'SIGKILL');
    // Several replacements start and fail: each reports its error.
    await until(() => process.err().split('cannot be opened').length > 4);
    expect(isAlive(second!)).to.equal(true);
    expect((await fetch(`${url}/_emulator/health`)).status).to.equal(200);
    await line!.mend();
    await until(
      () => childrenOf(process.pid).length === 2 && !childrenOf(process.pid).includes(first!),
    );
    process.kill('SIGTERM');
    expect((await process.ended).code).to.equal(0);
  });

  it('close the connections that a dead one has not accepted', async () => {
    const process = command([...flags, '--workers', '2', '--database', mysql.href]);
    const { port } = new URL(await urlOf(process));
    const [stuck] = childrenOf(process.pid);
    globalThis.process.kill(stuck!, 'SIGSTOP');
    const ask = (): { socket: Socket; answered: Promise<string>; ended: Promise<void> } => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write('GET /_emulator/health HTTP/1.1\r\nhost: localhost\r\n\r\n');
      return {
        socket,
        answered: new Promise((resolve) => socket.once('data', (data) => resolve(data.toString()))),
        ended: new Promise((resolve) => socket.once('close', () => resolve())),
      };
    };
    // Node passes one of the connections to the stopped process, and the others to the other
    // process.
    const asked = Array.from({ length: 6 }, ask);
    const answered = new Set<number>();
    asked.forEach((one, index) => void one.answered.then(() => answered.add(index)));
    await until(() => answered.size === asked.length - 1);
    globalThis.process.kill(stuck!, 'SIGKILL');
    const left = asked.find((_, index) => !answered.has(index))!;
    await Promise.race([left.ended, left.answered]);
    for (const { socket } of asked) socket.destroy();
  });

  it('exit when npm exits', async () => {
    const process = command(
      [...flags, '--workers', '2', '--database', mysql.href],
      { npm_lifecycle_event: 'start' },
      true,
    );
    await urlOf(process);
    const [emulator] = childrenOf(process.pid);
    const workers = childrenOf(emulator!);
    expect(workers).to.have.length(2);
    process.kill('SIGKILL'); // the parent, as npm would be
    await until(() => ![emulator!, ...workers].some(isAlive));
  });
});

describe('the scripts of npm', () => {
  it('are without words of a shell, so that Windows runs them too', () => {
    const { scripts } = JSON.parse(
      readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
    ) as {
      scripts: Record<string, string>;
    };
    for (const [name, script] of Object.entries(scripts))
      expect(script, name).not.to.match(/\bexec\b|[;|$'`*]|(?:^|&& )[A-Z_]+=/);
  });
});
