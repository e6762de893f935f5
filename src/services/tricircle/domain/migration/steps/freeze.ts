// The first steps: lock servers and volumes against their tenants, check that nothing has changed
// since the plan, and stop the servers.
import {
  act,
  readGroup,
  readServer,
  readVolume,
  serverPath,
  volumePath,
} from '../../../clients/resources.ts';
import type { MovedResource, Pod } from '../../../model.ts';
import { movableStatuses, volumesOf } from '../inspect.ts';
import type { Context } from '../../../../../kernel/model.ts';
import { cannotMove, done, forEach, ofType, type Step, type Work } from './step.ts';

/** The status of volumes that nobody but an administrator may change. */
const frozen = 'maintenance';

const gone = ({ type, id }: MovedResource) =>
  cannotMove(`The ${type.replace('_', ' ')} ${id} is gone.`);

/** Nova refuses the requests of tenants for locked servers. */
export const lock: Step = {
  name: 'lock',
  run: async (work) => {
    const { context, source, target } = work;
    await forEach(work, 'server', async (resource) => {
      const { id } = resource;
      const server = await readServer(context, source, id);
      if (!server) throw gone(resource);
      const reason = { locked_reason: `migration to ${target.regionName}` };
      if (server['locked'] !== true)
        await act(context, source, 'compute', serverPath(id), { lock: reason });
      return true;
    });
    return forEach(work, 'volume', async (resource) => {
      const volume = await readVolume(context, source, resource.id);
      if (!volume) throw gone(resource);
      const { status } = volume;
      if (status === frozen) return true;
      if (status !== resource.status)
        throw cannotMove(`The status of the volume ${resource.id} is ${String(status)} now.`);
      await resetStatus(context, source, resource.id, frozen);
      return true;
    });
  },
  undo: async (work) => {
    const { context, source } = work;
    await forEach(work, 'volume', async ({ id, status }) => {
      const volume = await readVolume(context, source, id);
      if (volume?.['status'] === frozen) await resetStatus(context, source, id, status!);
      return true;
    });
    return forEach(work, 'server', async ({ id, isLocked }) => {
      const server = await readServer(context, source, id);
      if (server?.['locked'] === true && !isLocked)
        await act(context, source, 'compute', serverPath(id), { unlock: null });
      return true;
    });
  },
};

/** Sets the status of a volume from any other. */
export const resetStatus = (
  context: Context,
  pod: Pod,
  id: string,
  status: string,
): Promise<unknown> =>
  act(context, pod, 'volumev3', volumePath(id), { 'os-reset_status': { status } });

/** A tenant may have changed something between the plan and the lock. */
export const check: Step = {
  name: 'check',
  run: async (work) => {
    const { move } = work;
    const servers = new Map<string, string>();
    for (const resource of ofType(move, 'server'))
      servers.set(resource.id, await checkServer(work, resource));
    for (const group of ofType(move, 'server_group')) await checkMembers(work, group);
    const resources = move.resources.map((resource) =>
      resource.type === 'server' ? { ...resource, status: servers.get(resource.id)! } : resource,
    );
    return { ...done, resources };
  },
};

/** @returns the status of the server */
async function checkServer({ context, source, move }: Work, resource: MovedResource) {
  const server = await readServer(context, source, resource.id);
  if (!server) throw gone(resource);
  const status = String(server['status']);
  if (!movableStatuses.includes(status) || server['OS-EXT-STS:task_state'] !== null)
    throw cannotMove(`The status of the server ${resource.id} is ${status} now.`);
  const planned = new Set(ofType(move, 'volume').map(({ id }) => id));
  const added = volumesOf(server).find((id) => !planned.has(id));
  if (added !== undefined)
    throw cannotMove(`The server ${resource.id} has got the volume ${added}.`);
  return status;
}

async function checkMembers({ context, source, move }: Work, group: MovedResource) {
  const planned = new Set(ofType(move, 'server').map(({ id }) => id));
  const found = await readGroup(context, source, group.id);
  if (!found) throw gone(group);
  const added = (found['members'] as string[]).find((id) => !planned.has(id));
  if (added !== undefined)
    throw cannotMove(`The server group ${group.id} has got the server ${added}.`);
}

/** The servers that run are stopped. */
export const stop: Step = {
  name: 'stop',
  run: (work) =>
    forEach(work, 'server', (server) => bringTo(work.context, work.source, server, 'SHUTOFF')),
  undo: (work) =>
    forEach(work, 'server', async (resource) => {
      const { context, source } = work;
      const server = await readServer(context, source, resource.id);
      // An administrator of the pod may have deleted it, or worse.
      if (!movableStatuses.includes(server?.['status'])) return true;
      return bringTo(context, source, resource, resource.status!);
    }),
};

/**
 * Starts or stops a server.
 * @returns whether it has the status
 * @throws ApiError if the server is gone or fails
 */
export async function bringTo(
  context: Context,
  pod: Pod,
  resource: MovedResource,
  status: string,
): Promise<boolean> {
  const server = await readServer(context, pod, resource.id);
  if (!server) throw gone(resource);
  if (server['OS-EXT-STS:task_state'] !== null) return false;
  if (server['status'] === status) return true;
  if (!movableStatuses.includes(server['status']))
    throw cannotMove(`The status of the server ${resource.id} is ${String(server['status'])} now.`);
  const action = status === 'ACTIVE' ? 'os-start' : 'os-stop';
  await act(context, pod, 'compute', serverPath(resource.id), { [action]: null });
  return false;
}
