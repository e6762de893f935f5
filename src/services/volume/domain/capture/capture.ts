// Captures the types, volumes, attachments, snapshots, groups and backups of a cloud.
import { textOrNull, textsOf, timeOf } from '../../../../emulator/capture/fields.ts';
import type { Captured, CaptureSource, Json } from '../../../../emulator/capture/model.ts';
import type { Micros } from '../../../../kernel/clock.ts';
import type { Context } from '../../../../kernel/model.ts';
import {
  snapshotStatuses,
  volumeStatuses,
  type Attachment,
  type Snapshot,
  type Volume,
  type VolumeType,
} from '../../model.ts';
import { insertAttachment } from '../../store/attachments.ts';
import { insertSnapshot } from '../../store/snapshots.ts';
import { insertVolume } from '../../store/volumes.ts';
import { captureBackups } from './backups.ts';
import { captureGroups } from './groups.ts';
import { captureQuotas } from './quotas.ts';
import { captureTypes } from './types.ts';

/** Captures what Volume has, except transfers and messages. */
export async function captureVolume(context: Context, source: CaptureSource): Promise<Captured> {
  const { db, now } = context;
  const version = await source.newest('volume', '3.70');
  const types = await captureTypes(context, source);
  const all = 'all_tenants=1&limit=1000&sort=created_at:asc';
  const listed = await source.list('volume', `/volumes/detail?${all}`, 'volumes', version);
  const volumes = new Map<string, Volume>();
  for (const one of listed) {
    const volume = volumeOf(one, types, now);
    volumes.set(volume.id, volume);
    await insertVolume(db, volume);
    for (const attachment of volume.attachments) await insertAttachment(db, attachment);
  }
  const snapshots = (
    await source.list('volume', `/snapshots/detail?${all}`, 'snapshots', version)
  ).flatMap((one) => {
    const volume = volumes.get(String(one['volume_id']));
    return volume ? snapshotOf(one, volume, now) : [];
  });
  for (const snapshot of snapshots) await insertSnapshot(db, snapshot);
  await captureQuotas(context, source);
  return {
    'volume types': types.length,
    volumes: volumes.size,
    'volume snapshots': snapshots.length,
    ...(await captureGroups(context, source, version, volumes.values())),
    ...(await captureBackups(context, source, version)),
  };
}

/** The record of a volume. One without a type gets the type `__DEFAULT__`, as upstream does. */
function volumeOf(one: Json, types: readonly VolumeType[], now: Micros): Volume {
  const typeOf = (name: unknown) => types.find((type) => type.name === name);
  const type = typeOf(one['volume_type']) ?? typeOf('__DEFAULT__') ?? types[0]!;
  const { readonly, attached_mode: attachedMode, ...metadata } = textsOf(one['metadata']);
  const createdAt = timeOf(one['created_at']) ?? now;
  const id = String(one['id']);
  const projectId = String(one['os-vol-tenant-attr:tenant_id']);
  const attached = (one['attachments'] ?? []) as readonly Json[];
  return {
    id,
    projectId,
    userId: String(one['user_id']),
    name: textOrNull(one['name']),
    description: textOrNull(one['description']),
    size: Number(one['size']),
    status: volumeStatuses.find((status) => status === one['status']) ?? 'error',
    previousStatus: null,
    attachStatus: attached.length ? 'attached' : 'detached',
    migrationStatus: null,
    typeId: type.id,
    typeName: type.name,
    availabilityZone: String(one['availability_zone'] ?? 'nova'),
    host: textOrNull(one['os-vol-host-attr:host']),
    snapshotId: textOrNull(one['snapshot_id']),
    sourceVolid: textOrNull(one['source_volid']),
    groupId: textOrNull(one['group_id']),
    isInConsistencyGroup: one['consistencygroup_id'] != null,
    bootable: String(one['bootable']) === 'true',
    multiattach: one['multiattach'] === true,
    readonly: readonly === undefined ? null : readonly === 'True',
    attachedMode: attachedMode ?? null,
    imageMetadata: textsOf(one['volume_image_metadata']),
    encrypted: one['encrypted'] === true,
    revision: 0,
    createdAt,
    updatedAt: timeOf(one['updated_at']),
    metadata,
    attachments: attached.map((entry) => attachmentOf(entry, id, projectId, createdAt)),
  };
}

function attachmentOf(one: Json, volumeId: string, projectId: string, now: Micros): Attachment {
  const attachedAt = timeOf(one['attached_at']) ?? now;
  const instanceUuid = textOrNull(one['server_id']);
  return {
    id: String(one['attachment_id']),
    volumeId,
    projectId,
    instanceUuid,
    hostName: textOrNull(one['host_name']),
    mountpoint: textOrNull(one['device']),
    mode: 'rw',
    status: 'attached',
    connector: null,
    connectionInfo: {},
    byCompute: instanceUuid !== null,
    attachedAt,
    createdAt: attachedAt,
    updatedAt: null,
  };
}

function snapshotOf(one: Json, volume: Volume, now: Micros): Snapshot {
  return {
    id: String(one['id']),
    volumeId: volume.id,
    projectId: String(one['os-extended-snapshot-attributes:project_id'] ?? volume.projectId),
    userId: String(one['user_id'] ?? volume.userId),
    name: textOrNull(one['name']),
    description: textOrNull(one['description']),
    size: Number(one['size']),
    status: snapshotStatuses.find((status) => status === one['status']) ?? 'error',
    progress: String(one['os-extended-snapshot-attributes:progress'] ?? '100%'),
    typeId: volume.typeId,
    groupSnapshotId: textOrNull(one['group_snapshot_id']),
    revision: 0,
    createdAt: timeOf(one['created_at']) ?? now,
    updatedAt: timeOf(one['updated_at']),
    metadata: textsOf(one['metadata']),
  };
}
