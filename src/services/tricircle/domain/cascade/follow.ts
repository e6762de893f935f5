// Follows changes of the central region's Neutron in the pods that have copies. Network schedules a
// job in the transaction of each change. What a pod refuses, or misses while it is down, is
// retried, and Tricircle's API of jobs shows the result.
import { ApiError } from '../../../../kernel/errors.ts';
import { centralContext } from '../../../../kernel/context.ts';
import type { Context, Job } from '../../../../kernel/model.ts';
import { centralRegionOf } from '../../../../kernel/regions.ts';
import {
  listRecords,
  readRecord,
  type NetworkRecord,
  type NetworkType,
} from '../../clients/network.ts';
import { PodFailure } from '../../clients/pods.ts';
import type { Pod } from '../../model.ts';
import { listMoving } from '../../store/migrations.ts';
import { listPods } from '../../store/pods.ts';
import { listRoutings } from '../../store/routings.ts';
import { recordOutcome, type JobTask } from '../jobs/outcomes.ts';
import { Carrier, GoneAtCentre } from './carrier.ts';
import { fixedIpsOf, type Reference } from './kinds.ts';
import { cancelRetry, scheduleRetry, type Follow } from './retries.ts';

export const followKind = 'tricircle.follow';

/** The job that brings a resource up to date in all pods. */
export async function follow(context: Context, { payload }: Required<Job>): Promise<void> {
  const task = payload as Follow;
  const failures = await followEverywhere(context, task);
  const { failures: before } = task;
  if (failures) await scheduleRetry(context, { ...task, failures: (before ?? -1) + 1 });
  else if (before === undefined) await cancelRetry(context, task);
}

/**
 * Brings a resource up to date in all pods.
 * @param recordIn records the outcome in a pod; by default as a job of Tricircle's API
 * @returns in how many pods that failed
 */
async function followEverywhere(
  context: Context,
  task: Follow,
  recordIn: typeof recordOutcome = recordOutcome,
): Promise<number> {
  const { type, id } = task;
  const [routing] = await listRoutings(centralContext(context).db, {
    resourceType: type,
    topId: id,
  });
  const routed = await podsWith(context, type, [id]);
  const record = await readRecord(context, 'centre', type, id);
  const projectId = record?.project_id ?? routing?.projectId ?? '';
  const needing = record ? await podsNeeding(context, type, record) : routed;
  const all = new Map([...routed, ...needing].map((pod) => [pod.id, pod]));
  // A pod may have it without a routing, because a process died.
  if (task.projectId !== undefined && !all.size)
    for (const pod of await listPods(centralContext(context).db))
      if (pod.azName !== '') all.set(pod.id, pod);
  let failures = 0;
  for (const pod of all.values()) {
    const isNeeded = record !== undefined && needing.some((one) => one.id === pod.id);
    const error = await followIn(context, pod, task, isNeeded);
    if (error) failures++;
    await recordIn(context, taskOf(task, pod, projectId, !record), error === undefined);
  }
  return failures;
}

/** Brings a resource up to date in a pod, or deletes it there. @returns why that failed */
async function followIn(
  context: Context,
  pod: Pod,
  { type, id, projectId }: Follow,
  isNeeded: boolean,
): Promise<Error | undefined> {
  const carrier = new Carrier(context, pod);
  try {
    if (isNeeded) await carrier.sync({ type, id });
    else await carrier.remove({ type, id }, projectId);
    return undefined;
  } catch (error) {
    if (error instanceof GoneAtCentre) return undefined;
    if (!(error instanceof ApiError || error instanceof PodFailure)) throw error;
    const { cloud } = context;
    cloud.log.warn(
      { err: error, type, id, pod: pod.regionName },
      'a pod could not follow a change of the central region; it is retried',
    );
    return error;
  }
}

/** The pods in which any of the resources is. */
async function podsWith(
  context: Context,
  resourceType: NetworkType,
  ids: readonly string[],
): Promise<Pod[]> {
  if (!ids.length) return [];
  const { db } = centralContext(context);
  const routings = await listRoutings(db, { resourceType, topId: ids });
  if (!routings.length) return [];
  const podIds = new Set(routings.map(({ podId }) => podId));
  return (await listPods(db)).filter(({ id }) => podIds.has(id));
}

/** The pods that need a resource: those that have it, or what it belongs to. */
async function podsNeeding(
  context: Context,
  type: NetworkType,
  record: NetworkRecord,
): Promise<Pod[]> {
  if (type === 'floatingip')
    return podsWith(context, 'port', record['port_id'] === null ? [] : [String(record['port_id'])]);
  const routed = await podsWith(context, type, [record.id]);
  if (type === 'port') return podsOfPort(context, record, routed);
  if (type !== 'router') return routed;
  const interfaces = await listRecords(context, 'centre', 'port', [
    ['device_owner', 'network:router_interface'],
    ['device_id', record.id],
  ]);
  const subnets = interfaces.flatMap((port) => fixedIpsOf(port).map(({ subnet_id: id }) => id));
  return [...routed, ...(await podsWith(context, 'subnet', subnets))];
}

/** The pods that need a port: that of its server, or all that have it for another device. */
async function podsOfPort(
  context: Context,
  record: NetworkRecord,
  routed: readonly Pod[],
): Promise<Pod[]> {
  const { device_id: device, device_owner: owner } = record as NetworkRecord & Device;
  if (device === '') return [];
  if (!owner.startsWith('compute:')) return [...routed];
  const [server] = await listRoutings(centralContext(context).db, {
    resourceType: 'server',
    topId: device,
  });
  if (!server) return [...routed];
  // A migration carries the port to another pod before the server is there.
  const targets = (await listMoving(centralContext(context).db, [device])).map(
    ({ targetPodId }) => targetPodId,
  );
  return routed.filter(({ id }) => id === server.podId || targets.includes(id));
}

interface Device {
  readonly device_id: string;
  readonly device_owner: string;
}

/** What Tricircle's API of jobs shows of the work on a resource in a pod. */
function taskOf({ type, id }: Reference, pod: Pod, projectId: string, isGone: boolean): JobTask {
  const inPod = (name: string, key: string): JobTask => ({
    type: name,
    projectId,
    resource: { pod_id: pod.id, [key]: id },
  });
  switch (type) {
    case 'network':
      return inPod('update_network', 'network_id');
    case 'subnet':
      return inPod('subnet_update', 'subnet_id');
    case 'port':
      return inPod(isGone ? 'port_delete' : 'port_update', 'port_id');
    case 'floatingip':
      return inPod('floatingip_update', 'floatingip_id');
    case 'router':
      return { type: 'configure_route', projectId, resource: { router_id: id } };
    case 'security_group':
      return { type: 'seg_rule_setup', projectId, resource: { project_id: projectId } };
  }
}

/** The resources that a job of Tricircle's API is about, by the type of the job. */
const jobTargets: Readonly<Record<string, readonly [type: NetworkType, key: string]>> = {
  configure_route: ['router', 'router_id'],
  router_setup: ['router', 'router_id'],
  port_delete: ['port', 'port_id'],
  port_update: ['port', 'port_id'],
  update_network: ['network', 'network_id'],
  shadow_port_setup: ['network', 'network_id'],
  subnet_update: ['subnet', 'subnet_id'],
  floatingip_update: ['floatingip', 'floatingip_id'],
};

/**
 * Does the work of a job that a client has created or redone, except for resources that do not come
 * from the central region.
 * @returns whether all pods have it done
 */
export async function perform(
  context: Context,
  jobType: string,
  resource: Readonly<Record<string, string>>,
): Promise<boolean> {
  if (!centralRegionOf(context.cloud)) return true;
  let failures = 0;
  for (const { type, id } of await targetsOf(context, jobType, resource)) {
    const isKnown = jobType === 'port_delete' || jobType === 'resource_recycle';
    if (isKnown || (await readRecord(context, 'centre', type, id)))
      failures += await followEverywhere(context, { type, id }, recordsNothing);
  }
  return failures === 0;
}

async function targetsOf(
  context: Context,
  jobType: string,
  resource: Readonly<Record<string, string>>,
): Promise<Reference[]> {
  const [type, key] = jobTargets[jobType] ?? [];
  if (type !== undefined) return [{ type, id: resource[key!]! }];
  if (jobType !== 'seg_rule_setup' && jobType !== 'resource_recycle') return [];
  const types: readonly NetworkType[] =
    jobType === 'seg_rule_setup' ? ['security_group'] : recycled;
  const projectId = resource['project_id']!;
  const routings = await listRoutings(centralContext(context).db, {
    projectId,
    resourceType: types,
  });
  const found = new Map(
    routings.map(({ resourceType, topId }) => [
      `${resourceType}:${topId}`,
      { type: resourceType as NetworkType, id: topId },
    ]),
  );
  return [...found.values()].toSorted((a, b) => types.indexOf(a.type) - types.indexOf(b.type));
}

/** The worker records the job that it does. */
const recordsNothing = (): Promise<void> => Promise.resolve();

/** The types in an order in which they can be deleted. */
const recycled: readonly NetworkType[] = [
  'floatingip',
  'router',
  'port',
  'security_group',
  'subnet',
  'network',
];
