// cumulet capture --resume: an interrupted capture continues, and asks for nothing twice.
import { expect } from 'chai';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import type { Server, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Requests } from '../../src/emulator/capture/requests.ts';
import { startEmulator, type Emulator } from '../support/processes.ts';
import { originOf, recorder, startCapture, writeClouds } from './captures.ts';

describe('cumulet capture --resume', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-capture-'));
  const file = join(folder, 'mine.ndjson');
  const replies = `${file}.replies`;
  const requests: string[] = [];
  let intercept: (reply: ServerResponse) => boolean = () => false;
  let original: Emulator;
  let proxy: Server;

  before(async () => {
    original = await startEmulator(['--database', 'memory:', '--regions', 'RegionOne,RegionTwo']);
    proxy = await recorder(original.origin, requests, (reply) => intercept(reply));
    writeClouds(folder, originOf(proxy));
  });
  after(async () => {
    proxy.closeAllConnections();
    proxy.close();
    await original.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const fail = (reply: ServerResponse): boolean => {
    reply.writeHead(500).end('broken');
    return true;
  };
  const capture = (...more: string[]) => startCapture(folder, 'mine', more);

  /** What an export has of the cloud that was captured: no times, and no keys of the new cloud. */
  const rowsOf = (name: string): string[] =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .slice(1)
      .filter((line) => !/^\["identity\.|argon2/.test(line))
      .map((line) => line.replaceAll(/\b\d{16}\b/g, 'TIME'));

  it('continues after an error and after kill -9, and gives the same file', async () => {
    intercept = (reply) => requests.length >= 15 && fail(reply);
    const failed = await capture().ended;
    expect(failed.code).to.equal(1);
    expect(failed.err).to.match(/cumulet: GET http\S+: 500 broken\n/);
    expect(failed.err).to.include(
      `The capture was interrupted. The replies so far, 14, are in ${replies}. ` +
        'Run the same command with --resume to continue.',
    );
    expect(statSync(replies).mode & 0o777).to.equal(0o600);

    intercept = () => false;
    const refused = await capture().ended;
    expect(refused.code).to.equal(1);
    expect(refused.err).to.include('Run the same command with --resume to continue.');

    const other = await capture('--region', 'RegionTwo', '--resume').ended;
    expect(other.code).to.equal(1);
    expect(other.err).to.include('has the replies of another capture: ').and.include('"RegionOne"');

    const unknown = await capture('--region', 'Nowhere', '--resume').ended;
    expect(unknown.err).to.include('Name another one with --region: RegionOne, RegionTwo.');

    const reached = new Promise<void>((resolve) => {
      intercept = () => {
        if (requests.length < 30) return false;
        resolve();
        return true;
      };
    });
    const killed = capture('--resume');
    await Promise.race([reached, killed.ended]);
    killed.kill('SIGKILL');
    await killed.ended;
    appendFileSync(replies, '{"request":"GET of a process that was killed while it wr');

    intercept = () => false;
    const { code, err } = await capture('--resume').ended;
    expect(code, err).to.equal(0);
    expect(err).to.match(/^Continuing with the \d\d replies in /);
    const reads = requests.filter((request) => request.startsWith('GET '));
    expect(reads.filter((request, at) => reads.indexOf(request) < at)).to.deep.equal([]);
    expect(existsSync(replies)).to.equal(false);

    const whole = await startCapture(folder, 'mine', [], 'whole.ndjson').ended;
    expect(whole.code, whole.err).to.equal(0);
    expect(rowsOf('mine.ndjson')).to.deep.equal(rowsOf('whole.ndjson'));
  });
});

describe('the requests of a capture', () => {
  const answers: [number, Record<string, string>][] = [];
  const tokens: (string | undefined)[] = [];
  let server: Server;

  before(async () => {
    server = await recorder('http://127.0.0.1:1', [], (reply) => {
      tokens.push(reply.req.headers['x-auth-token'] as string | undefined);
      const [status, headers] = answers.shift() ?? [200, {}];
      reply.writeHead(status, headers).end('{"answered":true}');
      return true;
    });
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => void tokens.splice(0));

  const requestsAt = (rate: number) => new Requests('first', () => Promise.resolve('second'), rate);

  it('are repeated when the cloud is overloaded, after the time that it names', async () => {
    answers.push([429, { 'retry-after': '0' }], [503, { 'retry-after': '0' }]);
    const reply = await requestsAt(1000).read(originOf(server), undefined);
    expect(reply).to.deep.equal({ answered: true });
    expect(tokens).to.have.length(3);
  });

  it('get one new token when it has expired', async () => {
    answers.push([401, {}], [401, {}]);
    const requests = requestsAt(1000);
    await Promise.all([1, 2].map(() => requests.read(originOf(server), undefined)));
    expect(tokens).to.deep.equal(['first', 'first', 'second', 'second']);
  });

  it('are sent at most as often as --rate says', async () => {
    const begin = performance.now();
    const requests = requestsAt(50);
    await Promise.all([1, 2, 3, 4, 5].map(() => requests.read(originOf(server), undefined)));
    expect(performance.now() - begin).to.be.at.least(75);
  });
});
