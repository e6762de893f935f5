// Tests that a restore or an import changes everything or nothing: on a full disk, and if the
// process is killed.
import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configOf } from '../../../src/config.ts';
import { run, type Running } from '../../../src/server.ts';
import { pause } from '../../../src/kernel/clock.ts';
import type { Database, DatabaseUrl } from '../../../src/kernel/db/database.ts';
import { shrinkLog } from '../../../src/kernel/db/disk-space.ts';
import { dropDatabase } from '../../../src/kernel/db/open.ts';
import { databases, kinds } from '../../support/databases.ts';
import { startEmulator } from '../../support/processes.ts';
import { errorIn, snapshotsOf } from './support.ts';

const regions = ['One', 'Two', 'Three'];
const headers = { 'x-auth-token': 'admin', 'content-type': 'application/json' };

/** Creates a provider with this name in each region. */
async function mark(url: string, name: string): Promise<void> {
  for (const region of regions)
    await fetch(`${url}/${region}/placement/resource_providers`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name }),
    });
}

/** The names of the providers in each region, and of the projects: all that `mark` changes. */
async function marks(url: string): Promise<string[]> {
  const found: string[] = [];
  for (const region of regions) {
    const reply = await fetch(`${url}/${region}/placement/resource_providers`, { headers });
    const { resource_providers: all } = (await reply.json()) as {
      resource_providers: { name: string }[];
    };
    found.push(all.map(({ name }) => name).join());
  }
  const projects = await fetch(`${url}/identity/v3/projects`, { headers });
  const { projects: all } = (await projects.json()) as { projects: { name: string }[] };
  found.push(
    all
      .map(({ name }) => name)
      .toSorted()
      .join(),
  );
  return found;
}

const createProject = (url: string, name: string): Promise<Response> =>
  fetch(`${url}/identity/v3/projects`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ project: { name } }),
  });

/** Uploads an image that cannot be compressed. */
async function upload(url: string, megabytes: number): Promise<void> {
  const created = await fetch(`${url}/Three/image/v2/images`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ name: 'large', disk_format: 'raw', container_format: 'bare' }),
  });
  const { id } = (await created.json()) as { id: string };
  const { status } = await fetch(`${url}/Three/image/v2/images/${id}/file`, {
    method: 'PUT',
    headers: { ...headers, 'content-type': 'application/octet-stream' },
    body: randomBytes(megabytes * 1024 * 1024),
  });
  expect(status).to.equal(204);
}

const settings = { port: 0, auth: 'noauth2', logLevel: 'silent', hosts: '0', regions } as const;

for (const kind of kinds)
  describe(`a restore changes everything or nothing [${kind}]`, () => {
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

    /** A cloud with the marks `old`, and a snapshot and a document with the marks `new`. */
    const prepared = async (): Promise<{ url: string; document: string; old: string[] }> => {
      const url = await start();
      await mark(url, 'new');
      await createProject(url, 'new');
      await snapshotsOf({ url }).save('new').expect(201);
      const document = await snapshotsOf({ url }).export();
      await fetch(`${url}/_emulator/reset`, { method: 'POST' });
      await mark(url, 'old');
      await createProject(url, 'old');
      return { url, document, old: await marks(url) };
    };
    const restored = ['new', 'new', 'new', 'admin,demo,new,service'];

    /** Makes transactions of a database fail at their end as if the disk were full. */
    const failing = ({ db }: Database, fails: (count: number) => boolean): (() => void) => {
      type Work = (trx: unknown) => Promise<unknown>;
      interface Client {
        transaction: (this: Client, work: Work, ...rest: unknown[]) => unknown;
      }
      const client = db.client as Client;
      const { transaction } = client;
      let count = 0;
      client.transaction = function (work, ...rest) {
        // The clients of transactions inherit this function.
        if (this !== client) return transaction.call(this, work, ...rest);
        const full = async (trx: unknown): Promise<unknown> => {
          const result = await work(trx);
          if (fails(++count)) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
          return result;
        };
        return transaction.call(client, full, ...rest);
      };
      return () => (client.transaction = transaction);
    };
    const databaseOf = (name: string): Database => running!.cloud.regions.get(name)!.database;

    for (const how of ['restore', 'import'] as const) {
      const restore = (url: string, document: string) =>
        how === 'restore'
          ? snapshotsOf({ url }).restore('new')
          : snapshotsOf({ url }).import(document);

      // The document is stored before: on SQLite in one transaction, otherwise in several.
      const importCommit = kind === 'sqlite' ? 2 : 7;

      it(`${how}: changes nothing if the central database cannot be written`, async () => {
        const { url, document, old } = await prepared();
        const repair = failing(
          running!.cloud.central,
          (count) => how === 'restore' || count === importCommit,
        );
        const response = await restore(url, document);
        repair();
        expect(errorIn(response)).to.equal(
          '507 The disk is too full for this state. Nothing was changed. Free some space, then ' +
            'try again.',
        );
        expect(await marks(url)).to.deep.equal(old);
        await restore(url, document).expect(204);
        expect(await marks(url)).to.deep.equal(restored);
      });

      it(`${how}: completes if a region fails to commit after the central database`, async () => {
        const { url, document } = await prepared();
        const repair = failing(databaseOf('Two'), (count) => count === 1);
        await restore(url, document).expect(204);
        repair();
        expect(await marks(url)).to.deep.equal(restored);
      });

      it(`${how}: is completed by the next start if a region goes on failing`, async () => {
        const { url, document } = await prepared();
        const repair = failing(databaseOf('Two'), () => true);
        expect(errorIn(await restore(url, document))).to.equal(
          '507 Restore incomplete: Two, Three could not be written (disk full). Free some space, ' +
            'then restore again, or start the emulator again, which completes the restore.',
        );
        repair();
        await stop();
        expect(await marks(await start())).to.deep.equal(restored);
        const left = (await running!.cloud.central
          .db('cumulet_snapshots')
          .pluck('name')) as string[];
        expect(left).to.deep.equal(['new']);
      });
    }

    it('is replaced by a reset if it is incomplete', async () => {
      const { url, document } = await prepared();
      const repair = failing(databaseOf('Two'), () => true);
      await snapshotsOf({ url }).import(document).expect(507);
      repair();
      await fetch(`${url}/_emulator/reset`, { method: 'POST' });
      await stop();
      expect(await marks(await start())).to.deep.equal(['', '', '', 'admin,demo,service']);
    });

    it('leaves the old or the new state if the process is killed at any moment', async function () {
      if (kind === 'mysql') return this.skip(); // the server's own transactions do it there
      const { url, document, old } = await prepared();
      await upload(url, 2);
      const large = await snapshotsOf({ url }).export();
      await stop();
      const flags = ['--database', `sqlite:${(database as { folder: string }).folder}`];
      const all = [...flags, '--auth', 'noauth2', '--hosts', '0'];
      for (const [index, delay] of [40, 120, 250, 450].entries()) {
        const emulator = await startEmulator(all);
        const next = index % 2 ? large : document;
        const sent = snapshotsOf({ url: emulator.origin })
          .import(next)
          .then(
            () => undefined,
            () => undefined, // it breaks off
          );
        await pause(delay);
        await emulator.kill();
        await sent;
        const again = await startEmulator(all);
        const state = await marks(again.origin);
        expect([JSON.stringify(old), JSON.stringify(restored)]).to.include(JSON.stringify(state));
        await again.stop();
      }
    });
  });

describe('a state that does not fit on the disk', () => {
  let folder: string;
  let running: Running | undefined;

  before(function () {
    folder = mkdtempSync(join(tmpdir(), 'cumulet-small-'));
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=40m', 'none', folder], { stdio: 'ignore' });
    } catch {
      rmSync(folder, { recursive: true });
      this.skip(); // only root may mount
    }
  });

  after(async () => {
    await running?.stop();
    execFileSync('umount', ['--lazy', folder]);
    rmSync(folder, { recursive: true });
  });

  const free = (): number => {
    const { bavail, bsize } = statfsSync(folder);
    return (bavail * bsize) / 1024 / 1024;
  };
  const start = async (database: DatabaseUrl): Promise<Running> =>
    run(configOf({ ...settings, database }));

  it('an import leaves what was, and the space that was free', async () => {
    const source = await start({ kind: 'memory' });
    await upload(source.origin, 30);
    const document = await snapshotsOf({ url: source.origin }).export();
    await source.stop();

    running = await start({ kind: 'sqlite', folder });
    const url = running.origin;
    await mark(url, 'old');
    await createProject(url, 'old');
    const before = await marks(url);
    const freeBefore = free();
    for (let times = 0; times < 2; times++)
      expect(errorIn(await snapshotsOf({ url }).import(document))).to.match(
        /^507 The disk is too full for this state. Nothing was changed./,
      );
    expect(await marks(url)).to.deep.equal(before);
    expect(free()).to.be.greaterThan(freeBefore - 2);
    expect((await createProject(url, 'later')).status).to.equal(201);
    expect((await fetch(`${url}/_emulator/reset`, { method: 'POST' })).status).to.equal(204);
    expect(await marks(url)).to.deep.equal(['', '', '', 'admin,demo,service']);
  });

  it('a restore leaves what was, and works once there is space', async () => {
    const url = running!.origin;
    await upload(url, 4);
    await snapshotsOf({ url }).save('large').expect(201);
    await fetch(`${url}/_emulator/reset`, { method: 'POST' });
    await mark(url, 'old');
    const before = await marks(url);
    const { central, regions: all } = running!.cloud;
    for (const one of [central, ...[...all.values()].map(({ database }) => database)])
      await shrinkLog(one);
    const ballast = join(folder, 'ballast');
    writeFileSync(ballast, Buffer.alloc(Math.floor((free() - 2) * 1024 * 1024)));
    expect(errorIn(await snapshotsOf({ url }).restore('large'))).to.match(/^507 .*Nothing was/);
    expect(await marks(url)).to.deep.equal(before);
    expect(free()).to.be.greaterThan(1);
    expect((await createProject(url, 'later')).status).to.equal(201);
    rmSync(ballast);
    await snapshotsOf({ url }).restore('large').expect(204);
    expect(await marks(url)).to.deep.equal(['', '', '', 'admin,demo,service']);
  });
});
