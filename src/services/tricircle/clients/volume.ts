// What Tricircle asks of a pod's Cinder: how full its pools are.
import type { ServiceDefinition, Context } from '../../../kernel/model.ts';
import { volume } from '../../volume/index.ts';
import type { CinderPool, Pod } from '../model.ts';
import { askPod, unreadable } from './pods.ts';

interface ToldPool {
  readonly name: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
}

/** The pod's pools with their sizes; undefined where the pod has no Cinder. @throws PodFailure */
export async function cinderPoolsOf(context: Context, pod: Pod): Promise<CinderPool[] | undefined> {
  const answer = await askPod(context, pod, {
    definition: volume as ServiceDefinition,
    serviceType: 'volumev3',
    version: '/v3',
    path: '/scheduler-stats/get_pools',
  });
  if (!answer) return undefined;
  const { pools } = answer;
  if (!Array.isArray(pools) || !pools.every(isPool)) throw unreadable('cinder', pod);
  return pools.map((pool) => poolOf(pool));
}

function isPool(pool: unknown): pool is ToldPool {
  const { name, capabilities } = (pool ?? {}) as Partial<ToldPool>;
  return typeof name === 'string' && typeof capabilities === 'object' && capabilities !== null;
}

const poolOf = ({ name, capabilities }: ToldPool): CinderPool => ({
  name,
  updated: typeof capabilities['timestamp'] === 'string' ? capabilities['timestamp'] : null,
  total_capacity_gb: amountOf(capabilities['total_capacity_gb']),
  free_capacity_gb: amountOf(capabilities['free_capacity_gb']),
});

/** A number; what is none, such as `infinite`, as it is. */
function amountOf(value: unknown): number | string {
  const amount = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof amount === 'number' && Number.isFinite(amount)
    ? amount
    : String(value ?? 'unknown');
}
