// The part of a request's life that is work: its time, what is due before it, and its handler in a transaction.
import { emulatedNow, type Micros } from '../clock.ts';
import { takeTurn, transact } from '../db/transaction.ts';
import { Fault, notFound } from '../fault.ts';
import type { Call, DueLook, Reply } from '../model.ts';
import { syncRegions } from '../powers/regions.ts';
import { seenDue, settle, settleCentral } from '../settle.ts';
import { databaseOf, turnOf } from '../work.ts';

/** How often a request is done that is refused each time while something is due. */
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
 * What another request has begun meanwhile, and what is due at once, may stand between this one and what it asks for: a volume is still being
 * deleted. One after the other, the second would find it done. So a write that is refused while it sees something due is done again after
 * that, as if it came then.
 */
export async function work(call: Call): Promise<Reply> {
  const { route, cloud, service } = call;
  if (route.single) {
    call.db = databaseOf(cloud, service, call.region).db;
    return route.handler(call);
  }
  for (let times = 1; ; times++) {
    try {
      return await transacted(call);
    } catch (error) {
      if (!(error instanceof RefusedBefore)) throw error;
      await readTime(call);
      if (error.dueAt > call.now || times === mostTimes) throw error.refusal;
      lookAgain(call);
      await settleDue(call);
    }
  }
}

async function transacted(call: Call): Promise<Reply> {
  const { route, cloud, service, region } = call;
  const database = databaseOf(cloud, service, region);
  const reads = call.method === 'GET' || call.method === 'HEAD';
  const turn = route.turn ?? (reads ? undefined : turnOf(service.card));
  const writes = !reads || turn !== undefined;
  const done = await transact(database.db, async (trx, attempt) => {
    if (turn) await takeTurn(trx, turn);
    call.db = trx;
    call.attempt = attempt;
    try {
      return await route.handler(call);
    } catch (error) {
      const dueAt = writes && error instanceof Fault ? await seenDue(trx, database, dueLookOf(call)) : undefined;
      throw dueAt === undefined ? error : new RefusedBefore(error as Fault, dueAt);
    }
  });
  if (writes) lookAgain(call);
  return done;
}

/** A refusal by a transaction that sees a job, and the time at which that is due. */
class RefusedBefore extends Error {
  readonly refusal: Fault;
  readonly dueAt: Micros;
  constructor(refusal: Fault, dueAt: Micros) {
    super(refusal.message);
    this.refusal = refusal;
    this.dueAt = dueAt;
  }
}

const dueLookOf = ({ cloud, service, region }: Call): DueLook =>
  service.card.home === 'central' ? cloud.centralDue : region.due;

/** A write may have made a job that is due at once, or changed the shared values. */
function lookAgain({ cloud, service, region }: Call): void {
  if (service.card.home === 'central') {
    cloud.shared.forget();
    cloud.centralDue.lookAt = -Infinity;
  }
  region.due.lookAt = -Infinity;
}
