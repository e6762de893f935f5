// The rules for pods. Upstream: tricircle/api/controllers/pod.py.
import type { Micros } from '../../../../kernel/clock.ts';
import { SerializationFailure, isDuplicate, isForeignKey } from '../../../../kernel/db/errors.ts';
import { newUuid, uuidFor } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { PodSeed } from '../../profiles.ts';
import * as bindingStore from '../../store/bindings.ts';
import * as store from '../../store/pods.ts';
import { readSettings, writeSetting } from '../../store/settings.ts';
import { endBinding } from '../bindings.ts';
import type { Fields } from '../fields.ts';
import type { Pod, Tag } from '../../model.ts';
import { bare } from '../refusals.ts';
import { groupOf } from '../tags.ts';
import { scheduleCollection } from '../usages.ts';
import { changesIn, createTimeOf, refuseMove, regionNameOf, textField } from './fields.ts';

/** Creates a pod. @throws 409, 422, in upstream's order */
export async function createPod(context: Context, fields: Fields): Promise<Pod> {
  const regionName = regionNameOf(fields) ?? '';
  const azName = textField(fields, 'az_name') ?? '';
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
    createTime: createTimeOf(fields) ?? nextTime(context.now, pods),
    ...changesIn(fields),
  });
  await inserted(context, pod);
  // The first pod begins the daily round, which goes on as long as there are any.
  if (!isTop && pods.every(({ azName: zone }) => zone === '')) await scheduleCollection(context);
  return pod;
}

/**
 * A pod with these fields, and the others as they are by default. Nothing runs in the central one:
 * it has neither zone nor group below.
 */
function newPod(fields: Pick<Pod, 'regionName' | 'azName' | 'createTime'> & Partial<Pod>): Pod {
  const pod = {
    id: newUuid(),
    podAzName: '',
    dcName: '',
    resourceAffinityTag: {},
    isUnderMaintenance: false,
    weight: null,
    thresholdPercent: null,
    headroom: null,
    revision: 0,
    bound: 0,
    ...fields,
    ...(fields.azName === '' ? { podAzName: '', resourceAffinityTag: {} } : {}),
  };
  return { ...pod, affinityGroup: groupOf(pod.resourceAffinityTag) };
}

/** Of pods that are created while the clock stands still, the first is the oldest. */
function nextTime(now: Micros, pods: readonly Pod[]): Micros {
  const taken = new Set(pods.map(({ createTime }) => createTime));
  let time = now;
  while (taken.has(time)) time++;
  return time;
}

const topExists = () => bare(409, 'Top region already exists');
const recordExists = () => bare(409, 'Record already exists');

/**
 * Who loses a race for the region, or for being the central pod, looks again: why it is refused
 * depends on what is there then.
 */
async function inserted({ db }: Context, pod: Pod): Promise<void> {
  try {
    await store.insertPod(db, pod);
  } catch (error) {
    throw isDuplicate(error) ? new SerializationFailure(recordExists()) : error;
  }
}

/** Changes a pod. @throws 422; Contention */
export async function updatePod(context: Context, pod: Pod, fields: Fields): Promise<Pod> {
  refuseMove(fields, pod);
  const changes = changesIn(fields);
  const fixed = pod.azName === '' ? { podAzName: '', resourceAffinityTag: {} } : {};
  return writePod(context, pod, { ...pod, ...changes, ...fixed });
}

/** Gives a pod another tag, one key at a time. @throws Contention */
export const retagPod = (context: Context, pod: Pod, resourceAffinityTag: Tag): Promise<Pod> =>
  writePod(context, pod, { ...pod, resourceAffinityTag });

/** Writes a pod. Who is bound to it for a group that it is no longer in is bound to it no more. */
async function writePod(context: Context, read: Pod, pod: Pod): Promise<Pod> {
  const affinityGroup = groupOf(pod.resourceAffinityTag);
  const written = await store.updatePod(context.db, read, { ...pod, affinityGroup });
  if (affinityGroup === read.affinityGroup) return written;
  const bindings = await bindingStore.listBindings(context.db, { podId: pod.id, isBinding: true });
  for (const binding of bindings) await endBinding(context, binding, 'pod_changed');
  return written;
}

/**
 * Deletes a pod to which nothing refers.
 * @throws 500 where something does, as upstream, whose database refuses it
 */
export async function deletePod(context: Context, pod: Pod): Promise<void> {
  const [binding] = await bindingStore.listBindings(context.db, { podId: pod.id, limit: 1 });
  if (binding) throw referredTo();
  try {
    await store.deletePod(context.db, pod);
  } catch (error) {
    throw isForeignKey(error) ? referredTo() : error;
  }
}

const referredTo = () => bare(500, 'Failed to delete pod');

/**
 * Registers the pods of a profile, once: those that an admin deletes do not come back. They keep
 * their ids over a reset.
 */
export async function seedPods(context: Context, seeds: readonly PodSeed[]): Promise<void> {
  if (!seeds.length || (await readSettings(context.db))['seeded'] === true) return;
  await writeSetting(context.db, 'seeded', true);
  for (const [age, { region, azName, podAzName, dcName, tag }] of seeds.entries()) {
    const id = uuidFor(`tricircle.pod.${region}`);
    const fields = {
      id,
      regionName: region,
      azName,
      podAzName,
      dcName,
      resourceAffinityTag: tag ?? {},
      createTime: context.now + age,
    };
    await store.insertPod(context.db, newPod(fields));
  }
  await scheduleCollection(context);
}
