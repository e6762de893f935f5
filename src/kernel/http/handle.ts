// The part of a request's life that is work: its time, what is due before it, and its handler in a transaction.
import { emulatedNow } from '../clock.ts';
import { takeTurn, transact } from '../db/transaction.ts';
import { Fault, notFound } from '../fault.ts';
import type { Call, Reply } from '../model.ts';
import { syncFaults } from '../powers/faults.ts';
import { syncRegions } from '../powers/regions.ts';
import { seesDue, settle, settleCentral } from '../settle.ts';
import { databaseOf, turnOf } from '../work.ts';

/** How often a request is done at most because something was due that it had not seen done. */
const mostTimes = 5;

/** Reads the clock, and the regions and fault rules as they are then. @throws 404 where the region of the path has gone */
export async function readTime(call: Call): Promise<void> {
  const { cloud, service, region } = call;
  if (service.card.home === 'process') return;
  if (cloud.standstill.going) await cloud.standstill.going;
  const shared = await cloud.shared.look();
  call.now = emulatedNow(shared.clock);
  if (shared.faultsRevision !== cloud.faults.revision) await syncFaults(cloud);
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
 * other, this request would find it done. So a write that comes too early is done again after what is due, as if it came then. It looks where
 * that can matter: when it has waited for a turn, when it is refused, and when it comes upon something that is under way.
 */
export async function work(call: Call): Promise<Reply> {
  const { route, cloud, service } = call;
  if (route.single) {
    call.db = databaseOf(cloud, service, call.region).db;
    return route.handler(call);
  }
  for (let times = 1; ; times++) {
    try {
      call.comesAgain = times < mostTimes;
      return await transacted(call);
    } catch (error) {
      if (!(error instanceof TooEarly)) throw error;
    }
    lookAgain(call);
    await readTime(call);
    await settleDue(call);
  }
}

async function transacted(call: Call): Promise<Reply> {
  const { route, cloud, service, region } = call;
  const database = databaseOf(cloud, service, region);
  const reads = call.method === 'GET' || call.method === 'HEAD';
  const turn = route.turn ?? (reads ? undefined : turnOf(service.card));
  const writes = !reads || turn !== undefined;
  call.comesAgain &&= writes;
  const done = await transact(database.db, async (trx, attempt) => {
    if (turn) await takeTurn(trx, turn);
    call.db = trx;
    call.attempt = attempt;
    if (turn && service.card.jobs) await comeAfterDue(call);
    try {
      return await route.handler(call);
    } catch (error) {
      if (error instanceof Fault) await comeAfterDue(call);
      throw error;
    }
  });
  if (writes) lookAgain(call);
  return done;
}

/** What the transaction sees would be otherwise if what is due were done. */
class TooEarly extends Error {}

/**
 * Lets a request that writes come after what is due, if its transaction sees anything that is. It asks the transaction itself, because by now the
 * job may be done. @throws TooEarly, which ends the transaction
 */
export async function comeAfterDue({ comesAgain, cloud, region, service, db }: Call): Promise<void> {
  if (!comesAgain) return;
  const due = service.card.home === 'central' ? cloud.centralDue : region.due;
  if (await seesDue(db, databaseOf(cloud, service, region), due, emulatedNow(cloud.shared.known.clock))) throw new TooEarly();
}

/** A write may have made a job that is due at once, or changed the shared values. */
function lookAgain({ cloud, service, region }: Call): void {
  if (service.card.home === 'central') {
    cloud.shared.forget();
    cloud.centralDue.lookAt = -Infinity;
  }
  region.due.lookAt = -Infinity;
}
