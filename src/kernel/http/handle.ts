// The part of a request's life that is work: its time, what is due before it, and its handler in a transaction.
import { emulatedNow } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { takeTurn, transact } from '../db/transaction.ts';
import { Fault, notFound } from '../fault.ts';
import type { Call, Reply } from '../model.ts';
import { syncRegions } from '../powers/regions.ts';
import { seesDue, settle, settleCentral } from '../settle.ts';
import { databaseOf, turnOf } from '../work.ts';

/** How often a request is done at most because something was due that it had not seen done. */
const mostTimes = 5;

/** Reads the clock, and the regions as they are then. @throws 404 where the region of the path has gone */
export async function readTime(call: Call): Promise<void> {
  const { cloud, service, region } = call;
  if (service.card.home === 'process') return;
  const shared = await cloud.shared.look();
  call.now = emulatedNow(shared.clock);
  if (shared.regionsRevision === cloud.regionLook.revision) return;
  await syncRegions(cloud);
  const known = cloud.regions.get(region.name);
  if (!known) throw notFound('', { case: 'path' });
  call.region = known;
}

/** Does what is due in the service's database. */
export function settleDue(call: Call): Promise<void> | void {
  const { home } = call.service.card;
  if (home === 'region') return settle(call.cloud, call.region, call.now);
  if (home === 'central') return settleCentral(call.cloud, call.now);
}

/**
 * Runs the handler in a transaction. The transaction begins after the checks: they need no database, and most refusals come from them.
 *
 * Another request may have been served since this one settled, and its job be due and not done: a volume is still being deleted. One after the
 * other, this request would find it done. So a write that comes too early is done again after what is due, as if it came then.
 */
export async function work(call: Call): Promise<Reply> {
  const { route, cloud, service } = call;
  if (route.single) {
    call.db = databaseOf(cloud, service, call.region).db;
    return route.handler(call);
  }
  for (let times = 1; ; times++) {
    try {
      return await transacted(call, times < mostTimes);
    } catch (error) {
      if (!(error instanceof TooEarly)) throw error;
    }
    lookAgain(call);
    await readTime(call);
    await settleDue(call);
  }
}

/** @throws TooEarly where it may come again */
async function transacted(call: Call, again: boolean): Promise<Reply> {
  const { route, cloud, service, region } = call;
  const database = databaseOf(cloud, service, region);
  const reads = call.method === 'GET' || call.method === 'HEAD';
  const turn = route.turn ?? (reads ? undefined : turnOf(service.card));
  const writes = !reads || turn !== undefined;
  const done = await transact(database.db, async (trx, attempt) => {
    if (turn) await takeTurn(trx, turn);
    call.db = trx;
    call.attempt = attempt;
    // While others had the turn much may have become due; who does not wait looks only when refused.
    if (turn && again && service.card.jobs) await refuseTooEarly(call, database);
    try {
      return await route.handler(call);
    } catch (error) {
      if (writes && again && error instanceof Fault) await refuseTooEarly(call, database);
      throw error;
    }
  });
  if (writes) lookAgain(call);
  return done;
}

/** What the transaction sees would be otherwise if what is due were done. */
class TooEarly extends Error {}

/** It asks the transaction itself, because by now the job may be done. @throws TooEarly */
async function refuseTooEarly({ cloud, region, service, db }: Call, database: Database): Promise<void> {
  const due = service.card.home === 'central' ? cloud.centralDue : region.due;
  if (await seesDue(db, database, due, emulatedNow(cloud.shared.known.clock))) throw new TooEarly();
}

/** A write may have made a job that is due at once, or changed the shared values. */
function lookAgain({ cloud, service, region }: Call): void {
  if (service.card.home === 'central') {
    cloud.shared.forget();
    cloud.centralDue.lookAt = -Infinity;
  }
  region.due.lookAt = -Infinity;
}
