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
  const period = params.interval * SECOND;
  await schedule(context.db, { dueAt: context.now, kind: healthKind, subject: clusterId, period });
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
