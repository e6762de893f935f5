// Validates the disks that a request describes, and attaches and detaches volumes. Upstream:
// compute/api.py.
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
import { invalidMapping, isEphemeral, isSwap, type Mapping } from './mappings.ts';
import type { Settings } from '../settings.ts';
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

/**
 * Validates the disks of a server. `checkedImage` is an image that is already validated.
 * @returns the disks, with the sizes of the snapshots that they are created from
 * @throws 400 if the boot indexes are not consecutive, if a volume, image, snapshot or type is
 *   unusable, or if the flavor is too small
 */
export async function checkMappings(
  context: Context,
  mappings: readonly Mapping[],
  flavor: ServerFlavor,
  checkedImage: string,
  { maxLocalBlockDevices: maxLocal }: Settings,
): Promise<Mapping[]> {
  const indexes = mappings
    .flatMap(({ bootIndex }) => bootIndex ?? [])
    .sort((one, other) => one - other);
  if (!indexes.length || indexes.some((value, index) => value !== index))
    throw invalidMapping(
      'Boot sequence for the instance and image/block device mapping combination is not valid.',
    );
  const checked: Mapping[] = [];
  for (const mapping of mappings) checked.push(await checkMapping(context, mapping, checkedImage));
  const ephemeral = checked
    .filter(isEphemeral)
    .reduce((sum, { size }) => sum + (size || flavor.ephemeral), 0);
  if (ephemeral > flavor.ephemeral) {
    throw badRequest(
      'Ephemeral disks requested are larger than the instance type allows. ' +
        'If no size is given in one block device mapping, flavor ephemeral size will be used.',
    );
  }
  const swaps = checked.filter(isSwap);
  if (swaps.length > 1) throw invalidMapping('More than one swap drive requested.');
  if ((swaps[0]?.size ?? 0) > flavor.swap)
    throw badRequest('Swap drive requested is larger than instance type allows.');
  const local = checked.filter(({ destination }) => destination === 'local').length;
  if (maxLocal >= 0 && local > maxLocal)
    throw invalidMapping('You specified more local devices than the limit allows');
  return checked;
}

/** @returns the mapping, with the size of its snapshot if it has none. @throws 400 */
async function checkMapping(
  context: Context,
  mapping: Mapping,
  checkedImage: string,
): Promise<Mapping> {
  const { source, destination, id, size, type, bus } = mapping;
  if (type !== null && !(await findVolumeType(context, type)))
    throw badRequest(`Volume type ${type} could not be found.`);
  if (source === 'image' && id !== null && id !== checkedImage && !(await findImage(context, id)))
    throw invalidMapping(`failed to get image ${id}.`);
  const snapshot = source === 'snapshot' ? await findVolumeSnapshot(context, id!) : undefined;
  if (source === 'snapshot' && !snapshot) throw invalidMapping(`failed to get snapshot ${id}.`);
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
  if (source === 'volume') await checkVolume(context, id!);
  // Upstream intends to name the bus, but a bug drops it. Upstream: InvalidBDMDiskBus in
  // exception.py.
  if (bus !== null && !buses.includes(bus)) throw badRequest('Block Device Mapping is Invalid.');
  return snapshot ? { ...mapping, size: size ?? snapshot.size } : mapping;
}

/** @throws 400 if a volume is unknown, or cannot be attached */
async function checkVolume(context: Context, id: string): Promise<void> {
  const volume = await findVolume(context, id);
  if (!volume) throw badRequest(`Volume ${id} could not be found.`);
  checkAttachable(volume);
}

/** @throws 400 if the status of a volume does not allow it to be attached */
export function checkAttachable({ id, status, multiattach }: Volume): void {
  if (status === 'available' || status === 'reserved' || (multiattach && status === 'in-use'))
    return;
  throw badRequest(
    `Invalid volume: volume '${id}' status must be 'available'. Currently in '${status}' status`,
  );
}

/** Attaches the volumes of the mappings, after creating those that do not exist yet. */
export async function attachMappings(
  context: Context,
  server: Server,
  mappings: readonly Mapping[],
  host: string,
): Promise<void> {
  for (const mapping of mappings) {
    if (mapping.destination !== 'volume') continue;
    const { source, id, size, deleteOnTermination, tag, bootIndex } = mapping;
    const newVolume = {
      size: size ?? 1,
      imageId: source === 'image' ? id! : undefined,
      snapshotId: source === 'snapshot' ? id! : undefined,
      type: mapping.type ?? undefined,
    };
    const volumeId = source === 'volume' ? id! : await createVolume(context, server, newVolume);
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

/** Sets whether a volume is deleted with its server. */
export const setDeleteOnTermination = (
  { db }: Context,
  { uuid }: ServerVolume,
  deleteOnTermination: boolean,
): Promise<void> => updateServerVolume(db, uuid, { deleteOnTermination });

/** The name of the next free device. */
export async function nextDevice(db: Db, { uuid }: Pick<Server, 'uuid'>): Promise<string> {
  const taken = new Set((await listServerVolumes(db, [uuid])).map(({ device }) => device));
  const letters = 'bcdefghijklmnopqrstuvwxyz'.split('');
  const letter = letters.find((candidate) => !taken.has(`/dev/vd${candidate}`));
  if (letter === undefined) throw badRequest("No free disk device names for prefix 'vd'");
  return `/dev/vd${letter}`;
}

/** @throws 400 if the volume is attached to this server, or to another and is not multiattach */
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
 * The error message for a server with a volume that is not in the status `in-use`, which prevents
 * changes of the server's disks; undefined if all volumes are in use.
 */
export async function volumeNotInUse(
  context: Context,
  { uuid }: Server,
): Promise<string | undefined> {
  for (const { volumeId } of await listServerVolumes(context.db, [uuid])) {
    const volume = await findVolume(elevated(context), volumeId);
    if (volume && volume.status !== 'in-use') {
      const current = `Currently in '${volume.status}' status`;
      return `Invalid volume: volume '${volumeId}' status must be 'in-use'. ${current}`;
    }
  }
  return undefined;
}

/** The volume that a server boots from. */
export async function rootVolume(context: Context, { uuid }: Server): Promise<Volume | undefined> {
  const root = (await listServerVolumes(context.db, [uuid])).find(
    ({ bootIndex }) => bootIndex === 0,
  );
  return root && findVolume(elevated(context), root.volumeId);
}

/** Detaches a volume from its server. */
export async function detachFrom(context: Context, volume: ServerVolume): Promise<void> {
  await deleteServerVolume(context.db, volume.uuid);
  if (volume.attachmentId !== null) await detachVolume(context, volume.attachmentId);
}

/** Detaches all volumes from a server that is deleted, and deletes those that end with it. */
export async function detachAll(context: Context, server: string): Promise<void> {
  for (const volume of await listServerVolumes(context.db, [server])) {
    await detachFrom(context, volume);
    if (volume.deleteOnTermination) await deleteVolume(context, volume.volumeId);
  }
}
