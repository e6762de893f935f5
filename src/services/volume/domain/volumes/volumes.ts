// The rules of volumes: list, summarize, create, update, delete. Upstream: cinder/volume/api.py.
import type { Micros } from '../../../../kernel/clock.ts';
import { badRequest, conflict } from '../../../../kernel/errors.ts';
import { schedule } from '../../../../kernel/jobs/queue.ts';
import type { Context } from '../../../../kernel/model.ts';
import { encryptionOf } from '../../store/encryptions.ts';
import type { CountAndSize, ListRequest } from '../../store/lists.ts';
import { metadataOf } from '../../store/metadata.ts';
import { snapshotsOf, updateSnapshot } from '../../store/snapshots.ts';
import {
  countVolumes,
  findVolume,
  insertVolume,
  selectVolumes,
  updateVolume,
  volumeIds,
} from '../../store/volumes.ts';
import { invalidGroup, invalidInput, invalidVolume } from '../errors.ts';
import { consistencyGroupTypeId } from '../groups/group-types.ts';
import { pageFor } from '../lists.ts';
import { tryAcquireQuotaLock, reserveQuota } from '../quotas.ts';
import { volumeSettings } from '../settings.ts';
import {
  zone,
  type Group,
  type Metadata,
  type Snapshot,
  type Volume,
  type VolumeRow,
  type VolumeType,
} from '../../model.ts';
import { poolFor } from '../backend/scheduling.ts';
import { checkThawed } from '../backend/services.ts';
import { isMultiattach, typeNamed } from '../types/types.ts';
import { projectOf } from '../visibility.ts';
import { newVolume } from './new-volume.ts';
import {
  imageMetadataFrom,
  isBootable,
  sizeFor,
  sourceOf,
  typeFor,
  volumeFor,
  type SourceRequest,
} from './sources.ts';

export { volumeFor } from './sources.ts';

/**
 * How long creating and deleting take. The job is due at once, so the next request finds it done.
 */
const latency: Micros = 0;

/**
 * Lists the volumes on the page that a client requests. `count` is the number on all pages, if the
 * request asks for it.
 * @throws 404 for an unknown marker
 */
export async function listVolumes(
  context: Context,
  request: ListRequest<VolumeRow>,
): Promise<{ volumes: Volume[]; count: number | undefined }> {
  const findMarker = (marker: string): Promise<Volume> => volumeFor(context, marker);
  const page = await pageFor(context, request, findMarker);
  const volumes = await selectVolumes(context.db, page);
  return {
    volumes,
    count: request.withCount ? (await countVolumes(context.db, page)).count : undefined,
  };
}

/** The number and total size of volumes, and all values of each key in their metadata. */
export interface Summary extends CountAndSize {
  readonly metadata: Readonly<Record<string, readonly string[]>>;
}

/** Summarizes the volumes of a project, or of all projects if it is undefined. */
export async function summarizeVolumes(
  { db }: Context,
  projectId: string | undefined,
): Promise<Summary> {
  const counted = await countVolumes(db, { projectId, conditions: [], metadata: {} });
  const metadata = await metadataOf(db, await volumeIds(db, projectId));
  const values = new Map<string, Set<string>>();
  for (const [name, value] of [...metadata.values()].flatMap((one) => Object.entries(one))) {
    const known = values.get(name);
    if (known) known.add(value);
    else values.set(name, new Set([value]));
  }
  const distinct = [...values].map(([name, all]) => [name, [...all]] as const);
  return { ...counted, metadata: Object.fromEntries(distinct) };
}

/** A volume to create. It has at most one source. */
export interface VolumeRequest extends SourceRequest {
  readonly name?: string | null | undefined;
  readonly description?: string | null | undefined;
  /** GiB. */
  readonly size?: number | null | undefined;
  /** A name or an id. */
  readonly type?: string | null | undefined;
  readonly availabilityZone?: string | null | undefined;
  readonly metadata?: Metadata | null | undefined;
  /** The group that the volume is created in. It must allow the volume's type. */
  readonly group?: Group | undefined;
  /** The id and the age of a volume that comes from another cloud. */
  readonly origin?: Pick<Volume, 'id' | 'createdAt'> | null;
}

/**
 * Creates a volume for the actor's project, and schedules the job that makes it available.
 * @throws 400, 403, 404, 413
 */
export async function createVolume(context: Context, request: VolumeRequest): Promise<Volume> {
  const { volume, bootable } = await insertCreating(context, request);
  const payload = { bootable, requestId: context.requestId, backupId: request.backup?.id };
  await schedule(context.db, {
    dueAt: context.now + latency,
    kind: 'volume.created',
    subject: volume.id,
    payload,
  });
  return volume;
}

/**
 * Creates a volume that is available at once, for a server that boots from it.
 * @throws 400, 403, 404, 413
 */
export async function createReadyVolume(context: Context, request: VolumeRequest): Promise<Volume> {
  await tryAcquireQuotaLock(context);
  const { volume, bootable, type } = await insertCreating(context, request);
  const host = await poolFor(context, type, volume.size);
  if (host === undefined)
    throw invalidVolume('No valid backend was found. No weighed backends available');
  return updateVolume(context.db, volume, { status: 'available', host, bootable }, context.now);
}

/** @throws 400 for an unknown zone, unless the settings let it fall back to the default zone */
export async function checkZone(
  { db }: Context,
  requested: string | null | undefined,
): Promise<void> {
  if (!requested || requested === zone) return;
  if (!(await volumeSettings.load(db)).allowAvailabilityZoneFallback)
    throw invalidInput(`Availability zone '${requested}' is invalid.`);
}

/** Checks that a volume of the requested type may be created in a group. @throws 400 */
function checkGroup(group: Group, type: VolumeType | undefined): void {
  if (!type) throw invalidInput('volume_type must be provided when creating a volume in a group.');
  if (!group.volumeTypes.includes(type.id))
    throw invalidInput(
      `Invalid volume_type provided: ${type.name} (requested type must be supported by this ` +
        'group).',
    );
  if (!['available', 'creating'].includes(group.status))
    throw invalidGroup("Originating group status must be one of 'available, creating' values");
}

/**
 * Creates a volume that stays in the status `creating`, until the group that it is created with is
 * available.
 * @throws 400, 403, 404, 413
 */
export async function createVolumeOfGroup(
  context: Context,
  request: VolumeRequest & { readonly group: Group },
): Promise<void> {
  const { volume, bootable } = await insertCreating(context, request);
  await updateVolume(context.db, volume, { host: request.group.host, bootable }, context.now);
}

/**
 * Inserts a volume in the status `creating`. Returns whether it becomes bootable once it is
 * available.
 */
async function insertCreating(
  context: Context,
  request: VolumeRequest,
): Promise<{ volume: Volume; bootable: boolean; type: VolumeType }> {
  const { db } = context;
  const projectId = projectOf(context);
  const requestedType = request.type ? await typeNamed(context, request.type) : undefined;
  const source = await sourceOf(context, request);
  if (request.group) checkGroup(request.group, requestedType);
  const size = sizeFor(request.size, source);
  await checkZone(context, request.availabilityZone);
  const type = requestedType ?? (await typeFor(context, source));
  const encryption = await encryptionOf(db, type.id);
  if (isMultiattach(type) && encryption)
    throw invalidInput('Multiattach cannot be used with encrypted volumes.');
  await reserveQuota(context, {
    projectId,
    typeName: type.name,
    volumes: 1,
    gigabytes: size,
    volumeSize: size,
  });
  const { origin } = request;
  if (origin && (await findVolume(db, origin.id)))
    throw conflict(`Volume ${origin.id} already exists.`);
  const volume = newVolume(context, type, {
    name: request.name ?? null,
    description: request.description ?? null,
    size,
    status: 'creating',
    availabilityZone: source.volume?.availabilityZone ?? zone,
    snapshotId: source.snapshot?.id ?? null,
    sourceVolid: source.volume?.id ?? null,
    groupId: request.group?.id ?? null,
    isInConsistencyGroup:
      request.group !== undefined &&
      request.group.groupTypeId === (await consistencyGroupTypeId(context)),
    imageMetadata: await imageMetadataFrom(context, source),
    encrypted: encryption !== undefined,
    metadata: request.metadata ?? {},
    ...(origin ? { id: origin.id, createdAt: origin.createdAt } : {}),
  });
  await insertVolume(db, volume);
  return { volume, bootable: await isBootable(context, source), type };
}

/** Changes the name, the description or the metadata of a volume. @throws 400 */
export async function changeVolume(
  { db, now }: Context,
  volume: Volume,
  change: Partial<Pick<Volume, 'name' | 'description' | 'metadata'>>,
): Promise<Volume> {
  if (volume.status === 'maintenance')
    throw invalidVolume('The volume cannot be updated during maintenance.');
  return updateVolume(db, volume, change, now);
}

const deletable = ['available', 'error', 'error_restoring', 'error_extending', 'error_managing'];
const statusRule = `status must be ${deletable.join(' or ')} and`;

/** `cascade` deletes the snapshots of the volume, too. `force` deletes it in any status. */
export interface Removal {
  readonly force?: boolean;
  readonly cascade?: boolean;
}

/** Begins to delete a volume. @throws 400 */
export async function removeVolume(
  { db, now }: Context,
  volume: Volume,
  removal: Removal,
): Promise<void> {
  await checkThawed({ db }, volume);
  const snapshots = await snapshotsOf(db, volume.id);
  checkRemovable(volume, snapshots, removal);
  for (const snapshot of snapshots) await updateSnapshot(db, snapshot, { status: 'deleting' }, now);
  const status = volume.status === 'error_managing' ? 'error_managing_deleting' : 'deleting';
  await updateVolume(db, volume, { status }, now);
  await schedule(db, { dueAt: now + latency, kind: 'volume.deleted', subject: volume.id });
}

/** @throws 400 if a volume with these snapshots cannot be deleted */
function checkRemovable(
  { attachStatus, groupId, status: statusOfVolume }: Volume,
  snapshots: readonly Snapshot[],
  { force = false, cascade = false }: Removal,
): void {
  if (
    attachStatus === 'attached' ||
    groupId !== null ||
    (!force && !deletable.includes(statusOfVolume)) ||
    snapshots.some(blocks)
  )
    throw invalidVolume(
      `Volume ${force ? '' : statusRule} must not be migrating, attached, belong to a group, ` +
        'have snapshots, awaiting a transfer, or be disassociated from snapshots after ' +
        'volume transfer.',
    );

  function blocks({ status, groupSnapshotId }: Snapshot): boolean {
    if (!cascade || groupSnapshotId !== null) return true;
    return !force && !['available', 'error', 'deleting'].includes(status);
  }
}

/** Begins to remove a volume from Volume, but not from the backend. @throws 400 */
export async function unmanageVolume({ db, now }: Context, volume: Volume): Promise<void> {
  // Upstream also creates a message, which says what this error does not.
  if (volume.encrypted) throw badRequest('Unacceptable parameters.');
  checkRemovable(volume, await snapshotsOf(db, volume.id), {});
  const isAtBackend = volume.host !== null && volume.status !== 'error_managing';
  const status = volume.status === 'error_managing' ? 'error_managing_deleting' : 'unmanaging';
  await updateVolume(db, volume, { status }, now);
  await schedule(db, {
    dueAt: now + latency,
    kind: 'volume.unmanaged',
    subject: volume.id,
    payload: { isAtBackend },
  });
}
