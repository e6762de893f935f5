// The registry of the clusters whose health is checked, and the schedule of the checks.
import { SECOND } from '../../../../kernel/clock.ts';
import { cancel, schedule } from '../../../../kernel/jobs/queue.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { HealthParams } from '../../model.ts';
import * as store from '../../store/index.ts';

export const healthKind = 'clustering.health_check';

/** Registers a cluster: it is checked at once, and then at each interval. */
export async function register(
  context: Context,
  clusterId: string,
  params: HealthParams,
): Promise<void> {
  await unregister(context, clusterId);
  await store.registry.insert(context.db, {
    clusterId,
    interval: params.interval,
    params,
    enabled: true,
    round: context.now % 2 ** 31,
  });
  await scheduleCheck(context, clusterId, context.now);
}

export async function unregister({ db }: Context, clusterId: string): Promise<void> {
  await store.registry.remove(db, { clusterId });
  await cancel(db, healthKind, clusterId);
}

export async function setEnabled(
  { db }: Context,
  clusterId: string,
  enabled: boolean,
): Promise<void> {
  await store.registry.update(db, { clusterId }, { enabled });
}

/** Schedules the next check of a cluster, instead of the one scheduled before. */
async function scheduleCheck({ db }: Context, clusterId: string, dueAt: number): Promise<void> {
  await cancel(db, healthKind, clusterId);
  await schedule(db, { dueAt, kind: healthKind, subject: clusterId });
}

/** Schedules the check that follows after the interval. */
export const scheduleNextCheck = (
  context: Context,
  clusterId: string,
  { interval }: HealthParams,
): Promise<void> => scheduleCheck(context, clusterId, context.now + interval * SECOND);
