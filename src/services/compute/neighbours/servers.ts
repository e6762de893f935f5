// What servers want of the other services of their region, and nothing more.
import type { Micros } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Work } from '../../../kernel/model.ts';
import { anonymous } from '../../../kernel/work.ts';
import * as image from '../../image/index.ts';
import * as network from '../../network/index.ts';
import * as volume from '../../volume/index.ts';
import type { Db } from '../../../kernel/db/database.ts';

export { parseCidr } from '../../network/index.ts';

/** Who looks at what other services have. */
export interface Viewer {
  readonly projectId: string;
  readonly userId: string;
  readonly isAdmin: boolean;
}

export interface ServerImage {
  readonly id: string;
  readonly status: string;
  readonly size: number;
  readonly minDisk: number;
  readonly minRam: number;
  readonly properties: Readonly<Record<string, string>>;
}

/** The image, where the viewer may know of it. */
export async function findImage(db: Db, viewer: Viewer, id: string): Promise<ServerImage | undefined> {
  const found = await image.visibleImage(db, viewer, id);
  if (!found) return undefined;
  const { status, size, minDisk, minRam, properties } = found;
  return { id: found.id, status, size: size ?? 0, minDisk, minRam, properties };
}

export interface Snapshot {
  readonly name: string;
  readonly projectId: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly minDisk: number;
  readonly minRam: number;
}

/** Begins an image of a server's disk, which waits for its data. @returns its id */
export async function beginSnapshot(db: Db, { projectId, ...fields }: Snapshot, now: Micros): Promise<string> {
  const formats = { containerFormat: 'bare', diskFormat: 'qcow2' };
  return (await image.createImage(db, { ...formats, ...fields, owner: projectId, visibility: 'private' }, now)).id;
}

/** Gives the image its data, unless it has been deleted meanwhile. */
export async function finishSnapshot(db: Db, id: string, now: Micros): Promise<void> {
  const [found] = await image.findImages(db, { projectId: undefined, isAdmin: true }, { id });
  const data = Buffer.from(`A snapshot, made by the emulator at ${now}.`);
  if (found?.status === 'queued') await image.storeData(db, found, data, now);
}

/** Makes an image of a server's disk. @returns its id */
export async function makeSnapshot(db: Db, fields: Snapshot, now: Micros): Promise<string> {
  const id = await beginSnapshot(db, fields, now);
  await finishSnapshot(db, id, now);
  return id;
}

/** Deletes the images of a server's disk that are still waiting for their data. */
export async function dropUnfinished(db: Db, server: string): Promise<void> {
  const images = await image.imagesWith(db, { instance_uuid: server });
  for (const { id } of images.filter(({ status }) => status === 'queued')) await dropSnapshot(db, id);
}

/** The ids of a server's backups of a type, the newest first. */
export async function backupsOf(db: Db, server: string, type: string): Promise<string[]> {
  const properties = { image_type: 'backup', backup_type: type, instance_uuid: server };
  return (await image.imagesWith(db, properties)).map(({ id }) => id);
}

/** Deletes the image of a server's disk, unless it is gone or protected. */
export async function dropSnapshot(db: Db, id: string): Promise<void> {
  const [found] = await image.findImages(db, { projectId: undefined, isAdmin: true }, { id });
  if (found && !found.isProtected) await image.removeImage(db, found);
}

/** The network's view of a piece of work: on Compute's own behalf, unless it is somebody's. */
const networkWork = (db: Db, now: Micros, viewer?: Viewer): Work => {
  const actor = { ...anonymous, projectId: viewer?.projectId, isAdmin: viewer?.isAdmin ?? true };
  return { db, now, attempt: 1, actor } as Work;
};

export interface Port {
  readonly id: string;
  readonly networkId: string;
  readonly networkName: string;
  readonly mac: string;
  readonly status: string;
  readonly deviceId: string;
  readonly fixedIps: readonly { readonly subnetId: string; readonly ip: string }[];
  readonly floatingIps: readonly string[];
  /** Names. */
  readonly securityGroups: readonly string[];
}

/** The ports of servers, in the order of their making. */
export async function portsOfServers(db: Db, servers: readonly string[]): Promise<Port[]> {
  const byServer = await network.portsOfServers({ db }, servers);
  return [...byServer].flatMap(([deviceId, ports]) =>
    ports.map((port) => ({
      id: port.portId,
      networkId: port.networkId,
      networkName: port.networkName,
      mac: port.macAddress,
      status: port.status,
      deviceId,
      fixedIps: port.addresses.map(({ ip, subnetId }) => ({ ip, subnetId })),
      floatingIps: port.addresses.flatMap(({ floating }) => floating),
      securityGroups: port.groups,
    })),
  );
}

/** The servers that have an address which matches. */
export const serversWithAddress = (db: Db, matches: (ip: string) => boolean): Promise<Set<string>> =>
  network.serversWithAddress({ db }, matches);

/** One network, or one port, that a server is to have. */
export interface NetworkWish {
  readonly networkId?: string;
  readonly portId?: string;
  readonly fixedIp?: string;
  readonly tag?: string;
}

/** What a request says of networks: nothing at all, any, none, or these. */
export type NetworkRequest = 'auto' | 'none' | undefined | readonly NetworkWish[];

const asked = ({ networkId, portId, fixedIp }: NetworkWish): network.NetworkRequest => ({
  uuid: networkId,
  port: portId,
  fixedIp,
});

/** Whether networks and ports can be had, and which they are where that was left open. @throws 400, 403, 409 with the name of the case */
export async function planNetworks(db: Db, viewer: Viewer, request: NetworkRequest, now: Micros): Promise<NetworkWish[]> {
  const wishes = typeof request === 'object' ? request.map(asked) : request;
  const plans = await network.planNetworks(networkWork(db, now, viewer), viewer.projectId, wishes);
  return plans.map((plan, index) => {
    const tag = typeof request === 'object' ? request[index]?.tag : undefined;
    const what = plan.port ? { portId: plan.port.id } : { networkId: plan.network.id };
    return { ...what, ...(plan.fixedIp === undefined ? {} : { fixedIp: plan.fixedIp }), ...(tag === undefined ? {} : { tag }) };
  });
}

/** Where a port is plugged in. */
export interface Plug {
  readonly server: string;
  readonly projectId: string;
  readonly host: string;
  readonly zone: string;
}

/** Gives a server a port, new or not. @throws Fault where there is no address left, or the one asked for is taken */
export async function addPort(db: Db, plug: Plug, wish: NetworkWish, groups: readonly string[], now: Micros): Promise<void> {
  const work = networkWork(db, now);
  const plans = await network.planNetworks(work, plug.projectId, [asked(wish)]);
  const { server: serverId, projectId, zone, host } = plug;
  await network.createServerPorts(work, { serverId, projectId, zone, host }, plans, groups);
}

/** Tells the ports of a server where it is. */
export const bindPorts = (db: Db, server: string, host: string | null, now: Micros): Promise<void> =>
  network.bindServerPorts(networkWork(db, now), server, host);

/** Takes a port from its server; it goes, unless it is to be kept. */
export const dropPort = (db: Db, id: string, keep: boolean, now: Micros): Promise<void> =>
  network.deleteServerPort(networkWork(db, now), id, keep);

/** The ids of a project's security groups by name or id. @throws 400, 409 */
export async function findSecurityGroups(db: Db, projectId: string, names: readonly string[], now: Micros): Promise<string[]> {
  if (!names.length) return [];
  return (await network.findSecurityGroups(networkWork(db, now), projectId, names)).map(({ id }) => id);
}

export type { Volume } from '../../volume/index.ts';

/** The volume, where the viewer may know of it. */
export async function findVolume(db: Db, viewer: Viewer, id: string): Promise<volume.Volume | undefined> {
  return volume.volumeFor(db, viewer, id).catch(undefinedFor404);
}

function undefinedFor404(error: unknown): undefined {
  if (error instanceof Fault && error.status === 404) return undefined;
  throw error;
}

/** The snapshot of a volume, where the viewer may know of it. */
export async function findVolumeSnapshot(db: Db, viewer: Viewer, id: string): Promise<volume.VolumeSnapshot | undefined> {
  return volume.snapshotFor(db, viewer, id).catch(undefinedFor404);
}

/** Attaches a volume. @returns the id of the attachment. @throws 400, 409 */
export async function attachVolume(
  db: Db,
  what: { readonly id: string; readonly server: string; readonly host: string | null; readonly device: string },
  now: Micros,
): Promise<string> {
  const found = await volume.volumeFor(db, { projectId: undefined, userId: '', isAdmin: true }, what.id);
  const place = { instanceUuid: what.server, host: what.host ?? '', mountpoint: what.device };
  return (await volume.attachToServer(db, found, place, now)).id;
}

export const detachVolume = (db: Db, attachmentId: string, now: Micros): Promise<void> =>
  volume.detachFromServer(db, attachmentId, now);

/** Writes another image over a server's volume. @throws 400, 409 */
export const reimageVolume = (db: Db, id: string, imageId: string, now: Micros): Promise<void> =>
  volume.reimageForServer(db, id, imageId, now);

export interface NewVolume {
  readonly size: number;
  readonly imageId: string | undefined;
  readonly snapshotId: string | undefined;
  readonly type: string | undefined;
}

/** Makes a volume for a server. @returns its id. @throws 400, 404, 413 */
export async function makeVolume(
  db: Db,
  { projectId, userId }: Omit<Viewer, 'isAdmin'>,
  fresh: NewVolume,
  now: Micros,
): Promise<string> {
  const { size, imageId, snapshotId, type } = fresh;
  const request: volume.VolumeRequest = { name: '', description: '', size, metadata: {}, imageId, snapshotId, type };
  return (await volume.createReadyVolume(db, { projectId, userId, isAdmin: false }, request, now)).id;
}

/** Deletes a volume that goes with its server. */
export const removeVolume = (db: Db, id: string, now: Micros): Promise<void> => volume.deleteWithServer(db, id, now);
