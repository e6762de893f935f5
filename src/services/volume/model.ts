// The records of Volume.
import type { Micros } from '../../kernel/clock.ts';

export type Metadata = Readonly<Record<string, string>>;

export const attachmentStatuses = ['reserved', 'attaching', 'attached'] as const;
export type AttachmentStatus = (typeof attachmentStatuses)[number];

/** The attachment of a volume to a server or to a host. */
export interface Attachment {
  readonly id: string;
  readonly volumeId: string;
  readonly projectId: string;
  readonly instanceUuid: string | null;
  readonly hostName: string | null;
  readonly mountpoint: string | null;
  /** `rw` or `ro`. */
  readonly mode: string | null;
  readonly status: AttachmentStatus;
  readonly connector: Readonly<Record<string, unknown>> | null;
  readonly connectionInfo: Readonly<Record<string, unknown>>;
  /** Whether Compute created it for a server. Then only Compute may detach it. */
  readonly byCompute: boolean;
  readonly attachedAt: Micros | null;
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
}

/** The statuses that an administrator can set. */
export const settableVolumeStatuses = [
  'creating',
  'available',
  'deleting',
  'error',
  'error_deleting',
  'error_managing',
  'managing',
  'attaching',
  'in-use',
  'detaching',
  'maintenance',
  'restoring-backup',
  'error_restoring',
  'reserved',
  'awaiting-transfer',
  'backing-up',
  'error_backing-up',
  'error_extending',
  'downloading',
  'uploading',
  'retyping',
  'extending',
] as const;
export const volumeStatuses = [
  ...settableVolumeStatuses,
  'reverting',
  'unmanaging',
  'error_managing_deleting',
] as const;
export type VolumeStatus = (typeof volumeStatuses)[number];

export const attachStatuses = [...attachmentStatuses, 'detached'] as const;
export type AttachStatus = (typeof attachStatuses)[number];

export const migrationStatuses = [
  'migrating',
  'error',
  'success',
  'completing',
  'starting',
] as const;
export type MigrationStatus = (typeof migrationStatuses)[number];

export interface Volume {
  readonly id: string;
  readonly projectId: string;
  readonly userId: string;
  readonly name: string | null;
  readonly description: string | null;
  /** GiB. */
  readonly size: number;
  readonly status: VolumeStatus;
  /** The status that the volume returns to when the running action ends. */
  readonly previousStatus: VolumeStatus | null;
  readonly attachStatus: AttachStatus;
  readonly migrationStatus: MigrationStatus | null;
  readonly typeId: string;
  readonly typeName: string;
  readonly availabilityZone: string;
  readonly host: string | null;
  readonly snapshotId: string | null;
  readonly sourceVolid: string | null;
  readonly groupId: string | null;
  readonly bootable: boolean;
  readonly multiattach: boolean;
  readonly readonly: boolean | null;
  readonly attachedMode: string | null;
  readonly imageMetadata: Metadata;
  readonly encrypted: boolean;
  /** Counts the updates, for optimistic locking. */
  readonly revision: number;
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
  /** Whether its group is a consistency group. */
  readonly isInConsistencyGroup: boolean;
  readonly metadata: Metadata;
  readonly attachments: readonly Attachment[];
}

/** The columns of a volume, which lists filter and sort by. */
export type VolumeRow = Omit<Volume, 'isInConsistencyGroup' | 'metadata' | 'attachments'>;

export const snapshotStatuses = [
  'error',
  'available',
  'creating',
  'deleting',
  'deleted',
  'updating',
  'error_deleting',
  'unmanaging',
  'backing-up',
  'restoring',
] as const;
export type SnapshotStatus = (typeof snapshotStatuses)[number];

export interface Snapshot {
  readonly id: string;
  readonly volumeId: string;
  readonly projectId: string;
  readonly userId: string;
  readonly name: string | null;
  readonly description: string | null;
  /** GiB. */
  readonly size: number;
  readonly status: SnapshotStatus;
  readonly progress: string;
  readonly typeId: string;
  /** The group snapshot that it is a part of. */
  readonly groupSnapshotId: string | null;
  /** Counts the updates, for optimistic locking. */
  readonly revision: number;
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
  readonly metadata: Metadata;
}

/** The columns of a snapshot, which lists filter and sort by. */
export type SnapshotRow = Omit<Snapshot, 'metadata'>;

export interface VolumeType {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly isPublic: boolean;
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
  readonly extraSpecs: Metadata;
  readonly qosSpecsId: string | null;
  /** The projects that have access to a private type. */
  readonly projects: readonly string[];
}

/**
 * QoS specs. Their consumer enforces them: `front-end` is the host of the server, `back-end` the
 * storage.
 */
export interface QosSpecs {
  readonly id: string;
  readonly name: string;
  readonly consumer: string;
  readonly specs: Readonly<Record<string, string | null>>;
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
}

/** The encryption of a volume type. */
export interface Encryption {
  readonly id: string;
  readonly typeId: string;
  readonly provider: string;
  readonly controlLocation: string;
  readonly cipher: string | null;
  /** Bits. */
  readonly keySize: number | null;
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
}

export const backupStatuses = [
  'error',
  'error_deleting',
  'creating',
  'available',
  'deleting',
  'deleted',
  'restoring',
] as const;
export type BackupStatus = (typeof backupStatuses)[number];

/** What a restore gives to a volume, besides the data. */
export interface BackupContent {
  readonly name: string | null;
  readonly description: string | null;
  readonly metadata: Metadata;
  readonly imageMetadata: Metadata;
}

/** What is known of the volume of a backup from another cloud. */
export const noContent: BackupContent = {
  name: null,
  description: null,
  metadata: {},
  imageMetadata: {},
};

/** A backup of a volume, or of a snapshot of it. Volumes have no data, and neither have backups. */
export interface Backup {
  readonly id: string;
  readonly projectId: string;
  readonly userId: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly volumeId: string;
  readonly snapshotId: string | null;
  /** The backup that an incremental one builds on. */
  readonly parentId: string | null;
  /** GiB. */
  readonly size: number;
  readonly status: BackupStatus;
  readonly failReason: string | null;
  readonly container: string | null;
  /** The number of files that the driver has written. */
  readonly objectCount: number;
  readonly availabilityZone: string | null;
  /** When the volume had the data: the creation of the snapshot, or else of the backup. */
  readonly dataTimestamp: Micros | null;
  readonly content: BackupContent;
  /** The volume that the backup was last restored to. */
  readonly restoreVolumeId: string | null;
  /** Counts the updates, for optimistic locking. */
  readonly revision: number;
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
  readonly metadata: Metadata;
  /** Whether incremental backups build on it. */
  readonly hasChildren: boolean;
}

/** The columns of a backup, which lists filter and sort by. */
export type BackupRow = Omit<Backup, 'metadata' | 'hasChildren'>;

/** A type of groups. Its specs are for drivers and for replication. */
export interface GroupType {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  /** Only administrators see the other types. */
  readonly isPublic: boolean;
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
  readonly specs: GroupSpecs;
}

export type GroupSpecs = Readonly<Record<string, string | null>>;

/** The group type of consistency groups that were migrated to groups. Its groups are hidden. */
export const consistencyGroupTypeName = 'default_cgsnapshot_type';

export const groupSnapshotStatuses = [
  'error',
  'available',
  'creating',
  'deleting',
  'deleted',
  'updating',
  'error_deleting',
] as const;
export type GroupSnapshotStatus = (typeof groupSnapshotStatuses)[number];

export const groupStatuses = [
  'error',
  'available',
  'creating',
  'deleting',
  'deleted',
  'updating',
  'in-use',
  'error_deleting',
] as const;
export type GroupStatus = (typeof groupStatuses)[number];

/** The statuses of replication that a group has without a driver that replicates. */
export const replicationStatuses = ['disabled', 'enabling', 'disabling', 'error'] as const;
export type ReplicationStatus = (typeof replicationStatuses)[number];

/** A group of volumes, of which snapshots are created together. */
export interface Group {
  readonly id: string;
  readonly projectId: string;
  readonly userId: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly status: GroupStatus;
  readonly replicationStatus: ReplicationStatus;
  readonly groupTypeId: string;
  readonly availabilityZone: string | null;
  readonly host: string | null;
  /** The group snapshot that the group was created from. */
  readonly groupSnapshotId: string | null;
  /** The group that it was created from. */
  readonly sourceGroupId: string | null;
  /** Counts the updates, for optimistic locking. */
  readonly revision: number;
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
  /** The ids of the types that its volumes may have. */
  readonly volumeTypes: readonly string[];
}

/** The columns of a group, which lists filter and sort by. */
export type GroupRow = Omit<Group, 'volumeTypes'>;

/** The snapshots of all volumes of a group, created together. */
export interface GroupSnapshot {
  readonly id: string;
  readonly groupId: string;
  readonly groupTypeId: string;
  readonly projectId: string;
  readonly userId: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly status: GroupSnapshotStatus;
  /** Counts the updates, for optimistic locking. */
  readonly revision: number;
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
}

/** The only availability zone. */
export const zone = 'nova';

/**
 * The type of volumes whose request does not name one. Upstream: default_volume_type of DevStack.
 */
export const defaultTypeName = 'lvmdriver-1';

/** A message that informs a project about the failure of an asynchronous operation. */
export interface Message {
  readonly id: string;
  readonly projectId: string;
  readonly requestId: string;
  readonly resourceType: string;
  readonly resourceUuid: string;
  readonly actionId: string;
  readonly detailId: string;
  readonly eventId: string;
  readonly level: string;
  readonly createdAt: Micros;
  readonly expiresAt: Micros;
}

/** The offer of a volume to any project that has the key. Only a hash of the key is stored. */
export interface Transfer {
  readonly id: string;
  readonly volumeId: string;
  readonly name: string | null;
  readonly salt: string;
  readonly cryptHash: string;
  readonly noSnapshots: boolean;
  readonly sourceProjectId: string;
  readonly createdAt: Micros;
}

/** The type of a project's new volumes whose request does not name one. */
export interface DefaultType {
  readonly projectId: string;
  readonly typeId: string;
}

/** A service of Cinder. */
export interface VolumeService {
  readonly binary: string;
  readonly host: string;
}

/** The state of a service, as an operator has set it. */
export interface ServiceState extends VolumeService {
  readonly disabled: boolean;
  readonly disabledReason: string | null;
  /** Whether changes to the backend are forbidden. */
  readonly frozen: boolean;
}

export const backendObjectKinds = ['volume', 'snapshot'] as const;
export type BackendObjectKind = (typeof backendObjectKinds)[number];

/** A volume or a snapshot that the backend has, and that Volume can manage. */
export interface BackendObject {
  /** The pool that has it. */
  readonly host: string;
  readonly name: string;
  readonly kind: BackendObjectKind;
  /** GiB. */
  readonly size: number;
  /** The name of a snapshot's volume at the backend; null for a volume. */
  readonly source: string | null;
}
