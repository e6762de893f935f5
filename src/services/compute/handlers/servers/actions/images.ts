// The actions createImage and createBackup, which create images of a server.
import { accepted } from '../../../../../kernel/http/reply.ts';
import { authorize } from '../../../../../kernel/http/steps.ts';
import type { ComputeCall } from '../../../call.ts';
import { createBackup } from '../../../domain/lifecycle/backups.ts';
import { createImage } from '../../../domain/lifecycle/changes.ts';
import { createVolumeBackedImage } from '../../../domain/lifecycle/volume-snapshots.ts';
import { checkImageMetadata } from '../../../domain/servers/quotas.ts';
import { isOnVolume } from '../../../domain/servers/states.ts';
import { serverOf, targetOf } from '../subject.ts';
import { argumentsOf } from '../../action-body.ts';
import type { Reply } from '../../../../../kernel/model.ts';

interface ImageBody {
  name: string;
  metadata?: Record<string, string>;
}

export async function createServerImage(call: ComputeCall): Promise<Reply> {
  const { name, metadata = {} } = argumentsOf<ImageBody>(call, 'createImage');
  const server = await serverOf(call, 'servers:create_image');
  await checkMetadataQuota(call, metadata);
  if (isOnVolume(server))
    authorize(call, 'os_compute_api:servers:create_image:allow_volume_backed', targetOf(server));
  const create = isOnVolume(server) ? createVolumeBackedImage : createImage;
  const id = await create(call, server, name.trim(), metadata);
  return call.version.has('2.45')
    ? accepted({ image_id: id })
    : accepted(undefined, { location: locationOf(call, id) });
}

/** Until 2.38, the quota for metadata also limits the properties of images. @throws 403 */
async function checkMetadataQuota(
  { db, version, caller }: ComputeCall,
  metadata: Readonly<Record<string, string>>,
): Promise<void> {
  if (!version.has('2.39')) await checkImageMetadata(db, caller.projectId!, metadata);
}

/** The URL of an image in the Image service. */
const locationOf = ({ origin, prefix }: ComputeCall, id: string): string =>
  `${origin}${prefix.replace(/compute$/, 'image')}/v2/images/${id}`;

interface BackupBody {
  name: string;
  backup_type: string;
  rotation: number | string;
  metadata?: Record<string, string>;
}

/** A rotation of 0 keeps no backup, not even the new one. */
export async function createServerBackup(call: ComputeCall): Promise<Reply> {
  const {
    name,
    backup_type: type,
    rotation,
    metadata = {},
  } = argumentsOf<BackupBody>(call, 'createBackup');
  const server = await serverOf(call, 'os-create-backup');
  await checkMetadataQuota(call, metadata);
  const backupsToKeep = Number(rotation);
  const id = await createBackup(call, server, {
    name: name.trim(),
    type,
    rotation: backupsToKeep,
    metadata,
  });
  if (call.version.has('2.45')) return accepted({ image_id: id });
  return accepted(undefined, backupsToKeep > 0 ? { location: locationOf(call, id) } : undefined);
}
