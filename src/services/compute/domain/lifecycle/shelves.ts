// Shelving: a server goes off its host, and comes back to some host later. Upstream: conductor/manager.py unshelve_instance.
import { badRequest, conflict } from '../../../../kernel/fault.ts';
import { dropUses } from '../../../placement/index.ts';
import { availableZones, findHostNamed } from '../../store/hosts/server-hosts.ts';
import { updateServer, type Server } from '../../store/servers/servers.ts';
import { idle, require } from '../servers/checks.ts';
import { dropSnapshot, findImage, makeSnapshot } from '../../neighbours/servers.ts';
import { replug } from '../servers/networks.ts';
import { findHost, wishOf } from '../scheduler/scheduling.ts';
import { begin, goOn, type Actor, type Task, type Work } from '../servers/tasks.ts';
import { isOnVolume, power } from '../servers/states.ts';

/** Shelves a server: its disk becomes an image. @throws 409 */
export async function shelve(actor: Actor, server: Server): Promise<void> {
  const vmStates = ['active', 'stopped', 'paused', 'suspended'];
  require(server, { action: 'shelve', vmStates, taskStates: idle }, actor.isAdmin);
  await begin(actor, server, { action: 'shelve', task: 'shelve', taskState: 'shelving', latency: 'server.shelve' });
}

/** A shelved server does not stay on its host: as upstream by default, it leaves at once. */
export const shelveTask: Task = {
  event: 'compute_shelve_instance',
  async run(work, server) {
    const shelvedImageId = await imageOf(work, server);
    if (!(work.latency['server.shelveOffload'] ?? 0)) return { ...(await offload(work, server)), shelvedImageId };
    await goOn(work, server, 'shelveOffload', {}, 'server.shelveOffload');
    return { vmState: 'shelved', powerState: power.shutdown, taskState: null, actionId: server.actionId, shelvedImageId };
  },
};

/** Makes an image of the disk, where that is not on a volume. @returns its id */
async function imageOf({ db, now }: Work, server: Server): Promise<string | null> {
  if (isOnVolume(server)) return null;
  const { projectId, flavor } = server;
  const properties = { image_type: 'snapshot', instance_uuid: server.uuid, base_image_ref: server.imageId };
  return makeSnapshot(db, { name: `${server.name}-shelved`, projectId, properties, minDisk: flavor.disk, minRam: 0 }, now);
}

/** Takes a shelved server off its host. @throws 409 */
export async function shelveOffload(actor: Actor, server: Server): Promise<void> {
  require(server, { action: 'shelveOffload', vmStates: ['shelved'], taskStates: idle }, actor.isAdmin);
  await begin(actor, server, { action: 'shelveOffload', task: 'shelveOffload', taskState: 'shelving_offloading' });
}

export const shelveOffloadTask: Task = { event: 'compute_shelve_offload_instance', run: offload };

async function offload({ db, now }: Work, server: Server): ReturnType<Task['run']> {
  await dropUses(db, server.uuid);
  await replug(db, server.uuid, null, now);
  return { vmState: 'shelved_offloaded', powerState: power.shutdown, host: null, node: null, zone: null };
}

/** What a client says of the place to come back to. */
export interface UnshelveWish {
  /** Undefined leaves the zone as it is; null lets the server go anywhere. */
  readonly zone?: string | null | undefined;
  readonly host?: string | undefined;
}

/** Brings a server back. @throws 400, 409 */
export async function unshelve(actor: Actor, server: Server, { zone, host }: UnshelveWish): Promise<void> {
  const { db } = actor;
  require(server, { action: 'unshelve', vmStates: ['shelved', 'shelved_offloaded'], taskStates: idle }, actor.isAdmin);
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
  await begin(actor, server, { action: 'unshelve', task: 'unshelve', taskState: 'unshelving', args, changes: { pinnedZone } });
}

/** The host is found, and from then on counts as the server's: others of its group must see it there. */
export const unshelveTask: Task = {
  event: 'conductor_unshelve_instance',
  async run(work, server, args) {
    const { db, now } = work;
    if (server.host !== null) {
      await goOn(work, server, 'unshelveFinish', {}, 'server.unshelve');
      return undefined;
    }
    await checkShelvedImage(work, server);
    const { host, node, zone } = await findHost(
      db,
      server,
      await wishOf(db, server, { host: args['host'] as string | null }),
      now,
    );
    const placed = await updateServer(db, server, { host, node, zone, taskState: 'spawning' }, now);
    await goOn(work, placed, 'unshelveFinish', {}, 'server.unshelve');
    return undefined;
  },
  async failed(_work, _server, fault) {
    return fault.details.code === noImage ? { vmState: 'error' } : {};
  },
};

const noImage = 'compute.no_shelved_image';

/** @throws Fault where somebody has deleted the image of the disk */
async function checkShelvedImage({ db }: Work, { projectId, userId, shelvedImageId: id }: Server): Promise<void> {
  if (id === null || (await findImage(db, { projectId, userId, isAdmin: true }, id))) return;
  throw conflict(`Unshelve attempted but the image ${id} cannot be found.`, { code: noImage });
}

export const unshelveFinishTask: Task = {
  event: 'compute_unshelve_instance',
  async run({ db, now }, server) {
    if (server.shelvedImageId !== null) await dropSnapshot(db, server.shelvedImageId);
    await replug(db, server.uuid, server.host!, now);
    return { vmState: 'active', powerState: power.running, launchedAt: now, shelvedImageId: null };
  },
  async failed({ db }, server) {
    if (server.vmState !== 'shelved_offloaded') return {};
    await dropUses(db, server.uuid);
    return { host: null, node: null, zone: null };
  },
};
