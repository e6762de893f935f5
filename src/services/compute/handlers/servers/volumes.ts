// The volume attachments of a server.
import { accepted, ok } from '../../../../kernel/http/reply.ts';
import { badRequest, conflict, notFound } from '../../../../kernel/errors.ts';
import type { ComputeCall } from '../../call.ts';
import { idle, requireState, wrongState } from '../../domain/servers/checks.ts';
import { findVolume, type Volume } from '../../clients/volume.ts';
import {
  attachTo,
  checkAttachable,
  checkNotAttached,
  detachFrom,
  nextDevice,
  setDeleteOnTermination,
} from '../../domain/servers/volumes.ts';
import { recordDeviceChange } from '../../domain/servers/tasks.ts';
import { isTrue } from '../../../../kernel/oslo/booleans.ts';
import { listServerVolumes } from '../../store/servers/devices.ts';
import { pageAtOffset } from '../paging.ts';
import { serverOf } from './subject.ts';
import type { Reply } from '../../../../kernel/model.ts';
import type { ServerVolume, Server } from '../../model.ts';

const view = ({ version }: ComputeCall, volume: ServerVolume): object => ({
  ...version.until('2.89', { id: volume.volumeId }),
  volumeId: volume.volumeId,
  serverId: volume.serverUuid,
  ...(volume.device === null ? {} : { device: volume.device }),
  ...version.since('2.70', { tag: volume.tag }),
  ...version.since('2.79', { delete_on_termination: volume.deleteOnTermination }),
  ...version.since('2.89', { attachment_id: volume.attachmentId, bdm_uuid: volume.uuid }),
});

const rule = (verb: string): string => `os-volumes-attachments:${verb}`;

export async function list(call: ComputeCall): Promise<Reply> {
  const server = await serverOf(call, rule('index'));
  const volumes = await pageAtOffset(call, await listServerVolumes(call.db, [server.uuid]));
  return ok({ volumeAttachments: volumes.map((volume) => view(call, volume)) });
}

/** The attachment in the path. @throws 404 */
async function attachmentOf(call: ComputeCall, server: Server): Promise<ServerVolume> {
  const id = call.params['id']!;
  const attachment = (await listServerVolumes(call.db, [server.uuid])).find(
    ({ volumeId }) => volumeId === id,
  );
  if (!attachment) throw notFound(`Instance ${server.uuid} is not attached to volume ${id}`);
  return attachment;
}

export async function show(call: ComputeCall): Promise<Reply> {
  const server = await serverOf(call, rule('show'));
  return ok({ volumeAttachment: view(call, await attachmentOf(call, server)) });
}

interface CreateBody {
  volumeAttachment: {
    volumeId: string;
    device?: string | null;
    tag?: string;
    delete_on_termination?: boolean | string;
  };
}

const statesForAttaching = [
  'active',
  'paused',
  'stopped',
  'resized',
  'soft-delete',
  'shelved',
  'shelved_offloaded',
];

/**
 * @throws 409 if the state of the server does not allow it; shelved servers allow it from 2.20 on
 */
function requireAttachable(call: ComputeCall, server: Server, action: string): void {
  if (!call.version.has('2.20') && server.vmState.startsWith('shelved'))
    throw wrongState(server, action, 'vm_state', server.vmState);
  requireState(call, server, { action, vmStates: statesForAttaching, taskStates: idle });
}

export async function create(call: ComputeCall): Promise<Reply> {
  const server = await serverOf(call, rule('create'));
  const {
    volumeId,
    device: requested,
    tag,
    delete_on_termination: deleted,
  } = (call.body as CreateBody).volumeAttachment;
  requireAttachable(call, server, 'attach_volume');
  const { db, version } = call;
  const volume = await volumeOf(call, volumeId);
  await checkNotAttached(db, volume, server.uuid);
  if (volume.multiattach && !version.has('2.60'))
    throw badRequest(
      'Multiattach volumes are only supported starting with compute API version 2.60.',
    );
  checkAttachable(volume);
  if (
    requested &&
    (await listServerVolumes(db, [server.uuid])).some(({ device }) => device === requested)
  )
    throw conflict(`The supplied device path (${requested}) is in use.`);
  const device = requested || (await nextDevice(db, server));
  const deleteOnTermination = isTrue(deleted);
  await attachTo(
    call,
    server,
    { volumeId, device, tag: tag ?? null, deleteOnTermination, bootIndex: null },
    server.host,
  );
  await recordDeviceChange(call, server, 'attach_volume', 'compute_attach_volume', {
    volume_id: volumeId,
  });
  if (version.has('2.101')) return accepted();
  return ok({
    volumeAttachment: {
      id: volumeId,
      serverId: server.uuid,
      volumeId,
      device,
      ...version.since('2.70', { tag: tag ?? null }),
      ...version.since('2.79', { delete_on_termination: deleteOnTermination }),
    },
  });
}

/** A volume that the caller can see. @throws 404 */
async function volumeOf(call: ComputeCall, id: string): Promise<Volume> {
  const volume = await findVolume(call, id);
  if (!volume) throw notFound(`Volume ${id} could not be found.`);
  return volume;
}

interface UpdateBody {
  volumeAttachment: {
    volumeId: string;
    id?: string;
    serverId?: string;
    device?: string | null;
    tag?: string;
    delete_on_termination?: boolean | string;
  };
}

/**
 * From 2.85 on, sets whether an attached volume is deleted with the server. Before that, it only
 * swaps volumes, an operation for the Volume service, which never uses it here.
 */
export async function update(call: ComputeCall): Promise<Reply> {
  const { volumeAttachment: fields } = call.body as UpdateBody;
  const id = call.params['id']!;
  const updates = call.version.has('2.85');
  const swaps = !updates || fields.volumeId !== id;
  const server = await serverOf(call, swaps ? rule('swap') : rule('update'));
  if (updates) await updateAttachment(call, server, await attachmentOf(call, server), fields);
  if (swaps) {
    const old = await volumeOf(call, id);
    throw conflict(`volume ${old.id} is not migrating; this API should only be called by Cinder`);
  }
  return accepted();
}

async function updateAttachment(
  call: ComputeCall,
  server: Server,
  attachment: ServerVolume,
  fields: UpdateBody['volumeAttachment'],
): Promise<void> {
  const immutable: readonly (readonly [string, unknown, unknown])[] = [
    ['id', fields.id, attachment.volumeId],
    ['serverId', fields.serverId, server.uuid],
    ['device', fields.device, attachment.device],
    ['tag', fields.tag, attachment.tag],
  ];
  const changed = immutable.find(
    ([, requested, current]) => requested !== undefined && requested !== current,
  );
  if (changed) throw badRequest(`The ${changed[0]} property is not mutable`);
  const { delete_on_termination: deleted } = fields;
  if (deleted !== undefined) await setDeleteOnTermination(call, attachment, isTrue(deleted));
}

export async function remove(call: ComputeCall): Promise<Reply> {
  const server = await serverOf(call, rule('delete'));
  if (!call.version.has('2.20') && server.vmState.startsWith('shelved'))
    throw wrongState(server, 'detach_volume', 'vm_state', server.vmState);
  await volumeOf(call, call.params['id']!);
  const attachment = await attachmentOf(call, server);
  if (attachment.bootIndex === 0) throw badRequest('Cannot detach a root device volume');
  requireAttachable(call, server, 'detach_volume');
  await detachFrom(call, attachment);
  const { volumeId } = attachment;
  await recordDeviceChange(call, server, 'detach_volume', 'compute_detach_volume', {
    volume_id: volumeId,
  });
  return accepted();
}
