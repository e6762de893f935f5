// The rules of attachments, which reserve, connect, attach and detach volumes. Upstream:
// cinder/volume/api.py.
import { badRequest, conflict } from '../../../kernel/errors.ts';
import { newUuid } from '../../../kernel/ids.ts';
import type { Context } from '../../../kernel/model.ts';
import {
  deleteAttachment,
  findAttachment,
  insertAttachment,
  selectAttachments,
  updateAttachment,
} from '../store/attachments.ts';
import type { ListRequest } from '../store/lists.ts';
import { bumpVolumeRevision, findVolume, updateVolume } from '../store/volumes.ts';
import { invalidInput, invalidVolume, noAttachment, noVolume } from './errors.ts';
import { pageFor } from './lists.ts';
import type { Attachment, AttachStatus, Volume, VolumeStatus } from '../model.ts';
import { isVisible } from './visibility.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * Returns an attachment that the actor may see.
 * @throws 404, also for an attachment of another project
 */
export async function attachmentFor(context: Context, id: string): Promise<Attachment> {
  const attachment = await findAttachment(context.db, id);
  if (!attachment || !isVisible(context, attachment)) throw noAttachment(id);
  return attachment;
}

/** Lists the attachments on the page that a client requests. @throws 404 for an unknown marker */
export async function listAttachments(
  context: Context,
  request: ListRequest<Attachment>,
): Promise<Attachment[]> {
  const findMarker = (marker: string): Promise<Attachment> => attachmentFor(context, marker);
  return selectAttachments(context.db, await pageFor(context, request, findMarker));
}

const orList = (words: readonly string[]): string => words.join(' or ');

/**
 * An attachment to create. It is connected at once if the request has a connector, which describes
 * the server's host.
 */
export interface AttachmentRequest {
  readonly instanceUuid: string | null;
  readonly connector?: Json | null | undefined;
  readonly mode?: string | null | undefined;
  readonly byCompute?: boolean | undefined;
}

/**
 * Creates an attachment, and reserves the volume. Another attachment to the same server is possible
 * while the volume is in use, for a live migration. As upstream, the reply shows an attachment that
 * is connected at once as it was before, with the connection.
 * @throws 400
 */
export async function createAttachment(
  context: Context,
  volume: Volume,
  request: AttachmentRequest,
): Promise<Attachment> {
  const { db, now } = context;
  const { instanceUuid, connector = null, mode = 'null', byCompute = false } = request;
  if (volume.status.includes('error'))
    throw invalidVolume(
      'Volume attachments can not be created if the volume is in an error state. The Volume ' +
        `${volume.id} currently has a status of: ${volume.status} `,
    );
  const valid = volume.multiattach
    ? ['available', 'in-use', 'downloading']
    : ['available', 'downloading'];
  const isFree = valid.includes(volume.status);
  const isSameServer =
    instanceUuid !== null &&
    ['in-use', 'reserved'].includes(volume.status) &&
    volume.attachments.some((one) => one.instanceUuid === instanceUuid);
  if (!isFree && !isSameServer)
    throw invalidVolume(
      `Volume ${volume.id} status must be ${orList(valid)} to reserve, but the current ` +
        `status is ${volume.status}.`,
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
    updatedAt: null,
  };
  await insertAttachment(db, attachment);
  const reserved = isFree
    ? await updateVolume(db, volume, { status: 'reserved' }, now)
    : await bumpVolumeRevision(db, volume);
  if (!connector) return attachment;
  const connected = await connect(context, reserved, attachment, connector);
  return { ...attachment, connectionInfo: connected.connectionInfo };
}

/**
 * Connects an attachment to the host that a connector describes. As upstream, the reply shows the
 * attachment as it was before, with the connection.
 * @throws 400, 404, 409
 */
export async function connectAttachment(
  context: Context,
  attachment: Attachment,
  connector: Json,
): Promise<Attachment> {
  const volume = await findVolume(context.db, attachment.volumeId);
  if (!volume) throw noVolume(attachment.volumeId);
  if (volume.status.includes('error'))
    throw conflict(
      'Volume attachments can not be updated if the volume is in an error state. The Volume ' +
        `${volume.id} currently has a status of: ${volume.status} `,
    );
  const isConnected = volume.attachments.some(
    ({ connectionInfo }) => Object.keys(connectionInfo).length,
  );
  if (volume.attachments.length > 1 && isConnected && !volume.multiattach)
    throw conflict(`duplicate connectors detected on volume ${volume.id}`);
  const mode = attachment.mode === 'null' ? modeOf(connector) : attachment.mode;
  const connected = await connect(context, volume, { ...attachment, mode }, connector);
  return { ...attachment, connectionInfo: connected.connectionInfo };
}

/** The mode that a connector requests. */
function modeOf({ mode }: Json): string | null {
  if (mode === null) return null;
  return mode === 'ro' || mode === 'null' ? mode : 'rw';
}

/** Stores the connection of an attachment. @throws 400 */
async function connect(
  { db, now }: Context,
  volume: Volume,
  attachment: Attachment,
  connector: Json,
): Promise<Attachment> {
  const { driver_volume_type, data } = connectionOf(volume, connector);
  const connected: Attachment = {
    ...attachment,
    status: 'attaching',
    hostName: shortText(connector['host']) ?? '',
    mountpoint: shortText(connector['mountpoint']) ?? 'na',
    connector,
    connectionInfo: { ...data, driver_volume_type, attachment_id: attachment.id },
    attachedAt: now,
  };
  await updateAttachment(db, connected, now);
  await updateVolume(db, volume, { status: 'attaching', attachStatus: 'attaching' }, now);
  return connected;
}

const shortText = (value: unknown): string | null =>
  typeof value === 'string' && value.length <= 255 ? value : null;

/** A connection as a driver returns it. */
interface Connection {
  readonly driver_volume_type: string;
  readonly data: Json;
}

/**
 * The connection that a host would open to a volume. Nothing listens at that address. Upstream:
 * cinder/volume/targets/iscsi.py, and _parse_connection_options in cinder/volume/manager.py.
 * @throws 400 if the connector has no initiator; POST /attachments is 500 upstream
 */
function connectionOf(volume: Volume, connector: Json): Connection {
  if (!Object.hasOwn(connector, 'initiator'))
    throw invalidInput("Connector doesn't have required information: initiator");
  return {
    driver_volume_type: 'iscsi',
    data: {
      target_discovered: false,
      target_iqn: `iqn.2010-10.org.openstack:volume-${volume.id}`,
      target_portal: '127.0.0.1:3260',
      target_lun: 1,
      volume_id: volume.id,
      access_mode: volume.attachedMode ?? (volume.readonly ? 'ro' : 'rw'),
      encrypted: volume.encrypted,
      qos_specs: null,
      enforce_multipath: connector['enforce_multipath'] ?? false,
    },
  };
}

/** Returns the connection for the action `os-initialize_connection`. @throws 400 */
export function initializeConnection(
  volume: Volume,
  connector: Json,
): Connection & { readonly enforce_multipath: unknown } {
  if (volume.status === 'maintenance')
    throw invalidVolume('The volume connection cannot be initialized in maintenance mode.');
  const connection = connectionOf(volume, connector);
  return { ...connection, enforce_multipath: connection.data['enforce_multipath'] };
}

/** Completes an attachment, which puts the volume into the status `in-use`. @throws 404 */
export async function completeAttachment(
  { db, now }: Context,
  attachment: Attachment,
): Promise<void> {
  const volume = await findVolume(db, attachment.volumeId);
  if (!volume) throw noVolume(attachment.volumeId);
  await updateAttachment(db, { ...attachment, status: 'attached' }, now);
  await updateVolume(db, volume, { status: 'in-use', attachStatus: 'attached' }, now);
}

/**
 * Checks that the caller may delete an attachment. Only a service may delete those that Compute has
 * created.
 * @throws 409
 */
export function checkDetachable({ actor }: Context, attachment: Attachment | undefined): void {
  if (attachment?.byCompute && attachment.instanceUuid && !actor.isService)
    throw conflict(`Detach volume from instance ${attachment.instanceUuid} using the Compute API`);
}

/** The status that follows from an attach status. */
const statuses: Readonly<Record<AttachStatus, VolumeStatus>> = {
  attached: 'in-use',
  attaching: 'attaching',
  reserved: 'reserved',
  detached: 'available',
};

/**
 * Deletes an attachment. The volume becomes available once it has no attachments.
 * @returns the remaining attachments of the volume
 */
export async function removeAttachment(
  { db, now }: Context,
  attachment: Attachment,
): Promise<readonly Attachment[]> {
  await deleteAttachment(db, attachment.id);
  const volume = await findVolume(db, attachment.volumeId);
  if (!volume) return [];
  const { attachments } = volume;
  // Removing the last attachment ends even an error status. Upstream: volume_detached in
  // cinder/db/api.py.
  const attachStatus = (['attached', 'attaching', 'reserved'] as const).find((one) =>
    attachments.some(({ status }) => status === one),
  );
  const keepsStatus =
    volume.status === 'uploading' || ![null, 'success', 'error'].includes(volume.migrationStatus);
  const change: Partial<Volume> = {
    ...(attachStatus === undefined && keepsStatus
      ? {}
      : { status: statuses[attachStatus ?? 'detached'] }),
    attachStatus: attachStatus ?? 'detached',
    attachedMode: null,
  };
  await updateVolume(db, volume, change, now);
  return attachments;
}

/** An attachment that the action `os-attach` creates, to a server or to a host. */
export interface DirectAttachment {
  readonly instanceUuid: string | null;
  readonly hostName: string | null;
  readonly mountpoint: string;
  readonly mode: string;
}

/** Attaches a volume in one step, for the action `os-attach`. @throws 400 */
export async function attachVolume(
  { db, now }: Context,
  volume: Volume,
  request: DirectAttachment,
): Promise<void> {
  if (volume.status === 'maintenance')
    throw invalidVolume('The volume cannot be attached in maintenance mode.');
  if (volume.readonly && request.mode !== 'ro')
    throw badRequest(`Invalid attaching mode '${request.mode}' for volume ${volume.id}.`);
  const isAttached = volume.attachments.some((one) =>
    request.instanceUuid === null
      ? one.hostName === request.hostName
      : one.instanceUuid === request.instanceUuid,
  );
  if (isAttached) return void (await updateVolume(db, volume, { status: 'in-use' }, now));
  if (volume.status === 'in-use' && !volume.multiattach)
    throw badRequest(
      'Error attaching volume - InvalidVolume: Invalid volume: volume is already attached ' +
        'and multiple attachments are not enabled',
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
    updatedAt: null,
  });
  await updateVolume(
    db,
    volume,
    {
      status: 'in-use',
      attachStatus: 'attached',
      attachedMode: mode,
      readonly: volume.readonly ?? false,
    },
    now,
  );
}

/**
 * Deletes an attachment of a volume, for the action `os-detach`. For null, it deletes the only
 * attachment.
 * @throws 400, 409
 */
export async function detachVolume(
  context: Context,
  volume: Volume,
  attachmentId: string | null,
): Promise<void> {
  const { db, now } = context;
  if (volume.status === 'maintenance')
    throw invalidVolume('The volume cannot be detached in maintenance mode.');
  const { attachments } = volume;
  if (attachmentId === null && attachments.length > 1)
    throw badRequest(
      'Error detaching volume - InvalidVolume: Invalid volume: Detach volume failed: More ' +
        'than one attachment, but no attachment_id provided.',
    );
  const named = attachmentId === null ? undefined : await findAttachment(db, attachmentId);
  if (named && named.volumeId !== volume.id) throw invalidInput('Mismatched volume and attachment');
  const attachment =
    attachmentId === null ? attachments[0] : attachments.find((one) => one.id === attachmentId);
  checkDetachable(context, attachment);
  if (attachment) {
    await removeAttachment(context, attachment);
    return;
  }
  const status = attachments.length ? 'in-use' : 'available';
  await updateVolume(
    db,
    volume,
    { status, attachStatus: attachments.length ? 'attached' : 'detached', attachedMode: null },
    now,
  );
}
