// The rules of volumes: what they are made of, and when they may change or go.
import type { Micros } from '../../../kernel/clock.ts';
import { conflict } from '../../../kernel/fault.ts';
import { newUuid } from '../../../kernel/ids.ts';
import { schedule } from '../../../kernel/jobs.ts';
import { visibleImage, type Image } from '../../image/index.ts';
import { encryptionOf } from '../store/encryptions.ts';
import { findSnapshot, snapshotsOf, updateSnapshot } from '../store/snapshots.ts';
import { findVolume, insertVolume, updateVolume } from '../store/volumes.ts';
import { claim } from './quotas.ts';
import { zone, type Metadata, type Snapshot, type Viewer, type Volume, type VolumeType } from './records.ts';
import { invalidInput, invalidSnapshot, invalidVolume, noSnapshot, noVolume } from './refusals.ts';
import { poolFor } from './scheduling.ts';
import { defaultType, isMultiattach, typeById, typeNamed } from './types.ts';
import type { Db } from '../../../kernel/db/database.ts';

/** How long making, deleting and growing takes. The work is a row with a due time: the next request finds it done. */
const latency: Micros = 0;

const isTheirs = (viewer: Viewer, { projectId }: { projectId: string }): boolean =>
  viewer.isAdmin || projectId === viewer.projectId;

/** @throws 404, also for a volume of another project */
export async function volumeFor(db: Db, viewer: Viewer, id: string): Promise<Volume> {
  const volume = await findVolume(db, id);
  if (!volume || !isTheirs(viewer, volume)) throw noVolume(id);
  return volume;
}

/** @throws 404, also for a snapshot of another project */
export async function snapshotFor(db: Db, viewer: Viewer, id: string): Promise<Snapshot> {
  const snapshot = await findSnapshot(db, id);
  if (!snapshot || !isTheirs(viewer, snapshot)) throw noSnapshot(id);
  return snapshot;
}

/** What a volume is to be. At most one source is given. */
export interface Request {
  readonly name?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly size?: number | null | undefined;
  /** A name or an id. */
  readonly type?: string | null | undefined;
  readonly availabilityZone?: string | null | undefined;
  readonly metadata?: Metadata | null | undefined;
  readonly imageId?: string | undefined;
  readonly snapshotId?: string | null | undefined;
  readonly sourceVolid?: string | null | undefined;
  /** The id of the request, for what is told of its failure. */
  readonly requestId?: string | undefined;
}

interface Sources {
  readonly image?: Image | undefined;
  readonly snapshot?: Snapshot | undefined;
  readonly source?: Volume | undefined;
}

/** Makes a volume; it is available once its job is done. @throws 400, 404, 413 */
export async function createVolume(
  db: Db,
  viewer: Viewer & { projectId: string },
  request: Request,
  now: Micros,
): Promise<Volume> {
  const { volume, bootable } = await beginVolume(db, viewer, request, now);
  const payload = { bootable, requestId: request.requestId ?? '' };
  await schedule(db, { dueAt: now + latency, kind: 'volume.created', subject: volume.id, payload });
  return volume;
}

/** Makes a volume that is available at once, for a server that starts from it. @throws 400, 404, 413 */
export async function createReadyVolume(
  db: Db,
  viewer: Viewer & { projectId: string },
  request: Request,
  now: Micros,
): Promise<Volume> {
  const { volume, bootable, type } = await beginVolume(db, viewer, request, now);
  const host = await poolFor(db, type);
  if (host === undefined) throw invalidVolume('No valid backend was found. No weighed backends available');
  return updateVolume(db, volume, { status: 'available', host, bootable }, now);
}

/** Writes a volume down that is being made, and says whether servers will start from it. */
async function beginVolume(
  db: Db,
  viewer: Viewer & { projectId: string },
  request: Request,
  now: Micros,
): Promise<{ volume: Volume; bootable: boolean; type: VolumeType }> {
  const asked = request.type ? await typeNamed(db, viewer, request.type) : undefined;
  const sources = await sourcesOf(db, viewer, request);
  const { image, snapshot, source } = sources;
  const size = sizeOf(request.size ?? snapshot?.size ?? source?.size, sources);
  if (request.availabilityZone && request.availabilityZone !== zone)
    throw invalidInput(`Availability zone '${request.availabilityZone}' is invalid.`);
  const type = asked ?? (await typeOf(db, viewer, sources));
  if (isMultiattach(type) && (await encryptionOf(db, type.id)))
    throw invalidInput('Multiattach cannot be used with encrypted volumes.');
  await claim(db, { projectId: viewer.projectId, typeName: type.name, volumes: 1, gigabytes: size, volumeSize: size });
  const volume: Volume = {
    id: newUuid(),
    projectId: viewer.projectId,
    userId: viewer.userId,
    name: request.name ?? null,
    description: request.description ?? null,
    size,
    status: 'creating',
    previousStatus: null,
    attachStatus: 'detached',
    migrationStatus: null,
    typeId: type.id,
    typeName: type.name,
    availabilityZone: source?.availabilityZone ?? zone,
    host: null,
    snapshotId: snapshot?.id ?? null,
    sourceVolid: source?.id ?? null,
    bootable: false,
    multiattach: isMultiattach(type),
    readonly: null,
    attachedMode: null,
    imageMetadata: await imageMetadataOf(db, sources),
    encrypted: (await encryptionOf(db, type.id)) !== undefined,
    revision: 0,
    createdAt: now,
    updatedAt: null,
    metadata: request.metadata ?? {},
    attachments: [],
  };
  await insertVolume(db, volume);
  const origin = snapshot ? await findVolume(db, snapshot.volumeId) : source;
  return { volume, bootable: image !== undefined || origin?.bootable === true, type };
}

async function sourcesOf(db: Db, viewer: Viewer, request: Request): Promise<Sources> {
  const { imageId, snapshotId, sourceVolid } = request;
  const snapshot = snapshotId ? await snapshotFor(db, viewer, snapshotId) : undefined;
  const source = sourceVolid ? await volumeFor(db, viewer, sourceVolid) : undefined;
  const image = imageId ? await visibleImage(db, viewer, imageId) : undefined;
  if (imageId && !image) throw invalidInput(`Image ${imageId} could not be found.`);
  if ([imageId, snapshotId, sourceVolid].filter(Boolean).length > 1)
    throw invalidInput('Could not create a volume from more than one of image, snapshot and volume.');
  if (snapshot && snapshot.status !== 'available')
    throw invalidSnapshot("Originating snapshot status must be one of 'available' values");
  if (source && !['available', 'in-use'].includes(source.status))
    throw invalidVolume("Originating volume status must be one of 'available, in-use' values");
  return { image, snapshot, source };
}

function sizeOf(size: number | undefined, { image, snapshot, source }: Sources): number {
  if (size === undefined || size <= 0)
    throw invalidInput(`Volume size '${size ?? 'None'}' must be an integer and greater than 0`);
  if (snapshot && size < snapshot.size)
    throw invalidInput(
      `Volume size '${size}'GB cannot be smaller than the snapshot size ${snapshot.size}GB. They must be >= original snapshot size.`,
    );
  if (source && size < source.size)
    throw invalidInput(
      `Volume size '${size}'GB cannot be smaller than original volume size  ${source.size}GB. They must be >= original volume size.`,
    );
  if (image) checkImage(image, size);
  return size;
}

function checkImage(image: Image, size: number): void {
  if (image.status !== 'active') throw invalidInput(`Image ${image.id} is not active.`);
  const imageSize = Math.ceil((image.size ?? 0) / 1024 ** 3);
  if (imageSize > size) throw invalidInput(`Size of specified image ${imageSize}GB is larger than volume size ${size}GB.`);
  if (image.minDisk > size)
    throw invalidInput(`Volume size ${size}GB cannot be smaller than the image minDisk size ${image.minDisk}GB.`);
}

/** The type that comes with the source; an image may name one too. */
async function typeOf(db: Db, viewer: Viewer, { image, snapshot, source }: Sources): Promise<VolumeType> {
  const inherited = source?.typeId ?? snapshot?.typeId;
  if (inherited) return typeById(db, { ...viewer, isAdmin: true }, inherited);
  const named = image?.properties['cinder_img_volume_type'];
  return named ? typeNamed(db, viewer, named) : defaultType(db);
}

/** What is known of the image that a volume comes from, at whatever remove. */
async function imageMetadataOf(db: Db, { image, snapshot, source }: Sources): Promise<Metadata> {
  if (source) return source.imageMetadata;
  if (snapshot) return (await findVolume(db, snapshot.volumeId))?.imageMetadata ?? {};
  if (!image) return {};
  return {
    ...image.properties,
    image_id: image.id,
    image_name: image.name ?? '',
    checksum: image.checksum ?? '',
    container_format: image.containerFormat ?? '',
    disk_format: image.diskFormat ?? '',
    min_disk: String(image.minDisk),
    min_ram: String(image.minRam),
    size: String(image.size ?? 0),
  };
}

const deletable = ['available', 'error', 'error_restoring', 'error_extending', 'error_managing'];

/** Begins to delete a volume. @throws 400 */
export async function removeVolume(
  db: Db,
  volume: Volume,
  { force = false, cascade = false }: { force?: boolean; cascade?: boolean },
  now: Micros,
): Promise<void> {
  const snapshots = await snapshotsOf(db, volume.id);
  const inTheWay =
    cascade && !force
      ? snapshots.filter(({ status }) => !['available', 'error', 'deleting'].includes(status))
      : cascade
        ? []
        : snapshots;
  if (volume.attachStatus === 'attached' || (!force && !deletable.includes(volume.status)) || inTheWay.length)
    throw invalidVolume(
      `Volume ${force ? '' : `status must be ${deletable.slice(0, -1).join(' or ')} or ${deletable.at(-1)} and`} must not be migrating, attached, belong to a group, have snapshots, awaiting a transfer, or be disassociated from snapshots after volume transfer.`,
    );
  for (const snapshot of snapshots) await updateSnapshot(db, snapshot, { status: 'deleting' }, now);
  await updateVolume(db, volume, { status: 'deleting' }, now);
  await schedule(db, { dueAt: now + latency, kind: 'volume.deleted', subject: volume.id });
}

/** Writes another image over a volume that one server has. Upstream: volume/api.py reimage. @throws 400, 409 */
export async function reimageVolume(db: Db, volume: Volume, image: Image, now: Micros): Promise<void> {
  if (volume.attachments.length > 1) throw conflict('Cannot re-image a volume which is attached to more than one server.');
  checkImage(image, volume.size);
  const imageMetadata = await imageMetadataOf(db, { image, snapshot: undefined, source: undefined });
  await updateVolume(db, volume, { imageMetadata, bootable: true }, now);
}

/** Begins to make a volume larger. @throws 400, 413 */
export async function extendVolume(db: Db, volume: Volume, size: number, attached: boolean, now: Micros): Promise<void> {
  if (size <= volume.size)
    throw invalidInput(`New size for extend must be greater than current size. (current: ${volume.size}, extended: ${size}).`);
  const expected = attached ? 'in-use' : 'available';
  if (volume.status !== expected)
    throw invalidVolume(`Volume ${volume.id} status must be '{'status': '${expected}'}' to extend, currently ${volume.status}.`);
  await claim(db, { projectId: volume.projectId, typeName: volume.typeName, gigabytes: size - volume.size, volumeSize: size });
  await updateVolume(db, volume, { status: 'extending', previousStatus: volume.status }, now);
  await schedule(db, { dueAt: now + latency, kind: 'volume.extended', subject: volume.id, payload: { size } });
}

/** Begins to write a volume back to its latest snapshot. @throws 400, 409 */
export async function revertVolume(db: Db, volume: Volume, snapshot: Snapshot, now: Micros): Promise<void> {
  await updateVolume(db, volume, { status: 'reverting' }, now);
  await updateSnapshot(db, snapshot, { status: 'restoring' }, now);
  await schedule(db, { dueAt: now + latency, kind: 'volume.reverted', subject: volume.id, payload: { snapshotId: snapshot.id } });
}
