// Volumes in replies, at the version of the request.
import type { Volume } from '../model.ts';
import type { UploadRequest } from '../domain/volumes/images.ts';
import { may } from '../policy.ts';
import { linksOf } from './links.ts';
import { timeOrNull, timeView } from './times.ts';
import type { VolumeCall } from '../call.ts';

/** The short form in replies to GET /v3/volumes. */
export const volumeSummary = (call: VolumeCall, volume: Volume): object => ({
  id: volume.id,
  name: volume.name,
  links: linksOf(call, 'volumes', volume.id),
});

/** The metadata, with the admin metadata that attachments set. */
const metadataOf = ({ metadata, readonly, attachedMode }: Volume): object => ({
  ...metadata,
  ...(readonly === null ? {} : { readonly: readonly ? 'True' : 'False' }),
  ...(attachedMode === null ? {} : { attached_mode: attachedMode }),
});

function attachmentsOf(call: VolumeCall, { attachments }: Volume): object[] {
  const { isAdmin, isService } = call.actor;
  return attachments
    .filter(({ status }) => status === 'attached')
    .map((one) => ({
      id: one.volumeId,
      attachment_id: one.id,
      volume_id: one.volumeId,
      server_id: one.instanceUuid,
      host_name: isAdmin || isService ? one.hostName : null,
      device: one.mountpoint,
      attached_at: timeOrNull(one.attachedAt),
    }));
}

/** What the API shows for the statuses of volumes that come under management. */
const shownStatuses: Partial<Record<Volume['status'], string>> = {
  managing: 'creating',
  error_managing: 'error',
  error_managing_deleting: 'deleting',
};

/** The fields of all versions. */
export function volumeCore(call: VolumeCall, volume: Volume): object {
  return {
    id: volume.id,
    status: shownStatuses[volume.status] ?? volume.status,
    size: volume.size,
    availability_zone: volume.availabilityZone,
    created_at: timeView(volume.createdAt),
    updated_at: timeOrNull(volume.updatedAt),
    name: volume.name,
    description: volume.description,
    volume_type: volume.typeName,
    snapshot_id: volume.snapshotId,
    source_volid: volume.sourceVolid,
    metadata: metadataOf(volume),
    links: linksOf(call, 'volumes', volume.id),
    user_id: volume.userId,
    bootable: String(volume.bootable),
    encrypted: volume.encrypted,
    replication_status: null,
    consistencygroup_id: volume.isInConsistencyGroup ? volume.groupId : null,
    multiattach: volume.multiattach,
    attachments: attachmentsOf(call, volume),
    ...(call.actor.isAdmin ? { migration_status: volume.migrationStatus } : {}),
  };
}

/** The form in replies to POST and PUT. */
export function volumeDetail(call: VolumeCall, volume: Volume): object {
  const { version, actor } = call;
  return {
    ...volumeCore(call, volume),
    ...version.since('3.13', { group_id: volume.groupId }),
    ...(actor.isAdmin ? version.since('3.21', { provider_id: null }) : {}),
    ...version.since('3.48', { shared_targets: false, service_uuid: null }),
    ...(actor.isAdmin ? version.since('3.61', { cluster_name: null }) : {}),
    ...version.since('3.63', { volume_type_id: volume.typeId }),
    ...version.since('3.65', { consumes_quota: true }),
  };
}

/** The form in replies to GET. */
export function volumeFull(call: VolumeCall, volume: Volume): object {
  const { projectId } = volume;
  return {
    ...volumeDetail(call, volume),
    ...(may(call, 'volume_extension:volume_tenant_attribute', projectId)
      ? { 'os-vol-tenant-attr:tenant_id': projectId }
      : {}),
    ...(may(call, 'volume_extension:volume_host_attribute', projectId)
      ? { 'os-vol-host-attr:host': volume.host }
      : {}),
    ...(may(call, 'volume_extension:volume_mig_status_attribute', projectId)
      ? {
          'os-vol-mig-status-attr:migstat': volume.migrationStatus,
          'os-vol-mig-status-attr:name_id': null,
        }
      : {}),
    ...(Object.keys(volume.imageMetadata).length &&
    may(call, 'volume_extension:volume_image_metadata:show', projectId)
      ? { volume_image_metadata: volume.imageMetadata }
      : {}),
  };
}

/** The reply to the upload of a volume to a new image. */
export const uploadView = (
  call: VolumeCall,
  { imageId, volume }: { readonly imageId: string; readonly volume: Volume },
  request: Pick<
    UploadRequest,
    'name' | 'diskFormat' | 'containerFormat' | 'visibility' | 'isProtected'
  >,
): object => ({
  id: volume.id,
  updated_at: timeOrNull(volume.updatedAt),
  status: volume.status,
  display_description: volume.description,
  size: volume.size,
  volume_type: { id: volume.typeId, name: volume.typeName },
  image_id: imageId,
  container_format: request.containerFormat,
  disk_format: request.diskFormat,
  image_name: request.name,
  ...call.version.since('3.1', { protected: request.isProtected, visibility: request.visibility }),
});
