// Collects the usage of pods, daily by the emulator's clock and on demand.
import { SECOND } from '../../../kernel/clock.ts';
import { isForeignKey } from '../../../kernel/db/errors.ts';
import { cancel, schedule } from '../../../kernel/jobs/queue.ts';
import type { Context, Round } from '../../../kernel/model.ts';
import { inCentralTransaction } from '../../../kernel/context.ts';
import { readNovaUsage } from '../clients/compute.ts';
import { PodFailure } from '../clients/pods.ts';
import { readCinderPools } from '../clients/volume.ts';
import { listPods } from '../store/pods.ts';
import { readUsages, writeUsage } from '../store/usages.ts';
import type { CinderPool, CinderUsage, Pod, PodUsage } from '../model.ts';
import { loadSettings } from './settings.ts';

export const collectionKind = 'tricircle.collect_usage';

/** Schedules the next collection, and cancels the one that was scheduled before. */
export async function scheduleCollection(context: Context): Promise<void> {
  const period = (await loadSettings(context)).usageInterval * SECOND;
  await cancel(context.db, collectionKind, 'all');
  if (period > 0)
    await schedule(context.db, {
      dueAt: context.now + period,
      kind: collectionKind,
      subject: 'all',
      period,
    });
}

/** Starts a new interval, if a change of settings was about it. */
export async function applySettings(context: Context, changed: ReadonlySet<string>): Promise<void> {
  if (changed.has('usageInterval') && (await bottomPods(context)).length)
    await scheduleCollection(context);
}

/** Runs the daily collection. Runs outside of a transaction. */
export async function collectDaily(context: Context): Promise<Round | undefined> {
  const pods = await bottomPods(context);
  await collect(context, pods);
  const { usageInterval } = await loadSettings(context);
  return pods.length && usageInterval > 0 ? { interval: usageInterval * SECOND } : undefined;
}

/** Lists the pods except the central one. */
export const bottomPods = async ({ db }: Context): Promise<Pod[]> =>
  (await listPods(db)).filter(({ azName }) => azName !== '');

/**
 * Queries the usage of pods, one at a time, and stores it. Runs outside of a transaction, because a
 * pod may be another cloud.
 */
export async function collect(context: Context, pods: readonly Pod[]): Promise<void> {
  for (const pod of pods) {
    const [nova, cinder] = [
      await orFailure(() => readNovaUsage(context, pod)),
      await orFailure(() => readCinderPools(context, pod)),
    ];
    await inCentralTransaction(context, (central) => saveUsage(central, pod, nova, cinder));
  }
}

/** A result; undefined if the pod does not have the service; or the failure. */
type QueryResult<T> = T | undefined | PodFailure;

async function orFailure<T>(query: () => Promise<T>): Promise<T | PodFailure> {
  try {
    return await query();
  } catch (error) {
    if (error instanceof PodFailure) return error;
    throw error;
  }
}

/** Stores the usage of a pod. After a failure, the previous usage stays. */
async function saveUsage(
  context: Context,
  pod: Pod,
  nova: QueryResult<PodUsage['novaUsage']>,
  cinder: QueryResult<CinderPool[]>,
): Promise<void> {
  const previous = (await readUsages(context.db)).get(pod.id);
  const failures = [nova, cinder]
    .filter((result) => result instanceof PodFailure)
    .map(({ message }) => message);
  if (nova === undefined && cinder === undefined)
    failures.push(`The catalog has no services in the region ${pod.regionName}.`);
  const usage: PodUsage = {
    podId: pod.id,
    novaUsage: nova instanceof PodFailure ? (previous?.novaUsage ?? null) : (nova ?? null),
    cinderUsage:
      cinder instanceof PodFailure
        ? (previous?.cinderUsage ?? null)
        : cinder
          ? toCinderUsage(cinder)
          : null,
    collectedAt: failures.length ? (previous?.collectedAt ?? null) : context.now,
    lastError: failures.length ? failures.join(' ') : null,
  };
  try {
    await writeUsage(context.db, usage);
  } catch (error) {
    // The pod has been deleted during the collection.
    if (!isForeignKey(error)) throw error;
  }
}

const sum = (amounts: readonly (number | string)[]): number =>
  amounts.reduce<number>((total, amount) => total + (typeof amount === 'number' ? amount : 0), 0);

const toCinderUsage = (pools: readonly CinderPool[]): CinderUsage => ({
  pools,
  total_capacity_gb: sum(pools.map((pool) => pool.total_capacity_gb)),
  free_capacity_gb: sum(pools.map((pool) => pool.free_capacity_gb)),
});
