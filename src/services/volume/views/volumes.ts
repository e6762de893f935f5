// A volume as a client sees it at its version.
import type { Volume } from '../domain/records.ts';
import { allows, isAdmin, isService } from '../handlers/requests.ts';
import { linksOf } from './links.ts';
import { timeOrNull, timeView } from './times.ts';
import type { VolumeCall } from '../call.ts';

/** The short form, in lists. */
export const volumeSummary = (call: VolumeCall, volume: Volume): object => ({
  id: volume.id,
  name: volume.name,
  links: linksOf(call, 'volumes', volume.id),
});

/** Metadata, with what only administrators set among it. */
const metadataOf = ({ metadata, readonly, attachedMode }: Volume): object => ({
  ...metadata,
  ...(readonly === null ? {} : { readonly: readonly ? 'True' : 'False' }),
  ...(attachedMode === null ? {} : { attached_mode: attachedMode }),
});

function attachmentsOf(call: VolumeCall, { attachments }: Volume): object[] {
  const seesHosts = isAdmin(call) || isService(call);
  return attachments
    .filter(({ status }) => status === 'attached')
    .map((one) => ({
      id: one.volumeId,
      attachment_id: one.id,
      volume_id: one.volumeId,
      server_id: one.instanceUuid,
      host_name: seesHosts ? one.hostName : null,
      device: one.mountpoint,
      attached_at: timeOrNull(one.attachedAt),
    }));
}

/** The long form, as creating and updating answer with it. */
export function volumeDetail(call: VolumeCall, volume: Volume): object {
  const { at } = call;
  const admin = isAdmin(call);
  return {
    id: volume.id,
    status: volume.status,
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
    consistencygroup_id: null,
    multiattach: volume.multiattach,
    attachments: attachmentsOf(call, volume),
    ...(admin ? { migration_status: volume.migrationStatus } : {}),
    ...at.since('3.13', { group_id: null }),
    ...(admin ? at.since('3.21', { provider_id: null }) : {}),
    ...at.since('3.48', { shared_targets: false, service_uuid: null }),
    ...(admin ? at.since('3.61', { cluster_name: null }) : {}),
    ...at.since('3.63', { volume_type_id: volume.typeId }),
    ...at.since('3.65', { consumes_quota: true }),
  };
}

/** The long form with what showing and listing add to it. */
export function volumeFull(call: VolumeCall, volume: Volume): object {
  const { projectId } = volume;
  return {
    ...volumeDetail(call, volume),
    ...(allows(call, 'volume_extension:volume_tenant_attribute', projectId) ? { 'os-vol-tenant-attr:tenant_id': projectId } : {}),
    ...(allows(call, 'volume_extension:volume_host_attribute', projectId) ? { 'os-vol-host-attr:host': volume.host } : {}),
    ...(allows(call, 'volume_extension:volume_mig_status_attribute', projectId)
      ? { 'os-vol-mig-status-attr:migstat': volume.migrationStatus, 'os-vol-mig-status-attr:name_id': null }
      : {}),
    ...(Object.keys(volume.imageMetadata).length && allows(call, 'volume_extension:volume_image_metadata:show', projectId)
      ? { volume_image_metadata: volume.imageMetadata }
      : {}),
  };
}
