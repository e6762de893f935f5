// Tests of --seed: a new cloud, and a reset of everything, starts from a file; a later start does
// not.
import { expect } from 'chai';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, type Running } from '../../../src/cli/server.ts';
import { configOf } from '../../../src/cli/config.ts';
import type { DatabaseUrl } from '../../../src/kernel/db/database.ts';
import { dropDatabase } from '../../../src/kernel/db/open.ts';
import type { Config } from '../../../src/kernel/settings.ts';
import { databases, kinds } from '../../support/databases.ts';
import { snapshotsOf } from './support.ts';

const headers = { 'x-auth-token': 'admin', 'content-type': 'application/json' };

const make = async (url: string, name: string, prefix = ''): Promise<number> =>
  (
    await fetch(`${url}${prefix}/placement/resource_providers`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name }),
    })
  ).status;

async function names(url: string, prefix = ''): Promise<string[]> {
  const answer = await fetch(`${url}${prefix}/placement/resource_providers`, { headers });
  return ((await answer.json()) as { resource_providers: { name: string }[] }).resource_providers
    .map(({ name }) => name)
    .toSorted();
}

const control = async (url: string, path: string, body?: object): Promise<Response> =>
  fetch(`${url}/_emulator${path}`, {
    method: 'POST',
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });

const regions = async (url: string): Promise<string[]> =>
  (
    (await (await fetch(`${url}/_emulator/regions`)).json()) as { regions: { name: string }[] }
  ).regions.map(({ name }) => name);

for (const kind of kinds) {
  describe(`a seed file [${kind}]`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'cumulet-test-'));
    const file = join(folder, 'seed.ndjson');
    const running: Running[] = [];
    const made: DatabaseUrl[] = [];

    const start = async (fields: Partial<Config> = {}): Promise<Running> => {
      const rest = { port: 0, auth: 'noauth2', logLevel: 'silent', hosts: '1' } as const;
      const one = await run(configOf({ ...rest, database: await fresh(), ...fields }));
      running.push(one);
      return one;
    };
    const fresh = async (): Promise<DatabaseUrl> => {
      const database =
        kind === 'sqlite'
          ? ({ kind, folder: mkdtempSync(join(folder, 'cloud-')) } as const)
          : (await databases.fresh(kind))!;
      made.push(database);
      return database;
    };
    const stop = (): Promise<void> => running.pop()!.stop();
    const refusal = (fields: Partial<Config>): Promise<string> =>
      start(fields).then(
        () => 'none',
        (error: Error) => error.message,
      );

    before(async function () {
      this.timeout(20_000);
      if (kind === 'mysql' && !(await databases.server())) return this.skip();
      const { origin } = await start({ regions: ['Alpha', 'Beta'] });
      await make(origin, 'of-the-seed');
      await make(origin, 'in-beta', '/Beta');
      await fetch(`${origin}/_emulator/clock`, {
        method: 'PUT',
        headers,
        body: JSON.stringify({ now: '2027-01-01T00:00:00Z', frozen: true }),
      });
      writeFileSync(file, await snapshotsOf({ url: origin }).export());
      await stop();
    });

    afterEach(async () => {
      while (running.length) await stop();
    });

    after(async () => {
      rmSync(folder, { recursive: true, force: true });
      for (const one of made)
        if (one.kind === 'mysql')
          for (const part of ['', 'Alpha', 'Beta', 'Gamma', 'RegionOne'])
            await dropDatabase(one, part);
    });

    it('is what a new cloud holds, with its regions and its time', async () => {
      const { origin } = await start({ seed: file });
      expect(await regions(origin)).to.deep.equal(['Alpha', 'Beta']);
      expect([await names(origin), await names(origin, '/Beta')]).to.deep.equal([
        ['compute-1', 'of-the-seed'],
        ['compute-1', 'in-beta'],
      ]);
      expect(await (await fetch(`${origin}/_emulator/clock`)).json()).to.include({
        now: '2027-01-01T00:00:00.000000Z',
      });
      expect(await snapshotsOf({ url: origin }).list()).to.deep.equal([]);
    });

    it('is what a reset of everything goes back to; one of a service has its ordinary seed', async () => {
      const { origin } = await start({ seed: file });
      for (let times = 0; times < 2; times++) {
        await make(origin, 'later');
        await control(origin, '/regions', { name: 'Gamma' });
        expect((await control(origin, '/reset')).status).to.equal(204);
        expect(await names(origin)).to.deep.equal(['compute-1', 'of-the-seed']);
        expect(await regions(origin)).to.deep.equal(['Alpha', 'Beta']);
      }
      expect(
        (await control(origin, '/reset', { service: 'placement', region: 'Beta' })).status,
      ).to.equal(204);
      expect([await names(origin), await names(origin, '/Beta')]).to.deep.equal([
        ['compute-1', 'of-the-seed'],
        ['compute-1'],
      ]);
    });

    it('is left alone by a later start, but not by a reset then; snapshots are there again', async () => {
      const database = await fresh();
      const first = await start({ seed: file, database });
      await make(first.origin, 'later');
      await snapshotsOf({ url: first.origin }).save('s').expect(201);
      await stop();
      const { origin } = await start({ seed: file, database });
      expect(await names(origin)).to.deep.equal(['compute-1', 'later', 'of-the-seed']);
      await control(origin, '/reset');
      expect(await names(origin)).to.deep.equal(['compute-1', 'of-the-seed']);
      await snapshotsOf({ url: origin }).restore('s').expect(204);
      expect(await names(origin)).to.deep.equal(['compute-1', 'later', 'of-the-seed']);
    });

    it('is read again by a reset where it has changed', async () => {
      const changing = join(folder, 'changing.ndjson');
      const first = await start({ seed: file });
      const url = first.origin;
      writeFileSync(changing, await snapshotsOf({ url }).export());
      const second = await start({ seed: changing });
      await make(url, 'new-in-it');
      writeFileSync(changing, await snapshotsOf({ url }).export());
      await control(second.origin, '/reset');
      expect(await names(second.origin)).to.deep.equal(['compute-1', 'new-in-it', 'of-the-seed']);
      writeFileSync(changing, 'broken');
      const answer = await control(second.origin, '/reset');
      expect([answer.status, await answer.text()].join()).to.match(
        /^400,.*--seed .*changing.ndjson: Line 1 of the document cannot be read/,
      );
      rmSync(changing);
      expect((await control(second.origin, '/reset')).status).to.equal(409);
      expect(await names(second.origin)).to.deep.equal(['compute-1', 'new-in-it', 'of-the-seed']);
    });

    it('gets the regions in addition that the cloud is started with', async () => {
      const { origin } = await start({ seed: file, regions: ['Alpha', 'Gamma'] });
      expect((await regions(origin)).toSorted()).to.deep.equal(['Alpha', 'Beta', 'Gamma']);
      expect(await names(origin, '/Gamma')).to.deep.equal(['compute-1']);
      await make(origin, 'later', '/Gamma');
      await control(origin, '/reset');
      expect(await names(origin, '/Gamma')).to.deep.equal(['compute-1']);
    });

    it('is refused where it cannot be, and the cloud is as new then', async () => {
      expect(await refusal({ seed: join(folder, 'none') })).to.match(
        /^--seed .*none: no such file. 'cumulet export FILE' writes one.$/,
      );
      const broken = join(folder, 'broken.ndjson');
      writeFileSync(broken, '{}');
      expect(await refusal({ seed: broken })).to.match(/^This is no document of 'cumulet export'/);
      const database = await fresh();
      const wrong = { seed: file, database };
      expect(await refusal({ ...wrong, regions: ['Beta'] })).to.match(
        /^The first region of what is restored is Alpha, and that of this cloud is Beta. Start a cloud with --regions Alpha,Beta.$/,
      );
      expect(await refusal({ ...wrong, regions: ['Alpha', 'Top'], centralRegion: 'Top' })).to.match(
        /has no central region, and this cloud has Top/,
      );
      expect(await refusal({ ...wrong, centralRegion: 'Alpha' })).to.match(
        /first region of what is restored is Alpha/,
      );
      const half = readFileSync(file, 'utf8');
      writeFileSync(broken, half.slice(0, half.length / 2));
      expect(await refusal({ database, seed: broken })).to.match(
        /^--seed .*broken.ndjson: Line \d+ of the document cannot be read/,
      );
      const { origin } = await start({ seed: file, database });
      expect(await names(origin)).to.deep.equal(['compute-1', 'of-the-seed']);
    });
  });
}
