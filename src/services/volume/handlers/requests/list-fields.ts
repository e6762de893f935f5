// The filters and sort keys of each list, with the fields of records that they refer to. Upstream:
// etc/cinder/resource_filters.json.
import type { Field } from '../../../../kernel/db/columns.ts';
import type {
  Attachment,
  BackupRow,
  GroupRow,
  GroupSnapshot,
  Message,
  QosSpecs,
  SnapshotRow,
  Transfer,
  VolumeRow,
} from '../../model.ts';

/** Fields of a record, by the names that clients use. */
type FieldsByName<T> = Readonly<Record<string, Field<T>>>;

/** The filters and sort keys of a list. */
export interface ListFields<T> {
  readonly filters: FieldsByName<T>;
  /** The filters on times. Nothing matches one whose field is always null. */
  readonly times: FieldsByName<T>;
  /** Whether filters on times are comparisons such as `gt:2026-11-20`, and not equal times. */
  readonly comparesTimes?: true;
  /** The filters that all callers may use. Administrators may use the others, too. */
  readonly open: readonly string[];
  readonly booleans?: readonly string[];
  readonly numbers?: readonly string[];
  readonly sortable: FieldsByName<T>;
  /** Filters on fields that are always null here. Every value but `None` matches nothing. */
  readonly empty?: readonly string[];
}

const times = { created_at: 'createdAt', updated_at: 'updatedAt' } as const;

export const volumeFields: ListFields<VolumeRow> = {
  filters: {
    id: 'id',
    name: 'name',
    display_name: 'name',
    description: 'description',
    display_description: 'description',
    status: 'status',
    size: 'size',
    bootable: 'bootable',
    multiattach: 'multiattach',
    migration_status: 'migrationStatus',
    availability_zone: 'availabilityZone',
    project_id: 'projectId',
    user_id: 'userId',
    volume_type_id: 'typeId',
    host: 'host',
    snapshot_id: 'snapshotId',
    source_volid: 'sourceVolid',
    group_id: 'groupId',
    attach_status: 'attachStatus',
  },
  times,
  comparesTimes: true,
  open: [
    'name',
    'status',
    'metadata',
    'bootable',
    'migration_status',
    'availability_zone',
    'group_id',
    'size',
    'created_at',
    'updated_at',
    'consumes_quota',
  ],
  booleans: ['bootable', 'multiattach'],
  numbers: ['size'],
  sortable: {
    id: 'id',
    name: 'name',
    display_name: 'name',
    status: 'status',
    size: 'size',
    bootable: 'bootable',
    ...times,
    availability_zone: 'availabilityZone',
    host: 'host',
    attach_status: 'attachStatus',
    project_id: 'projectId',
    user_id: 'userId',
    volume_type_id: 'typeId',
    migration_status: 'migrationStatus',
    multiattach: 'multiattach',
  },
  empty: [
    'consistencygroup_id',
    'encryption_key_id',
    'replication_status',
    'provider_id',
    'cluster_name',
  ],
};

/** The versions that added filters of volumes. Older versions ignore these filters. */
export const volumeFilterVersions = {
  glance_metadata: '3.4',
  group_id: '3.10',
  created_at: '3.60',
  updated_at: '3.60',
  consumes_quota: '3.65',
} as const;

export const snapshotFields: ListFields<SnapshotRow> = {
  filters: {
    id: 'id',
    name: 'name',
    display_name: 'name',
    description: 'description',
    display_description: 'description',
    status: 'status',
    volume_id: 'volumeId',
    volume_size: 'size',
    project_id: 'projectId',
    user_id: 'userId',
    progress: 'progress',
    volume_type_id: 'typeId',
    group_snapshot_id: 'groupSnapshotId',
  },
  times,
  open: ['name', 'status', 'volume_id', 'metadata', 'availability_zone', 'consumes_quota'],
  numbers: ['volume_size'],
  sortable: {
    id: 'id',
    display_name: 'name',
    status: 'status',
    volume_id: 'volumeId',
    volume_size: 'size',
    ...times,
    project_id: 'projectId',
    user_id: 'userId',
  },
  empty: ['cgsnapshot_id', 'encryption_key_id'],
};

const backupNames = {
  id: 'id',
  display_name: 'name',
  display_description: 'description',
  status: 'status',
  volume_id: 'volumeId',
  snapshot_id: 'snapshotId',
  parent_id: 'parentId',
  size: 'size',
  project_id: 'projectId',
  user_id: 'userId',
  container: 'container',
  availability_zone: 'availabilityZone',
} as const;

export const backupFields: ListFields<BackupRow> = {
  filters: { ...backupNames, name: 'name', object_count: 'objectCount' },
  times: { ...times, data_timestamp: 'dataTimestamp' },
  open: ['name', 'status', 'volume_id'],
  numbers: ['size', 'object_count'],
  sortable: { ...backupNames, ...times, data_timestamp: 'dataTimestamp' },
  empty: ['encryption_key_id', 'temp_volume_id', 'temp_snapshot_id'],
};

const groupNames = {
  id: 'id',
  name: 'name',
  description: 'description',
  status: 'status',
  project_id: 'projectId',
  user_id: 'userId',
  group_type_id: 'groupTypeId',
} as const;

export const groupFields: ListFields<GroupRow> = {
  filters: {
    ...groupNames,
    availability_zone: 'availabilityZone',
    host: 'host',
    group_snapshot_id: 'groupSnapshotId',
    source_group_id: 'sourceGroupId',
    replication_status: 'replicationStatus',
  },
  times,
  open: ['name'],
  sortable: { ...groupNames, ...times, availability_zone: 'availabilityZone', host: 'host' },
  empty: ['cluster_name'],
};

export const groupSnapshotFields: ListFields<GroupSnapshot> = {
  filters: { ...groupNames, group_id: 'groupId' },
  times,
  open: ['name', 'status', 'group_id'],
  sortable: { ...groupNames, ...times, group_id: 'groupId' },
};

export const attachmentFields: ListFields<Attachment> = {
  filters: {
    id: 'id',
    volume_id: 'volumeId',
    status: 'status',
    attach_status: 'status',
    instance_id: 'instanceUuid',
    instance_uuid: 'instanceUuid',
  },
  times,
  open: ['volume_id', 'status', 'instance_id', 'attach_status'],
  sortable: { id: 'id', created_at: 'createdAt', volume_id: 'volumeId', attach_status: 'status' },
};

const messageFilters = {
  resource_uuid: 'resourceUuid',
  resource_type: 'resourceType',
  event_id: 'eventId',
  request_id: 'requestId',
  message_level: 'level',
} as const;
const messageNames = { id: 'id', project_id: 'projectId', ...messageFilters } as const;

export const messageFields: ListFields<Message> = {
  filters: messageNames,
  times: { created_at: 'createdAt' },
  open: Object.keys(messageFilters),
  sortable: { ...messageNames, created_at: 'createdAt' },
};

// Upstream stores the name and the consumer among the specs, so that no filter or sort key reaches
// them.
export const qosFields: ListFields<QosSpecs> = {
  filters: { id: 'id' },
  times,
  open: [],
  sortable: { id: 'id', ...times },
};

export const transferFields: ListFields<Transfer> = {
  filters: {
    id: 'id',
    name: 'name',
    display_name: 'name',
    volume_id: 'volumeId',
    source_project_id: 'sourceProjectId',
  },
  times: { created_at: 'createdAt' },
  open: ['id', 'name', 'display_name', 'volume_id', 'source_project_id'],
  sortable: { id: 'id', display_name: 'name', volume_id: 'volumeId', created_at: 'createdAt' },
  empty: ['destination_project_id'],
};
