// The rules of attaching: a volume is reserved, then connected, then in use, and comes off again.
import type { Micros } from '../../../kernel/clock.ts';
import { badRequest, conflict } from '../../../kernel/fault.ts';
import { newUuid } from '../../../kernel/ids.ts';
import { deleteAttachment, findAttachment, insertAttachment, updateAttachment } from '../store/attachments.ts';
import { findVolume, updateVolume } from '../store/volumes.ts';
import type { Attachment, Viewer, Volume } from './records.ts';
import { invalidInput, invalidVolume, noAttachment, noVolume } from './refusals.ts';
import type { Db } from '../../../kernel/db/database.ts';

type Json = Readonly<Record<string, unknown>>;

/** @throws 404, also for one of another project */
export async function attachmentFor(db: Db, viewer: Viewer, id: string): Promise<Attachment> {
  const attachment = await findAttachment(db, id);
  if (!attachment || (!viewer.isAdmin && attachment.projectId !== viewer.projectId)) throw noAttachment(id);
  return attachment;
}

const orList = (words: readonly string[]): string => words.join(' or ');

export interface AttachmentRequest {
  readonly instanceUuid: string | null;
  readonly connector?: Json | null | undefined;
  readonly mode?: string | null | undefined;
  readonly byCompute?: boolean | undefined;
}

/** Reserves a volume for a server, and connects it where the connector is known. @throws 400 */
export async function createAttachment(db: Db, volume: Volume, request: AttachmentRequest, now: Micros): Promise<Attachment> {
  const { instanceUuid, connector = null, mode = null, byCompute = false } = request;
  if (volume.status.includes('error'))
    throw invalidVolume(
      `Volume attachments can not be created if the volume is in an error state. The Volume ${volume.id} currently has a status of: ${volume.status} `,
    );
  const valid = volume.multiattach ? ['available', 'in-use', 'downloading'] : ['available', 'downloading'];
  const again =
    instanceUuid !== null &&
    ['in-use', 'reserved'].includes(volume.status) &&
    volume.attachments.some((one) => one.instanceUuid === instanceUuid);
  if (!valid.includes(volume.status) && !again)
    throw invalidVolume(
      `Volume ${volume.id} status must be ${orList(valid)} to reserve, but the current status is ${volume.status}.`,
    );
  const attachment: Attachment = {
    id: newUuid(),
    volumeId: volume.id,
    projectId: volume.projectId,
    instanceUuid,
    hostName: null,
    mountpoint: null,
    mode: volume.readonly === null ? mode : 'ro',
    status: 'reserved',
    connector: null,
    connectionInfo: {},
    byCompute,
    attachedAt: null,
    createdAt: now,
  };
  await insertAttachment(db, attachment);
  await updateVolume(db, volume, { status: 'reserved' }, now);
  return connector ? connectAttachment(db, attachment, connector, now) : attachment;
}

/** Connects what was reserved to a host. @throws 400, 409 */
export async function connectAttachment(db: Db, attachment: Attachment, connector: Json, now: Micros): Promise<Attachment> {
  const volume = await findVolume(db, attachment.volumeId);
  if (!volume) throw noVolume(attachment.volumeId);
  if (volume.status.includes('error'))
    throw conflict(
      `Volume attachments can not be updated if the volume is in an error state. The Volume ${volume.id} currently has a status of: ${volume.status} `,
    );
  const others = volume.attachments.filter((one) => one.id !== attachment.id && one.connector);
  if (others.length && !volume.multiattach) throw conflict(`duplicate connectors detected on volume ${volume.id}`);
  const mode = (connector['mode'] ?? attachment.mode) === 'ro' ? 'ro' : 'rw';
  const connected: Attachment = {
    ...attachment,
    status: 'attaching',
    hostName: textOf(connector['host']) ?? attachment.hostName,
    mountpoint: textOf(connector['mountpoint']) ?? attachment.mountpoint,
    mode,
    connector,
    connectionInfo: { ...connectionInfo(volume, mode), attachment_id: attachment.id },
    attachedAt: now,
  };
  await updateAttachment(db, connected, now);
  await updateVolume(db, volume, { status: 'attaching', attachStatus: 'attaching', readonly: volume.readonly ?? false }, now);
  return connected;
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value.length <= 255 ? value : null);

/** How a host would reach the volume; there is nothing behind it. */
export const connectionInfo = (volume: Volume, mode: string): Json => ({
  driver_volume_type: 'iscsi',
  target_discovered: false,
  target_iqn: `iqn.2010-10.org.openstack:volume-${volume.id}`,
  target_portal: '127.0.0.1:3260',
  target_lun: 1,
  volume_id: volume.id,
  access_mode: mode === 'ro' ? 'ro' : 'rw',
  encrypted: volume.encrypted,
  qos_specs: null,
});

/** The server has it now. */
export async function completeAttachment(db: Db, attachment: Attachment, now: Micros): Promise<void> {
  const volume = await findVolume(db, attachment.volumeId);
  if (!volume) throw noVolume(attachment.volumeId);
  await updateAttachment(db, { ...attachment, status: 'attached', attachedAt: attachment.attachedAt ?? now }, now);
  await updateVolume(db, volume, { status: 'in-use', attachStatus: 'attached', attachedMode: attachment.mode ?? 'rw' }, now);
}

/** What belongs to a server comes off through Compute. @throws 409 */
export function checkDetachable(attachment: Attachment | undefined, isService: boolean): void {
  if (attachment?.byCompute && attachment.instanceUuid && !isService)
    throw conflict(`Detach volume from instance ${attachment.instanceUuid} using the Compute API`);
}

/** What a volume is by what its attachments are. */
const statuses: Readonly<Record<string, string>> = { attached: 'in-use', detached: 'available' };

/** Takes an attachment away; the volume is available again when it was the last one. */
export async function removeAttachment(db: Db, attachment: Attachment, now: Micros): Promise<readonly Attachment[]> {
  await deleteAttachment(db, attachment.id);
  const volume = await findVolume(db, attachment.volumeId);
  if (!volume) return [];
  const { attachments } = volume;
  // Whatever it was: an error too is over once nothing is attached. Upstream: volume_detached in cinder/db/api.py.
  const attachStatus = ['attached', 'attaching', 'reserved'].find((one) => attachments.some(({ status }) => status === one));
  const isHeld = volume.status === 'uploading' || ![null, 'success', 'error'].includes(volume.migrationStatus);
  const change: Partial<Volume> = {
    ...(attachStatus === undefined && isHeld ? {} : { status: statuses[attachStatus ?? 'detached'] ?? attachStatus! }),
    attachStatus: attachStatus ?? 'detached',
    ...(attachments.length ? {} : { attachedMode: null }),
  };
  await updateVolume(db, volume, change, now);
  return attachments;
}

export interface OldAttach {
  readonly instanceUuid: string | null;
  readonly hostName: string | null;
  readonly mountpoint: string;
  readonly mode: string;
}

/** Attaches in one step, as it was before attachments had an API. @throws 400 */
export async function attachVolume(db: Db, volume: Volume, request: OldAttach, now: Micros): Promise<void> {
  if (volume.status === 'maintenance') throw invalidVolume('The volume cannot be attached in maintenance mode.');
  if (volume.readonly && request.mode !== 'ro')
    throw badRequest(`Invalid attaching mode '${request.mode}' for volume ${volume.id}.`);
  const same = volume.attachments.find((one) =>
    request.instanceUuid === null ? one.hostName === request.hostName : one.instanceUuid === request.instanceUuid,
  );
  if (same) return void (await updateVolume(db, volume, { status: 'in-use' }, now));
  if (volume.status === 'in-use' && !volume.multiattach)
    throw badRequest(
      'Error attaching volume - InvalidVolume: Invalid volume: volume is already attached and multiple attachments are not enabled',
    );
  const { instanceUuid, hostName, mountpoint, mode } = request;
  await insertAttachment(db, {
    id: newUuid(),
    volumeId: volume.id,
    projectId: volume.projectId,
    instanceUuid,
    hostName,
    mountpoint,
    mode,
    status: 'attached',
    connector: null,
    connectionInfo: {},
    byCompute: false,
    attachedAt: now,
    createdAt: now,
  });
  await updateVolume(
    db,
    volume,
    { status: 'in-use', attachStatus: 'attached', attachedMode: mode, readonly: volume.readonly ?? false },
    now,
  );
}

/** Detaches in one step: the given attachment, or the only one. @throws 400 */
export async function detachVolume(
  db: Db,
  volume: Volume,
  attachmentId: string | null,
  isService: boolean,
  now: Micros,
): Promise<void> {
  if (volume.status === 'maintenance') throw invalidVolume('The volume cannot be detached in maintenance mode.');
  const { attachments } = volume;
  if (attachmentId === null && attachments.length > 1)
    throw badRequest(
      'Error detaching volume - InvalidVolume: Invalid volume: Detach volume failed: More than one attachment, but no attachment_id provided.',
    );
  const elsewhere = attachmentId === null ? undefined : await findAttachment(db, attachmentId);
  if (elsewhere && elsewhere.volumeId !== volume.id) throw invalidInput('Mismatched volume and attachment');
  const attachment = attachmentId === null ? attachments[0] : attachments.find((one) => one.id === attachmentId);
  checkDetachable(attachment, isService);
  if (attachment) {
    await removeAttachment(db, attachment, now);
    return;
  }
  const status = attachments.length ? 'in-use' : 'available';
  await updateVolume(db, volume, { status, attachStatus: attachments.length ? 'attached' : 'detached', attachedMode: null }, now);
}
