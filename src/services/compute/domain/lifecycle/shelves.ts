// Shelves servers, which removes them from their hosts, and unshelves them. Upstream:
// conductor/manager.py unshelve_instance.
import { SECOND } from '../../../../kernel/clock.ts';
import { badRequest, conflict } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { createActiveSnapshot, deleteSnapshot, findImage } from '../../clients/image.ts';
import { bindServerPorts } from '../../clients/network.ts';
import { deleteAllocations } from '../../clients/placement.ts';
import { availableZones, findHostNamed } from '../../store/hosts/server-hosts.ts';
import { changeServer } from '../servers/change.ts';
import { idle, requireState } from '../servers/checks.ts';
import { findHost, requestSpecOf } from '../scheduler/scheduling.ts';
import { bindPorts } from '../port-resources.ts';
import { scheduleNextTask, startAction, type Task } from '../servers/tasks.ts';
import { isOnVolume, power } from '../servers/states.ts';
import { loadSettings } from '../settings.ts';
import { elevated } from '../../../../kernel/context.ts';
import type { Server } from '../../model.ts';
import { latencyOf } from '../../../../kernel/latency.ts';

/** Shelves a server, after creating an image of its disk. @throws 409 */
export async function shelve(context: Context, server: Server): Promise<void> {
  const vmStates = ['active', 'stopped', 'paused', 'suspended'];
  requireState(context, server, { action: 'shelve', vmStates, taskStates: idle });
  await startAction(context, server, {
    action: 'shelve',
    task: 'shelve',
    taskState: 'shelving',
    args: {},
    latency: 'server.shelve',
  });
}

/**
 * Creates the image, and offloads the server: at once, or after the time that the settings or a
 * latency say. Upstream: shelve_instance in compute/manager.py.
 */
export const shelveTask: Task = {
  event: 'compute_shelve_instance',
  async run(context, server) {
    const shelvedImageId = await createShelvedImage(context, server);
    const { shelvedOffloadTime } = await loadSettings(context);
    const latency = latencyOf(context, 'server.shelveOffload');
    const delay = Math.max(shelvedOffloadTime * SECOND, latency);
    if (shelvedOffloadTime === 0 && !latency)
      return { ...(await offload(context, server)), shelvedImageId };
    if (shelvedOffloadTime >= 0)
      await scheduleNextTask(context, server, 'shelveOffload', {}, delay);
    return {
      vmState: 'shelved',
      powerState: power.shutdown,
      taskState: null,
      actionId: server.actionId,
      shelvedImageId,
    };
  },
};

/** Creates an image of the disk, unless the disk is on a volume. @returns the image's id */
async function createShelvedImage(context: Context, server: Server): Promise<string | null> {
  if (isOnVolume(server)) return null;
  const { projectId, flavor } = server;
  const properties = {
    image_type: 'snapshot',
    instance_uuid: server.uuid,
    base_image_ref: server.imageId,
  };
  return createActiveSnapshot(context, {
    name: `${server.name}-shelved`,
    projectId,
    properties,
    minDisk: flavor.disk,
    minRam: 0,
  });
}

/** Offloads a shelved server from its host. @throws 409 */
export async function shelveOffload(context: Context, server: Server): Promise<void> {
  requireState(context, server, {
    action: 'shelveOffload',
    vmStates: ['shelved'],
    taskStates: idle,
  });
  await startAction(context, server, {
    action: 'shelveOffload',
    task: 'shelveOffload',
    taskState: 'shelving_offloading',
    args: {},
  });
}

export const shelveOffloadTask: Task = { event: 'compute_shelve_offload_instance', run: offload };

async function offload(context: Context, server: Server): ReturnType<Task['run']> {
  await deleteAllocations(context, server.uuid);
  await bindServerPorts(context, server.uuid, null);
  return {
    vmState: 'shelved_offloaded',
    powerState: power.shutdown,
    host: null,
    node: null,
    zone: null,
  };
}

/** The zone and the host to unshelve a server to. */
export interface UnshelveRequest {
  /** Undefined keeps the zone that the server is pinned to; null unpins the server. */
  readonly zone?: string | null | undefined;
  readonly host?: string | undefined;
}

/** Unshelves a server. @throws 400, 409 */
export async function unshelve(
  context: Context,
  server: Server,
  { zone, host }: UnshelveRequest,
): Promise<void> {
  const { db } = context;
  requireState(context, server, {
    action: 'unshelve',
    vmStates: ['shelved', 'shelved_offloaded'],
    taskStates: idle,
  });
  if ((zone !== undefined || host !== undefined) && server.vmState !== 'shelved_offloaded') {
    throw conflict(
      'Specifying an availability zone or a host when unshelving server ' +
        `"${server.uuid}" with status "${server.vmState}" is not supported.` +
        ' The server status must be SHELVED_OFFLOADED.',
    );
  }
  if (zone && !(await availableZones(db)).has(zone))
    throw badRequest('The requested availability zone is not available');
  const pinnedZone = zone === undefined ? server.pinnedZone : zone;
  if (host !== undefined) {
    const found = await findHostNamed(db, host);
    if (!found) throw badRequest(`Compute host ${host} could not be found.`);
    if (pinnedZone !== null && found.zone !== pinnedZone) {
      throw conflict(`Host "${host}" is not in the availability zone "${pinnedZone}".`);
    }
  }
  await startAction(context, server, {
    action: 'unshelve',
    task: 'unshelve',
    taskState: 'unshelving',
    args: { host: host ?? null },
    changes: { pinnedZone },
  });
}

/**
 * Selects the host, and writes it at once, so that the scheduler sees it when it places the other
 * members of the server's group.
 */
export const unshelveTask: Task<{ readonly host: string | null }> = {
  event: 'conductor_unshelve_instance',
  async run(context, server, { host: requested }) {
    if (server.host !== null) {
      await scheduleNextTask(context, server, 'unshelveFinish', {}, 'server.unshelve');
      return undefined;
    }
    await checkShelvedImage(context, server);
    const spec = await requestSpecOf(context, server, { host: requested });
    const { host, node, zone } = await findHost(context, server, spec);
    const placed = await changeServer(context, server, {
      host,
      node,
      zone,
      taskState: 'spawning',
    });
    await scheduleNextTask(context, placed, 'unshelveFinish', {}, 'server.unshelve');
    return undefined;
  },
  async failed(_context, _server, error) {
    return error.code === noImage ? { vmState: 'error' } : {};
  },
};

const noImage = 'compute.no_shelved_image';

/** @throws 409 if a client has deleted the image of the disk */
async function checkShelvedImage(context: Context, { shelvedImageId: id }: Server): Promise<void> {
  if (id === null || (await findImage(elevated(context), id))) return;
  throw conflict(`Unshelve attempted but the image ${id} cannot be found.`, { code: noImage });
}

export const unshelveFinishTask: Task = {
  event: 'compute_unshelve_instance',
  async run(context, server) {
    if (server.shelvedImageId !== null) await deleteSnapshot(context, server.shelvedImageId);
    await bindPorts(context, server.uuid, server.host!);
    return {
      vmState: 'active',
      powerState: power.running,
      launchedAt: context.now,
      shelvedImageId: null,
    };
  },
  async failed(context, server) {
    if (server.vmState !== 'shelved_offloaded') return {};
    await deleteAllocations(context, server.uuid);
    return { host: null, node: null, zone: null };
  },
};
