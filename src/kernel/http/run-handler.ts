// Runs the handler of a request in a transaction; and before that, refreshes the shared state and
// runs due jobs.
import { emulatedNow, yieldToEventLoop } from '../clock.ts';
import { hasNote, serialize, transact } from '../db/transaction.ts';
import type { SharedValues } from '../db/state.ts';
import { ApiError, noSuchPath } from '../errors.ts';
import type {
  Call,
  Cloud,
  JobRunner,
  LocatedRequest,
  Region,
  Reply,
  RoutedRequest,
  TimedRequest,
} from '../model.ts';
import { quiescence, runDueJobsInTime } from '../jobs/due-jobs.ts';
import { databaseOf, lockOf } from '../context.ts';
import { syncRegions } from '../regions.ts';

/**
 * Gives the request its time, and updates what this process has cached of the shared state, so that
 * the request sees one state.
 * @throws 404 if the region of the path no longer exists
 */
export async function refreshState(request: LocatedRequest): Promise<TimedRequest> {
  const { cloud, service } = request;
  if (service.definition.database === 'none')
    return Object.assign(request, { now: emulatedNow(cloud.sharedState.cached.clock) });
  const shared = await readSharedState(cloud);
  const timed = Object.assign(request, { now: emulatedNow(shared.clock) });
  for (const interceptor of cloud.interceptors) {
    const refreshing = interceptor.refresh?.(cloud, shared);
    if (refreshing) await refreshing;
  }
  if (shared.regionsRevision !== cloud.regionCache.revision)
    timed.region = await refreshRegion(timed);
  return timed;
}

/** Waits while the cloud is quiesced (during a restore), then reads the shared values. */
async function readSharedState(cloud: Cloud): Promise<SharedValues> {
  const quiesced = quiescence(cloud);
  if (quiesced) await quiesced;
  return cloud.sharedState.read();
}

/**
 * Follows the changes that other processes have made to the regions, and looks up the request's
 * region again.
 * @throws 404 if that region no longer exists
 */
async function refreshRegion({ cloud, region }: LocatedRequest): Promise<Region> {
  await syncRegions(cloud);
  const current = cloud.regions.get(region.name);
  if (!current) throw noSuchPath();
  return current;
}

/** Runs the due jobs in the database of the service. @throws 503 as `runDueJobsInTime` */
export function runDueJobsOfService(request: TimedRequest): Promise<void> | void {
  const { region, service } = request;
  const { database } = service.definition;
  if (database !== 'none')
    return runDueJobsInTime(request, database === 'region' ? region : undefined);
}

/**
 * Runs the handler in a transaction. The transaction begins after the checks, which cause most
 * refusals and need no database.
 *
 * A job may become due between this request's check for due jobs and its transaction (for example,
 * another client has just deleted the volume that this request is about to attach). To behave as if
 * requests ran one at a time, a write that meets such a job rolls back, runs the job, and starts
 * over. Three places check for this: after waiting for a lock, before returning an error, and on
 * reading a resource in a transitional state.
 */
export async function runHandler(request: RoutedRequest): Promise<Reply> {
  const { route, cloud, service, region } = request;
  if (route.single) {
    const { db } = databaseOf(cloud, service, region);
    return route.handler(Object.assign(request, { db, attempt: 1, mayRetry: false }));
  }
  return runnerOf(request).retry(
    (mayRetry) => runInTransaction(request, mayRetry),
    async () => {
      wakeRunners(request);
      await runDueJobsOfService(await refreshState(request));
    },
  );
}

async function runInTransaction(request: RoutedRequest, mayRetry: boolean): Promise<Reply> {
  const { route, cloud, service, region } = request;
  const database = databaseOf(cloud, service, region);
  const reads = request.method === 'GET' || request.method === 'HEAD';
  const lock = route.lock ?? (reads ? undefined : lockOf(service.definition));
  const writes = !reads || lock !== undefined;
  let transaction = database.db;
  const reply = await transact(database.db, async (db, attempt) => {
    transaction = db;
    if (lock) await serialize(db, lock);
    const call = Object.assign(request, { db, attempt, mayRetry: mayRetry && writes });
    if (lock && service.definition.jobs) await retryAfterDueJobs(call);
    try {
      return await route.handler(call);
    } catch (error) {
      if (error instanceof ApiError) await retryAfterDueJobs(call);
      throw error;
    }
  });
  if (hasNote(transaction, 'has written a shared value')) cloud.sharedState.invalidate();
  if (hasNote(transaction, 'has changed a job')) {
    wakeRunners(request);
    void startDueJobs(request);
  }
  return reply;
}

/**
 * Runs the jobs that a request has scheduled, if they are due, once its reply is on its way. The
 * next request would run them too, but its client would wait for them.
 */
async function startDueJobs(request: RoutedRequest): Promise<void> {
  await yieldToEventLoop();
  const { cloud, region } = request;
  const runner = runnerOf(request);
  await runner.requestsEnded();
  // Whoever runs jobs now, or keeps them from running, looks for due jobs afterwards.
  if (runner.busy) return;
  try {
    await runner.run(cloud, region, emulatedNow(cloud.sharedState.cached.clock));
  } catch {
    // The next request meets the same error, and reports it.
  }
}

/**
 * Makes a request that writes start over after the due jobs, if its transaction sees one.
 * @throws DueJobPending, which rolls the transaction back
 */
export const retryAfterDueJobs = (call: Call): Promise<void> =>
  runnerOf(call).requireNoDueJob(call);

/** The runner of the service's database. */
const runnerOf = ({ cloud, region, service }: LocatedRequest): JobRunner =>
  service.definition.database === 'region' ? region.jobs : cloud.centralJobs;

/** A write may have scheduled a job that is due at once, or changed the shared values. */
function wakeRunners({ cloud, service, region }: LocatedRequest): void {
  if (service.definition.database === 'central') {
    cloud.sharedState.invalidate();
    cloud.centralJobs.wake();
  }
  region.jobs.wake();
}
