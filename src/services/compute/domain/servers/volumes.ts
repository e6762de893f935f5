// The volumes of servers: block device mappings, attaching and detaching. Upstream: block_device.py, compute/api.py.
import { badRequest, type Fault } from '../../../../kernel/fault.ts';
import { newUuid } from '../../../../kernel/ids.ts';
import { deleteServerVolume, insertServerVolume, listServerVolumes, listVolumeServers, updateServerVolume } from '../../store/servers/devices.ts'; // prettier-ignore
import { findImage } from '../../neighbours/image.ts';
import {
  attachVolume, createVolume, deleteVolume, detachVolume, findVolume, findVolumeSnapshot, type Volume,
} from '../../neighbours/volume.ts'; // prettier-ignore
import { isTrue } from '../../../../kernel/python/bool.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { Work } from '../../../../kernel/model.ts';
import { elevated } from '../../../../kernel/work.ts';
import type { ServerVolume, Server } from '../records.ts';

/** A block device mapping, of either version. */
export interface Mapping {
  readonly source: string;
  readonly destination: string;
  readonly id: string | null;
  readonly bootIndex: number | null;
  readonly size: number | null;
  readonly device: string | null;
  readonly deleteOnTermination: boolean;
  readonly tag: string | null;
  readonly type: string | null;
}

type Fields = Readonly<Record<string, unknown>>;

const refuse = (details: string): Fault => badRequest(`Block Device Mapping is Invalid: ${details}`);

const numberOrNull = (value: unknown): number | null =>
  value === undefined || value === null || value === '' ? null : Number(value);
const textOrNull = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** block_device_mapping_v2. @throws 400 */
export function readMappings(items: readonly Fields[], hasImage: boolean): Mapping[] {
  return items.map((item) => {
    const kinds = ['image', 'volume', 'snapshot'] as const;
    const named = kinds.find((kind) => item[`${kind}_id`] !== undefined);
    const source = textOrNull(item['source_type']) ?? named;
    if (source === undefined) throw refuse('Invalid source_type field.');
    const id = textOrNull(item['uuid']) ?? (named === undefined ? null : textOrNull(item[`${named}_id`]));
    if (source === 'blank' && id !== null) throw refuse('Invalid device UUID.');
    if (source !== 'blank' && id === null) throw refuse('Missing device UUID.');
    const destination = textOrNull(item['destination_type']) ?? (source === 'image' || source === 'blank' ? 'local' : 'volume');
    const bootIndex = numberOrNull(item['boot_index']);
    if (source === 'image' && destination === 'local' && (bootIndex !== 0 || !hasImage))
      throw refuse('Mapping image to local is not supported.');
    return {
      source,
      destination,
      id,
      bootIndex: bootIndex !== null && bootIndex < 0 ? null : bootIndex,
      size: numberOrNull(item['volume_size']),
      device: textOrNull(item['device_name']),
      deleteOnTermination: isTrue(item['delete_on_termination']),
      tag: textOrNull(item['tag']),
      type: textOrNull(item['volume_type']),
    };
  });
}

/** block_device_mapping: without an image, the first device or `vda` is the root device. */
export function readLegacyMappings(items: readonly Fields[], hasImage: boolean): Mapping[] {
  const mappings = items
    .filter((item) => item['no_device'] === undefined)
    .map((item): Mapping => {
      const snapshot = textOrNull(item['snapshot_id']);
      return {
        source: snapshot === null ? 'volume' : 'snapshot',
        destination: 'volume',
        id: snapshot ?? textOrNull(item['volume_id']),
        bootIndex: null,
        size: numberOrNull(item['volume_size']),
        device: textOrNull(item['device_name']),
        deleteOnTermination: isTrue(item['delete_on_termination']),
        tag: null,
        type: null,
      };
    });
  if (mappings.some(({ id }) => id === null)) throw refuse('Missing device UUID.');
  const root = hasImage
    ? -1
    : Math.max(
        0,
        mappings.findIndex(({ device }) => device !== null && /^(\/dev\/)?[sv]da$/.test(device)),
      );
  return mappings.map((mapping, index) => (index === root ? { ...mapping, bootIndex: 0 } : mapping));
}

/** @throws 400 where the boot indexes are no sequence, or a volume or image of the mappings cannot be used */
export async function checkMappings(work: Work, mappings: readonly Mapping[], legacy: boolean, hasImage: boolean): Promise<void> {
  const indexes = mappings.flatMap(({ bootIndex }) => bootIndex ?? []).sort((one, other) => one - other);
  const bootable = legacy && hasImage ? true : indexes.length > 0 && indexes.every((value, index) => value === index);
  if (mappings.length && !bootable)
    throw refuse('Boot sequence for the instance and image/block device mapping combination is not valid.');
  for (const { source, destination, id, size } of mappings) {
    if (source === 'image' && id !== null && !(await findImage(work, id))) throw refuse(`failed to get image ${id}.`);
    if (destination !== 'volume') continue;
    if (source === 'image' && !size)
      throw badRequest("Images with destination_type 'volume' need to have a non-zero size specified");
    if (source === 'blank' && !size)
      throw badRequest("Blank volumes (source: 'blank', dest: 'volume') need to have non-zero size");
    if (source === 'volume') await checkFree(work, id!);
  }
}

/** @throws 400 where there is no image, and the volume to start from, or that of the snapshot, is not there or cannot be started from */
export async function checkBootVolume(work: Work, mappings: readonly Mapping[], legacy: boolean): Promise<void> {
  const root = mappings.find(({ bootIndex, device }) =>
    legacy ? /^(\/dev\/)?(x?[a-z]d)?a\d*$/.test(device ?? '') : bootIndex === 0,
  );
  if (!root || root.id === null || (root.source !== 'volume' && root.source !== 'snapshot')) return;
  const volumeId = root.source === 'volume' ? root.id : (await findVolumeSnapshot(work, root.id))?.volumeId;
  if (volumeId === undefined) throw refuse(`failed to get snapshot ${root.id}.`);
  const volume = await findVolume(work, volumeId);
  if (!volume) throw refuse(`failed to get volume ${volumeId}.`);
  if (!volume.bootable) throw badRequest(`Block Device ${volumeId} is not bootable.`);
}

async function checkFree(work: Work, id: string): Promise<void> {
  const volume = await findVolume(work, id);
  if (!volume) throw badRequest(`Volume ${id} could not be found.`);
  checkAttachable(volume);
}

/** @throws 400 where the volume is not free */
export function checkAttachable({ id, status, multiattach }: Volume): void {
  const free = status === 'available' || status === 'reserved' || (multiattach && status === 'in-use');
  if (!free) throw badRequest(`Invalid volume: volume '${id}' status must be 'available'. Currently in '${status}' status`);
}

/** Whether the mappings put the root disk on a volume. */
export const rootOnVolume = (mappings: readonly Mapping[]): boolean =>
  mappings.some(({ bootIndex, destination }) => bootIndex === 0 && destination === 'volume');

/** Creates the volumes of new mappings, and attaches all. */
export async function attachMappings(work: Work, server: Server, mappings: readonly Mapping[], host: string): Promise<void> {
  for (const mapping of mappings) {
    if (mapping.destination !== 'volume') continue;
    const { source, id, size, deleteOnTermination, tag, bootIndex } = mapping;
    const fresh = {
      size: size ?? 1,
      imageId: source === 'image' ? id! : undefined,
      snapshotId: source === 'snapshot' ? id! : undefined,
      type: mapping.type ?? undefined,
    };
    const volumeId = source === 'volume' ? id! : await createVolume(work, server, fresh);
    const device = mapping.device ?? (bootIndex === 0 ? '/dev/vda' : await nextDevice(work.db, server));
    await attachTo(work, server, { volumeId, device: withPath(device), tag, deleteOnTermination, bootIndex }, host);
  }
}

const withPath = (device: string): string => (device.startsWith('/dev/') ? device : `/dev/${device}`);

export interface NewAttachment {
  readonly volumeId: string;
  readonly device: string;
  readonly tag: string | null;
  readonly deleteOnTermination: boolean;
  readonly bootIndex: number | null;
}

/** Attaches a volume to a server. */
export async function attachTo(work: Work, server: Server, volume: NewAttachment, host: string | null): Promise<void> {
  const place = { server: server.uuid, host, device: volume.device };
  const attachmentId = await attachVolume(work, volume.volumeId, place);
  await insertServerVolume(work.db, { ...volume, uuid: newUuid(), serverUuid: server.uuid, attachmentId });
}

/** Decides whether a volume is deleted with its server. */
export const setDeleteOnTermination = ({ db }: Work, { uuid }: ServerVolume, deleteOnTermination: boolean): Promise<void> =>
  updateServerVolume(db, uuid, { deleteOnTermination });

/** The name of the next free device. */
export async function nextDevice(db: Db, { uuid }: Pick<Server, 'uuid'>): Promise<string> {
  const taken = new Set((await listServerVolumes(db, [uuid])).map(({ device }) => device));
  const letters = 'bcdefghijklmnopqrstuvwxyz'.split('');
  const letter = letters.find((one) => !taken.has(`/dev/vd${one}`));
  if (letter === undefined) throw badRequest("No free disk device names for prefix 'vd'");
  return `/dev/vd${letter}`;
}

/** @throws 400 where the volume is attached to this server, or to another and may not be to several */
export async function checkNotAttached(db: Db, volume: Volume, server: string): Promise<void> {
  const attached = await listVolumeServers(db, volume.id);
  if (!attached.length) return;
  if (!volume.multiattach) {
    const servers = attached.map(({ serverUuid }) => serverUuid).join(' ');
    throw badRequest(`Invalid volume: volume ${volume.id} is already attached to instances: ${servers}`);
  }
  if (attached.some(({ serverUuid }) => serverUuid === server))
    throw badRequest(`Invalid volume: volume ${volume.id} already attached`);
}

/** The message for a server with a volume that is not in use, which keeps its disks from being changed. */
export async function volumeNotInUse(work: Work, { uuid }: Server): Promise<string | undefined> {
  for (const { volumeId } of await listServerVolumes(work.db, [uuid])) {
    const volume = await findVolume(elevated(work), volumeId);
    if (volume && volume.status !== 'in-use')
      return `Invalid volume: volume '${volumeId}' status must be 'in-use'. Currently in '${volume.status}' status`;
  }
  return undefined;
}

/** The volume that a server starts from. */
export async function rootVolume(work: Work, { uuid }: Server): Promise<Volume | undefined> {
  const root = (await listServerVolumes(work.db, [uuid])).find(({ bootIndex }) => bootIndex === 0);
  return root && findVolume(elevated(work), root.volumeId);
}

/** Detaches a volume; with `serverGoes`, one with delete_on_termination is deleted. */
export async function detachFrom(work: Work, volume: ServerVolume, serverGoes = false): Promise<void> {
  await deleteServerVolume(work.db, volume.uuid);
  if (volume.attachmentId !== null) await detachVolume(work, volume.attachmentId);
  if (serverGoes && volume.deleteOnTermination) await deleteVolume(work, volume.volumeId);
}

/** Detaches all volumes of a server that is deleted. */
export async function detachAll(work: Work, server: string): Promise<void> {
  for (const volume of await listServerVolumes(work.db, [server])) await detachFrom(work, volume, true);
}
