// POST /v3/volumes/{volume_id}/action: what can be done with a volume, by the one name in the body.
import { accepted, ok, reply } from '../../../kernel/http/reply.ts';
import { badRequest } from '../../../kernel/fault.ts';
import { normalUuid } from '../../../kernel/ids.ts';
import { schedule } from '../../../kernel/jobs.ts';
import { createImage, storeData } from '../../image/index.ts';
import { attachVolume, connectionInfo, detachVolume } from '../domain/attachments.ts';
import { takeQuotaTurn } from '../domain/quotas.ts';
import type { Metadata, Volume } from '../domain/records.ts';
import { invalidVolume } from '../domain/refusals.ts';
import { isMultiattach, typeNamed } from '../domain/types.ts';
import { retypeVolume } from '../domain/retype.ts';
import { extendVolume } from '../domain/volumes.ts';
import { updateVolume } from '../store/volumes.ts';
import { timeOrNull } from '../views/times.ts';
import { adminActions } from './volume-admin-actions.ts';
import { allow, bodyOf, isService, truth, viewerOf, type Fields } from './requests.ts';
import { volumeOf } from './volumes.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { VolumeCall } from '../call.ts';

export type Action = (call: VolumeCall, volume: Volume, fields: Fields) => Promise<Reply | void>;

const write = (call: VolumeCall, volume: Volume, change: Partial<Volume>): Promise<Volume> =>
  updateVolume(call.db, volume, change, call.now);

const rule = (name: string): string => `volume_extension:volume_actions:${name}`;

const ownActions: Readonly<Record<string, Action>> = {
  'os-reserve': async (call, volume) => {
    allow(call, rule('reserve'), volume.projectId);
    const expected = volume.multiattach ? ['available', 'in-use'] : ['available'];
    if (!expected.includes(volume.status))
      throw invalidVolume(`Volume status must be ${expected.join(' or ')} to reserve, but the status is ${volume.status}.`);
    await write(call, volume, { status: 'attaching' });
  },

  'os-unreserve': async (call, volume) => {
    allow(call, rule('unreserve'), volume.projectId);
    if (volume.status === 'attaching') await write(call, volume, { status: volume.attachments.length ? 'in-use' : 'available' });
  },

  'os-begin_detaching': async (call, volume) => {
    allow(call, rule('begin_detaching'), volume.projectId);
    if (volume.status !== 'in-use' || volume.attachStatus !== 'attached')
      throw invalidVolume(
        "Unable to detach volume. Volume status must be 'in-use' and attach_status must be 'attached' to detach.",
      );
    await write(call, volume, { status: 'detaching' });
  },

  'os-roll_detaching': async (call, volume) => {
    allow(call, rule('roll_detaching'), volume.projectId);
    if (volume.status === 'detaching') await write(call, volume, { status: 'in-use' });
  },

  'os-attach': async (call, volume, fields) => {
    allow(call, rule('attach'), volume.projectId);
    const {
      instance_uuid: instanceUuid = null,
      host_name: hostName = null,
      mountpoint,
      mode = 'rw',
    } = fields as Record<string, string>;
    const server = instanceUuid === null ? null : normalUuid(instanceUuid);
    await attachVolume(call.db, volume, { instanceUuid: server, hostName, mountpoint: mountpoint!, mode }, call.now);
  },

  'os-detach': async (call, volume, fields) => {
    allow(call, rule('detach'), volume.projectId);
    await detachVolume(call.db, volume, (fields['attachment_id'] ?? null) as string | null, isService(call), call.now);
  },

  'os-initialize_connection': async (call, volume, fields) => {
    allow(call, rule('initialize_connection'), volume.projectId);
    if (volume.status === 'maintenance') throw invalidVolume('The volume connection cannot be initialized in maintenance mode.');
    const multipath = (fields['connector'] as { enforce_multipath?: unknown }).enforce_multipath;
    const info = connectionInfo(volume, volume.readonly ? 'ro' : 'rw');
    return ok({ connection_info: { ...info, enforce_multipath: multipath === true } });
  },

  'os-terminate_connection': async (call, volume) => {
    allow(call, rule('terminate_connection'), volume.projectId);
    if (volume.status === 'attaching') await write(call, volume, { status: volume.attachments.length ? 'in-use' : 'available' });
  },

  'os-extend': async (call, volume, fields) => {
    const attached = call.at.has('3.42') && volume.status === 'in-use';
    allow(call, attached ? 'volume:extend_attached_volume' : 'volume:extend', volume.projectId);
    await extendVolume(call.db, volume, Number(fields['new_size']), attached, call.now);
  },

  'os-retype': async (call, volume, fields) => {
    allow(call, 'volume:retype', volume.projectId);
    const type = await typeNamed(call.db, { ...viewerOf(call), isAdmin: true }, fields['new_type'] as string);
    const multiattach = isMultiattach(type);
    if (volume.multiattach !== multiattach && volume.status !== 'available')
      throw badRequest(
        `Invalid input received: Invalid volume_type passed, retypes affecting multiattach are only allowed on available volumes, the specified volume however currently has a status of: ${volume.status}.`,
      );
    if (multiattach && !volume.multiattach) allow(call, 'volume:multiattach', volume.projectId);
    await retypeVolume(call.db, volume, type, (fields['migration_policy'] ?? 'never') as string, call.now);
  },

  'os-update_readonly_flag': async (call, volume, fields) => {
    allow(call, 'volume:update_readonly_flag', volume.projectId);
    if (volume.status !== 'available')
      throw invalidVolume(
        `Volume ${volume.id} status must be available to update readonly flag, but current status is: ${volume.status}.`,
      );
    await write(call, volume, { readonly: truth(fields['readonly']) });
  },

  'os-set_bootable': async (call, volume, fields) => {
    allow(call, 'volume:update', volume.projectId);
    await write(call, volume, { bootable: truth(fields['bootable']) });
    return reply(200);
  },

  'os-set_image_metadata': async (call, volume, fields) => {
    allow(call, 'volume_extension:volume_image_metadata:set', volume.projectId);
    const metadata = { ...volume.imageMetadata, ...(fields['metadata'] as Metadata) };
    await write(call, volume, { imageMetadata: metadata });
    return ok({ metadata });
  },

  'os-show_image_metadata': async (call, volume) => {
    allow(call, 'volume_extension:volume_image_metadata:show', volume.projectId);
    return ok({ metadata: volume.imageMetadata });
  },

  'os-unset_image_metadata': async (call, volume, fields) => {
    allow(call, 'volume_extension:volume_image_metadata:remove', volume.projectId);
    const { [fields['key'] as string]: gone, ...left } = volume.imageMetadata;
    if (gone === undefined) throw badRequest(`Glance metadata for volume/snapshot ${volume.id} cannot be found.`);
    await write(call, volume, { imageMetadata: left });
    return reply(200);
  },

  'os-volume_upload_image': uploadImage,
};

/** Makes an image of a volume. There is no data to take, so that the image is as small as one can be. */
async function uploadImage(call: VolumeCall, volume: Volume, fields: Fields): Promise<Reply> {
  allow(call, rule('upload_image'), volume.projectId);
  const {
    disk_format: diskFormat = 'raw',
    container_format: format,
    image_name: name,
    visibility = 'private',
  } = fields as Record<string, string>;
  const containerFormat = format ?? 'bare';
  if (call.at.has('3.1') && visibility === 'public') allow(call, rule('upload_public'), volume.projectId);
  const expected = truth(fields['force']) ? ['available', 'in-use'] : ['available'];
  if (!expected.includes(volume.status))
    throw badRequest(`Invalid volume: Volume ${volume.id} status must be ${expected.join(' or ')}`);
  const isProtected = truth(fields['protected'] ?? false);
  const image = {
    owner: volume.projectId,
    name: name!,
    diskFormat,
    containerFormat,
    visibility: (call.at.has('3.1') ? visibility : 'shared') as 'private',
    isProtected,
    minDisk: volume.size,
  };
  const made = await createImage(call.db, image, call.now);
  await storeData(call.db, made, Buffer.alloc(0), call.now);
  const saved = await write(call, volume, { status: 'uploading', previousStatus: volume.status });
  await schedule(call.db, { dueAt: call.now, kind: 'volume.uploaded', subject: volume.id });
  const told = {
    id: volume.id,
    updated_at: timeOrNull(saved.updatedAt),
    status: 'uploading',
    display_description: volume.description,
    size: volume.size,
    volume_type: { id: volume.typeId, name: volume.typeName },
    image_id: made.id,
    container_format: containerFormat,
    disk_format: diskFormat,
    image_name: name,
    ...call.at.since('3.1', { protected: isProtected, visibility }),
  };
  return accepted({ 'os-volume_upload_image': told });
}

const actions: Readonly<Record<string, Action>> = { ...ownActions, ...adminActions };

/** The names that a body may have. */
export const actionNames: readonly string[] = Object.keys(actions);

export async function act(call: VolumeCall): Promise<Reply> {
  const [name] = Object.keys(call.body as Fields);
  if (name === 'os-extend' || name === 'os-retype') await takeQuotaTurn(call.db);
  const volume = await volumeOf(call);
  return (await actions[name!]!(call, volume, bodyOf(call, name!))) ?? reply(202);
}
