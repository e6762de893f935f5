// Computes how full a pod is: the total and the usage of each dimension, and whether it is
// exhausted.
import type { CinderUsage, Dimension, NovaUsage, Pod, PodUsage } from '../model.ts';

/** The usage of one dimension. A total of 0 means unknown or unlimited. */
export interface Fill {
  readonly total: number;
  readonly used: number;
  /** The usage from which on it counts as exhausted. */
  readonly limit: number;
  readonly exhausted: boolean;
}

export type Fills = Readonly<Partial<Record<Dimension, Fill>>>;

type Amounts = Pick<Fill, 'total' | 'used'>;

const finiteOrZero = (value: number | null | undefined): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : 0;

const novaAmounts = (usage: NovaUsage): Partial<Record<Dimension, Amounts>> => ({
  vcpus: { total: finiteOrZero(usage['vcpus']), used: finiteOrZero(usage['vcpus_used']) },
  memory_mb: {
    total: finiteOrZero(usage['memory_mb']),
    used: finiteOrZero(usage['memory_mb_used']),
  },
  disk_gb: { total: finiteOrZero(usage['local_gb']), used: finiteOrZero(usage['local_gb_used']) },
});

/** If any pool is unlimited or of unknown size, the dimension is never exhausted. */
function cinderAmounts({
  pools,
  total_capacity_gb: total,
  free_capacity_gb: free,
}: CinderUsage): Partial<Record<Dimension, Amounts>> {
  const isUnlimited = pools.some(
    (pool) =>
      typeof pool.free_capacity_gb !== 'number' || typeof pool.total_capacity_gb !== 'number',
  );
  return { volume_gb: isUnlimited ? { total: 0, used: 0 } : { total, used: total - free } };
}

/** Computes the fill of each known dimension; none before the first collection. */
export function computeFills(
  pod: Pod,
  usage: PodUsage | undefined,
  defaultThreshold: number,
): Fills {
  const { novaUsage = null, cinderUsage = null } = usage ?? {};
  const amounts = {
    ...(novaUsage ? novaAmounts(novaUsage) : {}),
    ...(cinderUsage ? cinderAmounts(cinderUsage) : {}),
  };
  const percent = pod.thresholdPercent ?? defaultThreshold;
  return Object.fromEntries(
    Object.entries(amounts).map(([dimension, { total, used }]) => {
      // The limit is at least 1, so that an unused dimension is never exhausted, however small it
      // is.
      const limit = Math.max(1, Math.floor((total * percent) / 100));
      const headroom = pod.headroom?.[dimension as Dimension];
      const exhausted =
        total > 0 && (used >= limit || (headroom !== undefined && total - used <= headroom));
      return [dimension, { total, used, limit, exhausted }];
    }),
  );
}

/** Whether any dimension is exhausted: servers and volumes must be in the same pod. */
export const isExhausted = (fills: Fills): boolean =>
  Object.values(fills).some(({ exhausted }) => exhausted);

/** The free share of the fullest dimension, from 0 to 1; 1 if no usage is known. */
export const freeShare = (fills: Fills): number =>
  Math.min(
    1,
    ...Object.values(fills).flatMap(({ total, used }) =>
      total > 0 ? [Math.max(0, total - used) / total] : [],
    ),
  );
