// The collection of how full pods are: daily by the emulator's clock, and on demand. Each pod is
// asked by itself, and tells only sums.
import { SECOND } from '../../../kernel/clock.ts';
import { isForeignKey } from '../../../kernel/db/errors.ts';
import { cancel, schedule } from '../../../kernel/jobs/queue.ts';
import type { Context } from '../../../kernel/model.ts';
import { inCentralTransaction } from '../../../kernel/context.ts';
import { novaUsageOf } from '../clients/compute.ts';
import { PodFailure } from '../clients/pods.ts';
import { cinderPoolsOf } from '../clients/volume.ts';
import { listPods } from '../store/pods.ts';
import { readUsages, writeUsage } from '../store/usages.ts';
import type { CinderPool, CinderUsage, Pod, PodUsage } from '../model.ts';
import { changeSettings, settingsOf, type Settings } from './settings.ts';

export const collectionKind = 'tricircle.collect_usage';

/** Writes down when usage is collected next, in the place of what was written down before. */
export async function scheduleCollection(context: Context): Promise<void> {
  const { usageInterval } = await settingsOf(context);
  await cancel(context.db, collectionKind, 'all');
  if (usageInterval > 0)
    await schedule(context.db, {
      dueAt: context.now + usageInterval * SECOND,
      kind: collectionKind,
      subject: 'all',
    });
}

/** Changes settings. A new interval counts from now on. */
export async function applySettings(
  context: Context,
  changes: Partial<Settings>,
): Promise<Settings> {
  const settings = await changeSettings(context, changes);
  if (changes.usageInterval !== undefined && (await bottomPods(context)).length)
    await scheduleCollection(context);
  return settings;
}

/** The daily collection, and the next one written down. Works outside of any transaction. */
export async function collectDaily(context: Context): Promise<void> {
  const pods = await bottomPods(context);
  await inCentralTransaction(context, async (central) => {
    if (pods.length) await scheduleCollection(central);
  });
  await collect(context, pods);
}

/** The pods in which something runs. */
export const bottomPods = async ({ db }: Context): Promise<Pod[]> =>
  (await listPods(db)).filter(({ azName }) => azName !== '');

/**
 * Asks pods, one after the other, and writes down what they say. Works outside of any transaction:
 * a pod may be another cloud.
 */
export async function collect(context: Context, pods: readonly Pod[]): Promise<void> {
  for (const pod of pods) {
    const [nova, cinder] = [
      await tried(() => novaUsageOf(context, pod)),
      await tried(() => cinderPoolsOf(context, pod)),
    ];
    await inCentralTransaction(context, (central) => remember(central, pod, nova, cinder));
  }
}

/** What was asked for; undefined where the pod has no such service; why it could not be asked. */
type Asked<T> = T | undefined | PodFailure;

async function tried<T>(ask: () => Promise<T>): Promise<T | PodFailure> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof PodFailure) return error;
    throw error;
  }
}

/** A pod that fails keeps what it said before. */
async function remember(
  context: Context,
  pod: Pod,
  nova: Asked<PodUsage['novaUsage']>,
  cinder: Asked<CinderPool[]>,
): Promise<void> {
  const before = (await readUsages(context.db)).get(pod.id);
  const failures = [nova, cinder]
    .filter((asked) => asked instanceof PodFailure)
    .map(({ message }) => message);
  if (nova === undefined && cinder === undefined)
    failures.push(`The catalog has no services in the region ${pod.regionName}.`);
  const usage: PodUsage = {
    podId: pod.id,
    novaUsage: nova instanceof PodFailure ? (before?.novaUsage ?? null) : (nova ?? null),
    cinderUsage:
      cinder instanceof PodFailure
        ? (before?.cinderUsage ?? null)
        : cinder
          ? cinderUsageOf(cinder)
          : null,
    collectedAt: failures.length ? (before?.collectedAt ?? null) : context.now,
    lastError: failures.length ? failures.join(' ') : null,
  };
  try {
    await writeUsage(context.db, usage);
  } catch (error) {
    // The pod has been deleted meanwhile.
    if (!isForeignKey(error)) throw error;
  }
}

const sum = (amounts: readonly (number | string)[]): number =>
  amounts.reduce<number>((total, amount) => total + (typeof amount === 'number' ? amount : 0), 0);

const cinderUsageOf = (pools: readonly CinderPool[]): CinderUsage => ({
  pools,
  total_capacity_gb: sum(pools.map((pool) => pool.total_capacity_gb)),
  free_capacity_gb: sum(pools.map((pool) => pool.free_capacity_gb)),
});
