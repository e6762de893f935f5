// One job: claiming it, running it in a transaction, and retrying it later if it fails.
import { SECOND, type Micros } from '../clock.ts';
import { acquireCentralLock, contextWith, systemContext } from '../context.ts';
import type { Database, Db } from '../db/database.ts';
import { SerializationFailure, isDeadlock, isDiskFull, isUnreachable } from '../db/errors.ts';
import { transact } from '../db/transaction.ts';
import type { Cloud, Context, JobHandler, MultiDatabaseJob, Region } from '../model.ts';
import {
  claim,
  claimedElsewhere,
  finish,
  nextJob,
  recordClaim,
  retryLater,
  type PendingJob,
} from './queue.ts';

/** How long after a failure a job runs again. */
const retryDelay = SECOND;

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
}

/** A job that has been claimed in one transaction and runs in several others. */
interface StartedJob {
  readonly job: PendingJob;
  readonly handler: MultiDatabaseJob;
  readonly context: Context;
  readonly claimedAt: Micros;
}

/**
 * Runs the job that was read as the first due one. A failure indicates a bug: the transaction is
 * rolled back, the failure is logged, and the job runs again later, so that it does not block its
 * database. The same happens to a job of an unknown kind, which a newer version may have written.
 * @returns a serialization failure if another process has claimed the job, or after too many
 *   conflicts; 'disk full' if there is no space for what the job writes
 */
export async function runJob(
  pass: JobPass,
  first: PendingJob,
): Promise<SerializationFailure | 'disk full' | undefined> {
  const { cloud, database, until } = pass;
  let job: PendingJob | undefined;
  try {
    const started = await transact(database.db, async (db, attempt) => {
      if (database === cloud.central) await acquireCentralLock(db);
      job = attempt === 1 ? first : await nextJob(db);
      if (!job || job.dueAt > until) return (job = undefined);
      if (await claim(db, job)) return startJob(pass, db, attempt, job);
      job = undefined;
      return 'claimed elsewhere';
    });
    if (started === 'claimed elsewhere') return claimedElsewhere();
    if (started) await finishJob(database, started);
    return undefined;
  } catch (error) {
    return failJob(pass, job, error);
  }
}

/**
 * Runs a job in the transaction that has claimed it.
 * @returns a job that spans databases: it runs after the transaction, which only records the claim
 */
async function startJob(
  { cloud, region }: JobPass,
  db: Db,
  attempt: number,
  job: PendingJob,
): Promise<StartedJob | undefined> {
  const context = systemContext(cloud, region, db, job.dueAt, attempt);
  const handler = handlerOf(cloud, job.kind);
  if (typeof handler !== 'function')
    return { job, handler, context, claimedAt: await recordClaim(db, job) };
  await handler(context, job);
  return undefined;
}

/** Runs a job that spans databases, outside of any transaction, and then deletes it. */
async function finishJob(
  database: Database,
  { job, handler, context, claimedAt }: StartedJob,
): Promise<void> {
  await handler.run(contextWith(context, { db: database.db }), job);
  await finish(database.db, job, claimedAt);
}

/**
 * Decides what follows from an error: another try in this pass, a pause until the disk has space,
 * or another try later.
 * @throws the error, if it is about the database and not about the job
 */
async function failJob(
  { cloud, database, now, failed }: JobPass,
  job: PendingJob | undefined,
  error: unknown,
): Promise<SerializationFailure | 'disk full' | undefined> {
  if (error instanceof SerializationFailure) return error;
  if (isDiskFull(error)) {
    cloud.log.error({ err: error, database: database.name }, 'due jobs wait: the disk is full');
    return 'disk full';
  }
  if (!job || isDeadlock(error) || isUnreachable(error)) throw error;
  const { id, kind, subject } = job;
  if (failed.has(id)) throw error; // due again in the same pass, which would never end
  failed.add(id);
  cloud.log.error(
    { err: error, database: database.name, job: kind, subject },
    'a job failed and will be retried',
  );
  await retryLater(database.db, job, now + retryDelay);
  return undefined;
}

/**
 * The handler of a kind. It is searched for each job, because most requests run no job and need no
 * index.
 */
function handlerOf({ services }: Cloud, kind: string): JobHandler | MultiDatabaseJob {
  const service = services.find(({ definition }) => definition.jobs?.[kind]);
  const handler = service?.definition.jobs?.[kind];
  if (!handler) throw new Error(`No service handles jobs of the kind ${kind}.`);
  return handler;
}
