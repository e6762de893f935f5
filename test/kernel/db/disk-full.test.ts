// Tests of a full disk: writes return 507, reads work, and everything works again once there is
// space.
import { expect } from 'chai';
import { closeSync, existsSync, openSync } from 'node:fs';
import supertest from 'supertest';
import { schedule } from '../../../src/kernel/jobs/queue.ts';
import { noContent, ok } from '../../../src/kernel/http/reply.ts';
import { serverFor } from '../../../src/kernel/http/server.ts';
import { asApiError } from '../../../src/kernel/db/errors.ts';
import { seedCloud } from '../../../src/kernel/seed.ts';
import { noon, ownCloud } from '../../support/cloud.ts';
import { cumulet, urlOf } from '../processes.ts';
import { toy, withToy } from '../toy.ts';
import type { Db } from '../../../src/kernel/db/database.ts';

const large = 'x'.repeat(100_000);
const table = (db: Db) =>
  db<{ due_at: number; kind: string; subject: string; payload: string }>('jobs');
const never = 8e15;
const write = (db: Db): Promise<unknown> =>
  schedule(db, { dueAt: never, kind: 'toy.never', subject: 'large', payload: large });

describe('a database on a full disk', () => {
  let opened: NonNullable<Awaited<ReturnType<typeof ownCloud>>>;
  let http: ReturnType<typeof supertest>;

  before(async () => {
    opened = (await ownCloud('sqlite', {}))!;
    const service = toy(
      [
        { method: 'POST', path: '/things', handler: ({ db }) => write(db).then(() => noContent()) },
        {
          method: 'GET',
          path: '/things',
          handler: async ({ db }) =>
            ok(await table(db).where({ subject: 'large' }).count('* as count').first()),
        },
      ],
      { jobs: { 'toy.write': async ({ db }) => void (await write(db)) } },
    );
    http = supertest(serverFor({ cloud: withToy(opened.cloud, service) }));
  });

  after(() => opened.close());

  const pages = async (name: string): Promise<number> => {
    const rows = (await opened.cloud.firstRegion.database.db.raw(`PRAGMA ${name}`)) as Record<
      string,
      number
    >[];
    return Object.values(rows[0]!)[0]!;
  };

  it('returns 507 for writes, serves reads, and loses nothing', async () => {
    await http.post('/toy/things').expect(204);
    await pages(`max_page_count = ${await pages('page_count')}`);
    await schedule(opened.cloud.firstRegion.database.db, {
      dueAt: 1,
      kind: 'toy.write',
      subject: 'due',
    });
    const refused = await http.post('/toy/things').expect(507);
    expect((refused.body as { toy: string }).toy).to.match(/^The disk of the database is full/);
    await http.get('/toy/things').expect(200, { count: 1 });
    await pages('max_page_count = 1000000');
    await http.post('/toy/things').expect(204);
    opened.cloud.firstRegion.jobs.wake();
    await http.get('/toy/things').expect(200, { count: 3 }); // including the due job's
  });

  it('opens if all services have been seeded before, and fails if one has not', async () => {
    const hooks = { seed: async ({ db }: { db: Db }): Promise<void> => void (await write(db)) };
    const cloud = withToy(opened.cloud, toy([], hooks));
    const regions = [cloud.firstRegion];
    await pages(`max_page_count = ${await pages('page_count')}`);
    const refused = await seedCloud(cloud, noon, regions).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(asApiError(refused)).to.have.property('status', 507);
    await pages('max_page_count = 1000000');
    await seedCloud(cloud, noon, regions);
    await pages(`max_page_count = ${await pages('page_count')}`);
    await seedCloud(cloud, noon, regions);
    await http.get('/toy/things').expect(200);
    await pages('max_page_count = 1000000');
  });

  it('is not needed to sort: temporary tables are in memory', async () => {
    expect(await pages('temp_store')).to.equal(2);
  });

  for (const error of [
    { errno: 1114 },
    { errno: 1021 },
    { code: 'ENOSPC' },
    { errcode: 13 },
    { errno: 1005, message: 'Can\'t create table `a`.`b` (errno: 28 "No space left on device")' },
    { errno: 1030, message: 'Got error 28 "No space left on device" from storage engine InnoDB' },
    { errno: 3, message: 'Error writing file \'/tmp/x\' (Errcode: 28 "No space left on device")' },
    {
      message: 'The database x cannot be opened',
      cause: Object.assign(new Error('full'), { errno: 1021 }),
    },
  ])
    it(`is recognised from ${JSON.stringify(error)}`, () => {
      expect(asApiError(Object.assign(new Error('full'), error))).to.have.property('status', 507);
    });

  it('is not confused with other errors whose message contains its number', () => {
    const error = Object.assign(new Error("Duplicate entry 'errno: 28' for key 'a'"), {
      errno: 1062,
    });
    expect(asApiError(error)).to.equal(error);
  });
});

describe('a log on a full disk', () => {
  const full = '/dev/full'; // fails every write like a full disk

  it('fails no request and does not end the process', async function () {
    if (!existsSync(full)) return this.skip();
    const errors = openSync(full, 'w');
    const started = cumulet(['start', '--port', '0', '--database', 'memory:', '--hosts', '0'], {
      errors,
    });
    closeSync(errors);
    const url = await urlOf(started);
    for (let count = 0; count < 5; count++)
      expect((await fetch(`${url}/identity/v3`)).status).to.equal(200);
    started.kill('SIGTERM');
    expect((await started.ended).code).to.equal(0);
  });
});
