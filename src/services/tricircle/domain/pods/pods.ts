// The rules for pods. Upstream: tricircle/api/controllers/pod.py.
import type { Micros } from '../../../../kernel/clock.ts';
import { duplicateKey, isDuplicate, isForeignKey } from '../../../../kernel/db/errors.ts';
import { newUuid } from '../../../../kernel/ids.ts';
import type { Work } from '../../../../kernel/model.ts';
import * as bindingStore from '../../store/bindings.ts';
import * as store from '../../store/pods.ts';
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
  const pod: Pod = {
    id: newUuid(),
    regionName,
    azName,
    podAzName: '',
    dcName: '',
    resourceAffinityTag: {},
    isUnderMaintenance: false,
    weight: null,
    thresholdPercent: null,
    headroom: null,
    ...changesIn(fields),
    // Nothing runs in the central pod: it has neither a zone of its own nor a group.
    ...(isTop ? { podAzName: '', resourceAffinityTag: {} } : {}),
    affinityGroup: '',
    createTime: createTimeOf(fields) ?? nextTime(work.now, pods),
    revision: 0,
  };
  const grouped = { ...pod, affinityGroup: groupOf(pod.resourceAffinityTag) };
  await inserted(work, grouped);
  // The first pod begins the daily round, which goes on as long as there are any.
  if (!isTop && pods.every((pod) => pod.azName === '')) await scheduleCollection(work);
  return grouped;
}

/** Of pods that are created while the clock stands still, the first is the oldest. */
function nextTime(now: Micros, pods: readonly Pod[]): Micros {
  const taken = new Set(pods.map(({ createTime }) => createTime));
  let time = now;
  while (taken.has(time)) time++;
  return time;
}

const topExists = () => bare(409, 'Top region already exists');

async function inserted({ db }: Work, pod: Pod): Promise<void> {
  try {
    await store.insertPod(db, pod);
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    // Two requests for a first central pod: the other was faster.
    throw duplicateKey(error).endsWith('top') ? topExists() : bare(409, 'Record already exists');
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
