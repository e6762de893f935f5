// The rules for pods. Upstream: tricircle/api/controllers/pod.py.
import type { Micros } from '../../../../kernel/clock.ts';
import { Contention, isDuplicate, isForeignKey } from '../../../../kernel/db/errors.ts';
import { newUuid, uuidFor } from '../../../../kernel/ids.ts';
import type { Work } from '../../../../kernel/model.ts';
import type { PodSeed } from '../../../../kernel/settings.ts';
import * as bindingStore from '../../store/bindings.ts';
import * as store from '../../store/pods.ts';
import { readSettings, writeSetting } from '../../store/settings.ts';
import { endBinding } from '../bindings.ts';
import type { Fields } from '../fields.ts';
import type { Pod, Tag } from '../records.ts';
import { bare } from '../refusals.ts';
import { groupOf } from '../tags.ts';
import { scheduleCollection } from '../usages.ts';
import { changesIn, createTimeOf, refuseMove, regionNameOf, textField } from './fields.ts';

/** Creates a pod. @throws 409, 422, in upstream's order */
export async function createPod(work: Work, fields: Fields): Promise<Pod> {
  const regionName = regionNameOf(fields) ?? '';
  const azName = textField(fields, 'az_name') ?? '';
  const isTop = azName === '';
  const pods = await store.listPods(work.db);
  const top = pods.find((pod) => pod.azName === '');
  if (regionName === '') throw bare(422, `Valid region_name is required for ${isTop ? 'top region' : 'pod'}`);
  if (isTop && top) throw topExists();
  if (!isTop && top?.regionName === regionName) throw bare(409, 'Pod region name duplicated with the top region name');
  if (pods.some((pod) => pod.regionName === regionName)) throw recordExists();
  const pod = newPod({ regionName, azName, createTime: createTimeOf(fields) ?? nextTime(work.now, pods), ...changesIn(fields) });
  await inserted(work, pod);
  // The first pod begins the daily round, which goes on as long as there are any.
  if (!isTop && pods.every(({ azName: zone }) => zone === '')) await scheduleCollection(work);
  return pod;
}

/** A pod with these fields, and the others as they are by default. Nothing runs in the central one: it has neither zone nor group below. */
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

/** Who loses a race for the region, or for being the central pod, looks again: why it is refused depends on what is there then. */
async function inserted({ db }: Work, pod: Pod): Promise<void> {
  try {
    await store.insertPod(db, pod);
  } catch (error) {
    throw isDuplicate(error) ? new Contention(recordExists()) : error;
  }
}

/** Changes a pod. @throws 422; Contention */
export async function updatePod(work: Work, pod: Pod, fields: Fields): Promise<Pod> {
  refuseMove(fields, pod);
  const changes = changesIn(fields);
  const fixed = pod.azName === '' ? { podAzName: '', resourceAffinityTag: {} } : {};
  return writePod(work, pod, { ...pod, ...changes, ...fixed });
}

/** Gives a pod another tag, one key at a time. @throws Contention */
export const retagPod = (work: Work, pod: Pod, resourceAffinityTag: Tag): Promise<Pod> =>
  writePod(work, pod, { ...pod, resourceAffinityTag });

/** Writes a pod. Who is bound to it for a group that it is no longer in is bound to it no more. */
async function writePod(work: Work, read: Pod, pod: Pod): Promise<Pod> {
  const affinityGroup = groupOf(pod.resourceAffinityTag);
  const written = await store.updatePod(work.db, read, { ...pod, affinityGroup });
  if (affinityGroup === read.affinityGroup) return written;
  const bindings = await bindingStore.listBindings(work.db, { podId: pod.id, isBinding: true });
  for (const binding of bindings) await endBinding(work, binding, 'pod_changed');
  return written;
}

/** Deletes a pod to which nothing refers. @throws 500 where something does, as upstream, whose database refuses it */
export async function deletePod(work: Work, pod: Pod): Promise<void> {
  const [binding] = await bindingStore.listBindings(work.db, { podId: pod.id, limit: 1 });
  if (binding) throw referredTo();
  try {
    await store.deletePod(work.db, pod);
  } catch (error) {
    throw isForeignKey(error) ? referredTo() : error;
  }
}

const referredTo = () => bare(500, 'Failed to delete pod');

/** Registers the pods of a profile, once: those that an admin deletes do not come back. They keep their ids over a reset. */
export async function seedPods(work: Work, seeds: readonly PodSeed[]): Promise<void> {
  if (!seeds.length || (await readSettings(work.db))['seeded'] === true) return;
  await writeSetting(work.db, 'seeded', true);
  for (const [age, { region, azName, podAzName, dcName, tag }] of seeds.entries()) {
    const id = uuidFor(`tricircle.pod.${region}`);
    const fields = {
      id,
      regionName: region,
      azName,
      podAzName,
      dcName,
      resourceAffinityTag: tag ?? {},
      createTime: work.now + age,
    };
    await store.insertPod(work.db, newPod(fields));
  }
  await scheduleCollection(work);
}
