// The volumes of servers: whether the disks that a request asks for can be had, attaching and
// detaching. Upstream: compute/api.py.
import { badRequest } from '../../../../kernel/errors.ts';
import { newUuid } from '../../../../kernel/ids.ts';
import {
  deleteServerVolume,
  insertServerVolume,
  listServerVolumes,
  listVolumeServers,
  updateServerVolume,
} from '../../store/servers/devices.ts';
import { findImage } from '../../clients/image.ts';
import {
  attachVolume,
  createVolume,
  deleteVolume,
  detachVolume,
  findVolume,
  findVolumeSnapshot,
  findVolumeType,
  type Volume,
} from '../../clients/volume.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { Context } from '../../../../kernel/model.ts';
import { elevated } from '../../../../kernel/context.ts';
import { isEphemeral, isSwap, refuse, type Mapping } from './mappings.ts';
import type { ServerFlavor, ServerVolume, Server } from '../../model.ts';

const buses: readonly string[] = [
  'fdc',
  'ide',
  'sata',
  'scsi',
  'usb',
  'virtio',
  'xen',
  'lxc',
  'uml',
];

/** How many local disks a server may have. Upstream: max_local_block_devices in conf/compute.py. */
const maxLocal = 3;

/**
 * Checks the disks of a server. `known` is an image that is known to be usable.
 * @returns them with the sizes of the snapshots that they come from
 * @throws 400 where the boot indexes are no sequence, a volume, image, snapshot or type cannot be
 *   used, or the flavor has less room
 */
export async function checkMappings(
  context: Context,
  mappings: readonly Mapping[],
  flavor: ServerFlavor,
  known: string,
): Promise<Mapping[]> {
  const indexes = mappings
    .flatMap(({ bootIndex }) => bootIndex ?? [])
    .sort((one, other) => one - other);
  if (!indexes.length || indexes.some((value, index) => value !== index))
    throw refuse(
      'Boot sequence for the instance and image/block device mapping combination is not valid.',
    );
  const checked: Mapping[] = [];
  for (const mapping of mappings) checked.push(await checkMapping(context, mapping, known));
  const ephemeral = checked
    .filter(isEphemeral)
    .reduce((sum, { size }) => sum + (size || flavor.ephemeral), 0);
  if (ephemeral > flavor.ephemeral) {
    throw badRequest(
      'Ephemeral disks requested are larger than the instance type allows. If no size is given in one block device mapping, flavor ephemeral size will be used.',
    );
  }
  const swaps = checked.filter(isSwap);
  if (swaps.length > 1) throw refuse('More than one swap drive requested.');
  if ((swaps[0]?.size ?? 0) > flavor.swap)
    throw badRequest('Swap drive requested is larger than instance type allows.');
  if (checked.filter(({ destination }) => destination === 'local').length > maxLocal)
    throw refuse('You specified more local devices than the limit allows');
  return checked;
}

/** @returns the mapping, with the size of its snapshot where it has none. @throws 400 */
async function checkMapping(context: Context, mapping: Mapping, known: string): Promise<Mapping> {
  const { source, destination, id, size, type, bus } = mapping;
  if (type !== null && !(await findVolumeType(context, type)))
    throw badRequest(`Volume type ${type} could not be found.`);
  if (source === 'image' && id !== null && id !== known && !(await findImage(context, id)))
    throw refuse(`failed to get image ${id}.`);
  const snapshot = source === 'snapshot' ? await findVolumeSnapshot(context, id!) : undefined;
  if (source === 'snapshot' && !snapshot) throw refuse(`failed to get snapshot ${id}.`);
  if (destination === 'volume' && !size) {
    if (source === 'image')
      throw badRequest(
        "Images with destination_type 'volume' need to have a non-zero size specified",
      );
    if (source === 'blank')
      throw badRequest(
        "Blank volumes (source: 'blank', dest: 'volume') need to have non-zero size",
      );
  }
  if (source === 'volume') await checkFree(context, id!);
  // Upstream means to name the bus, and misses. Upstream: InvalidBDMDiskBus in exception.py.
  if (bus !== null && !buses.includes(bus)) throw badRequest('Block Device Mapping is Invalid.');
  return snapshot ? { ...mapping, size: size ?? snapshot.size } : mapping;
}

async function checkFree(context: Context, id: string): Promise<void> {
  const volume = await findVolume(context, id);
  if (!volume) throw badRequest(`Volume ${id} could not be found.`);
  checkAttachable(volume);
}

/** @throws 400 where the volume is not free */
export function checkAttachable({ id, status, multiattach }: Volume): void {
  const free =
    status === 'available' || status === 'reserved' || (multiattach && status === 'in-use');
  if (!free)
    throw badRequest(
      `Invalid volume: volume '${id}' status must be 'available'. Currently in '${status}' status`,
    );
}

/** Creates the volumes of new mappings, and attaches all. */
export async function attachMappings(
  context: Context,
  server: Server,
  mappings: readonly Mapping[],
  host: string,
): Promise<void> {
  for (const mapping of mappings) {
    if (mapping.destination !== 'volume') continue;
    const { source, id, size, deleteOnTermination, tag, bootIndex } = mapping;
    const fresh = {
      size: size ?? 1,
      imageId: source === 'image' ? id! : undefined,
      snapshotId: source === 'snapshot' ? id! : undefined,
      type: mapping.type ?? undefined,
    };
    const volumeId = source === 'volume' ? id! : await createVolume(context, server, fresh);
    const device =
      mapping.device ?? (bootIndex === 0 ? '/dev/vda' : await nextDevice(context.db, server));
    await attachTo(
      context,
      server,
      { volumeId, device, tag, deleteOnTermination, bootIndex },
      host,
    );
  }
}

export interface NewAttachment {
  readonly volumeId: string;
  readonly device: string;
  readonly tag: string | null;
  readonly deleteOnTermination: boolean;
  readonly bootIndex: number | null;
}

/** Attaches a volume to a server. */
export async function attachTo(
  context: Context,
  server: Server,
  volume: NewAttachment,
  host: string | null,
): Promise<void> {
  const place = { server: server.uuid, host, device: volume.device };
  const attachmentId = await attachVolume(context, volume.volumeId, place);
  await insertServerVolume(context.db, {
    ...volume,
    uuid: newUuid(),
    serverUuid: server.uuid,
    attachmentId,
  });
}

/** Decides whether a volume is deleted with its server. */
export const setDeleteOnTermination = (
  { db }: Context,
  { uuid }: ServerVolume,
  deleteOnTermination: boolean,
): Promise<void> => updateServerVolume(db, uuid, { deleteOnTermination });

/** The name of the next free device. */
export async function nextDevice(db: Db, { uuid }: Pick<Server, 'uuid'>): Promise<string> {
  const taken = new Set((await listServerVolumes(db, [uuid])).map(({ device }) => device));
  const letters = 'bcdefghijklmnopqrstuvwxyz'.split('');
  const letter = letters.find((one) => !taken.has(`/dev/vd${one}`));
  if (letter === undefined) throw badRequest("No free disk device names for prefix 'vd'");
  return `/dev/vd${letter}`;
}

/**
 * @throws 400 where the volume is attached to this server, or to another and may not be to several
 */
export async function checkNotAttached(db: Db, volume: Volume, server: string): Promise<void> {
  const attached = await listVolumeServers(db, volume.id);
  if (!attached.length) return;
  if (!volume.multiattach) {
    const servers = attached.map(({ serverUuid }) => serverUuid).join(' ');
    throw badRequest(
      `Invalid volume: volume ${volume.id} is already attached to instances: ${servers}`,
    );
  }
  if (attached.some(({ serverUuid }) => serverUuid === server))
    throw badRequest(`Invalid volume: volume ${volume.id} already attached`);
}

/**
 * The message for a server with a volume that is not in use, which keeps its disks from being
 * changed.
 */
export async function volumeNotInUse(
  context: Context,
  { uuid }: Server,
): Promise<string | undefined> {
  for (const { volumeId } of await listServerVolumes(context.db, [uuid])) {
    const volume = await findVolume(elevated(context), volumeId);
    if (volume && volume.status !== 'in-use')
      return `Invalid volume: volume '${volumeId}' status must be 'in-use'. Currently in '${volume.status}' status`;
  }
  return undefined;
}

/** The volume that a server starts from. */
export async function rootVolume(context: Context, { uuid }: Server): Promise<Volume | undefined> {
  const root = (await listServerVolumes(context.db, [uuid])).find(
    ({ bootIndex }) => bootIndex === 0,
  );
  return root && findVolume(elevated(context), root.volumeId);
}

/** Detaches a volume; with `serverGoes`, one with delete_on_termination is deleted. */
export async function detachFrom(
  context: Context,
  volume: ServerVolume,
  serverGoes = false,
): Promise<void> {
  await deleteServerVolume(context.db, volume.uuid);
  if (volume.attachmentId !== null) await detachVolume(context, volume.attachmentId);
  if (serverGoes && volume.deleteOnTermination) await deleteVolume(context, volume.volumeId);
}

/** Detaches all volumes of a server that is deleted. */
export async function detachAll(context: Context, server: string): Promise<void> {
  for (const volume of await listServerVolumes(context.db, [server]))
    await detachFrom(context, volume, true);
}
