// Finds the resources that paths name.
import type { VolumeCall } from '../../call.ts';
import { attachmentFor } from '../../domain/attachments.ts';
import { backupFor } from '../../domain/backups/backups.ts';
import { groupSnapshotFor } from '../../domain/groups/group-snapshots.ts';
import { groupTypeById } from '../../domain/groups/group-types.ts';
import { groupFor } from '../../domain/groups/groups.ts';
import { messageFor } from '../../domain/messages.ts';
import { qosSpecsFor } from '../../domain/types/qos-specs.ts';
import type {
  Attachment,
  Backup,
  Group,
  GroupSnapshot,
  GroupType,
  Message,
  QosSpecs,
  Snapshot,
  Volume,
  VolumeType,
} from '../../model.ts';
import { authorize } from '../../policy.ts';
import { snapshotFor } from '../../domain/snapshots.ts';
import { typeById } from '../../domain/types/types.ts';
import { volumeFor } from '../../domain/volumes/volumes.ts';

// Each function throws 404 for an unknown resource, or one that the caller may not see.
export const volumeOf = (call: VolumeCall): Promise<Volume> =>
  volumeFor(call, call.params['volume_id']!);
export const snapshotOf = (call: VolumeCall): Promise<Snapshot> =>
  snapshotFor(call, call.params['snapshot_id']!);
export const attachmentOf = (call: VolumeCall): Promise<Attachment> =>
  attachmentFor(call, call.params['attachment_id']!);
export const typeOf = (call: VolumeCall): Promise<VolumeType> =>
  typeById(call, call.params['type_id']!);
export const messageOf = (call: VolumeCall): Promise<Message> =>
  messageFor(call, call.params['message_id']!);
export const qosSpecsOf = (call: VolumeCall): Promise<QosSpecs> =>
  qosSpecsFor(call, call.params['qos_id']!);
export const groupTypeOf = (call: VolumeCall): Promise<GroupType> =>
  groupTypeById(call, call.params['group_type_id']!);

// These also enforce the rule to show the resource, as upstream does before each use of it.
export async function backupWithId(call: VolumeCall, id: string): Promise<Backup> {
  const backup = await backupFor(call, id);
  authorize(call, 'backup:get', backup.projectId);
  return backup;
}
export async function groupWithId(call: VolumeCall, id: string): Promise<Group> {
  const group = await groupFor(call, id);
  authorize(call, 'group:get', group.projectId);
  return group;
}
export async function groupSnapshotWithId(call: VolumeCall, id: string): Promise<GroupSnapshot> {
  const snapshot = await groupSnapshotFor(call, id);
  authorize(call, 'group:get_group_snapshot', snapshot.projectId);
  return snapshot;
}
export const backupOf = (call: VolumeCall): Promise<Backup> =>
  backupWithId(call, call.params['backup_id']!);
export const groupOf = (call: VolumeCall): Promise<Group> =>
  groupWithId(call, call.params['group_id']!);
export const groupSnapshotOf = (call: VolumeCall): Promise<GroupSnapshot> =>
  groupSnapshotWithId(call, call.params['group_snapshot_id']!);
