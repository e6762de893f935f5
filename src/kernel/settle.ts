// Doing what is due in a region before a request is served, in order, each job in a transaction of its own.
import { SECOND, ticks, type Micros } from './clock.ts';
import { Contention, isDeadlock, isGone } from './db/errors.ts';
import { transact } from './db/transaction.ts';
import { nextDue, putOff, takeDue, type JobHandler, type TakenJob } from './jobs.ts';
import type { Cloud, Region } from './model.ts';

/** How long a process may go without looking for work that another one wrote down, in milliseconds. */
const lookEvery = 5;

/** How often in a row of jobs this process may come too late. */
const mostLost = 50;

/** How much later a job that failed is tried again. */
const putOffBy = SECOND;

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
    const undone = await doNext(cloud, region, now);
    // Another process is always a job ahead: what is due is being done, and there may be much of it.
    if (undone && ++lost > mostLost) throw undone;
  }
  region.due.lookAt = ticks() + lookEvery;
}

/**
 * Does the job that is due first. One that fails, which is a mistake of ours, is logged and put off, all of it undone: the region goes on
 * without it, and it is tried again.
 * @returns the contention, where other processes were faster again and again
 */
async function doNext(cloud: Cloud, region: Region, now: Micros): Promise<Contention | undefined> {
  const { db } = region.database;
  let job: TakenJob | undefined;
  try {
    await transact(db, async (trx) => {
      job = await takeDue(trx, now);
      if (job) await handlerOf(cloud, job.kind)?.({ cloud, region, db: trx, now: job.dueAt }, job);
    });
  } catch (error) {
    if (error instanceof Contention) return error;
    if (!job || isDeadlock(error) || isGone(error)) throw error;
    const { kind, subject } = job;
    cloud.log.error({ err: error, region: region.name, job: kind, subject }, 'due work failed, and is put off');
    await putOff(db, job, now + putOffBy);
  }
  return undefined;
}

/** The service that knows the kind of job is looked for only when there is one to do, and not for every request. */
function handlerOf(cloud: Cloud, kind: string): JobHandler<{ cloud: Cloud; region: Region }> | undefined {
  return cloud.services.find(({ card }) => card.jobs?.[kind])?.card.jobs?.[kind];
}
