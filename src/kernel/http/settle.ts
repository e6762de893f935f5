// Doing what is due in a region before a request is served, in order, each job in a transaction of its own.
import { ticks, type Micros } from '../clock.ts';
import { transact } from '../db/transaction.ts';
import { nextDue, takeDue, type JobHandler } from '../jobs.ts';
import type { Cloud, Region } from '../world.ts';

/** How long a process may go without looking for work that another one wrote down, in milliseconds. */
const lookEvery = 5;

/**
 * Does everything in the region that is due by `now`. Each job sees its own due time as now, so that a clock that was moved by
 * weeks gives the same as weeks of waiting.
 */
export async function settle(cloud: Cloud, region: Region, now: Micros): Promise<void> {
  const handlers = handlersOf(cloud);
  if (!handlers.size || ticks() < region.due.lookAt) return;
  for (;;) {
    const due = await nextDue(region.database.db);
    if (due === undefined || due > now) break;
    await transact(region.database.db, async (db) => {
      const job = await takeDue(db, now);
      if (job) await handlers.get(job.kind)?.({ cloud, region, db, now: job.dueAt }, job);
    });
  }
  region.due.lookAt = ticks() + lookEvery;
}

function handlersOf(cloud: Cloud): Map<string, JobHandler<{ cloud: Cloud; region: Region }>> {
  return new Map(cloud.services.flatMap(({ card }) => Object.entries(card.jobs ?? {})));
}
