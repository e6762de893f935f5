// The actions of volumes, POST /v3/volumes/{volume_id}/action. Upstream:
// cinder/api/contrib/volume_actions.py.
import { normalUuid } from '../../../../kernel/ids.ts';
import { accepted, ok, reply } from '../../../../kernel/http/reply.ts';
import type { Actions, Reply } from '../../../../kernel/model.ts';
import { isTrue } from '../../../../kernel/oslo/booleans.ts';
import { elevated } from '../../../../kernel/context.ts';
import type { VolumeCall } from '../../call.ts';
import { attachVolume, detachVolume, initializeConnection } from '../../domain/attachments.ts';
import type { Metadata, Volume } from '../../model.ts';
import { checkMultiattach, retypeVolume } from '../../domain/volumes/retype.ts';
import { typeNamed } from '../../domain/types/types.ts';
import {
  addImageMetadata,
  removeImageMetadata,
  startReimage,
  uploadToImage,
} from '../../domain/volumes/images.ts';
import {
  beginDetaching,
  extendVolume,
  reserveVolume,
  rollBackDetaching,
  setBootable,
  setReadonly,
  terminateConnection,
  unreserveVolume,
} from '../../domain/volumes/status.ts';
import { authorize } from '../../policy.ts';
import type { VolumeVersion } from '../../versions.ts';
import { uploadView } from '../../views/volumes.ts';
import { acceptedVolumeAction, withQuotaLock, volumeAction } from '../requests/actions.ts';
import type { Fields } from '../requests/body.ts';
import { adminActions } from './admin-actions.ts';

const rule = (name: string): string => `volume_extension:volume_actions:${name}`;

export const volumeActions: Actions<VolumeVersion> = {
  'os-reserve': acceptedVolumeAction(rule('reserve'), reserveVolume),
  'os-unreserve': acceptedVolumeAction(rule('unreserve'), unreserveVolume),
  'os-begin_detaching': acceptedVolumeAction(rule('begin_detaching'), beginDetaching),
  'os-roll_detaching': acceptedVolumeAction(rule('roll_detaching'), rollBackDetaching),
  'os-attach': acceptedVolumeAction(rule('attach'), attach),
  'os-detach': acceptedVolumeAction(rule('detach'), detach),
  'os-initialize_connection': volumeAction(rule('initialize_connection'), connect),
  'os-terminate_connection': acceptedVolumeAction(
    rule('terminate_connection'),
    terminateConnection,
  ),
  'os-extend': withQuotaLock(acceptedVolumeAction(undefined, extend)),
  'os-retype': withQuotaLock(acceptedVolumeAction('volume:retype', retype)),
  'os-update_readonly_flag': acceptedVolumeAction(
    'volume:update_readonly_flag',
    (call, volume, fields) => setReadonly(call, volume, isTrue(fields['readonly'])),
  ),
  'os-set_bootable': volumeAction('volume:update', async (call, volume, fields) => {
    await setBootable(call, volume, isTrue(fields['bootable']));
    return reply(200);
  }),
  // These also enforce the rules of volume metadata. Upstream's volume/api.py applies them to both
  // kinds of metadata.
  'os-set_image_metadata': volumeAction(
    'volume_extension:volume_image_metadata:set',
    async (call, volume, fields) => {
      authorize(call, 'volume:update_volume_metadata', volume.projectId);
      return ok({ metadata: await addImageMetadata(call, volume, fields['metadata'] as Metadata) });
    },
  ),
  'os-show_image_metadata': volumeAction('volume:get_volume_metadata', async (_, volume) =>
    ok({ metadata: volume.imageMetadata }),
  ),
  'os-unset_image_metadata': volumeAction(
    'volume_extension:volume_image_metadata:remove',
    async (call, volume, fields) => {
      authorize(call, 'volume:delete_volume_metadata', volume.projectId);
      await removeImageMetadata(call, volume, fields['key'] as string);
      return reply(200);
    },
  ),
  'os-volume_upload_image': volumeAction(rule('upload_image'), upload),
  'os-reimage': { span: ['3.68'], handler: acceptedVolumeAction(undefined, reimage) },
  ...adminActions,
};

function attach(call: VolumeCall, volume: Volume, fields: Fields): Promise<void> {
  const {
    instance_uuid: server = null,
    host_name: hostName = null,
    mountpoint,
    mode = 'rw',
  } = fields as Record<string, string>;
  const instanceUuid = server === null ? null : normalUuid(server);
  return attachVolume(call, volume, { instanceUuid, hostName, mountpoint: mountpoint!, mode });
}

function detach(call: VolumeCall, volume: Volume, fields: Fields): Promise<void> {
  return detachVolume(call, volume, (fields['attachment_id'] ?? null) as string | null);
}

async function connect(_: VolumeCall, volume: Volume, fields: Fields): Promise<Reply> {
  return ok({ connection_info: initializeConnection(volume, fields['connector'] as Fields) });
}

async function extend(call: VolumeCall, volume: Volume, fields: Fields): Promise<void> {
  const attached = call.version.has('3.42') && volume.status === 'in-use';
  authorize(call, attached ? 'volume:extend_attached_volume' : 'volume:extend', volume.projectId);
  await extendVolume(call, volume, Number(fields['new_size']), attached);
}

async function retype(call: VolumeCall, volume: Volume, fields: Fields): Promise<void> {
  const type = await typeNamed(elevated(call), fields['new_type'] as string);
  if (checkMultiattach(volume, type)) authorize(call, 'volume:multiattach', volume.projectId);
  await retypeVolume(call, volume, type, (fields['migration_policy'] ?? 'never') as string);
}

async function reimage(call: VolumeCall, volume: Volume, fields: Fields): Promise<void> {
  const reserved = volume.status === 'reserved';
  authorize(call, reserved ? 'volume:reimage_reserved' : 'volume:reimage', volume.projectId);
  await startReimage(
    call,
    volume,
    fields['image_id'] as string,
    isTrue(fields['reimage_reserved']),
  );
}

async function upload(call: VolumeCall, volume: Volume, fields: Fields): Promise<Reply> {
  const {
    disk_format: diskFormat = 'raw',
    container_format: format,
    image_name: name,
  } = fields as Record<string, string>;
  const hasVisibility = call.version.has('3.1');
  const { visibility = 'private' } = fields as { visibility?: 'public' | 'private' | 'shared' };
  if (hasVisibility && visibility === 'public')
    authorize(call, rule('upload_public'), volume.projectId);
  const request = {
    name: name!,
    diskFormat,
    containerFormat: format ?? 'bare',
    visibility: hasVisibility ? visibility : 'shared',
    isProtected: isTrue(fields['protected']),
    force: isTrue(fields['force']),
  };
  const uploaded = await uploadToImage(call, volume, request);
  return accepted({
    'os-volume_upload_image': uploadView(call, uploaded, { ...request, visibility }),
  });
}
