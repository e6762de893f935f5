// The table of how full pods are.
import { jsonWhere, micros, nullable, text } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { Table } from '../../../kernel/db/table.ts';
import { isObject, type Json } from '../../../kernel/json.ts';
import type { CinderUsage, NovaUsage, PodUsage } from '../model.ts';

const isNovaUsage = (value: unknown): boolean =>
  isObject(value as Json) &&
  Object.values(value as object).every((total) => total === null || typeof total === 'number');

function isCinderUsage(value: unknown): boolean {
  if (!isObject(value as Json)) return false;
  const { pools, total_capacity_gb: total, free_capacity_gb: free } = value as Partial<CinderUsage>;
  const hasTotals = typeof total === 'number' && typeof free === 'number';
  return hasTotals && Array.isArray(pools) && pools.every((pool) => isObject(pool as Json));
}

const usages = new Table<PodUsage>(
  'tricircle_pod_usages',
  {
    podId: text,
    novaUsage: nullable(jsonWhere<NovaUsage>(isNovaUsage, 'a JSON object of numbers')),
    cinderUsage: nullable(jsonWhere<CinderUsage>(isCinderUsage, 'pools and capacities in JSON')),
    collectedAt: nullable(micros),
    lastError: nullable(text),
  },
  { key: 'podId' },
);

/**
 * Writes the usage of a pod, and replaces the previous one.
 * @throws the driver's foreign key error if the pod has been deleted
 */
export async function writeUsage(db: Db, usage: PodUsage): Promise<void> {
  await usages.upsert(db, [usage], ['podId']);
}

/** Reads the usage of all pods that have been queried, by pod id. */
export async function readUsages(db: Db): Promise<Map<string, PodUsage>> {
  return new Map((await usages.list(db)).map((usage) => [usage.podId, usage]));
}
