// Creates images of volume-backed servers: snapshots of the volumes, and an image that lists them.
// Upstream: snapshot_volume_backed in compute/api.py.
import type { Context } from '../../../../kernel/model.ts';
import { createEmptyImage } from '../../clients/image.ts';
import { createVolumeSnapshot, findVolume, type Volume } from '../../clients/volume.ts';
import { listServerVolumes } from '../../store/servers/devices.ts';
import { bumpServerRevision } from '../../store/servers/servers.ts';
import { idle, requireState } from '../servers/checks.ts';
import { recordDone } from '../servers/tasks.ts';
import type { Server, ServerVolume } from '../../model.ts';
import { inheritedProperties } from './changes.ts';

/** A blank block device mapping with every name that an image lists. */
const blankDevice = {
  source_type: 'blank',
  destination_type: 'local',
  guest_format: null,
  device_type: 'disk',
  disk_bus: null,
  boot_index: -1,
  device_name: null,
  delete_on_termination: true,
  snapshot_id: null,
  volume_id: null,
  volume_size: null,
  image_id: null,
  no_device: null,
  tag: null,
  volume_type: null,
  encrypted: null,
  encryption_secret_uuid: null,
  encryption_format: null,
  encryption_options: null,
};

/**
 * Creates an image of a volume-backed server, with a snapshot of each of its volumes.
 * @returns the image's id
 * @throws 400, 403, 409
 */
export async function createVolumeBackedImage(
  context: Context,
  server: Server,
  name: string,
  metadata: Readonly<Record<string, string>>,
): Promise<string> {
  const vmStates = ['active', 'stopped', 'paused', 'suspended'];
  requireState(context, server, {
    action: 'createImage',
    vmStates,
    taskStates: idle,
    evenLocked: true,
  });
  await bumpServerRevision(context.db, server);
  const devices: object[] = localDevices(server);
  for (const attachment of await listServerVolumes(context.db, [server.uuid])) {
    const volume = await findVolume(context, attachment.volumeId);
    if (volume)
      devices.push(
        snapshotDevice(
          attachment,
          volume,
          await createVolumeSnapshot(context, volume, `snapshot for ${name}`),
        ),
      );
  }
  const properties = {
    ...inheritedProperties(server),
    base_image_ref: server.imageId,
    ...metadata,
    root_device_name: server.rootDeviceName ?? '/dev/vda',
    block_device_mapping: JSON.stringify(devices),
    bdm_v2: 'True',
  };
  await recordDone(context, server, 'createImage', 'api_snapshot_instance');
  const owners = { projectId: context.actor.projectId ?? '', serverProjectId: server.projectId };
  return createEmptyImage(context, {
    ...owners,
    name,
    properties,
    minDisk: server.flavor.disk,
    minRam: 0,
  });
}

/** The local disks of a volume-backed server, which are blank. */
function localDevices({ flavor: { ephemeral, swap } }: Server): object[] {
  return [
    ...(ephemeral ? [{ ...blankDevice, volume_size: ephemeral }] : []),
    ...(swap ? [{ ...blankDevice, guest_format: 'swap', volume_size: swap }] : []),
  ];
}

/** The device of a volume's snapshot. Upstream: snapshot_from_bdm in block_device.py. */
const snapshotDevice = (
  attachment: ServerVolume,
  { size }: Volume,
  snapshotId: string,
): object => ({
  ...blankDevice,
  source_type: 'snapshot',
  destination_type: 'volume',
  disk_bus: 'virtio',
  boot_index: attachment.bootIndex ?? -1,
  device_name: attachment.device,
  delete_on_termination: attachment.deleteOnTermination,
  snapshot_id: snapshotId,
  volume_size: size,
});
