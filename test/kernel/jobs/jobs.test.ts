// Tests of jobs: they run once, in order, at their due time.
import { expect } from 'chai';
import supertest from 'supertest';
import { closeCloud, openCloud } from '../../../src/cloud.ts';
import { configOf } from '../../../src/config.ts';
import { isoSeconds, machineNow, SECOND, type Micros } from '../../../src/kernel/clock.ts';
import { dropDatabase } from '../../../src/kernel/db/open.ts';
import { acquireLock } from '../../../src/kernel/db/transaction.ts';
import { ok } from '../../../src/kernel/http/reply.ts';
import { serverFor } from '../../../src/kernel/http/server.ts';
import { runDueJobs } from '../../../src/kernel/jobs/due-jobs.ts';
import { inTurn } from '../../../src/kernel/jobs/joint.ts';
import { cancel, nextJob, schedule } from '../../../src/kernel/jobs/queue.ts';
import type { Cloud, Service } from '../../../src/kernel/model.ts';
import { noon, onEachDatabase } from '../../support/cloud.ts';
import { databases } from '../../support/databases.ts';
import { toy, withToy } from '../toy.ts';
import { moveClock } from '../../../src/emulator/clock/clock.ts';
import type { JobHandler, Jobs, JointJob } from '../../../src/kernel/model.ts';
import { inRegionTransaction } from '../../../src/kernel/context.ts';

const hour: Micros = 3600 * SECOND;

/**
 * A service whose job `toy.note` records its subject and time. With the payload `{ again: n }` it
 * schedules itself an hour later, n times.
 */
function noting(notes: string[], jobs: Jobs = {}): Service {
  const note: JobHandler = async ({ db, now }, { subject, payload, dueAt }) => {
    expect(now).to.equal(dueAt);
    notes.push(`${subject} ${isoSeconds(now).slice(11, 16)}`);
    const { again = 0 } = (payload ?? {}) as { again?: number };
    if (again)
      await schedule(db, {
        dueAt: now + hour,
        kind: 'toy.note',
        subject,
        payload: { again: again - 1 },
      });
  };
  const routes = [{ method: 'GET', path: '/notes', handler: () => ok([...notes]) }];
  return toy(routes, { jobs: { 'toy.note': note, ...jobs } });
}

onEachDatabase('jobs', {}, (world) => {
  let notes: string[];
  let cloud: Cloud;

  beforeEach(() => {
    notes = [];
    cloud = withToy(world.cloud, noting(notes));
  });

  const at = (hours: number, subject: string, payload?: unknown): Promise<void> =>
    schedule(cloud.firstRegion.database.db, {
      dueAt: noon + hours * hour,
      kind: 'toy.note',
      subject,
      payload,
    });
  const moveTo = (hours: number): Promise<unknown> =>
    moveClock(cloud, { frozenAt: noon + hours * hour, offset: 0 });
  const left = async (): Promise<number> =>
    (await cloud.firstRegion.database.db('jobs').pluck('id')).length;

  it('run when the clock passes their due time, and not before', async () => {
    await at(2, 'a');
    await moveTo(1.99);
    expect(notes).to.deep.equal([]);
    await moveTo(2);
    expect(notes).to.deep.equal(['a 14:00']);
  });

  it('run in order of due time, then of creation, each with its due time as the current time', async () => {
    await at(3, 'c');
    await at(1, 'a');
    await at(3, 'd');
    await at(2, 'b');
    await moveTo(24 * 365);
    expect(notes).to.deep.equal(['a 13:00', 'b 14:00', 'c 15:00', 'd 15:00']);
    expect(await left()).to.equal(0);
  });

  it('may schedule other jobs, which run in order of due time', async () => {
    await at(1, 'each', { again: 2 });
    await at(2.5, 'once');
    await moveTo(10);
    expect(notes).to.deep.equal(['each 13:00', 'each 14:00', 'once 14:30', 'each 15:00']);
  });

  it('run once', async () => {
    await at(1, 'a');
    await moveTo(2);
    await moveTo(3);
    expect(notes).to.deep.equal(['a 13:00']);
  });

  it('run although a machine whose clock ran ahead has claimed them', async () => {
    await at(1, 'a');
    const claimed = { claimed_at: machineNow() + hour };
    await cloud.firstRegion.database.db('jobs').update(claimed);
    await moveTo(1);
    expect(notes).to.deep.equal(['a 13:00']);
  });

  it('run before the first request after their due time', async () => {
    await at(-1, 'late');
    cloud.firstRegion.jobs.wake();
    await supertest(serverFor({ cloud })).get('/toy/notes').expect(200, ['late 11:00']);
  });

  it('run once if several requests arrive at the same time', async () => {
    for (let n = 0; n < 5; n++) await at(-1, `a${n}`);
    cloud.firstRegion.jobs.wake();
    const server = serverFor({ cloud }).listen(0);
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => supertest(server).get('/toy/notes')),
    );
    server.close();
    for (const reply of replies) expect(reply.body).to.have.length.greaterThan(4);
    expect([...new Set(notes)]).to.have.length(5);
    expect(await left()).to.equal(0);
  });

  it('can be cancelled by kind and subject', async () => {
    await at(1, 'a');
    await at(1, 'b');
    await schedule(cloud.firstRegion.database.db, {
      dueAt: noon + hour,
      kind: 'toy.other',
      subject: 'a',
    });
    await cancel(cloud.firstRegion.database.db, 'toy.note', 'a');
    expect(await left()).to.equal(2);
    await moveTo(2);
    expect(notes).to.deep.equal(['b 13:00']);
  });

  it('returns the earliest due time', async () => {
    expect((await nextJob(cloud.firstRegion.database.db))?.dueAt).to.equal(undefined);
    await at(5, 'b');
    await at(4, 'a');
    expect((await nextJob(cloud.firstRegion.database.db))?.dueAt).to.equal(noon + 4 * hour);
  });

  it('are rolled back and retried later if they fail, without blocking others', async () => {
    const broken = withToy(
      world.cloud,
      noting(notes, {
        'toy.break': async ({ db }) => {
          await acquireLock(db, 'broken');
          throw new Error('broken job');
        },
      }),
    );
    await schedule(broken.firstRegion.database.db, {
      dueAt: noon,
      kind: 'toy.break',
      subject: 'a',
    });
    await at(0, 'b');
    broken.firstRegion.jobs.wake();
    const reply = await supertest(serverFor({ cloud: broken }))
      .get('/toy/notes')
      .expect(200);
    expect(reply.body).to.deep.equal(['b 12:00']);
    expect((await nextJob(broken.firstRegion.database.db))?.dueAt).to.equal(noon + SECOND);
    expect(await left()).to.equal(1);
    expect(
      await broken.firstRegion.database.db('cumulet_locks').where({ name: 'broken' }),
    ).to.deep.equal([]);
  });

  it('of an unknown kind are kept and set aside, without blocking others', async () => {
    await schedule(cloud.firstRegion.database.db, { dueAt: noon, kind: 'gone.away', subject: 'a' });
    await at(1, 'b');
    await moveTo(1);
    expect(notes).to.deep.equal(['b 13:00']);
    expect(await left()).to.equal(1);
    expect(await nextJob(cloud.firstRegion.database.db)).to.equal(undefined);
  });

  it('that fail are retried after the time to which the clock moves', async () => {
    const fail = (): Promise<void> => Promise.reject(new Error('broken job'));
    cloud = withToy(world.cloud, noting(notes, { 'toy.break': fail }));
    await schedule(cloud.central.db, { dueAt: noon, kind: 'toy.break', subject: 'a' });
    await schedule(cloud.firstRegion.database.db, {
      dueAt: noon + 1,
      kind: 'toy.break',
      subject: 'b',
    });
    await moveTo(24 * 365);
    expect((await nextJob(cloud.central.db))?.dueAt).to.equal(noon + 24 * 365 * hour + SECOND);
  });

  it('of central services run in order of due time across databases, and can reach a region', async () => {
    const reaching: Jobs = {
      'toy.reach': {
        run: async (context, { subject }) => {
          await inRegionTransaction(context, cloud.firstRegion, async ({ db, now }) => {
            await acquireLock(db, subject);
            notes.push(`${subject} ${isoSeconds(now).slice(11, 16)}`);
          });
        },
      },
    };
    cloud = withToy(world.cloud, noting(notes, reaching));
    await at(1, 'a');
    await schedule(cloud.central.db, {
      dueAt: noon + 2 * hour,
      kind: 'toy.reach',
      subject: 'reached',
    });
    await schedule(cloud.central.db, {
      dueAt: noon + 4 * hour,
      kind: 'toy.note',
      subject: 'central',
    });
    await at(3, 'c');
    await moveTo(5);
    expect(notes).to.deep.equal(['a 13:00', 'reached 14:00', 'c 15:00', 'central 16:00']);
    expect((await nextJob(cloud.central.db))?.dueAt).to.equal(undefined);
    await cloud.firstRegion.database.db('cumulet_locks').where({ name: 'reached' }).delete();
  });

  describe('that run together', () => {
    let runs: string[];
    let requestIds: Set<string>;
    const due = (subject: string, after: Micros, kind = 'toy.joint'): Promise<void> =>
      schedule(cloud.firstRegion.database.db, { dueAt: noon + after, kind, subject });

    beforeEach(() => {
      runs = [];
      requestIds = new Set();
      const joint: JointJob = {
        async runAll({ db, now }, jobs) {
          const subjects = jobs.map(({ subject }) => subject);
          for (const subject of subjects) await acquireLock(db, `joint ${subject}`);
          if (subjects.includes('bad')) throw new Error('broken job');
          runs.push(`${subjects.join(' ')} at ${now - noon}`);
        },
        within: () => 10,
      };
      const turns = inTurn(async ({ now, requestId }, { subject }) => {
        runs.push(`${subject} at ${now - noon}`);
        requestIds.add(requestId);
      });
      cloud = withToy(world.cloud, noting(notes, { 'toy.joint': joint, 'toy.turns': turns }));
    });

    const written = async (): Promise<string[]> => {
      const { db } = cloud.firstRegion.database;
      const names = db('cumulet_locks').where('name', 'like', 'joint %').orderBy('name');
      return (await names.pluck('name')) as string[];
    };

    afterEach(async () => {
      const { db } = cloud.firstRegion.database;
      await db('cumulet_locks').where('name', 'like', 'joint %').delete();
    });

    it('share a transaction if no other job is due between them, and they are not far apart', async () => {
      await due('a', 1);
      await due('b', 11);
      await due('c', 12);
      await due('x', SECOND - 1);
      await due('y', SECOND);
      await due('note', SECOND + 1, 'toy.note');
      await due('d', SECOND + 2);
      await due('e', SECOND + 2);
      await moveTo(1);
      expect(runs).to.deep.equal([
        'a b at 11',
        'c at 12',
        `x at ${SECOND - 1}`,
        `y at ${SECOND}`,
        `d e at ${SECOND + 2}`,
      ]);
      expect(await left()).to.equal(0);
    });

    it('run in turn, each at its due time and under a request id of its own', async () => {
      await due('b', 2, 'toy.turns');
      await due('c', 2, 'toy.turns');
      await due('a', 1, 'toy.turns');
      await moveTo(1);
      expect(runs).to.deep.equal(['a at 1', 'b at 2', 'c at 2']);
      expect(requestIds.size).to.equal(3);
    });

    it('run one at a time if they fail, so that the others succeed', async () => {
      for (const subject of ['a', 'bad', 'c']) await due(subject, 1);
      await moveTo(1);
      expect(runs).to.deep.equal(['a at 1', 'c at 1']);
      expect(await written()).to.deep.equal(['joint a', 'joint c']);
      expect((await nextJob(cloud.firstRegion.database.db))?.dueAt).to.equal(noon + hour + SECOND);
    });
  });

  it('that span databases are retried later if they fail', async () => {
    let tries = 0;
    const failing: Jobs = {
      'toy.reach': {
        run: async () => void (++tries === 1 && (await Promise.reject(new Error('not now')))),
      },
    };
    cloud = withToy(world.cloud, noting(notes, failing));
    await schedule(cloud.central.db, { dueAt: noon, kind: 'toy.reach', subject: 'a' });
    await moveTo(1);
    expect((await nextJob(cloud.central.db))?.dueAt).to.equal(noon + hour + SECOND);
    await moveTo(2);
    expect([tries, (await nextJob(cloud.central.db))?.dueAt]).to.deep.equal([2, undefined]);
  });

  it('run in the region that is passed', async () => {
    await at(1, 'a');
    cloud.firstRegion.jobs.wake();
    await runDueJobs(cloud, cloud.firstRegion, noon + hour);
    expect(notes).to.deep.equal(['a 13:00']);
  });
});

describe('jobs of two processes on one MySQL', () => {
  it('run once, in order, in either process', async function () {
    const database = await databases.fresh('mysql');
    if (!database) return this.skip();
    const config = configOf({ database, logLevel: 'silent' });
    const opened = [await openCloud(config), await openCloud(config)];
    try {
      // Counts commits only: an attempt that was rolled back leaves no row.
      const counted: Jobs = {
        'toy.count': ({ db }, { subject }) => acquireLock(db, subject),
        'toy.together': {
          runAll: async ({ db }, jobs) => {
            for (const { subject } of jobs) await acquireLock(db, subject);
          },
        },
      };
      const clouds = opened.map((cloud) => withToy(cloud, noting([], counted)));
      const { db } = clouds[0]!.firstRegion.database;
      for (let n = 0; n < 12; n++)
        await schedule(db, {
          dueAt: noon + n,
          kind: n < 6 ? 'toy.count' : 'toy.together',
          subject: `job ${n}`,
        });
      await Promise.all(
        [...clouds, ...clouds].map(async (cloud) =>
          runDueJobs(cloud, cloud.firstRegion, noon + hour),
        ),
      );
      const locks = (await db('cumulet_locks')
        .where('name', 'like', 'job %')
        .pluck('acquired')) as number[];
      expect(locks.map(Number)).to.deep.equal(Array.from({ length: 12 }, () => 1));
      expect(await db('jobs').pluck('id')).to.deep.equal([]);
    } finally {
      await Promise.all(opened.map(closeCloud));
      for (const part of ['', 'RegionOne']) await dropDatabase(database, part);
    }
  });
});
