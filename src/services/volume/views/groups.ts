// Groups, their types and their snapshots in replies, at the version of the request.
import type { VolumeCall } from '../call.ts';
import type { Group, GroupSnapshot, GroupType } from '../model.ts';
import { may } from '../policy.ts';
import { timeView } from './times.ts';

export const groupTypeView = (call: VolumeCall, type: GroupType): object => ({
  id: type.id,
  name: type.name,
  description: type.description,
  is_public: type.isPublic,
  ...(may(call, 'group:access_group_types_specs') ? { group_specs: type.specs } : {}),
});

export const groupSummary = ({ id, name }: Group): object => ({ id, name });

/** The fields that groups have in both forms. */
const groupFields = (group: Group): object => ({
  id: group.id,
  status: group.status,
  availability_zone: group.availabilityZone,
  created_at: timeView(group.createdAt),
  name: group.name,
  description: group.description,
  volume_types: group.volumeTypes,
});

/** @param volumes the ids of the volumes in the group, if the request asks for them */
export const groupDetail = (
  call: VolumeCall,
  group: Group,
  volumes: readonly string[] | undefined,
): object => ({
  ...groupFields(group),
  group_type: group.groupTypeId,
  ...call.version.since('3.14', {
    group_snapshot_id: group.groupSnapshotId,
    source_group_id: group.sourceGroupId,
  }),
  ...(volumes ? { volumes } : {}),
  ...call.version.since('3.38', { replication_status: group.replicationStatus }),
  ...(may(call, 'group:group_project_attribute')
    ? call.version.since('3.58', { project_id: group.projectId })
    : {}),
});

export const groupSnapshotSummary = ({ id, name }: GroupSnapshot): object => ({ id, name });

/** The form in the reply to POST. */
export const groupSnapshotCreated = (snapshot: GroupSnapshot): object => ({
  ...groupSnapshotSummary(snapshot),
  group_type_id: snapshot.groupTypeId,
});

export const groupSnapshotDetail = (call: VolumeCall, snapshot: GroupSnapshot): object => ({
  id: snapshot.id,
  group_id: snapshot.groupId,
  group_type_id: snapshot.groupTypeId,
  status: snapshot.status,
  created_at: timeView(snapshot.createdAt),
  name: snapshot.name,
  description: snapshot.description,
  ...(may(call, 'group:group_snapshot_project_attribute')
    ? call.version.since('3.58', { project_id: snapshot.projectId })
    : {}),
});

/** A group in the form of a consistency group. */
export const consistencyGroupDetail = groupFields;

/** A group snapshot in the form of a snapshot of a consistency group. */
export const cgsnapshotDetail = (snapshot: GroupSnapshot): object => ({
  id: snapshot.id,
  consistencygroup_id: snapshot.groupId,
  status: snapshot.status,
  created_at: timeView(snapshot.createdAt),
  name: snapshot.name,
  description: snapshot.description,
});
