// Tests that a reset whose process is killed is completed by the next start.
import { expect } from 'chai';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configOf } from '../../src/config.ts';
import { run, type Running } from '../../src/server.ts';
import { pause } from '../../src/kernel/clock.ts';
import type { DatabaseUrl } from '../../src/kernel/db/database.ts';
import { dropDatabase } from '../../src/kernel/db/open.ts';
import { writeSharedValue } from '../../src/kernel/db/state.ts';
import { databases, kinds } from '../support/databases.ts';
import { startEmulator } from '../support/processes.ts';

const regions = ['One', 'Two'];
const headers = { 'x-auth-token': 'admin', 'content-type': 'application/json' };
const settings = { port: 0, auth: 'noauth2', logLevel: 'silent', hosts: '0', regions } as const;

const post = (url: string, body?: object): Promise<Response> =>
  fetch(url, { method: 'POST', headers, ...(body && { body: JSON.stringify(body) }) });

/** Creates a provider in each region, and a project. */
async function fill(url: string): Promise<void> {
  for (const region of regions)
    await post(`${url}/${region}/placement/resource_providers`, { name: 'mine' });
  await post(`${url}/identity/v3/projects`, { project: { name: 'mine' } });
}

/** The number of providers in each region, and of the projects that are not seeded. */
async function left(url: string): Promise<number[]> {
  const read = async (path: string): Promise<Record<string, { name: string }[]>> =>
    (await (await fetch(`${url}${path}`, { headers })).json()) as Record<
      string,
      { name: string }[]
    >;
  const counts: number[] = [];
  for (const region of regions)
    counts.push(
      (await read(`/${region}/placement/resource_providers`))['resource_providers']!.length,
    );
  const { projects } = await read('/identity/v3/projects');
  return [...counts, projects!.filter(({ name }) => name === 'mine').length];
}

for (const kind of kinds)
  describe(`a reset whose process is killed [${kind}]`, () => {
    let database: DatabaseUrl;
    let running: Running | undefined;

    const start = async (): Promise<string> => {
      running = await run(configOf({ ...settings, database }));
      return running.origin;
    };
    const stop = async (): Promise<void> => {
      await running?.stop();
      running = undefined;
    };

    before(async function () {
      if (kind === 'mysql' && !(await databases.server())) this.skip();
    });

    beforeEach(async () => {
      database =
        kind === 'sqlite'
          ? { kind, folder: mkdtempSync(join(tmpdir(), 'cumulet-test-')) }
          : (await databases.fresh(kind))!;
    });

    afterEach(async () => {
      await stop();
      if (database.kind === 'sqlite') rmSync(database.folder, { recursive: true });
      else for (const part of ['', ...regions]) await dropDatabase(database, part);
    });

    /** Starts a cloud again as after a process that was killed while it was resetting this. */
    const afterKill = async (pending: object): Promise<number[]> => {
      await stop();
      await fill(await start());
      await writeSharedValue(running!.cloud.central.db, 'reset.pending', JSON.stringify(pending));
      await stop();
      return left(await start());
    };

    it('is completed by the next start, once', async () => {
      expect(await afterKill({})).to.deep.equal([0, 0, 0]);
      await fill(running!.origin);
      await stop();
      expect(await left(await start())).to.deep.equal([1, 1, 1]);
    });

    it('is completed in its scope only', async () => {
      expect(await afterKill({ service: 'placement', region: 'Two' })).to.deep.equal([1, 0, 1]);
      expect(await afterKill({ service: 'placement' })).to.deep.equal([0, 0, 1]);
    });

    it('is forgotten if its region is gone', async () => {
      expect(await afterKill({ region: 'Three' })).to.deep.equal([1, 1, 1]);
    });

    it('resets all databases or none, whenever it is killed', async function () {
      if (kind === 'mysql') return this.skip(); // it differs in nothing that a kill concerns
      const folder = (database as { folder: string }).folder;
      const all = ['--database', `sqlite:${folder}`, '--auth', 'noauth2', '--hosts', '0'];
      await fill(await start());
      await stop();
      for (const delay of [5, 20, 60]) {
        const emulator = await startEmulator(all);
        const sent = post(`${emulator.origin}/_emulator/reset`).catch(() => undefined);
        await pause(delay);
        await emulator.kill();
        await sent;
        const url = await start();
        expect(['0,0,0', '1,1,1']).to.include((await left(url)).join());
        await fill(url);
        await stop();
      }
    });
  });
