// os-assisted-volume-snapshots: some drivers of Volume make Compute create or delete a snapshot of
// an attached volume. The emulator has no disks, so it only validates the request.
import { badRequest, type ApiError } from '../../../kernel/errors.ts';
import { noContent, ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ComputeCall } from '../call.ts';
import type { Server } from '../model.ts';
import { listVolumeServers } from '../store/servers/devices.ts';
import { findServer } from '../store/servers/servers.ts';

interface Body {
  readonly snapshot: { readonly volume_id: string; readonly create_info: { readonly id?: string } };
}

export async function create(call: ComputeCall): Promise<Reply> {
  const { volume_id: volumeId, create_info: info } = (call.body as Body).snapshot;
  await serverWithVolume(call, volumeId, 'do_volume_snapshot_create');
  return ok({ snapshot: { id: info.id ?? null, volumeId } });
}

export async function remove(call: ComputeCall): Promise<Reply> {
  const { volume_id: volumeId, merge_target_file: target } = deleteInfoOf(
    call.query.last('delete_info'),
  );
  const server = await serverWithVolume(call, volumeId, 'do_volume_snapshot_delete');
  if (target !== undefined && target !== null && server.vmState !== 'active')
    throw wrongState(server, 'vm_state', server.vmState, 'volume_snapshot_delete');
  return noContent();
}

interface DeleteInfo {
  readonly volume_id: string;
  readonly merge_target_file?: unknown;
}

const isDeleteInfo = (info: unknown): info is DeleteInfo =>
  typeof info === 'object' &&
  info !== null &&
  'volume_id' in info &&
  typeof info.volume_id === 'string';

/** Parses `delete_info`. @throws 400 with the messages of Python, like upstream */
function deleteInfoOf(text: string | undefined): DeleteInfo {
  if (text === undefined) throw badRequest("'delete_info'");
  let info: unknown;
  try {
    info = JSON.parse(text);
  } catch {
    throw badRequest('Expecting value: line 1 column 1 (char 0)');
  }
  if (!isDeleteInfo(info)) throw badRequest("'volume_id'");
  return info;
}

// Upstream intends 409 for a wrong state, but returns 400. Upstream:
// api/openstack/compute/assisted_volume_snapshots.py.
const wrongState = (
  { uuid }: Server,
  attribute: string,
  state: string | null,
  method: string,
): ApiError =>
  badRequest(
    `Instance ${uuid} in ${attribute} ${state ?? 'None'}. Cannot ${method} while the instance is ` +
      'in this state.',
  );

/** The only server with the volume. @throws 400 unless it is on a host and has no running task */
async function serverWithVolume(
  { db }: ComputeCall,
  volumeId: string,
  method: string,
): Promise<Server> {
  const [attachment, other] = await listVolumeServers(db, volumeId);
  const server = attachment && (await findServer(db, attachment.serverUuid));
  if (!server) throw badRequest(`No volume Block Device Mapping with id ${volumeId}.`);
  if (other)
    throw badRequest(
      `Block Device Mapping ${volumeId} is a multi-attach volume and is not valid for this ` +
        'operation.',
    );
  if (server.host === null) throw badRequest(`Instance ${server.uuid} is not ready`);
  if (server.taskState !== null) throw wrongState(server, 'task_state', server.taskState, method);
  if (server.launchedAt === null) throw wrongState(server, 'launched_at', null, method);
  return server;
}
