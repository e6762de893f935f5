// Which clusters are looked after, how, and when they are looked at next.
import { SECOND } from '../../../../kernel/clock.ts';
import { cancel, schedule } from '../../../../kernel/jobs/queue.ts';
import type { Context } from '../../../../kernel/model.ts';
import * as store from '../../store/index.ts';
import type { Json } from '../../model.ts';

export const healthKind = 'clustering.health_check';

export interface DetectionMode extends Json {
  readonly type: string;
  readonly poll_url?: string;
}

export interface HealthParams extends Json {
  readonly interval: number;
  readonly node_update_timeout: number;
  readonly recovery_conditional: string;
  readonly node_delete_timeout: number;
  readonly node_force_recreate: boolean;
  readonly recover_action: readonly { readonly name: string; readonly params: Json | null }[];
  readonly detection_modes: readonly DetectionMode[];
}

/** Begins to look after a cluster: it is looked at at once, and then at each interval. */
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
  await next(context, clusterId, context.now);
}

export async function unregister({ db }: Context, clusterId: string): Promise<void> {
  await store.registry.remove(db, { cluster_id: clusterId });
  await cancel(db, healthKind, clusterId);
}

export async function setEnabled(
  { db }: Context,
  clusterId: string,
  enabled: boolean,
): Promise<void> {
  await store.registry.update(db, { cluster_id: clusterId }, { enabled });
}

/** Writes down when the cluster is looked at next, in the place of what was written down before. */
export async function next({ db }: Context, clusterId: string, dueAt: number): Promise<void> {
  await cancel(db, healthKind, clusterId);
  await schedule(db, { dueAt, kind: healthKind, subject: clusterId });
}

export const nextRound = ({ now }: Context, { interval }: Pick<HealthParams, 'interval'>): number =>
  now + interval * SECOND;
