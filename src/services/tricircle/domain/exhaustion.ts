// How full a pod is: of each dimension its total, what is used of it, and whether that is too much.
import type { CinderUsage, Dimension, NovaUsage, Pod, PodUsage } from '../model.ts';

/** One dimension of a pod's capacity. A total of 0 means that it is not known, or has no end. */
export interface Fill {
  readonly total: number;
  readonly used: number;
  /** From how much on it counts as exhausted. */
  readonly limit: number;
  readonly exhausted: boolean;
}

export type Fills = Readonly<Partial<Record<Dimension, Fill>>>;

type Amounts = Pick<Fill, 'total' | 'used'>;

const number = (value: number | null | undefined): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : 0;

const novaAmounts = (usage: NovaUsage): Partial<Record<Dimension, Amounts>> => ({
  vcpus: { total: number(usage['vcpus']), used: number(usage['vcpus_used']) },
  memory_mb: { total: number(usage['memory_mb']), used: number(usage['memory_mb_used']) },
  disk_gb: { total: number(usage['local_gb']), used: number(usage['local_gb_used']) },
});

/** A pool without an end, or of unknown size, never runs out. */
function cinderAmounts({
  pools,
  total_capacity_gb: total,
  free_capacity_gb: free,
}: CinderUsage): Partial<Record<Dimension, Amounts>> {
  const isEndless = pools.some(
    (pool) =>
      typeof pool.free_capacity_gb !== 'number' || typeof pool.total_capacity_gb !== 'number',
  );
  return { volume_gb: isEndless ? { total: 0, used: 0 } : { total, used: total - free } };
}

/** The dimensions of a pod that have been asked for; none before the first collection. */
export function fillsOf(pod: Pod, usage: PodUsage | undefined, defaultThreshold: number): Fills {
  const { novaUsage = null, cinderUsage = null } = usage ?? {};
  const amounts = {
    ...(novaUsage ? novaAmounts(novaUsage) : {}),
    ...(cinderUsage ? cinderAmounts(cinderUsage) : {}),
  };
  const percent = pod.thresholdPercent ?? defaultThreshold;
  return Object.fromEntries(
    Object.entries(amounts).map(([dimension, { total, used }]) => {
      // A dimension of which nothing is used is not exhausted, however small it is.
      const limit = Math.max(1, Math.floor((total * percent) / 100));
      const headroom = pod.headroom?.[dimension as Dimension];
      const exhausted =
        total > 0 && (used >= limit || (headroom !== undefined && total - used <= headroom));
      return [dimension, { total, used, limit, exhausted }];
    }),
  );
}

/** One full dimension disqualifies a pod, because servers and volumes have to stay together. */
export const isExhausted = (fills: Fills): boolean =>
  Object.values(fills).some(({ exhausted }) => exhausted);

/**
 * The part of the pod that is free in its fullest dimension, from 0 to 1; 1 where nothing is known.
 */
export const idlePart = (fills: Fills): number =>
  Math.min(
    1,
    ...Object.values(fills).flatMap(({ total, used }) =>
      total > 0 ? [Math.max(0, total - used) / total] : [],
    ),
  );
