// Runs a job, or several together: claiming them, running them in a transaction, retrying a job
// later if it fails, and setting it aside if it cannot run.
import { SECOND, type Micros } from '../clock.ts';
import { acquireCentralLock, contextWith, systemContext } from '../context.ts';
import type { Database, Db } from '../db/database.ts';
import { SerializationFailure, isDeadlock, isDiskFull, isUnreachable } from '../db/errors.ts';
import { revisionsOf } from '../db/kept/revisions.ts';
import { pipelined } from '../db/pipelined.ts';
import { hasNote, transact } from '../db/transaction.ts';
import type { Cloud, Context, Job, JobTally, PeriodicJob, Region, Round } from '../model.ts';
import { isJoint } from './joint.ts';
import {
  endSteadiness,
  endSteadinessOf,
  isPeriodic,
  runsInOneTransaction,
  scheduleRound,
  steadyJobs,
  type AnyJob,
} from './periodic.ts';
import {
  claimAll,
  claimedElsewhere,
  finish,
  nextJob,
  recordClaim,
  retryLater,
  setAside,
  type PendingJob,
} from './queue.ts';

/** How long after a failure a job runs again. */
const retryDelay = SECOND;

/** After how many failures a job is set aside. */
const maxFailures = 5;

/** A job that no attempt can run: its row is broken, or written by a newer version. */
class UnusableJob extends Error {}

/** One pass over the due jobs of a database. */
export interface JobPass {
  readonly cloud: Cloud;
  /** The region of the jobs' contexts; the first one for the central database. */
  readonly region: Region;
  readonly database: Database;
  /** Jobs that are due later wait for the next pass. */
  readonly until: Micros;
  /** The current time. `until` is earlier if jobs of another database are due in between. */
  readonly now: Micros;
  /** The ids of the jobs that failed in this pass. */
  readonly failed: Set<number>;
  /** Counts what the pass does. */
  readonly tally: JobTally;
  /** Tells the pass that the queue may have changed since it was read. */
  readonly queueChanged: () => void;
}

/** Jobs that run together, or one, in the transaction that claims them. */
interface Work {
  /** In the order of their due times. */
  readonly pending: readonly PendingJob[];
  readonly jobs: readonly Required<Job>[];
  readonly handler: AnyJob;
  /** Its time is the due time of the last job. */
  readonly context: Context;
}

/** A job that has been claimed in one transaction and runs in several others. */
interface StartedJob {
  readonly pending: PendingJob;
  readonly job: Required<Job>;
  readonly handler: AnyJob;
  readonly context: Context;
  readonly claimedAt: Micros;
}

/** Why a pass may have to end. */
type Obstacle = SerializationFailure | 'disk full';

/**
 * Runs the jobs that were read as the first due ones: one, or several that run together. A failure
 * indicates a bug: the transaction is rolled back, the failure is logged, and the job runs again
 * later, so that it does not block its database. A job that fails again and again is set aside, and
 * at once if it cannot run at all. Jobs that fail together run again one at a time.
 * @returns a serialization failure if another process has claimed a job, or after too many
 *   conflicts; 'disk full' if there is no space for what the jobs write
 */
export async function runJobs(
  pass: JobPass,
  first: readonly PendingJob[],
): Promise<Obstacle | undefined> {
  const { cloud, database, until } = pass;
  let jobs: readonly PendingJob[] = [];
  let transaction = database.db;
  try {
    const started = await transact(database.db, async (db, attempt) => {
      transaction = db;
      if (database === cloud.central) await acquireCentralLock(db);
      if (attempt > 1) pass.queueChanged();
      jobs = attempt === 1 ? first : await firstDue(db, until);
      if (!jobs.length) return undefined;
      const work = workFor(pass, db, attempt, jobs);
      const { handler, context } = work;
      const [areClaimed, read, steady] = await pipelined([
        claimAll(db, jobs, database.kind),
        isJoint(handler) ? handler.read?.(context, work.jobs) : undefined,
        ...readsBefore(pass, db, jobs),
      ]);
      if (areClaimed) return start(pass, work, read, steady);
      // Of several jobs, some may be claimed: this transaction must not commit.
      if (jobs.length > 1) throw claimedElsewhere();
      jobs = [];
      return 'claimed elsewhere';
    });
    if (hasNote(transaction, 'has changed a job')) pass.queueChanged();
    if (started === 'claimed elsewhere') throw claimedElsewhere();
    if (started) await finishJob(pass, started);
    pass.tally.run += jobs.length;
    return undefined;
  } catch (error) {
    pass.queueChanged();
    const [job, ...others] = jobs;
    if (others.length && isAboutJob(error)) return runEach(pass, jobs);
    return failJob(pass, job, error);
  }
}

/** Runs jobs that have failed together. */
async function runEach(pass: JobPass, jobs: readonly PendingJob[]): Promise<Obstacle | undefined> {
  for (const job of jobs) {
    const obstacle = await runJobs(pass, [job]);
    if (obstacle) return obstacle;
  }
  return undefined;
}

async function firstDue(db: Db, until: Micros): Promise<readonly PendingJob[]> {
  const next = await nextJob(db);
  return next && next.dueAt <= until ? [next] : [];
}

/** Whether an error is about a job, and not about the database. */
const isAboutJob = (error: unknown): boolean =>
  !(error instanceof SerializationFailure) &&
  !isDiskFull(error) &&
  !isDeadlock(error) &&
  !isUnreachable(error);

/**
 * What a job needs to read first, in one packet with its claim: the steady jobs, for which it may
 * change something, and on MySQL the revisions, which nearly all jobs read.
 */
function readsBefore({ database }: JobPass, db: Db, jobs: readonly PendingJob[]) {
  if (database.kind === 'sqlite') return jobs[0]!.isAnySteady ? ([steadyJobs(db)] as const) : [];
  // A round of another process may have become steady since the job was read.
  return [steadyJobs(db), revisionsOf(db)] as const;
}

/** @throws UnusableJob */
function workFor(
  { cloud, region }: JobPass,
  db: Db,
  attempt: number,
  pending: readonly PendingJob[],
): Work {
  const { kind, dueAt } = pending.at(-1)!;
  const handler = handlerOf(cloud, kind);
  if (!handler) throw new UnusableJob(`No service handles jobs of the kind ${kind}.`);
  const context = systemContext(cloud, region, db, dueAt, attempt);
  return { pending, jobs: pending.map(parsed), handler, context };
}

/**
 * Runs jobs in the transaction that has claimed them.
 * @param read what their handler has read
 * @param steady the ids of the jobs that are steady
 * @returns a job that spans databases: it runs after the transaction, which only records the claim
 */
async function start(
  pass: JobPass,
  { pending: [pending], jobs, handler, context }: Work,
  read: unknown,
  steady: readonly number[] = [],
): Promise<StartedJob | undefined> {
  const { db } = context;
  if (!isPeriodic(handler)) await endSteadinessOf(db, steady);
  if (isJoint(handler)) {
    await handler.runAll(context, jobs, read);
    return undefined;
  }
  const job = jobs[0]!;
  if (!runsInOneTransaction(handler)) {
    const claimedAt = await recordClaim(db, pending!);
    return { pending: pending!, job, handler, context, claimedAt };
  }
  if (typeof handler === 'function') await handler(context, job);
  else await scheduleNext(pass, db, pending!, handler, await handler.round(context, job));
  return undefined;
}

/** Runs a job that spans databases, outside of any transaction, and then deletes it. */
async function finishJob(
  pass: JobPass,
  { pending, job, handler, context, claimedAt }: StartedJob,
): Promise<void> {
  pass.queueChanged();
  const { db } = pass.database;
  const outside = contextWith(context, { db });
  if (!isPeriodic(handler)) {
    if ('run' in handler) await handler.run(outside, job);
    await finish(db, pending, claimedAt);
    return;
  }
  const round = await handler.round(outside, job);
  await transact(db, async (trx) => {
    if (await finish(trx, pending, claimedAt))
      await scheduleNext(pass, trx, pending, handler, round);
  });
}

async function scheduleNext(
  { cloud, now }: JobPass,
  db: Db,
  pending: PendingJob,
  { supersedes = false }: PeriodicJob,
  round: Round | undefined,
): Promise<void> {
  // No other job reads the result of one that supersedes itself.
  const hasChanged = round !== undefined && round.steadyUntil === undefined && !supersedes;
  if (hasChanged) await endSteadiness(db);
  if (round) await scheduleRound(cloud, db, pending, round, now);
}

/** @throws UnusableJob */
function parsed(pending: PendingJob): Required<Job> {
  try {
    return { ...pending, payload: JSON.parse(pending.payload) as unknown };
  } catch (error) {
    throw new UnusableJob(`Its payload is not JSON: ${(error as Error).message}`);
  }
}

/**
 * Decides what follows from an error: another try in this pass, a pause until the disk has space,
 * another try later, or none.
 * @throws the error, if it is about the database and not about the job
 */
async function failJob(
  { cloud, database, now, failed, tally }: JobPass,
  job: PendingJob | undefined,
  error: unknown,
): Promise<Obstacle | undefined> {
  if (error instanceof SerializationFailure) return error;
  if (isDiskFull(error)) {
    cloud.log.error({ err: error, database: database.name }, 'due jobs wait: the disk is full');
    return 'disk full';
  }
  if (!job || !isAboutJob(error)) throw error;
  const { id, kind, subject, failures } = job;
  const fields = { database: database.name, id, job: kind, subject };
  // A job that is due again in the same pass would keep it from ending.
  const isLast = error instanceof UnusableJob || failures + 1 >= maxFailures || failed.has(id);
  failed.add(id);
  if (isLast) {
    const reason = error instanceof Error ? error.message : String(error);
    const err = error instanceof UnusableJob ? {} : { err: error };
    cloud.log.error({ ...fields, ...err }, `a job was set aside (GET /_emulator/jobs): ${reason}`);
    await setAside(database.db, job, now, reason);
    tally.setAside++;
  } else {
    cloud.log.error({ ...fields, err: error }, 'a job failed and will be retried');
    await retryLater(database.db, job, now + retryDelay);
  }
  return undefined;
}

/**
 * The handler of a kind. It is searched for each job, because most requests run no job and need no
 * index.
 */
export const handlerOf = ({ services }: Cloud, kind: string): AnyJob | undefined =>
  services.find(({ definition }) => definition.jobs?.[kind])?.definition.jobs?.[kind];
