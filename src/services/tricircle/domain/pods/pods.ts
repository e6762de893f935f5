// The rules for pods. Upstream: tricircle/api/controllers/pod.py.
import { inCentralTransaction } from '../../../../kernel/context.ts';
import type { Micros } from '../../../../kernel/clock.ts';
import { SerializationFailure, isDuplicate, isForeignKey } from '../../../../kernel/db/errors.ts';
import { newUuid } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import * as bindingStore from '../../store/bindings.ts';
import * as store from '../../store/pods.ts';
import { endBinding } from '../bindings.ts';
import type { Fields } from '../fields.ts';
import type { Pod, Tag } from '../../model.ts';
import { bare } from '../errors.ts';
import { groupOf } from '../tags.ts';
import { scheduleCollection } from '../usages.ts';
import {
  readCreateTime,
  readMutableFields,
  readRegionName,
  readText,
  requireSameRegion,
} from './fields.ts';

/** Creates a pod. @throws 409, 422, checked in upstream's order */
export async function createPod(context: Context, fields: Fields): Promise<Pod> {
  const regionName = readRegionName(fields) ?? '';
  const azName = readText(fields, 'az_name') ?? '';
  const isTop = azName === '';
  const pods = await store.listPods(context.db);
  const top = pods.find((pod) => pod.azName === '');
  if (regionName === '')
    throw bare(422, `Valid region_name is required for ${isTop ? 'top region' : 'pod'}`);
  if (isTop && top) throw topExists();
  if (!isTop && top?.regionName === regionName)
    throw bare(409, 'Pod region name duplicated with the top region name');
  if (pods.some((pod) => pod.regionName === regionName)) throw recordExists();
  const pod = newPod({
    regionName,
    azName,
    createTime: readCreateTime(fields) ?? uniqueCreateTime(context.now, pods),
    ...readMutableFields(fields),
  });
  await insertPod(context, pod);
  // The first pod starts the daily collection of usage, which continues as long as there are pods.
  if (!isTop && pods.every(({ azName: zone }) => zone === '')) await scheduleCollection(context);
  return pod;
}

/**
 * A pod with these fields, and default values for the others. The central pod has no resources, so
 * it has neither a zone for requests nor a tag.
 */
export function newPod(
  fields: Pick<Pod, 'regionName' | 'azName' | 'createTime'> & Partial<Pod>,
): Pod {
  const pod = {
    id: newUuid(),
    podAzName: '',
    dcName: '',
    resourceAffinityTag: {},
    isUnderMaintenance: false,
    weight: null,
    thresholdPercent: null,
    headroom: null,
    prices: null,
    revision: 0,
    bound: 0,
    ...fields,
    ...(fields.azName === '' ? { podAzName: '', resourceAffinityTag: {} } : {}),
  };
  return { ...pod, affinityGroup: groupOf(pod.resourceAffinityTag) };
}

/**
 * A creation time later than those of pods that were created at the same time of a frozen clock.
 */
function uniqueCreateTime(now: Micros, pods: readonly Pod[]): Micros {
  const taken = new Set(pods.map(({ createTime }) => createTime));
  let time = now;
  while (taken.has(time)) time++;
  return time;
}

const topExists = () => bare(409, 'Top region already exists');
const recordExists = () => bare(409, 'Record already exists');

/**
 * After a conflict on the region or the central pod, the request runs again, because the error
 * depends on the pod that a concurrent request has created.
 * @throws SerializationFailure
 */
async function insertPod({ db }: Context, pod: Pod): Promise<void> {
  try {
    await store.insertPod(db, pod);
  } catch (error) {
    const refusal = pod.azName === '' ? topExists() : recordExists();
    throw isDuplicate(error) ? new SerializationFailure(refusal) : error;
  }
}

/** Updates a pod. @throws 422, SerializationFailure */
export async function updatePod(context: Context, pod: Pod, fields: Fields): Promise<Pod> {
  requireSameRegion(fields, pod);
  const changes = readMutableFields(fields);
  const fixed = pod.azName === '' ? { podAzName: '', resourceAffinityTag: {} } : {};
  return savePod(context, pod, { ...pod, ...changes, ...fixed });
}

/** Replaces the tag of a pod. @throws SerializationFailure */
export const retagPod = (context: Context, pod: Pod, resourceAffinityTag: Tag): Promise<Pod> =>
  savePod(context, pod, { ...pod, resourceAffinityTag });

/** Puts a pod under maintenance, so that it gets nothing new, in a transaction of its own. */
export const closePod = (context: Context, id: string): Promise<void> =>
  inCentralTransaction(context, async (central) => {
    const pod = await store.findPod(central.db, id);
    if (pod && !pod.isUnderMaintenance)
      await savePod(central, pod, { ...pod, isUnderMaintenance: true });
  });

/** Saves a changed pod. If its affinity group has changed, its active bindings end. */
async function savePod(context: Context, read: Pod, pod: Pod): Promise<Pod> {
  const affinityGroup = groupOf(pod.resourceAffinityTag);
  const saved = await store.updatePod(context.db, read, { ...pod, affinityGroup });
  if (affinityGroup === read.affinityGroup) return saved;
  const bindings = await bindingStore.listBindings(context.db, { podId: pod.id, isBinding: true });
  for (const binding of bindings) await endBinding(context, binding, 'pod_changed');
  return saved;
}

/** Deletes a pod. @throws 500 if bindings or routings refer to it, as upstream's database does */
export async function deletePod(context: Context, pod: Pod): Promise<void> {
  const [binding] = await bindingStore.listBindings(context.db, { podId: pod.id, limit: 1 });
  if (binding) throw inUse();
  try {
    await store.deletePod(context.db, pod);
  } catch (error) {
    throw isForeignKey(error) ? inUse() : error;
  }
}

const inUse = () => bare(500, 'Failed to delete pod');
