// Tests of periodic jobs: which rounds run, and which are skipped because they would change
// nothing.
import { expect } from 'chai';
import supertest from 'supertest';
import { moveClock, writeClock } from '../../../src/emulator/clock/clock.ts';
import { isoSeconds, SECOND, type Micros } from '../../../src/kernel/clock.ts';
import { acquireLock } from '../../../src/kernel/db/transaction.ts';
import { ok } from '../../../src/kernel/http/reply.ts';
import { serverFor } from '../../../src/kernel/http/server.ts';
import { cancel, nextJob, schedule } from '../../../src/kernel/jobs/queue.ts';
import type { Cloud, Jobs, Round } from '../../../src/kernel/model.ts';
import { noon, onEachDatabase } from '../../support/cloud.ts';
import { toy, withToy } from '../toy.ts';

const minute: Micros = 60 * SECOND;
const hour: Micros = 60 * minute;
const year: Micros = 365 * 24 * hour;

onEachDatabase('periodic jobs', { regions: ['RegionOne', 'RegionTwo'] }, (world) => {
  /** The jobs and rounds that ran: `subject day hour:minute`. */
  let ran: string[];
  /** What a round returns, by its subject. */
  let rounds: Record<string, (now: Micros) => Round | undefined>;
  let cloud: Cloud;

  const note = (subject: string, now: Micros): void =>
    void ran.push(`${subject} ${isoSeconds(now).slice(5, 16).replace('T', ' ')}`);

  const jobs: Jobs = {
    'toy.round': {
      round: ({ now }, { subject }) => {
        note(subject, now);
        return Promise.resolve(rounds[subject]!(now));
      },
    },
    'toy.wide': {
      spansDatabases: true,
      round: ({ now }, { subject }) => {
        note(subject, now);
        return Promise.resolve(rounds[subject]!(now));
      },
    },
    'toy.latest': {
      supersedes: true,
      round: ({ now }, { subject }) => {
        note(subject, now);
        return Promise.resolve(rounds[subject]!(now));
      },
    },
    'toy.once': async ({ now, db }, { subject }) => {
      note(subject, now);
      await acquireLock(db, 'toy');
    },
  };

  beforeEach(() => {
    ran = [];
    rounds = {};
    cloud = withToy(
      world.cloud,
      toy([{ method: 'GET', path: '/', handler: () => ok({}) }], { jobs }),
    );
  });

  const every = async (
    subject: string,
    interval: Micros,
    steadyUntil?: (now: Micros) => Micros | undefined,
    kind = 'toy.round',
    region = cloud.firstRegion,
  ): Promise<void> => {
    rounds[subject] = (now) => {
      const until = steadyUntil?.(now);
      return until === undefined ? { interval } : { interval, steadyUntil: until };
    };
    const job = { dueAt: noon + interval, kind, subject, period: interval };
    await schedule(region.database.db, job);
  };
  const once = (at: Micros, subject: string, region = cloud.firstRegion): Promise<void> =>
    schedule(region.database.db, { dueAt: at, kind: 'toy.once', subject });
  const move = (by: Micros) => moveClock(cloud, { frozenAt: noon + by, offset: 0 });
  const always = (): Micros => Infinity;
  const nextDue = async (): Promise<Micros | undefined> =>
    (await nextJob(cloud.firstRegion.database.db))?.dueAt;

  for (const kind of ['toy.round', 'toy.wide']) {
    it(`skips all rounds of a year but the first, if that changes nothing (${kind})`, async () => {
      await every('a', minute, always, kind);
      expect(await move(year)).to.include({ run: 1, skipped: year / minute - 1 });
      expect(ran).to.deep.equal(['a 11-20 12:01']);
      expect(await nextDue()).to.equal(noon + year + minute);
    });

    it(`runs every round that changes something (${kind})`, async () => {
      await every('a', hour, undefined, kind);
      await move(3 * hour);
      expect(ran).to.deep.equal(['a 11-20 13:00', 'a 11-20 14:00', 'a 11-20 15:00']);
    });
  }

  it('runs the first round after another job, and skips the rest again', async () => {
    await every('a', hour, always);
    await once(noon + 5.5 * hour, 'x');
    await move(10 * hour);
    expect(ran).to.deep.equal(['a 11-20 13:00', 'x 11-20 17:30', 'a 11-20 18:00']);
    expect(await nextDue()).to.equal(noon + 11 * hour);
  });

  it('runs a round that is due at the same time as another job', async () => {
    await once(noon + 5 * hour, 'x');
    await every('a', hour, always);
    await move(6 * hour);
    expect(ran).to.deep.equal(['a 11-20 13:00', 'x 11-20 17:00', 'a 11-20 17:00']);
  });

  it('skips the rounds of several periodic jobs together', async () => {
    await every('a', minute, always);
    await every('b', 7 * minute, always);
    await every('c', hour, always, 'toy.wide');
    await move(year);
    expect(ran).to.deep.equal(['a 11-20 12:01', 'b 11-20 12:07', 'c 11-20 13:00']);
  });

  it('runs all of them again after a round that changes something', async () => {
    await every('a', hour, always);
    await every('b', 5 * hour, (now) => {
      if (now < noon + 10 * hour) return noon + 10 * hour - 1;
      return now === noon + 10 * hour ? undefined : Infinity;
    });
    await move(20 * hour);
    expect(ran).to.deep.equal([
      'a 11-20 13:00',
      'b 11-20 17:00',
      'b 11-20 22:00',
      'a 11-20 23:00',
      'b 11-21 03:00',
    ]);
  });

  it('runs the first round after the time until which nothing changes', async () => {
    await every('a', hour, (now) => Math.max(now, noon + 6.5 * hour));
    await move(9 * hour);
    expect(ran).to.deep.equal(['a 11-20 13:00', 'a 11-20 19:00', 'a 11-20 20:00', 'a 11-20 21:00']);
  });

  it('runs the first round after each move of the clock, because requests come between', async () => {
    await every('a', minute, always);
    await move(hour);
    await move(2 * hour);
    expect(ran).to.deep.equal(['a 11-20 12:01', 'a 11-20 13:01']);
  });

  it('skips rounds in several regions, and respects the jobs of each', async () => {
    const two = cloud.regions.get('RegionTwo')!;
    await every('a', minute, always);
    await every('b', minute, always, 'toy.round', two);
    await once(noon + 90.5 * minute, 'x', two);
    await move(year);
    expect(ran).to.deep.equal(['a 11-20 12:01', 'b 11-20 12:01', 'x 11-20 13:30', 'b 11-20 13:31']);
  });

  it('runs only the last round of a job whose rounds replace each other', async () => {
    await every('a', 24 * hour, undefined, 'toy.latest');
    await move(100.5 * 24 * hour);
    expect(ran).to.deep.equal(['a 02-28 12:00']);
    expect(await nextDue()).to.equal(noon + 101 * 24 * hour);
  });

  it('runs every round while calls between services may fail', async () => {
    const body = { match: { service: 'placement' }, effect: { status: 500 } };
    await world.http.post('/_emulator/faults').send(body).expect(201);
    await every('a', hour, always);
    await every('b', hour, undefined, 'toy.latest');
    await move(2 * hour);
    expect(ran).to.have.length(4);
    await world.http.delete('/_emulator/faults').expect(204);
    await move(9 * hour);
    expect(ran.slice(4)).to.deep.equal(['a 11-20 15:00', 'b 11-20 21:00']);
  });

  it('ends with a round that returns nothing, or when it is cancelled', async () => {
    await every('a', hour, always);
    rounds['a'] = () => undefined;
    await every('b', hour, always);
    await cancel(cloud.firstRegion.database.db, 'toy.round', 'b');
    await move(year);
    expect(ran).to.deep.equal(['a 11-20 13:00']);
    expect(await nextDue()).to.equal(undefined);
  });

  it('skips rounds before the first request after a pause without requests', async () => {
    await every('a', minute, always);
    const server = serverFor({ cloud });
    const weekend = { frozenAt: noon + 60 * hour, offset: 0 };
    await writeClock(cloud.central.db, weekend);
    cloud.sharedState.invalidate();
    cloud.firstRegion.jobs.wake();
    await supertest(server).get('/toy/').expect(200);
    expect(ran).to.deep.equal(['a 11-20 12:01']);
    expect(await nextDue()).to.equal(noon + 60 * hour + minute);
  });
});
