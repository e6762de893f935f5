// The client of Cinder in a pod: the usage of its storage pools.
import type { ServiceDefinition, Context } from '../../../kernel/model.ts';
import { volume } from '../../volume/index.ts';
import type { CinderPool, Pod } from '../model.ts';
import { callPod, unexpectedReply } from './pods.ts';

export const volumeDefinition = volume as ServiceDefinition;

/** A pool in the replies of Cinder, whose capabilities depend on its driver. */
interface PoolItem {
  readonly name: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
}

/** Reads the pools of a pod with their sizes; undefined if it has no Cinder. @throws PodFailure */
export async function readCinderPools(
  context: Context,
  pod: Pod,
): Promise<CinderPool[] | undefined> {
  const reply = await callPod(context, pod, {
    definition: volumeDefinition,
    serviceType: 'volumev3',
    version: '/v3',
    path: '/scheduler-stats/get_pools',
  });
  if (!reply) return undefined;
  const { pools } = reply;
  if (!Array.isArray(pools) || !pools.every(isPool)) throw unexpectedReply('cinder', pod);
  return pools.map((pool) => toPool(pool));
}

function isPool(pool: unknown): pool is PoolItem {
  const { name, capabilities } = (pool ?? {}) as Partial<PoolItem>;
  return typeof name === 'string' && typeof capabilities === 'object' && capabilities !== null;
}

const toPool = ({ name, capabilities }: PoolItem): CinderPool => ({
  name,
  updated: typeof capabilities['timestamp'] === 'string' ? capabilities['timestamp'] : null,
  total_capacity_gb: readAmount(capabilities['total_capacity_gb']),
  free_capacity_gb: readAmount(capabilities['free_capacity_gb']),
});

/** Reads a number. Other values, such as `infinite`, stay unchanged. */
function readAmount(value: unknown): number | string {
  const amount = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof amount === 'number' && Number.isFinite(amount)
    ? amount
    : String(value ?? 'unknown');
}
