// The filters and the sort keys of each list, and the columns that they stand for. Upstream:
// etc/cinder/resource_filters.json.

/** The filters and sort keys of a list. */
export interface ListFields {
  /** The columns of the filters, by the names that clients use. */
  readonly columns: Readonly<Record<string, string>>;
  /** The filters that are for everybody; only administrators use the others. */
  readonly open: readonly string[];
  readonly booleans: readonly string[];
  readonly numbers: readonly string[];
  /** The columns of the sort keys, by the names that clients use. */
  readonly sortable: Readonly<Record<string, string>>;
  /** Filters on fields that are always null here: every value but `None` finds nothing. */
  readonly empty: readonly string[];
}

export const volumeFields: ListFields = {
  columns: {
    id: 'id',
    name: 'name',
    display_name: 'name',
    description: 'description',
    display_description: 'description',
    status: 'status',
    size: 'size',
    bootable: 'bootable',
    multiattach: 'multiattach',
    migration_status: 'migration_status',
    availability_zone: 'availability_zone',
    project_id: 'project_id',
    user_id: 'user_id',
    volume_type_id: 'type_id',
    host: 'host',
    snapshot_id: 'snapshot_id',
    source_volid: 'source_volid',
    attach_status: 'attach_status',
  },
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
    created_at: 'created_at',
    updated_at: 'updated_at',
    availability_zone: 'availability_zone',
    host: 'host',
    attach_status: 'attach_status',
    project_id: 'project_id',
    user_id: 'user_id',
    volume_type_id: 'type_id',
    migration_status: 'migration_status',
    multiattach: 'multiattach',
  },
  empty: [
    'group_id',
    'consistencygroup_id',
    'encryption_key_id',
    'replication_status',
    'provider_id',
    'cluster_name',
  ],
};

/** The versions that filters of volumes came with; older versions ignore them. */
export const volumeFilterVersions = {
  glance_metadata: '3.4',
  group_id: '3.10',
  created_at: '3.60',
  updated_at: '3.60',
  consumes_quota: '3.65',
} as const;

export const snapshotFields: ListFields = {
  columns: {
    id: 'id',
    name: 'name',
    display_name: 'name',
    description: 'description',
    display_description: 'description',
    status: 'status',
    volume_id: 'volume_id',
    volume_size: 'size',
    project_id: 'project_id',
    user_id: 'user_id',
    progress: 'progress',
    volume_type_id: 'type_id',
  },
  open: ['name', 'status', 'volume_id', 'metadata', 'availability_zone', 'consumes_quota'],
  booleans: [],
  numbers: ['volume_size'],
  sortable: {
    id: 'id',
    display_name: 'name',
    status: 'status',
    volume_id: 'volume_id',
    volume_size: 'size',
    created_at: 'created_at',
    updated_at: 'updated_at',
    project_id: 'project_id',
    user_id: 'user_id',
  },
  empty: ['cgsnapshot_id', 'group_snapshot_id', 'encryption_key_id'],
};

export const attachmentFields: ListFields = {
  columns: {
    id: 'id',
    volume_id: 'volume_id',
    status: 'status',
    attach_status: 'status',
    instance_id: 'instance_uuid',
    instance_uuid: 'instance_uuid',
  },
  open: ['volume_id', 'status', 'instance_id', 'attach_status'],
  booleans: [],
  numbers: [],
  sortable: { id: 'id', created_at: 'created_at', volume_id: 'volume_id', attach_status: 'status' },
  empty: [],
};

const messageFilters = [
  'resource_uuid',
  'resource_type',
  'event_id',
  'request_id',
  'message_level',
];
const messageColumns = Object.fromEntries(
  ['id', 'project_id', ...messageFilters].map((name) => [name, name]),
);

export const messageFields: ListFields = {
  columns: messageColumns,
  open: messageFilters,
  booleans: [],
  numbers: [],
  sortable: { ...messageColumns, created_at: 'created_at' },
  empty: [],
};

// Upstream keeps the name and the consumer among the specs, so that no filter or sort key finds
// them.
export const qosFields: ListFields = {
  columns: { id: 'id' },
  open: [],
  booleans: [],
  numbers: [],
  sortable: { id: 'id', created_at: 'created_at', updated_at: 'updated_at' },
  empty: [],
};

export const transferFields: ListFields = {
  columns: {
    id: 'id',
    name: 'name',
    display_name: 'name',
    volume_id: 'volume_id',
    source_project_id: 'source_project_id',
  },
  open: ['id', 'name', 'display_name', 'volume_id', 'source_project_id'],
  booleans: [],
  numbers: [],
  sortable: { id: 'id', display_name: 'name', volume_id: 'volume_id', created_at: 'created_at' },
  empty: ['destination_project_id'],
};
