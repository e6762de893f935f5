// The handlers that list what a backend has, and manage existing volumes and snapshots. Upstream:
// cinder/api/contrib/{volume,snapshot}_manage.py.
import { ApiError, badRequest, notFound } from '../../../../kernel/errors.ts';
import { accepted, ok } from '../../../../kernel/http/reply.ts';
import { limitOf } from '../../../../kernel/oslo/paging.ts';
import { boolFromString } from '../../../../kernel/oslo/booleans.ts';
import { pythonRepr } from '../../../../kernel/oslo/python-repr.ts';
import { elevated } from '../../../../kernel/context.ts';
import type { Reply } from '../../../../kernel/model.ts';
import type { VolumeCall } from '../../call.ts';
import { enabledBackendOn, manageSnapshot, manageVolume } from '../../domain/backend/manage.ts';
import { objectsAtBackend, type ListedObject } from '../../domain/backend/objects.ts';
import { invalidInput } from '../../domain/errors.ts';
import { acquireQuotaLock } from '../../domain/quotas.ts';
import { pageLimitsOf } from '../../domain/settings.ts';
import { volumeFor } from '../../domain/volumes/volumes.ts';
import { typeNamed } from '../../domain/types/types.ts';
import type { BackendObjectKind, Metadata, VolumeType } from '../../model.ts';
import { authorize } from '../../policy.ts';
import { objectDetail, objectSummary } from '../../views/backend-objects.ts';
import { snapshotSummary } from '../../views/snapshots.ts';
import { volumeCore } from '../../views/volumes.ts';
import { bodyOf, type Fields } from '../requests/body.ts';
import { hostOrCluster } from '../requests/hosts.ts';
import { offsetOf, sortWordsOf } from '../requests/list-query.ts';

/** The handlers of one kind, for the current and the older path. */
const listsOf = (kind: BackendObjectKind) => ({
  /** GET /v3/manageable_volumes, or /v3/manageable_snapshots */
  list: (call: VolumeCall): Promise<Reply> => listed(call, kind, objectSummary),
  /** GET /v3/manageable_volumes/detail, or /v3/manageable_snapshots/detail */
  listDetail: (call: VolumeCall): Promise<Reply> => listed(call, kind, objectDetail),
});

export const volumes = { ...listsOf('volume'), create: createVolume };
export const snapshots = { ...listsOf('snapshot'), create: createSnapshot };

async function listed(
  call: VolumeCall,
  kind: BackendObjectKind,
  view: (object: ListedObject) => object,
): Promise<Reply> {
  const { query } = call;
  authorize(call, `${kind}_extension:list_manageable`);
  const named = { host: query.last('host'), cluster: query.last('cluster') };
  const { host, cluster } = hostOrCluster(call, named, '3.17');
  const limit = limitOf(query, await pageLimitsOf(call));
  const offset = offsetOf(query);
  const sort = sortOf(call);
  if (!host) throw notFound(`Service cinder-volume could not be found on host ${cluster}.`);
  const backend = await enabledBackendOn(call, host);
  const objects = (await objectsAtBackend(call, backend, kind)).toSorted((one, other) => {
    for (const { key, sign } of sort) {
      const order = key === 'size' ? one.size - other.size : compare(one.name, other.name);
      if (order) return order * sign;
    }
    return 0;
  });
  const first = startOf(query.last('marker'), objects) + offset;
  return ok({ [`manageable-${kind}s`]: objects.slice(first, first + limit).map(view) });
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** The keys to sort by, and 1 or -1 for each. @throws 400 */
function sortOf({ query }: VolumeCall): { key: string; sign: number }[] {
  const sort = sortWordsOf(query, 'reference');
  const keys = sort.map(({ key }) => key).filter((key) => key !== 'reference' && key !== 'size');
  if (keys.length) throw badRequest(`Invalid sort keys passed: ${keys.join(', ')}`);
  const directions = sort
    .map(({ direction }) => direction)
    .filter((direction) => direction !== 'asc' && direction !== 'desc');
  if (directions.length) throw badRequest(`Invalid sort dirs passed: ${directions.join(', ')}`);
  return sort.map(({ key, direction }) => ({ key, sign: direction === 'asc' ? 1 : -1 }));
}

/** The place after the object that a marker refers to: a reference as JSON. @throws 400 */
function startOf(marker: string | undefined, objects: readonly ListedObject[]): number {
  if (!marker) return 0;
  let reference: unknown;
  try {
    reference = JSON.parse(marker);
  } catch {
    throw invalidInput(`marker ${marker} can not be analysed, please use json like format`);
  }
  const fields = (reference ?? {}) as Fields;
  const name = Object.keys(fields).length === 1 ? fields['source-name'] : undefined;
  const place = objects.findIndex((one) => one.name === name);
  if (place < 0) throw invalidInput(`marker not found: ${pythonRepr(reference)}`);
  return place + 1;
}

interface VolumeBody extends Fields {
  readonly host?: string | null;
  readonly cluster?: string | null;
  readonly ref: unknown;
  readonly name?: string | null;
  readonly description?: string | null;
  readonly volume_type?: string | null;
  readonly metadata?: Metadata | null;
  readonly availability_zone?: string | null;
  readonly bootable?: boolean | string;
}

/** POST /v3/manageable_volumes */
async function createVolume(call: VolumeCall): Promise<Reply> {
  await acquireQuotaLock(call);
  authorize(call, 'volume_extension:volume_manage');
  const fields = bodyOf<VolumeBody>(call, 'volume');
  const { host, cluster } = hostOrCluster(call, fields, '3.16');
  const type = fields.volume_type ? await typeInBody(call, fields.volume_type) : undefined;
  if (!host) throw badRequest(`Cluster '${cluster}' not found`);
  const volume = await manageVolume(call, {
    host,
    reference: fields.ref,
    name: fields.name?.trim() || null,
    description: fields.description?.trim() || null,
    type,
    metadata: fields.metadata ?? {},
    availabilityZone: fields.availability_zone ?? null,
    bootable: boolFromString(String(fields.bootable ?? false)) ?? false,
  });
  return accepted({ volume: volumeCore(call, volume) });
}

/** @throws 400 for an unknown type */
async function typeInBody(call: VolumeCall, nameOrId: string): Promise<VolumeType> {
  return typeNamed(elevated(call), nameOrId).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
    throw badRequest(`Invalid volume type: Cannot find requested '${nameOrId}' volume type`);
  });
}

interface SnapshotBody extends Fields {
  readonly volume_id: string;
  readonly ref: unknown;
  readonly name?: string | null;
  readonly description?: string | null;
  readonly metadata?: Metadata | null;
}

/** POST /v3/manageable_snapshots */
async function createSnapshot(call: VolumeCall): Promise<Reply> {
  await acquireQuotaLock(call);
  const fields = bodyOf<SnapshotBody>(call, 'snapshot');
  const volume = await volumeFor(call, fields.volume_id);
  authorize(call, 'snapshot_extension:snapshot_manage', volume.projectId);
  const { name, description, metadata } = fields;
  const snapshot = await manageSnapshot(call, volume, fields.ref, { name, description, metadata });
  return accepted({ snapshot: snapshotSummary(snapshot) });
}
