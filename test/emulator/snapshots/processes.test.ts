// Tests of snapshots with two processes on one MySQL database: both serve the restored state at
// once.
import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databases } from '../../support/databases.ts';
import { onTwoProcesses, startEmulator, type Emulator } from '../../support/processes.ts';
import { snapshotsOf } from './support.ts';

const json = { 'content-type': 'application/json' };
const noauth = { ...json, 'x-auth-token': 'admin' };

const make = async (origin: string, name: string, prefix = ''): Promise<number> =>
  (
    await fetch(`${origin}${prefix}/placement/resource_providers`, {
      method: 'POST',
      headers: noauth,
      body: JSON.stringify({ name }),
    })
  ).status;

async function names(origin: string, prefix = ''): Promise<string[] | number> {
  const answer = await fetch(`${origin}${prefix}/placement/resource_providers`, {
    headers: noauth,
  });
  if (answer.status !== 200) return (await answer.arrayBuffer()) && answer.status;
  return ((await answer.json()) as { resource_providers: { name: string }[] }).resource_providers
    .map(({ name }) => name)
    .toSorted();
}

const control = async (
  origin: string,
  method: string,
  path: string,
  body?: object,
): Promise<number> =>
  (
    await fetch(`${origin}/_emulator${path}`, {
      method,
      headers: json,
      ...(body && { body: JSON.stringify(body) }),
    })
  ).status;

onTwoProcesses('snapshots in two processes', ['--hosts', '0'], (origins) => {
  it('are restored in both: rows, regions, fault rules and the clock', async () => {
    const [one, other] = origins();
    expect(await control(one, 'POST', '/regions', { name: 'Alpha' })).to.equal(201);
    expect([await make(other, 'a'), await make(other, 'b', '/Alpha')]).to.deep.equal([201, 201]);
    await control(one, 'PUT', '/clock', { now: '2027-01-01T00:00:00Z', frozen: true });
    await snapshotsOf({ url: other }).save('s').expect(201);
    for (const at of [one, other, one, other]) {
      const peer = at === one ? other : one;
      expect(await control(peer, 'DELETE', '/regions/Alpha')).to.equal(204);
      await control(peer, 'POST', '/regions', { name: 'Beta' });
      await control(at, 'POST', '/faults', {
        match: { service: 'placement' },
        effect: { status: 503 },
      });
      await control(at, 'PUT', '/clock', { now: '2028-01-01T00:00:00Z', frozen: false });
      expect([await names(peer), await names(at)]).to.deep.equal([503, 503]);
      await snapshotsOf({ url: at }).restore('s').expect(204);
      for (const origin of [peer, at]) {
        expect(await names(origin)).to.deep.equal(['a']);
        expect(await names(origin, '/Alpha')).to.deep.equal(['b']);
        expect(await names(origin, '/Beta')).to.equal(404);
        expect(await (await fetch(`${origin}/_emulator/clock`)).json()).to.include({
          now: '2027-01-01T00:00:00.000000Z',
        });
      }
    }
  });

  it('leave one consistent state when both restore at the same time', async () => {
    const [one, other] = origins();
    await snapshotsOf({ url: one }).save('first').expect(201);
    await make(one, 'second');
    await make(one, 'second', '/Alpha');
    await snapshotsOf({ url: other }).save('second').expect(201);
    await Promise.all([
      snapshotsOf({ url: one }).restore('first').expect(204),
      snapshotsOf({ url: other }).restore('second').expect(204),
      snapshotsOf({ url: one }).save('third').expect(201),
    ]);
    const has = async (prefix: string): Promise<boolean[]> =>
      Promise.all(
        [one, other].map(async (origin) =>
          ((await names(origin, prefix)) as string[]).includes('second'),
        ),
      );
    expect(new Set([...(await has('')), ...(await has('/Alpha'))]).size).to.equal(1);
  });

  it('are restored while the other process serves requests without errors', async () => {
    const [one, other] = origins();
    await snapshotsOf({ url: one }).restore('first').expect(204);
    let done = false;
    const statuses = new Set<number>();
    const load = async (worker: number): Promise<void> => {
      for (let at = 0; !done; at++) statuses.add(await make(other, `w${worker}-${at}`));
    };
    const work = [load(1), load(2), load(3)];
    for (let times = 0; times < 5; times++)
      await snapshotsOf({ url: one }).restore('first').expect(204);
    done = true;
    await Promise.all(work);
    expect([...statuses]).to.deep.equal([201]);
    await snapshotsOf({ url: one }).restore('first').expect(204);
    expect(await names(other)).to.deep.equal(['a']);
  });
});

describe('a seed file in two processes', () => {
  const running: Emulator[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-test-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  afterEach(async () => {
    for (const one of running.splice(0)) expect(await one.stop()).to.equal(0);
  });

  const signIn = async (origin: string): Promise<string> => {
    const user = { name: 'admin', domain: { id: 'default' }, password: 'secret' };
    const scope = { project: { name: 'admin', domain: { id: 'default' } } };
    const body = JSON.stringify({
      auth: { identity: { methods: ['password'], password: { user } }, scope },
    });
    return (
      await fetch(`${origin}/identity/v3/auth/tokens`, { method: 'POST', headers: json, body })
    ).headers.get('x-subject-token')!;
  };
  const status = async (origin: string, token: string): Promise<number> =>
    (await fetch(`${origin}/image/v2/images`, { headers: { 'x-auth-token': token } })).status;

  it('seeds the cloud once, with the signing keys for both, also after an import and a reset', async function () {
    const url = await databases.freshUrl();
    if (!url) return this.skip();
    const source = await startEmulator(['--database', 'memory:', '--hosts', '1']);
    running.push(source);
    const token = await signIn(source.origin);
    const file = join(folder, 'seed.ndjson');
    writeFileSync(file, await snapshotsOf({ url: source.origin }).export());
    const flags = ['--database', url, '--seed', file];
    const [one, other] = (await Promise.all([startEmulator(flags), startEmulator(flags)])) as [
      Emulator,
      Emulator,
    ];
    running.push(one, other);
    expect([await status(one.origin, token), await status(other.origin, token)]).to.deep.equal([
      200, 200,
    ]);

    const foreign = await startEmulator(['--database', 'memory:', '--hosts', '1']);
    running.push(foreign);
    const another = await signIn(foreign.origin);
    expect([await status(one.origin, another), await status(other.origin, another)]).to.deep.equal([
      401, 401,
    ]);
    await snapshotsOf({ url: one.origin })
      .import(await snapshotsOf({ url: foreign.origin }).export())
      .expect(204);
    for (const { origin } of [other, one])
      expect([await status(origin, another), await status(origin, token)]).to.deep.equal([
        200, 401,
      ]);
    expect(await control(other.origin, 'POST', '/reset')).to.equal(204);
    for (const { origin } of [one, other])
      expect([await status(origin, another), await status(origin, token)]).to.deep.equal([
        401, 200,
      ]);
  });
});
