// The part of a request's life that is work: its time, what is due before it, and its handler in a
// transaction.
import { emulatedNow } from '../clock.ts';
import { acquireLock, transact } from '../db/transaction.ts';
import { ApiError, noSuchPath } from '../errors.ts';
import type { Call, Reply } from '../model.ts';
import { syncRegions } from '../regions.ts';
import { seesDueJob, runDueJobs, runDueCentralJobs } from '../jobs/runner.ts';
import { databaseOf, lockOf } from '../context.ts';

/** How often a request is done at most because something was due that it had not seen done. */
const maxAttempts = 5;

/**
 * Reads the clock, and the regions and fault rules as they are then.
 * @throws 404 where the region of the path has gone
 */
export async function refreshState(call: Call): Promise<void> {
  const { cloud, service, region } = call;
  if (service.definition.database === 'none') return;
  if (cloud.quiesced.going) await cloud.quiesced.going;
  const shared = await cloud.sharedState.read();
  call.now = emulatedNow(shared.clock);
  for (const interceptor of cloud.interceptors) {
    const refreshed = interceptor.refresh?.(cloud, shared);
    if (refreshed) await refreshed;
  }
  if (shared.regionsRevision === cloud.regionCache.revision) return;
  await syncRegions(cloud);
  const known = cloud.regions.get(region.name);
  if (!known) throw noSuchPath();
  call.region = known;
}

/** Does what is due in the service's database. */
export function runDueJobsOfService(call: Call): Promise<void> | void {
  const { database: home } = call.service.definition;
  if (home === 'region') return runDueJobs(call.cloud, call.region, call.now);
  if (home === 'central') return runDueCentralJobs(call.cloud, call.now);
}

/**
 * Runs the handler in a transaction. The transaction begins after the checks: they need no
 * database, and most refusals come from them.
 *
 * Another request may have been served since this one settled, and its job be due and not done: a
 * volume is still being deleted. One after the other, this request would find it done. So a write
 * that comes too early is done again after what is due, as if it came then. It looks where that can
 * matter: when it has waited for a turn, when it is refused, and when it comes upon something that
 * is under way.
 */
export async function runHandler(call: Call): Promise<Reply> {
  const { route, cloud, service } = call;
  if (route.single) {
    call.db = databaseOf(cloud, service, call.region).db;
    return route.handler(call);
  }
  for (let times = 1; ; times++) {
    try {
      call.mayRetry = times < maxAttempts;
      return await runInTransaction(call);
    } catch (error) {
      if (!(error instanceof DueJobPending)) throw error;
    }
    pollJobsAgain(call);
    await refreshState(call);
    await runDueJobsOfService(call);
  }
}

async function runInTransaction(call: Call): Promise<Reply> {
  const { route, cloud, service, region } = call;
  const database = databaseOf(cloud, service, region);
  const reads = call.method === 'GET' || call.method === 'HEAD';
  const turn = route.lock ?? (reads ? undefined : lockOf(service.definition));
  const writes = !reads || turn !== undefined;
  call.mayRetry &&= writes;
  const done = await transact(database.db, async (trx, attempt) => {
    if (turn) await acquireLock(trx, turn);
    call.db = trx;
    call.attempt = attempt;
    if (turn && service.definition.jobs) await retryAfterDueJobs(call);
    try {
      return await route.handler(call);
    } catch (error) {
      if (error instanceof ApiError) await retryAfterDueJobs(call);
      throw error;
    }
  });
  if (writes) pollJobsAgain(call);
  return done;
}

/** What the transaction sees would be otherwise if what is due were done. */
class DueJobPending extends Error {}

/**
 * Lets a request that writes come after what is due, if its transaction sees anything that is. It
 * asks the transaction itself, because by now the job may be done.
 * @throws TooEarly, which ends the transaction
 */
export async function retryAfterDueJobs({
  mayRetry: comesAgain,
  cloud,
  region,
  service,
  db,
}: Call): Promise<void> {
  if (!comesAgain) return;
  const jobPoll = service.definition.database === 'central' ? cloud.centralJobPoll : region.jobPoll;
  if (
    await seesDueJob(
      db,
      databaseOf(cloud, service, region),
      jobPoll,
      emulatedNow(cloud.sharedState.cached.clock),
    )
  )
    throw new DueJobPending();
}

/** A write may have made a job that is due at once, or changed the shared values. */
function pollJobsAgain({ cloud, service, region }: Call): void {
  if (service.definition.database === 'central') {
    cloud.sharedState.invalidate();
    cloud.centralJobPoll.nextPollAt = -Infinity;
  }
  region.jobPoll.nextPollAt = -Infinity;
}
