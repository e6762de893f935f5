// The retries of work in pods that failed, or that a dead process left half done. They are jobs in
// the central region's database.
import { SECOND } from '../../../../kernel/clock.ts';
import { inRegionTransaction } from '../../../../kernel/context.ts';
import { cancel, schedule } from '../../../../kernel/jobs/queue.ts';
import type { Context } from '../../../../kernel/model.ts';
import { centralRegionOf } from '../../../../kernel/regions.ts';
import type { Reference } from './kinds.ts';

const MINUTE = 60 * SECOND;

export const retryKind = 'tricircle.retry';

/** The payload of a retry, and of the job that follows a change. */
export interface Follow extends Reference {
  /** How often the work has failed. */
  readonly failures?: number;
  /** The project of a resource that a pod may have without a routing. */
  readonly projectId?: string;
  /** The only pod in which the work has failed, or is under way; else it may be any. */
  readonly podId?: string;
}

/** The longest time between two attempts, in minutes. */
const maxDelay = 24 * 60;

/** Work in one pod has a retry of its own, which success in another pod does not cancel. */
const subjectOf = ({ type, id, podId }: Follow): string =>
  podId === undefined ? `${type}:${id}` : `${type}:${id}:${podId}`;

/**
 * Schedules the work on a resource again, after a minute at first, as Tricircle's worker redoes
 * jobs, and then less and less often.
 */
export const scheduleRetry = (context: Context, follow: Follow): Promise<void> =>
  inRegionTransaction(context, centralRegionOf(context.cloud)!, async ({ db, now }) => {
    const { failures = 0 } = follow;
    await cancel(db, retryKind, subjectOf(follow));
    await schedule(db, {
      dueAt: now + Math.min(2 ** failures, maxDelay) * MINUTE,
      kind: retryKind,
      subject: subjectOf(follow),
      payload: follow,
    });
  });

/** Cancels the retry of work that has been done. */
export const cancelRetry = (context: Context, follow: Follow): Promise<void> =>
  inRegionTransaction(context, centralRegionOf(context.cloud)!, ({ db }) =>
    cancel(db, retryKind, subjectOf(follow)),
  );
