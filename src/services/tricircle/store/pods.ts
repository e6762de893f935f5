// The table of pods.
import {
  boolean,
  integer,
  jsonObject,
  micros,
  nullable,
  text,
} from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { SerializationFailure } from '../../../kernel/db/errors.ts';
import { Table } from '../../../kernel/db/table.ts';
import { unavailable } from '../../../kernel/errors.ts';
import type { Pod } from '../model.ts';

const pods = new Table<Pod>(
  'tricircle_pods',
  {
    id: text,
    regionName: text,
    podAzName: text,
    dcName: text,
    azName: text,
    resourceAffinityTag: jsonObject(),
    affinityGroup: text,
    isUnderMaintenance: boolean,
    createTime: micros,
    weight: nullable(integer),
    thresholdPercent: nullable(integer),
    headroom: nullable(jsonObject()),
    prices: nullable(jsonObject()),
    revision: integer,
    bound: integer,
  },
  // A unique key allows one central pod.
  { derived: ({ azName }) => (azName === undefined ? {} : { top: azName === '' ? 1 : null }) },
);

/** The failure after a lost race. The next attempt locks the pod before it reads. */
const raced = (id: string): SerializationFailure =>
  new SerializationFailure(
    unavailable('The pod is being changed by another request. Please try again.'),
    (db) =>
      db(pods.name)
        .where({ id })
        .update({ revision: db.ref('revision') }),
  );

/**
 * @throws the driver's duplicate error for a region that has a pod, and for a second central pod
 */
export async function insertPod(db: Db, pod: Pod): Promise<void> {
  await pods.insert(db, pod);
}

/**
 * Replaces a pod that was read by a changed one.
 * @throws SerializationFailure if another transaction has changed it or bound a tenant to it
 */
export async function updatePod(db: Db, { id, revision, bound }: Pod, pod: Pod): Promise<Pod> {
  const updated = { ...pod, bound, revision: revision + 1 };
  if (!(await pods.update(db, { id, revision, bound }, updated))) throw raced(id);
  return { ...pod, revision: revision + 1 };
}

/**
 * Counts a new binding to a pod, and checks that the pod is unchanged since it was read. Concurrent
 * bindings to one pod do not conflict.
 * @throws SerializationFailure if another transaction has changed the pod
 */
export async function checkPodRevision(db: Db, { id, revision }: Pod): Promise<void> {
  if (!(await db(pods.name).where({ id, revision }).increment('bound'))) throw raced(id);
}

/**
 * @throws SerializationFailure as `updatePod`; the driver's foreign key error if resources are
 *   routed to the pod
 */
export async function deletePod(db: Db, { id, revision, bound }: Pod): Promise<void> {
  if (!(await pods.remove(db, { id, revision, bound }))) throw raced(id);
}

export const findPod = (db: Db, id: string): Promise<Pod | undefined> => pods.find(db, { id });

/** Lists all pods, oldest first. */
export const listPods = (db: Db): Promise<Pod[]> => pods.list(db, { sort: ['createTime'] });
