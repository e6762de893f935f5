// Running the due jobs of a cloud: of one database, of another region, or of all databases; and
// stopping them while the cloud is quiesced.
import { deadline, isoSeconds, type Micros } from '../clock.ts';
import { SerializationFailure } from '../db/errors.ts';
import { unavailable } from '../errors.ts';
import type { Cloud, Context, JobRunner, JobTally, Region } from '../model.ts';
import { nextChange } from './periodic.ts';
import { nextJob } from './queue.ts';

/** Runs all jobs of a region that are due by `now`. */
export const runDueJobs = (cloud: Cloud, region: Region, now: Micros): Promise<void> | void =>
  region.jobs.run(cloud, region, now);

/** Runs all jobs of central services that are due by `now`. */
export const runDueCentralJobs = (cloud: Cloud, now: Micros): Promise<void> | void =>
  cloud.centralJobs.run(cloud, cloud.firstRegion, now);

/**
 * Runs the due jobs of a region, or else of the central services, for a request.
 * @throws 503 if there are so many that they take too long; they go on without the request
 */
export function runDueJobsInTime(
  request: Pick<Context, 'cloud' | 'now'>,
  region: Region | undefined,
): Promise<void> | void {
  const { cloud, now } = request;
  const runner = region ? region.jobs : cloud.centralJobs;
  const running = runner.run(cloud, region ?? cloud.firstRegion, now);
  if (running) return waitForJobs(request, runner, running);
}

async function waitForJobs(
  { cloud, now }: Pick<Context, 'cloud' | 'now'>,
  runner: JobRunner,
  running: Promise<void>,
): Promise<void> {
  const wait = cloud.config.catchUpWait / 1000;
  const late = Symbol('late');
  const timer = deadline(wait, late);
  const first = await Promise.race([running, timer.passed]).finally(timer.cancel);
  if (first !== late) return;
  running.catch(() => {}); // the next request meets the same error
  const { at = now } = runner.progress ?? {};
  throw unavailable(
    `The emulator is catching up with its clock: jobs have run up to ${isoSeconds(at)} of ` +
      `${isoSeconds(now)}. Try again later.`,
    { headers: { 'retry-after': '5' } },
  );
}

/**
 * Runs the due jobs of another region, for a job that spans databases. It returns at once if that
 * region waits for this one, because both would wait forever, and it ignores conflicts with another
 * process that runs the same jobs. In both cases the caller has to check again later.
 */
export async function runDueJobsOfOtherRegion(
  { cloud, region: own, now }: Context,
  other: Region,
): Promise<void> {
  if (other.jobs.waitsFor(own.jobs)) return;
  await own.jobs.whileWaitingFor(other.jobs, async () => {
    other.jobs.wake();
    try {
      await runDueJobs(cloud, other, now);
    } catch (error) {
      if (!(error instanceof SerializationFailure)) throw error;
    }
  });
}

/**
 * Runs all jobs that are due by `now`, in order of their due time across all databases, without
 * relying on earlier polls.
 */
export async function runAllDueJobs(cloud: Cloud, now: Micros): Promise<void> {
  const regions = [...cloud.regions.values()];
  const queues = [
    { runner: cloud.centralJobs, database: cloud.central, region: cloud.firstRegion },
    ...regions.map((region) => ({ runner: region.jobs, database: region.database, region })),
  ];
  for (;;) {
    const heads = await Promise.all(
      queues.map(async (queue) => ({
        ...queue,
        dueAt: (await nextJob(queue.database.db))?.dueAt ?? Infinity,
      })),
    );
    const [first, ...others] = heads.toSorted((one, other) => one.dueAt - other.dueAt);
    if (!first || first.dueAt > now) return;
    // The database with the first due job runs its jobs until a job of another may change anything.
    const changes = await Promise.all(others.map(({ database: { db } }) => nextChange(db)));
    const until = Math.min(now, ...changes);
    first.runner.wake();
    await first.runner.run(cloud, first.region, until, now);
  }
}

/** What all runners of this process have done. */
export function tallyOf({ centralJobs, regions }: Cloud): JobTally {
  const tallies = [centralJobs, ...[...regions.values()].map(({ jobs }) => jobs)];
  const sum = (field: keyof JobTally): number =>
    tallies.reduce((total, { tally }) => total + tally[field], 0);
  return { run: sum('run'), skipped: sum('skipped'), setAside: sum('setAside') };
}

/**
 * Runs a function while the cloud is quiesced: no job runs in this process, and requests wait. Jobs
 * that are running finish first. Afterwards every database is polled for due jobs.
 */
export async function whileQuiesced<T>(cloud: Cloud, run: () => Promise<T>): Promise<T> {
  const runners = (): JobRunner[] => [
    cloud.centralJobs,
    ...[...cloud.regions.values()].map(({ jobs }) => jobs),
  ];
  // Jobs of two regions may wait for each other, so all runners are paused in the same moment, when
  // all are idle.
  for (let busy; (busy = runners().flatMap((runner) => runner.busy ?? [])).length;)
    await Promise.allSettled(busy);
  const paused = runners();
  const result = run();
  const done = result.then(
    () => undefined,
    () => undefined,
  );
  for (const runner of paused) runner.pause(done);
  try {
    return await result;
  } finally {
    for (const runner of paused) runner.resume();
  }
}

/** The end of a quiescence that is under way; undefined if requests need not wait. */
export const quiescence = ({ centralJobs }: Cloud): Promise<void> | undefined => centralJobs.paused;
