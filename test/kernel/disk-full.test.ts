// Tests of a database without room: what writes is told so, what reads goes on, and all goes on once there is room.
import { expect } from 'chai';
import supertest from 'supertest';
import { schedule } from '../../src/kernel/jobs.ts';
import { noContent, ok } from '../../src/kernel/http/reply.ts';
import { serverFor } from '../../src/kernel/http/server.ts';
import { asFault } from '../../src/kernel/db/errors.ts';
import { ownCloud } from '../support/cloud.ts';
import { toy, withToy } from './toy.ts';
import type { Db } from '../../src/kernel/db/database.ts';

const large = 'x'.repeat(100_000);
const table = (db: Db) => db<{ due_at: number; kind: string; subject: string; payload: string }>('jobs');
const never = 8e15;

describe('a database without room', () => {
  let opened: NonNullable<Awaited<ReturnType<typeof ownCloud>>>;
  let http: ReturnType<typeof supertest>;

  before(async () => {
    opened = (await ownCloud('sqlite', {}))!;
    const write = (db: Db): Promise<unknown> =>
      schedule(db, { dueAt: never, kind: 'toy.never', subject: 'large', payload: large });
    const service = toy(
      [
        { method: 'POST', path: '/things', handler: ({ db }) => write(db).then(() => noContent()) },
        {
          method: 'GET',
          path: '/things',
          handler: async ({ db }) => ok(await table(db).where({ subject: 'large' }).count('* as count').first()),
        },
      ],
      { jobs: { 'toy.write': async ({ db }) => void (await write(db)) } },
    );
    http = supertest(serverFor({ cloud: withToy(opened.cloud, service) }));
  });

  after(() => opened.close());

  const pages = async (name: string): Promise<number> => {
    const rows = (await opened.cloud.firstRegion.database.db.raw(`PRAGMA ${name}`)) as Record<string, number>[];
    return Object.values(rows[0]!)[0]!;
  };

  it('tells those who write 507, lets others read, and has lost nothing', async () => {
    await http.post('/toy/things').expect(204);
    await pages(`max_page_count = ${await pages('page_count')}`);
    await schedule(opened.cloud.firstRegion.database.db, { dueAt: 1, kind: 'toy.write', subject: 'due' });
    const refused = await http.post('/toy/things').expect(507);
    expect((refused.body as { toy: string }).toy).to.match(/^The disk of the database is full/);
    await http.get('/toy/things').expect(200, { count: 1 });
    await pages('max_page_count = 1000000');
    await http.post('/toy/things').expect(204);
    opened.cloud.firstRegion.due.lookAt = -Infinity;
    await http.get('/toy/things').expect(200, { count: 3 }); // with what was due
  });

  for (const error of [{ errno: 1114 }, { errno: 1021 }, { code: 'ENOSPC' }, { errcode: 13 }])
    it(`is what ${JSON.stringify(error)} means`, () => {
      expect(asFault(Object.assign(new Error('full'), error))).to.have.property('status', 507);
    });
});
