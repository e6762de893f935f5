// The table of how full pods are.
import type { Db } from '../../../kernel/db/database.ts';
import type { CinderUsage, NovaUsage, PodUsage } from '../model.ts';
import { fromJson, numberOrNull, toJson } from './columns.ts';

interface Row {
  pod_id: string;
  nova_usage: string | null;
  cinder_usage: string | null;
  collected_at: number | null;
  last_error: string | null;
}

const table = (db: Db) => db<Row>('tricircle_pod_usages');

const recordOf = (row: Row): PodUsage => ({
  podId: row.pod_id,
  novaUsage: fromJson<NovaUsage>(row.nova_usage),
  cinderUsage: fromJson<CinderUsage>(row.cinder_usage),
  collectedAt: numberOrNull(row.collected_at),
  lastError: row.last_error,
});

const rowOf = (usage: PodUsage): Row => ({
  pod_id: usage.podId,
  nova_usage: toJson(usage.novaUsage),
  cinder_usage: toJson(usage.cinderUsage),
  collected_at: usage.collectedAt,
  last_error: usage.lastError,
});

/**
 * Writes the usage of a pod over the one before.
 * @throws the driver's error of a foreign key where the pod has been deleted
 */
export async function writeUsage(db: Db, usage: PodUsage): Promise<void> {
  await table(db).insert(rowOf(usage)).onConflict('pod_id').merge();
}

/** The usage of all pods that have been asked, by the pod. */
export async function readUsages(db: Db): Promise<Map<string, PodUsage>> {
  const rows = (await table(db).orderBy('pod_id')) as Row[];
  return new Map(rows.map((row) => [row.pod_id, recordOf(row)]));
}
