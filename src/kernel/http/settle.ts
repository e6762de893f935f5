// Doing what is due in a region before a request is served, in order, each job in a transaction of its own.
import { ticks, type Micros } from '../clock.ts';
import { Contention } from '../db/errors.ts';
import { transact } from '../db/transaction.ts';
import { nextDue, takeDue, type JobHandler } from '../jobs.ts';
import type { Cloud, Region } from '../world.ts';

/** How long a process may go without looking for work that another one wrote down, in milliseconds. */
const lookEvery = 5;

/** How often in a row of jobs this process may come too late. */
const mostLost = 50;

/**
 * Does everything in the region that is due by `now`. Each job sees its own due time as now, so that a clock that was moved by
 * weeks gives the same as weeks of waiting.
 */
export async function settle(cloud: Cloud, region: Region, now: Micros): Promise<void> {
  // One look at a time in a process: of several that do the same job all but one would be undone, again and again.
  while (region.due.going) await region.due.going.catch(() => {});
  if (ticks() < region.due.lookAt) return;
  region.due.going = doDue(cloud, region, now).finally(() => (region.due.going = undefined));
  await region.due.going;
}

async function doDue(cloud: Cloud, region: Region, now: Micros): Promise<void> {
  for (let lost = 0; ;) {
    const due = await nextDue(region.database.db);
    if (due === undefined || due > now) break;
    await transact(region.database.db, async (db) => {
      const job = await takeDue(db, now);
      if (job) await handlerOf(cloud, job.kind)?.({ cloud, region, db, now: job.dueAt }, job);
    }).catch((error: unknown) => {
      // Another process is always a job ahead: what is due is being done, and there may be much of it.
      if (!(error instanceof Contention) || ++lost > mostLost) throw error;
    });
  }
  region.due.lookAt = ticks() + lookEvery;
}

/** The service that knows the kind of job is looked for only when there is one to do, and not for every request. */
function handlerOf(cloud: Cloud, kind: string): JobHandler<{ cloud: Cloud; region: Region }> | undefined {
  return cloud.services.find(({ card }) => card.jobs?.[kind])?.card.jobs?.[kind];
}
