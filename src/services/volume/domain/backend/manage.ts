// Brings existing volumes and snapshots under management. Upstream: manage_existing in
// cinder/volume/api.py, and cinder/volume/flows/manager.
import { ApiError, badRequest } from '../../../../kernel/errors.ts';
import type { Micros } from '../../../../kernel/clock.ts';
import { schedule } from '../../../../kernel/jobs/queue.ts';
import type { Context } from '../../../../kernel/model.ts';
import {
  deleteBackendObject,
  findBackendObject,
  putBackendObject,
  renameSource,
} from '../../store/backend-objects.ts';
import { encryptionOf } from '../../store/encryptions.ts';
import { deleteSnapshot, updateSnapshot } from '../../store/snapshots.ts';
import { findType } from '../../store/types.ts';
import { deleteVolume, findVolume, insertVolume, updateVolume } from '../../store/volumes.ts';
import { zone, type BackendObject, type Metadata } from '../../model.ts';
import type { Snapshot, Volume, VolumeType } from '../../model.ts';
import { invalidVolume } from '../errors.ts';
import { reserveQuota, tryAcquireQuotaLock } from '../quotas.ts';
import { volumeSettings } from '../settings.ts';
import { createSnapshot, type SnapshotRequest } from '../snapshots.ts';
import { defaultType } from '../types/types.ts';
import { projectOf } from '../visibility.ts';
import { newVolume } from '../volumes/new-volume.ts';
import { backendAt, type Backend } from './backends.ts';
import { isManagedVolume, snapshotNameAt, volumeNameAt } from './objects.ts';
import { accepts } from './scheduling.ts';
import { isDisabled, serviceFor } from './services.ts';

/** How long managing a volume takes. The job is due at once, so the next request finds it done. */
const latency: Micros = 0;

/** A reference as clients write it: an object with the field `source-name`. */
export type Reference = unknown;

/** The name in a reference; undefined if it has none. */
function nameIn(reference: Reference): string | undefined {
  const { 'source-name': name } = (reference ?? {}) as { 'source-name'?: unknown };
  return typeof name === 'string' ? name : undefined;
}

/**
 * The backend of a host, which may be named with its pool.
 * @throws 404; 400 if its service is disabled
 */
export async function enabledBackendOn(context: Context, host: string): Promise<Backend> {
  const service = serviceFor(context, 'cinder-volume', host.split('#')[0]!);
  const backend = backendAt(context, service.host)!;
  if (await isDisabled(context, service)) throw badRequest('Service is unavailable at this time.');
  return backend;
}

/** A volume at a backend to manage. */
export interface ManagedVolumeRequest {
  readonly host: string;
  readonly reference: Reference;
  readonly name: string | null;
  readonly description: string | null;
  readonly type: VolumeType | undefined;
  readonly metadata: Metadata;
  readonly availabilityZone: string | null;
  readonly bootable: boolean;
}

/**
 * Creates a volume for one at the backend, and schedules the job that brings it under management.
 * @throws 400, 403, 413
 */
export async function manageVolume(
  context: Context,
  request: ManagedVolumeRequest,
): Promise<Volume> {
  const { db, now } = context;
  const { host, reference, name, description, metadata, bootable } = request;
  const referred = nameIn(reference);
  if (referred !== undefined && (await isManagedVolume(context, referred)))
    throw invalidVolume('Unable to manage existing volume. The volume is already managed');
  const type = request.type ?? (await defaultType(context));
  if (await encryptionOf(db, type.id))
    throw badRequest('Managing to an encrypted volume type is not supported.');
  const backend = await backendIn(context, host);
  const projectId = projectOf(context);
  await reserveQuota(context, { projectId, typeName: type.name, volumes: 1, gigabytes: 0 });
  const volume = newVolume(context, type, {
    name,
    description,
    size: 0,
    status: 'managing',
    availabilityZone: request.availabilityZone ?? zone,
    host: host.includes('#') ? host : backend.service.host,
    bootable,
    metadata,
  });
  await insertVolume(db, volume);
  const payload: ReferencePayload = { reference };
  await schedule(db, { dueAt: now + latency, kind: 'volume.managed', subject: volume.id, payload });
  return volume;
}

/** @throws 400 if no enabled volume service is on the host */
async function backendIn(context: Context, host: string): Promise<Backend> {
  try {
    return await enabledBackendOn(context, host);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404)
      throw badRequest(`Host '${host}' not found`);
    throw error;
  }
}

/** The payload of the jobs that bring a volume or a snapshot under management. */
export interface ReferencePayload {
  readonly reference: Reference;
}

/** Brings a volume under management, or sets it to `error_managing`. */
export async function endManaging(
  context: Context,
  volume: Volume,
  { reference }: ReferencePayload,
): Promise<void> {
  const { db, now } = context;
  const fail = async (host = volume.host): Promise<void> => {
    await updateVolume(db, volume, { status: 'error_managing', host }, now);
  };
  const type = (await findType(db, { id: volume.typeId }))!;
  const backend = backendAt(context, volume.host!);
  if (!backend || !(await accepts(context, backend, type, 0))) return fail();
  const { pool } = backend;
  const object = await referredObject(context, backend, reference);
  if (!object) return fail(pool);
  const { size } = object;
  const { projectId, typeName } = volume;
  const usage = { projectId, typeName, gigabytes: size, volumeSize: size };
  if (!(await isWithinQuota(context, usage))) return fail(pool);
  await deleteBackendObject(db, object);
  await renameSource(db, object, volumeNameAt(volume.id));
  await updateVolume(db, volume, { status: 'available', size, host: pool }, now);
}

/** The object that a reference names, unless it is managed already, or does not exist. */
const referredObject = async (
  { db }: Context,
  { pool }: Backend,
  reference: Reference,
): Promise<BackendObject | undefined> => {
  const name = nameIn(reference);
  return name === undefined ? undefined : findBackendObject(db, pool, name);
};

async function isWithinQuota(
  context: Context,
  usage: Parameters<typeof reserveQuota>[1],
): Promise<boolean> {
  await tryAcquireQuotaLock(context);
  try {
    await reserveQuota(context, usage);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 413) return false;
    throw error;
  }
}

/** Removes a volume that the backend keeps. */
export async function endUnmanaging(
  { db }: Context,
  volume: Volume,
  { isAtBackend }: { isAtBackend: boolean },
): Promise<void> {
  const { id, size, host } = volume;
  if (isAtBackend && host !== null) {
    const name = volumeNameAt(id);
    await putBackendObject(db, { host, name, kind: 'volume', size, source: null });
  }
  await deleteVolume(db, volume);
}

/**
 * Creates a snapshot for one at the backend, and schedules the job that brings it under management.
 * @throws 400, 403, 404, 413
 */
export async function manageSnapshot(
  context: Context,
  volume: Volume,
  reference: Reference,
  request: Omit<SnapshotRequest, 'inUse'>,
): Promise<Snapshot> {
  if (volume.host !== null) await enabledBackendOn(context, volume.host);
  // The driver of LVM also takes the name itself as a reference.
  const payload: ReferencePayload = {
    reference: typeof reference === 'string' ? { 'source-name': reference } : reference,
  };
  return createSnapshot(
    context,
    volume,
    { ...request, inUse: true },
    { kind: 'volume.snapshot_managed', payload },
  );
}

/** Brings a snapshot under management, or sets it to `error`. */
export async function endManagingSnapshot(
  context: Context,
  snapshot: Snapshot,
  { reference }: ReferencePayload,
): Promise<void> {
  const { db, now } = context;
  const volume = await findVolume(db, snapshot.volumeId);
  const backend = volume?.host ? backendAt(context, volume.host) : undefined;
  const object = backend && (await referredObject(context, backend, reference));
  const isFree = (await volumeSettings.load(db)).noSnapshotGbQuota;
  const more = object && !isFree ? object.size - snapshot.size : 0;
  const { projectId } = snapshot;
  const fits =
    object &&
    volume &&
    (await isWithinQuota(context, { projectId, typeName: volume.typeName, gigabytes: more }));
  if (!fits) {
    await updateSnapshot(db, snapshot, { status: 'error' }, now);
    return;
  }
  await deleteBackendObject(db, object);
  const { size } = object;
  await updateSnapshot(db, snapshot, { status: 'available', progress: '100%', size }, now);
}

/** Removes a snapshot that the backend keeps. */
export async function endUnmanagingSnapshot(
  { db }: Context,
  snapshot: Snapshot,
  { isAtBackend }: { isAtBackend: boolean },
): Promise<void> {
  const { id, size, volumeId } = snapshot;
  const host = (await findVolume(db, volumeId))?.host;
  if (isAtBackend && host)
    await putBackendObject(db, {
      host,
      name: snapshotNameAt(id),
      kind: 'snapshot',
      size,
      source: volumeNameAt(volumeId),
    });
  await deleteSnapshot(db, snapshot);
}
