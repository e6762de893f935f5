// The table of pods.
import type { Db } from '../../../kernel/db/database.ts';
import { SerializationFailure } from '../../../kernel/db/errors.ts';
import { unavailable } from '../../../kernel/errors.ts';
import type { Headroom, Pod, Tag } from '../model.ts';
import { fromJson, numberOrNull, toJson } from './columns.ts';

interface Row {
  id: string;
  region_name: string;
  pod_az_name: string;
  dc_name: string;
  az_name: string;
  top: number | null;
  resource_affinity_tag: string;
  affinity_group: string;
  is_under_maintenance: number;
  create_time: number;
  weight: number | null;
  threshold_percent: number | null;
  headroom: string | null;
  revision: number;
  bound: number;
}

const name = 'tricircle_pods';
const table = (db: Db) => db<Row>(name);

const recordOf = (row: Row): Pod => ({
  id: row.id,
  regionName: row.region_name,
  podAzName: row.pod_az_name,
  dcName: row.dc_name,
  azName: row.az_name,
  resourceAffinityTag: fromJson<Tag>(row.resource_affinity_tag)!,
  affinityGroup: row.affinity_group,
  isUnderMaintenance: Boolean(row.is_under_maintenance),
  createTime: Number(row.create_time),
  weight: numberOrNull(row.weight),
  thresholdPercent: numberOrNull(row.threshold_percent),
  headroom: fromJson<Headroom>(row.headroom),
  revision: Number(row.revision),
  bound: Number(row.bound),
});

const columnsOf = (pod: Pod): Omit<Row, 'revision' | 'bound'> => ({
  id: pod.id,
  region_name: pod.regionName,
  pod_az_name: pod.podAzName,
  dc_name: pod.dcName,
  az_name: pod.azName,
  top: pod.azName === '' ? 1 : null,
  resource_affinity_tag: toJson(pod.resourceAffinityTag)!,
  affinity_group: pod.affinityGroup,
  is_under_maintenance: Number(pod.isUnderMaintenance),
  create_time: pod.createTime,
  weight: pod.weight,
  threshold_percent: pod.thresholdPercent,
  headroom: toJson(pod.headroom),
});

/** Another writer was faster. The next attempt locks the row before it reads. */
const raced = (id: string): SerializationFailure =>
  new SerializationFailure(
    unavailable('The pod is being changed by another request. Please try again.'),
    (db) =>
      db(name)
        .where({ id })
        .update({ revision: db.ref('revision') }),
  );

/**
 * @throws the driver's error of a duplicate for a region that has a pod, and for a second central
 *   pod
 */
export async function insertPod(db: Db, pod: Pod): Promise<void> {
  await table(db).insert({ ...columnsOf(pod), revision: pod.revision, bound: pod.bound });
}

/**
 * Writes a pod over the one that was read.
 * @throws Contention where it was changed, or a tenant was bound to it meanwhile
 */
export async function updatePod(db: Db, { id, revision, bound }: Pod, pod: Pod): Promise<Pod> {
  const written = { ...columnsOf(pod), revision: revision + 1 };
  if (!(await table(db).where({ id, revision, bound }).update(written))) throw raced(id);
  return { ...pod, revision: revision + 1 };
}

/**
 * Counts a new binding to a pod, which rests on what was read of it. Those who bind do not disturb
 * each other.
 * @throws Contention
 */
export async function checkPodRevision(db: Db, { id, revision }: Pod): Promise<void> {
  if (!(await table(db).where({ id, revision }).increment('bound'))) throw raced(id);
}

/**
 * @throws Contention as `updatePod`; the driver's error of a foreign key where resources are routed
 *   to it
 */
export async function deletePod(db: Db, { id, revision, bound }: Pod): Promise<void> {
  if (!(await table(db).where({ id, revision, bound }).delete())) throw raced(id);
}

export async function findPod(db: Db, id: string): Promise<Pod | undefined> {
  const row = await table(db).where({ id }).first();
  return row && recordOf(row);
}

/** All pods, the oldest first. */
export async function listPods(db: Db): Promise<Pod[]> {
  return (await table(db).orderBy(['create_time', 'id'])).map((row) => recordOf(row as Row));
}
