// Shelving: a server leaves its host, and returns to some host later. Upstream: conductor/manager.py unshelve_instance.
import { badRequest, conflict } from '../../../../kernel/fault.ts';
import type { Work } from '../../../../kernel/model.ts';
import { createActiveSnapshot, deleteSnapshot, findImage } from '../../neighbours/image.ts';
import { bindServerPorts } from '../../neighbours/network.ts';
import { deleteAllocations } from '../../neighbours/placement.ts';
import { availableZones, findHostNamed } from '../../store/hosts/server-hosts.ts';
import { updateServer } from '../../store/servers/servers.ts';
import { idle, requireState } from '../servers/checks.ts';
import { findHost, requestSpecOf } from '../scheduler/scheduling.ts';
import { scheduleNextTask, startAction, type Task } from '../servers/tasks.ts';
import { isOnVolume, power } from '../servers/states.ts';
import { elevated } from '../../../../kernel/work.ts';
import type { Server } from '../records.ts';
import { latencyOf } from '../../../../kernel/latency.ts';

/** Shelves a server: an image of its disk is made. @throws 409 */
export async function shelve(work: Work, server: Server): Promise<void> {
  const vmStates = ['active', 'stopped', 'paused', 'suspended'];
  requireState(work, server, { action: 'shelve', vmStates, taskStates: idle });
  await startAction(work, server, { action: 'shelve', task: 'shelve', taskState: 'shelving', latency: 'server.shelve' });
}

/** Makes the image, and offloads the server at once, unless a latency is set. Upstream: shelved_offload_time in conf/compute.py. */
export const shelveTask: Task = {
  event: 'compute_shelve_instance',
  async run(work, server) {
    const shelvedImageId = await imageOf(work, server);
    if (!latencyOf(work, 'server.shelveOffload')) return { ...(await offload(work, server)), shelvedImageId };
    await scheduleNextTask(work, server, 'shelveOffload', {}, 'server.shelveOffload');
    return { vmState: 'shelved', powerState: power.shutdown, taskState: null, actionId: server.actionId, shelvedImageId };
  },
};

/** Makes an image of the disk, where that is not on a volume. @returns its id */
async function imageOf(work: Work, server: Server): Promise<string | null> {
  if (isOnVolume(server)) return null;
  const { projectId, flavor } = server;
  const properties = { image_type: 'snapshot', instance_uuid: server.uuid, base_image_ref: server.imageId };
  return createActiveSnapshot(work, { name: `${server.name}-shelved`, projectId, properties, minDisk: flavor.disk, minRam: 0 });
}

/** Offloads a shelved server from its host. @throws 409 */
export async function shelveOffload(work: Work, server: Server): Promise<void> {
  requireState(work, server, { action: 'shelveOffload', vmStates: ['shelved'], taskStates: idle });
  await startAction(work, server, { action: 'shelveOffload', task: 'shelveOffload', taskState: 'shelving_offloading' });
}

export const shelveOffloadTask: Task = { event: 'compute_shelve_offload_instance', run: offload };

async function offload(work: Work, server: Server): ReturnType<Task['run']> {
  await deleteAllocations(work, server.uuid);
  await bindServerPorts(work, server.uuid, null);
  return { vmState: 'shelved_offloaded', powerState: power.shutdown, host: null, node: null, zone: null };
}

/** What a request says of the host to unshelve to. */
export interface UnshelveRequest {
  /** Undefined keeps the zone that the server is pinned to; null unpins it. */
  readonly zone?: string | null | undefined;
  readonly host?: string | undefined;
}

/** Unshelves a server. @throws 400, 409 */
export async function unshelve(work: Work, server: Server, { zone, host }: UnshelveRequest): Promise<void> {
  const { db } = work;
  requireState(work, server, { action: 'unshelve', vmStates: ['shelved', 'shelved_offloaded'], taskStates: idle });
  if ((zone !== undefined || host !== undefined) && server.vmState !== 'shelved_offloaded') {
    throw conflict(
      `Specifying an availability zone or a host when unshelving server "${server.uuid}" with status "${server.vmState}" is not supported.` +
        ' The server status must be SHELVED_OFFLOADED.',
    );
  }
  if (zone && !(await availableZones(db)).has(zone)) throw badRequest('The requested availability zone is not available');
  const pinnedZone = zone === undefined ? server.pinnedZone : zone;
  if (host !== undefined) {
    const found = await findHostNamed(db, host);
    if (!found) throw badRequest(`Compute host ${host} could not be found.`);
    if (pinnedZone !== null && found.zone !== pinnedZone) {
      throw conflict(`Host "${host}" is not in the availability zone "${pinnedZone}".`);
    }
  }
  const args = { host: host ?? null };
  await startAction(work, server, {
    action: 'unshelve',
    task: 'unshelve',
    taskState: 'unshelving',
    args,
    changes: { pinnedZone },
  });
}

/** Finds the host, which is the server's from then on, so that the other members of its group are scheduled accordingly. */
export const unshelveTask: Task = {
  event: 'conductor_unshelve_instance',
  async run(work, server, args) {
    const { db, now } = work;
    if (server.host !== null) {
      await scheduleNextTask(work, server, 'unshelveFinish', {}, 'server.unshelve');
      return undefined;
    }
    await checkShelvedImage(work, server);
    const spec = await requestSpecOf(db, server, { host: args['host'] as string | null });
    const { host, node, zone } = await findHost(work, server, spec);
    const placed = await updateServer(db, server, { host, node, zone, taskState: 'spawning' }, now);
    await scheduleNextTask(work, placed, 'unshelveFinish', {}, 'server.unshelve');
    return undefined;
  },
  async failed(_work, _server, fault) {
    return fault.details.code === noImage ? { vmState: 'error' } : {};
  },
};

const noImage = 'compute.no_shelved_image';

/** @throws Fault where somebody has deleted the image of the disk */
async function checkShelvedImage(work: Work, { shelvedImageId: id }: Server): Promise<void> {
  if (id === null || (await findImage(elevated(work), id))) return;
  throw conflict(`Unshelve attempted but the image ${id} cannot be found.`, { code: noImage });
}

export const unshelveFinishTask: Task = {
  event: 'compute_unshelve_instance',
  async run(work, server) {
    if (server.shelvedImageId !== null) await deleteSnapshot(work, server.shelvedImageId);
    await bindServerPorts(work, server.uuid, server.host!);
    return { vmState: 'active', powerState: power.running, launchedAt: work.now, shelvedImageId: null };
  },
  async failed(work, server) {
    if (server.vmState !== 'shelved_offloaded') return {};
    await deleteAllocations(work, server.uuid);
    return { host: null, node: null, zone: null };
  },
};
