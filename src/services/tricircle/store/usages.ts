// The table of how full pods are.
import { jsonObject, micros, nullable, text } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { Table } from '../../../kernel/db/table.ts';
import type { CinderUsage, PodUsage } from '../model.ts';

const usages = new Table<PodUsage>(
  'tricircle_pod_usages',
  {
    podId: text,
    novaUsage: nullable(jsonObject()),
    cinderUsage: nullable(jsonObject<CinderUsage>('pools')),
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
