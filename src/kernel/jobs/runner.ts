// Runs the due jobs of a database before requests, in order of their due time, each job in a
// transaction of its own, or with others of its kind.
import { deadline, emulatedNow, isoSeconds, SECOND, ticks, type Micros } from '../clock.ts';
import type { Database } from '../db/database.ts';
import type { Call, Cloud, JobProgress, JobRunner, JobTally, Region } from '../model.ts';
import { isJoint } from './joint.ts';
import { skipRounds } from './periodic.ts';
import { dueJobs, nextJob, type PendingJob } from './queue.ts';
import { handlerOf, runJobs, type JobPass } from './run-job.ts';

/** How long a process relies on its last poll for jobs that other processes write: milliseconds. */
const pollInterval = 5;

/**
 * How many due jobs a pass reads at first, and at most. It doubles the number with each read, until
 * the queue changes.
 */
const [firstRead, largestRead] = [8, 64];

/** How often in one pass another process may claim a job first. */
const maxLostRaces = 500;

/** How long jobs wait for space on a full disk before they run again, in milliseconds. */
const diskFullDelay = 1_000;

/** After how many milliseconds a pass that still runs logs how far it has come. */
const logInterval = 5_000;

/** How long a stop waits for the current job, in milliseconds. */
const stopTimeout = 5_000;

/** How often a request runs at most because a job has become due meanwhile. */
const maxAttempts = 5;

/**
 * What a runner is doing:
 * - idle: it polls before the next request, unless it has polled a few milliseconds ago;
 * - running: it runs due jobs, and requests to its database wait;
 * - paused: somebody else has the database for themselves, and requests wait until they are done.
 */
type State =
  | { readonly name: 'idle' }
  | { readonly name: 'running'; readonly done: Promise<void> }
  | { readonly name: 'paused'; readonly done: Promise<void> };

/** A job is due that would change what the request's transaction sees. */
export class DueJobPending extends Error {}

/** Runs a transaction, and starts over after the due jobs whenever it throws DueJobPending. */
async function retryAfterJobs<T>(
  transaction: (mayRetry: boolean) => Promise<T>,
  runDueJobs: () => Promise<void>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction(attempt < maxAttempts);
    } catch (error) {
      if (!(error instanceof DueJobPending)) throw error;
    }
    await runDueJobs();
  }
}

/** Groups the jobs that run together. */
function together(cloud: Cloud, due: readonly PendingJob[]): PendingJob[][] {
  const groups: PendingJob[][] = [];
  for (const job of due) {
    const group = groups.at(-1);
    if (group && joins(cloud, group[0]!, job)) group.push(job);
    else groups.push([job]);
  }
  return groups;
}

/** Whether a job runs together with those from the first one on. One that has failed runs alone. */
function joins(cloud: Cloud, first: PendingJob, { kind, dueAt, failures }: PendingJob): boolean {
  if (kind !== first.kind || failures || first.failures) return false;
  const handler = handlerOf(cloud, kind);
  if (!handler || !isJoint(handler)) return false;
  // Clients see times in seconds.
  const isInSecond = Math.floor(dueAt / SECOND) === Math.floor(first.dueAt / SECOND);
  return isInSecond && dueAt - first.dueAt <= (handler.within?.(cloud) ?? 0);
}

/** Runs the due jobs of one database, a region's or the central one. Each process has its own. */
export class DatabaseJobRunner implements JobRunner {
  private readonly database: Database;
  private state: State = { name: 'idle' };
  /** By the counter `ticks`. */
  private nextPollAt = -Infinity;
  /** The transactions of requests. */
  private readonly underWay = new Set<Promise<unknown>>();
  /** How often it was woken. */
  private wakes = 0;
  /** The runner of another region that a job of this one waits for. */
  private waitingFor: JobRunner | undefined;
  private isStopped = false;
  readonly tally: JobTally = { run: 0, skipped: 0, setAside: 0 };
  progress: JobProgress | undefined;

  constructor(database: Database) {
    this.database = database;
  }

  /** Makes the runner poll before the next request, because a job may have become due. */
  wake(): void {
    this.wakes++;
    this.nextPollAt = -Infinity;
  }

  /**
   * Runs all jobs that are due by `until`. Each job sees its own due time as the current time, so
   * moving the clock by a week has the same result as waiting for a week. `until` is before `now`
   * if jobs of another database are due in between; failed jobs are retried after both.
   * @returns nothing instead of a promise if there is nothing to wait for
   */
  run(cloud: Cloud, region: Region, until: Micros, now = until): Promise<void> | void {
    if (this.state.name === 'idle' && ticks() < this.nextPollAt) return;
    return this.runWhenIdle(cloud, region, until, now);
  }

  /** Several passes at a time would conflict on the same jobs, and all but one would roll back. */
  private async runWhenIdle(
    cloud: Cloud,
    region: Region,
    until: Micros,
    now: Micros,
  ): Promise<void> {
    while (this.state.name !== 'idle') await this.state.done.catch(() => {});
    if (ticks() < this.nextPollAt) return;
    const done = this.runPass(cloud, region, until, now).finally(
      () => (this.state = { name: 'idle' }),
    );
    this.state = { name: 'running', done };
    await done;
  }

  private async runPass(cloud: Cloud, region: Region, until: Micros, now: Micros): Promise<void> {
    const { database } = this;
    const tally = { run: 0, skipped: 0, setAside: 0 };
    const failed = new Set<number>();
    const queueChanged = (): void => this.wake();
    const pass = { cloud, region, database, until, now, failed, tally, queueChanged };
    try {
      await this.runJobsOf(pass);
    } finally {
      this.progress = undefined;
      this.tally.run += tally.run;
      this.tally.skipped += tally.skipped;
      this.tally.setAside += tally.setAside;
    }
  }

  private async runJobsOf(pass: JobPass): Promise<void> {
    const { cloud, until, tally } = pass;
    const since = ticks();
    let loggedAt = since;
    let lostRaces = 0;
    for await (const jobs of this.jobsOf(pass)) {
      const next = jobs.at(-1)!;
      this.progress = { since, at: next.dueAt, until, tally };
      if (ticks() - loggedAt > logInterval) {
        loggedAt = ticks();
        this.logProgress(cloud, this.progress);
      }
      const skipped = await skipRounds(pass, handlerOf(cloud, next.kind), next);
      tally.skipped += skipped;
      if (skipped) pass.queueChanged();
      const failure = skipped ? undefined : await runJobs(pass, jobs);
      if (failure === 'disk full') {
        this.nextPollAt = ticks() + diskFullDelay; // requests that only read work meanwhile
        return;
      }
      // Another process is always one job ahead: it runs the due jobs, and there may be many.
      if (failure && ++lostRaces > maxLostRaces) throw failure;
    }
    if (loggedAt > since) this.logProgress(cloud, { since, at: until, until, tally });
  }

  /**
   * The due jobs in their order: those that run together, or one. It reads several at a time, and
   * again if the queue changes.
   */
  private async *jobsOf({ cloud, database, until }: JobPass): AsyncGenerator<PendingJob[]> {
    for (let limit = firstRead; !this.isStopped;) {
      const wakesBefore = this.wakes;
      const polledAt = ticks();
      const due = await dueJobs(database.db, until, limit);
      for (const jobs of together(cloud, due)) {
        if (this.isStopped || this.wakes !== wakesBefore) break;
        yield jobs;
      }
      // A poll that was under way when the runner was woken may have missed the new job.
      if (this.wakes !== wakesBefore) {
        limit = firstRead;
        continue;
      }
      if (due.length < limit) {
        this.nextPollAt = polledAt + pollInterval;
        return;
      }
      limit = Math.min(limit * 2, largestRead);
    }
  }

  private logProgress({ log }: Cloud, { since, at, until, tally }: JobProgress): void {
    const fields = {
      database: this.database.name,
      at: isoSeconds(at),
      until: isoSeconds(until),
      jobs: tally.run,
      skipped: tally.skipped,
      seconds: Math.round((ticks() - since) / 1000),
    };
    log.info(fields, at === until ? 'caught up with the clock' : 'catching up with the clock');
  }

  /**
   * Ends the pass that is under way after its current job, because the database closes. A job that
   * waits for a slow URL is not waited for.
   */
  async stop(): Promise<void> {
    this.isStopped = true;
    const timer = deadline(stopTimeout, undefined);
    await Promise.race([this.busy?.catch(() => {}), timer.passed]).finally(timer.cancel);
  }

  /** Whether this runner is the other one, or waits for it through any number of runners. */
  waitsFor(other: JobRunner): boolean {
    return this === other || (this.waitingFor?.waitsFor(other) ?? false);
  }

  /** Records that a job of this runner waits for another runner while the function runs. */
  async whileWaitingFor(other: JobRunner, run: () => Promise<void>): Promise<void> {
    this.waitingFor = other;
    try {
      await run();
    } finally {
      this.waitingFor = undefined;
    }
  }

  /** The end of the current pass or pause; undefined if the runner is idle. It may reject. */
  get busy(): Promise<void> | undefined {
    return this.state.name === 'idle' ? undefined : this.state.done;
  }

  /** The end of the current pause; undefined if the runner is not paused. */
  get paused(): Promise<void> | undefined {
    return this.state.name === 'paused' ? this.state.done : undefined;
  }

  /** Stops an idle runner until `resume`. `done` must not reject. */
  pause(done: Promise<void>): void {
    this.state = { name: 'paused', done };
  }

  /** Ends a pause. The database may hold other jobs now. */
  resume(): void {
    this.state = { name: 'idle' };
    this.wake();
  }

  /**
   * Runs the transaction of a request. If it throws DueJobPending, it has been rolled back; the due
   * jobs run, and the transaction starts over. `mayRetry` is false for the last attempt.
   */
  async retry<T>(
    transaction: (mayRetry: boolean) => Promise<T>,
    runDueJobs: () => Promise<void>,
  ): Promise<T> {
    const running = retryAfterJobs(transaction, runDueJobs);
    this.underWay.add(running);
    try {
      return await running;
    } finally {
      this.underWay.delete(running);
    }
  }

  /**
   * Waits for the transactions of requests that are under way now. Jobs that they schedule can then
   * run together.
   */
  async requestsEnded(): Promise<void> {
    await Promise.allSettled(this.underWay);
  }

  /**
   * Makes a request start over after the due jobs, if its transaction sees one. It reads with
   * the transaction, because the job may have run since. With SQLite there is a single process,
   * which notices all new jobs, so it reads the table only when the runner would poll as well.
   * @throws DueJobPending, which rolls the transaction back
   */
  async requireNoDueJob({ mayRetry, cloud, db }: Call): Promise<void> {
    if (!mayRetry) return;
    if (this.database.kind === 'sqlite' && ticks() < this.nextPollAt) return;
    const next = await nextJob(db);
    if (next && next.dueAt <= emulatedNow(cloud.sharedState.cached.clock))
      throw new DueJobPending();
  }
}
