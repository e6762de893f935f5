// Tests of --seed: a new cloud starts from the file, a reset of everything restores it, and a
// restart does not.
import { expect } from 'chai';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, type Running } from '../../../src/server.ts';
import { configOf } from '../../../src/config.ts';
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
  describe(`--seed [${kind}]`, () => {
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

    it('seeds a new cloud, with its regions and its clock', async () => {
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

    it('is restored by a reset of everything, but not of a service', async () => {
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

    it('is not restored by a restart, but by a later reset; snapshots remain', async () => {
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

    it('is read again by a reset if the file has changed', async () => {
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
        /^400,.*--seed .*changing.ndjson: Line 1 of the document is invalid/,
      );
      rmSync(changing);
      expect((await control(second.origin, '/reset')).status).to.equal(409);
      expect(await names(second.origin)).to.deep.equal(['compute-1', 'new-in-it', 'of-the-seed']);
    });

    it('is completed by the other regions of --regions', async () => {
      const { origin } = await start({ seed: file, regions: ['Alpha', 'Gamma'] });
      expect((await regions(origin)).toSorted()).to.deep.equal(['Alpha', 'Beta', 'Gamma']);
      expect(await names(origin, '/Gamma')).to.deep.equal(['compute-1']);
      await make(origin, 'later', '/Gamma');
      const reset = await control(origin, '/reset');
      expect([reset.status, await reset.text()]).to.deep.equal([204, '']);
      expect(await names(origin, '/Gamma')).to.deep.equal(['compute-1']);
    });

    it('may refer to missing resources only with --seed-references any', async () => {
      const broken = join(folder, 'dangling.ndjson');
      const lines = readFileSync(file, 'utf8').split('\n');
      const at = lines.findIndex((line) => line.startsWith('{"table":"placement_providers"'));
      const { columns } = JSON.parse(lines[at]!) as { columns: string[] };
      const row = JSON.parse(lines[at + 1]!) as unknown[];
      const changed = JSON.stringify(row.with(columns.indexOf('root_id'), 999));
      writeFileSync(broken, lines.with(at + 1, changed).join('\n'));
      const database = await fresh();
      expect(await refusal({ seed: broken, database })).to.match(
        /^--seed .*dangling.ndjson: Line \d+ .*placement_providers.root_id refers to 999, .*\(--seed-references any accepts it all the same\)/,
      );
      const { origin } = await start({ seed: broken, seedReferences: 'any', database });
      expect((await control(origin, '/reset')).status).to.equal(204);
      expect(await names(origin, '/Beta')).to.deep.equal(['compute-1', 'in-beta']);
    });

    it('prevents the start if it is invalid, and the cloud remains new', async () => {
      expect(await refusal({ seed: join(folder, 'none') })).to.match(
        /^--seed .*none: no such file. '.+ export FILE' writes one.$/,
      );
      const broken = join(folder, 'broken.ndjson');
      writeFileSync(broken, '{}');
      expect(await refusal({ seed: broken })).to.match(
        /^--seed .+broken\.ndjson: Not a document of 'cumulet export'/,
      );
      const database = await fresh();
      const wrong = { seed: file, database };
      expect(await refusal({ ...wrong, regions: ['Beta'] })).to.match(
        /^--seed .+: The first region of the state to restore is Alpha, but that of this cloud is Beta. Restore it in a cloud that is started with --regions Alpha,Beta.$/,
      );
      expect(await refusal({ ...wrong, regions: ['Alpha', 'Top'], centralRegion: 'Top' })).to.match(
        /has no central region, but this cloud has Top/,
      );
      expect(await refusal({ ...wrong, centralRegion: 'Alpha' })).to.match(
        /first region of the state to restore is Alpha/,
      );
      const half = readFileSync(file, 'utf8');
      writeFileSync(broken, half.slice(0, half.length / 2));
      expect(await refusal({ database, seed: broken })).to.match(
        /^--seed .*broken.ndjson: Line \d+ of the document is invalid/,
      );
      const { origin } = await start({ seed: file, database });
      expect(await names(origin)).to.deep.equal(['compute-1', 'of-the-seed']);
    });
  });
}
