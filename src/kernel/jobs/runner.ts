// Doing what is due in a database before a request is served, in order, each job in a transaction
// of its own.
import { SECOND, ticks, type Micros } from '../clock.ts';
import type { Database, Db } from '../db/database.ts';
import { SerializationFailure, isDeadlock, isDiskFull, isUnreachable } from '../db/errors.ts';
import { transact } from '../db/transaction.ts';
import {
  claimedElsewhere,
  finish,
  nextJob,
  retryLater,
  claim,
  recordClaim,
  type PendingJob,
} from './queue.ts';
import type { Cloud, JobPoll, JobHandler, Region, MultiDatabaseJob, Context } from '../model.ts';
import { systemContext, acquireCentralLock, contextWith } from '../context.ts';

/**
 * How long a process may go without looking for jobs that another one wrote down, in milliseconds.
 */
const pollInterval = 5;

/** How often in a row of jobs this process may come too late. */
const maxLostRaces = 500;

/** How much later a job that failed is tried again. */
const retryDelay = SECOND;

/** How long due work waits for room on a full disk before it is tried again, in milliseconds. */
const diskFullDelay = 1_000;

/** Where jobs are: a region's database, or the central one. */
interface JobQueue {
  /** The region that the work of its jobs is for. */
  readonly region: Region;
  readonly database: Database;
  readonly jobPoll: JobPoll;
}

const queueOf = (region: Region): JobQueue => ({
  region,
  database: region.database,
  jobPoll: region.jobPoll,
});

const centralQueue = ({ central, centralJobPoll: centralDue, firstRegion }: Cloud): JobQueue => ({
  region: firstRegion,
  database: central,
  jobPoll: centralDue,
});

/**
 * Does everything in the region that is due by `now`. Each job sees its own due time as now, so
 * that a clock that was moved by weeks gives the same as weeks of waiting.
 */
export const runDueJobs = (cloud: Cloud, region: Region, now: Micros): Promise<void> | void =>
  runQueue(cloud, queueOf(region), now);

/**
 * Does what is due in another region by now, for a spanning job of the work's own. Two regions that
 * wait for each other would wait for ever: the later one goes on without, and so does one that
 * another process is ahead of. Who asks looks again.
 */
export async function runDueJobsOfOtherRegion(context: Context, region: Region): Promise<void> {
  const own = context.region.jobPoll;
  for (let look: JobPoll | undefined = region.jobPoll; look; look = look.waitingFor)
    if (look === own) return;
  own.waitingFor = region.jobPoll;
  region.jobPoll.nextPollAt = -Infinity;
  try {
    await runDueJobs(context.cloud, region, context.now);
  } catch (error) {
    if (!(error instanceof SerializationFailure)) throw error;
  } finally {
    own.waitingFor = undefined;
  }
}

/** The same for the jobs of central services. */
export const runDueCentralJobs = (cloud: Cloud, now: Micros): Promise<void> | void =>
  runQueue(cloud, centralQueue(cloud), now);

/**
 * Does everything in all databases that is due by `now`, in the order of time across them, whatever
 * this process knows of their next look.
 */
export async function runAllDueJobs(cloud: Cloud, now: Micros): Promise<void> {
  const queues = [centralQueue(cloud), ...[...cloud.regions.values()].map(queueOf)];
  for (;;) {
    const heads = await Promise.all(
      queues.map(async (queue) => ({
        agenda: queue,
        due: (await nextJob(queue.database.db))?.dueAt,
      })),
    );
    const times = heads.flatMap(({ due }) => (due === undefined || due > now ? [] : [due]));
    if (!times.length) return;
    // The first of them, and all that is due there before the next of the others.
    const [first, second = now] = times.toSorted((a, b) => a - b);
    const { agenda: queue } = heads.find(({ due }) => due === first)!;
    queue.jobPoll.nextPollAt = -Infinity;
    await runQueue(cloud, queue, second, now);
  }
}

/**
 * Whether a transaction sees something that is due by `now`. SQLite has one process, which knows
 * what it has written down: there it is asked only where a settling would look as well.
 */
export async function seesDueJob(
  db: Db,
  { kind }: Database,
  { nextPollAt: lookAt }: JobPoll,
  now: Micros,
): Promise<boolean> {
  if (kind === 'sqlite' && ticks() < lookAt) return false;
  const next = await nextJob(db);
  return next !== undefined && next.dueAt <= now;
}

/**
 * Does something while nothing that is due is done in this process: what is being done comes to its
 * end first, and what is due meanwhile is done after it. Afterwards nothing is known of what is
 * due.
 */
export async function whileJobsPaused<T>(cloud: Cloud, run: () => Promise<T>): Promise<T> {
  const looks = (): JobPoll[] => [
    cloud.centralJobPoll,
    ...[...cloud.regions.values()].map(({ jobPoll }) => jobPoll),
  ];
  // Two regions may wait for each other's work, so that all are taken at once, when all are at
  // rest.
  for (let going; (going = looks().flatMap((jobPoll) => jobPoll.running ?? [])).length;)
    await Promise.allSettled(going);
  const held = looks();
  const done = run();
  const going = done.then(() => undefined);
  going.catch(() => undefined);
  for (const jobPoll of held) jobPoll.running = going;
  try {
    return await done;
  } finally {
    for (const jobPoll of held)
      Object.assign(jobPoll, { running: undefined, nextPollAt: -Infinity });
  }
}

/**
 * `until` may lie before `now`, where another database comes in between: what fails is put off
 * beyond both.
 */
function runQueue(cloud: Cloud, queue: JobQueue, until: Micros, now = until): Promise<void> | void {
  if (!queue.jobPoll.running && ticks() < queue.jobPoll.nextPollAt) return;
  return runQueueSerially(cloud, queue, until, now);
}

/**
 * One look at a time in a process: of several that do the same job all but one would be undone,
 * again and again.
 */
async function runQueueSerially(
  cloud: Cloud,
  queue: JobQueue,
  until: Micros,
  now: Micros,
): Promise<void> {
  const { jobPoll } = queue;
  while (jobPoll.running) await jobPoll.running.catch(() => {});
  if (ticks() < jobPoll.nextPollAt) return;
  jobPoll.running = runDue(cloud, queue, until, now).finally(() => (jobPoll.running = undefined));
  await jobPoll.running;
}

async function runDue(cloud: Cloud, queue: JobQueue, until: Micros, now: Micros): Promise<void> {
  const failed = new Set<number>();
  for (let lost = 0; ;) {
    const next = await nextJob(queue.database.db);
    if (!next || next.dueAt > until) break;
    const undone = await runNext(cloud, queue, next, { until, later: now + retryDelay, failed });
    if (undone === 'full') {
      queue.jobPoll.nextPollAt = ticks() + diskFullDelay; // what only reads goes on meanwhile
      return;
    }
    // Another process is always a job ahead: what is due is being done, and there may be much of
    // it.
    if (undone && ++lost > maxLostRaces) throw undone;
  }
  queue.jobPoll.nextPollAt = ticks() + pollInterval;
}

/**
 * Does the job that was seen to be due first. One that fails is a mistake of ours: all of it is
 * undone, and it is logged and put off, so that its region goes on without it and it is tried
 * again. So is one of a kind that no service knows, which a newer version may have left.
 * @returns the contention, where another process has done it first, or others were faster again and
 *   again; `full` where there is no room for what it writes
 */
async function runNext(
  cloud: Cloud,
  queue: JobQueue,
  seen: PendingJob,
  { until, later, failed }: { until: Micros; later: Micros; failed: Set<number> },
): Promise<SerializationFailure | 'full' | undefined> {
  const { region, database } = queue;
  let job: PendingJob | undefined;
  let spanning: MultiDatabaseJob | undefined;
  let context: Context | undefined;
  let isLost = false;
  let claimedAt: Micros | undefined;
  try {
    await transact(database.db, async (db, attempt) => {
      if (database === cloud.central) await acquireCentralLock(db);
      job = attempt === 1 ? seen : await nextJob(db);
      if (!job || job.dueAt > until) return (job = undefined);
      isLost = !(await claim(db, job));
      if (isLost) return (job = undefined);
      context = systemContext(cloud, region, db, job.dueAt, attempt);
      const handler = handlerOf(cloud, job.kind);
      spanning = typeof handler === 'function' ? undefined : handler;
      if (spanning) claimedAt = await recordClaim(db, job);
      else await (handler as JobHandler)(context, job);
    });
    if (isLost) return claimedElsewhere();
    if (job && spanning) {
      await spanning.run(contextWith(context!, { db: database.db }), job);
      await finish(database.db, job, claimedAt!);
    }
  } catch (error) {
    if (error instanceof SerializationFailure) return error;
    if (isDiskFull(error)) {
      cloud.log.error({ err: error, database: database.name }, 'due work waits: the disk is full');
      return 'full';
    }
    if (!job || isDeadlock(error) || isUnreachable(error)) throw error;
    const { id, kind, subject } = job;
    if (failed.has(id)) throw error; // it was put off and is due again: going on would never end
    failed.add(id);
    cloud.log.error(
      { err: error, database: database.name, job: kind, subject },
      'due work failed, and is put off',
    );
    await retryLater(database.db, job, later);
  }
  return undefined;
}

/**
 * The service that knows the kind of job is looked for only when there is one to do, and not for
 * every request.
 */
function handlerOf(cloud: Cloud, kind: string): JobHandler | MultiDatabaseJob {
  const found = cloud.services.find(({ definition }) => definition.jobs?.[kind])?.definition.jobs?.[
    kind
  ];
  if (!found) throw new Error(`No service knows jobs of the kind ${kind}.`);
  return found;
}
