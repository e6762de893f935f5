// os-assisted-volume-snapshots: a driver of Volume has Compute make or delete a snapshot of a
// volume that a server has. The hypervisor here keeps no disks, so nothing more comes of it.
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
  await serverWith(call, volumeId, 'do_volume_snapshot_create');
  return ok({ snapshot: { id: info.id ?? null, volumeId } });
}

export async function remove(call: ComputeCall): Promise<Reply> {
  const { volume_id: volumeId, merge_target_file: target } = deleteInfoOf(
    call.query.last('delete_info'),
  );
  const server = await serverWith(call, volumeId, 'do_volume_snapshot_delete');
  if (target !== undefined && target !== null && server.vmState !== 'active')
    throw wrongState(server, 'vm_state', server.vmState, 'volume_snapshot_delete');
  return noContent();
}

/** @throws 400, in the words of Python, which upstream passes on */
function deleteInfoOf(text: string | undefined): {
  volume_id: string;
  merge_target_file?: unknown;
} {
  if (text === undefined) throw badRequest("'delete_info'");
  let info: unknown;
  try {
    info = JSON.parse(text);
  } catch {
    throw badRequest('Expecting value: line 1 column 1 (char 0)');
  }
  if (
    typeof info !== 'object' ||
    info === null ||
    typeof (info as { volume_id?: unknown }).volume_id !== 'string'
  )
    throw badRequest("'volume_id'");
  return info as { volume_id: string };
}

// Upstream means 409 for the states, and has 400. Upstream:
// api/openstack/compute/assisted_volume_snapshots.py.
const wrongState = (
  { uuid }: Server,
  attribute: string,
  state: string | null,
  method: string,
): ApiError =>
  badRequest(
    `Instance ${uuid} in ${attribute} ${state ?? 'None'}. Cannot ${method} while the instance is in this state.`,
  );

/** The one server that has the volume, which is on a host and does nothing. @throws 400 */
async function serverWith({ db }: ComputeCall, volumeId: string, method: string): Promise<Server> {
  const [attachment, other] = await listVolumeServers(db, volumeId);
  const server = attachment && (await findServer(db, attachment.serverUuid));
  if (!server) throw badRequest(`No volume Block Device Mapping with id ${volumeId}.`);
  if (other)
    throw badRequest(
      `Block Device Mapping ${volumeId} is a multi-attach volume and is not valid for this operation.`,
    );
  if (server.host === null) throw badRequest(`Instance ${server.uuid} is not ready`);
  if (server.taskState !== null) throw wrongState(server, 'task_state', server.taskState, method);
  if (server.launchedAt === null) throw wrongState(server, 'launched_at', null, method);
  return server;
}
