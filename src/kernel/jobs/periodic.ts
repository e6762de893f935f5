// Periodic jobs, and how the rounds of one are skipped that would change nothing: so moving the
// clock by a year costs as much as what happens in that year.
import type { Micros } from '../clock.ts';
import type { Database, Db } from '../db/database.ts';
import { Recurring } from '../db/drivers/recurring.ts';
import type { Cloud, JobHandler, Jobs, JointJob, PeriodicJob, Round } from '../model.ts';
import { isJoint } from './joint.ts';
import { schedule, type PendingJob } from './queue.ts';

const recurring = new Recurring();

/** What handles the jobs of a kind. */
export type AnyJob = Jobs[string];

export const isPeriodic = (job: AnyJob): job is PeriodicJob =>
  typeof job !== 'function' && 'round' in job;

/** Whether a job runs in the transaction that claims it. */
export const runsInOneTransaction = (job: AnyJob): job is JobHandler | JointJob | PeriodicJob =>
  typeof job === 'function' || isJoint(job) || (isPeriodic(job) && !job.spansDatabases);

/**
 * Whether a call from one service to another may fail, or be counted, by something other than the
 * services: then no round is like the one before.
 */
const isDisturbed = (cloud: Cloud): boolean =>
  cloud.interceptors.some((interceptor) => interceptor.mayAffectServiceCalls?.(cloud));

/**
 * Schedules the next round of a periodic job. `now` is the time up to which jobs run: only requests
 * at that time or later can change what rounds depend on, so that is as long as steadiness lasts.
 */
export async function scheduleRound(
  cloud: Cloud,
  db: Db,
  { dueAt, kind, subject, payload }: PendingJob,
  { interval, steadyUntil }: Round,
  now: Micros,
): Promise<void> {
  const next = dueAt + interval;
  const until = Math.min(steadyUntil ?? -Infinity, now);
  const job = { dueAt: next, kind, subject, payload: JSON.parse(payload) as unknown };
  const isSteady = next <= until && !isDisturbed(cloud);
  await schedule(db, { ...job, period: interval }, isSteady ? until : null);
}

/**
 * Forgets which jobs of a database are steady: call it in a transaction that changes what they may
 * depend on. It reads first, because an UPDATE by condition would lock gaps on MySQL.
 */
export const endSteadiness = async (db: Db): Promise<void> =>
  endSteadinessOf(db, await steadyJobs(db));

/** The ids of the jobs of a database whose rounds are steady. */
export async function steadyJobs(db: Db): Promise<number[]> {
  const steady = await recurring.statement<{ id: number }[]>(db, 'ids', [], () =>
    db('jobs').whereNotNull('steady_until').select('id'),
  );
  return steady.map(({ id }) => id);
}

/** Forgets that some jobs are steady. */
export async function endSteadinessOf(db: Db, ids: readonly number[]): Promise<void> {
  if (ids.length) await db('jobs').whereIn('id', ids).update({ steady_until: null });
}

/**
 * The earliest time at which a pending job of a database may change anything: the due time of a job
 * that is not known to be steady, or the end of the steadiness of another.
 */
export async function nextChange(db: Db): Promise<Micros> {
  const due = recurring.statement<At[]>(db, 'due', [], () =>
    db('jobs')
      .whereNull('set_aside_at')
      .where((job) => void job.whereNull('steady_until').orWhereRaw('due_at > steady_until'))
      .min('due_at as at'),
  );
  const steady = recurring.statement<At[]>(db, 'steady', [], () =>
    db('jobs')
      .whereNotNull('steady_until')
      .whereRaw('due_at <= steady_until')
      .min('steady_until as at'),
  );
  return Math.min(timeOf(await due), timeOf(await steady) + 1);
}

interface At {
  readonly at: number | null;
}

const timeOf = ([row]: readonly At[]): Micros =>
  row?.at === null || row?.at === undefined ? Infinity : Number(row.at);

/** What skipping needs of a pass over the due jobs of a database: see JobPass. */
interface Pass {
  readonly cloud: Cloud;
  readonly database: Database;
  readonly until: Micros;
  readonly now: Micros;
}

/**
 * Skips the due rounds of a periodic job that would change nothing, or whose result a later due
 * round replaces.
 * @param pending the next job of the database, which is due by `until`
 * @returns how many rounds were skipped
 */
export async function skipRounds(
  { cloud, database: { db }, until, now }: Pass,
  handler: AnyJob | undefined,
  pending: PendingJob,
): Promise<number> {
  const { id, dueAt, period, claimedAt, steadyUntil } = pending;
  if (!period || claimedAt !== null) return 0;
  const rounds =
    steadyUntil !== null && dueAt <= steadyUntil
      ? Math.max(1, Math.ceil((Math.min(await nextChange(db), until + 1) - dueAt) / period))
      : handler && isPeriodic(handler) && handler.supersedes && !isDisturbed(cloud)
        ? Math.floor((now - dueAt) / period)
        : 0;
  if (!rounds) return 0;
  const skipped = await db('jobs')
    .where({ id, steady_until: steadyUntil, claimed_at: null })
    .whereRaw('due_at + 0 = ?', [dueAt]) // as in `claim`
    .update({ due_at: dueAt + rounds * period });
  return skipped ? rounds : 0;
}
