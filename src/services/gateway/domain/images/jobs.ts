// Schedules the jobs of images in the central region's database.
import { emulatedNow, SECOND } from '../../../../kernel/clock.ts';
import { inRegionTransaction, systemActor } from '../../../../kernel/context.ts';
import { schedule } from '../../../../kernel/jobs/queue.ts';
import type { Context, Job } from '../../../../kernel/model.ts';

/** The longest time between two rounds, in seconds. */
const maxDelay = 24 * 60 * 60;

/** The delay before the next round, after some rounds. */
export const delayAfter = (rounds: number): number => Math.min(2 ** rounds, maxDelay) * SECOND;

/** Whether a job asks, and not a request. Its time is its due time, also if the clock has moved. */
const isJob = ({ actor }: Context): boolean => actor === systemActor;

/** Schedules a job. A request's is due after what the pod has begun, whose clock was read later. */
export const scheduleJob = (
  context: Context,
  { kind, subject, payload }: Required<Pick<Job, 'kind' | 'subject' | 'payload'>>,
  delay: number,
): Promise<void> =>
  inRegionTransaction(context, context.region, async ({ cloud, db, now }) => {
    const from = isJob(context) ? now : Math.max(now, emulatedNow(cloud.sharedState.cached.clock));
    await schedule(db, { dueAt: from + delay, kind, subject, payload });
  });
