// The records of Compute: flavors, keypairs, hosts, servers, and their parts.
import type { Micros } from '../../kernel/clock.ts';

export interface FlavorFields {
  /** The id that clients see. */
  readonly flavorid: string;
  readonly name: string;
  readonly vcpus: number;
  readonly memoryMb: number;
  readonly rootGb: number;
  readonly ephemeralGb: number;
  /** In MB. */
  readonly swap: number;
  readonly rxtxFactor: number;
  readonly isPublic: boolean;
  readonly description: string | null;
}

export interface Flavor extends FlavorFields {
  readonly id: number;
  readonly extraSpecs: Readonly<Record<string, string>>;
  readonly revision: number;
}

export const keypairTypes = ['ssh', 'x509'] as const;
export type KeypairType = (typeof keypairTypes)[number];

export interface Keypair {
  readonly id: number;
  readonly userId: string;
  readonly name: string;
  readonly type: KeypairType;
  readonly fingerprint: string;
  readonly publicKey: string;
  readonly createdAt: Micros;
}

export const groupPolicies = [
  'affinity',
  'anti-affinity',
  'soft-affinity',
  'soft-anti-affinity',
] as const;
export type GroupPolicy = (typeof groupPolicies)[number];

export interface ServerGroup {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly policy: GroupPolicy;
  /** Null if the client gave no such rule, in which case 1 applies. */
  readonly maxServerPerHost: number | null;
  readonly projectId: string;
  readonly userId: string;
  /** The UUIDs of the members that are not deleted, in the order of their creation. */
  readonly members: readonly string[];
}

/** The fields of a server group that the scheduler needs. */
export interface GroupRule {
  readonly uuid: string;
  readonly policy: GroupPolicy;
  /** The maximum number of members on one host, with anti-affinity. */
  readonly perHost: number;
  /**
   * The number of times that the scheduler has selected a host for a member. It is incremented with
   * every selection, so that concurrent selections conflict.
   */
  readonly selections: number;
}

export interface ComputeService {
  readonly id: number;
  readonly uuid: string;
  readonly host: string;
  readonly binary: string;
  readonly disabled: boolean;
  readonly disabledReason: string | null;
  readonly forcedDown: boolean;
  readonly createdAt: Micros;
}

export interface ServiceChange {
  readonly disabled?: boolean;
  readonly disabledReason?: string | null;
  readonly forcedDown?: boolean;
}

export interface ComputeHost {
  readonly id: number;
  /** Also the UUID of the resource provider in Placement. */
  readonly uuid: string;
  readonly name: string;
  readonly vcpus: number;
  readonly memoryMb: number;
  readonly diskGb: number;
  readonly createdAt: Micros;
  readonly service: ComputeService;
}

export type NewHost = Omit<ComputeHost, 'id' | 'createdAt' | 'service'>;

/** A server in a list of the servers on hosts. */
export interface HostedServer {
  readonly host: string;
  readonly name: string;
  readonly uuid: string;
}

/** The metadata item by which an aggregate defines an availability zone. */
export const zoneKey = 'availability_zone';

/** The availability zone of hosts that are in no aggregate with a zone. */
export const defaultZone = 'nova';

export interface Aggregate {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly hosts: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
}

/** The fields of an aggregate that the scheduler's filters need. */
export interface HostAggregate {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly zone: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface Host {
  readonly host: string;
  readonly node: string;
  /** The UUID of the node's resource provider in Placement. */
  readonly provider: string;
  readonly zone: string;
  readonly enabled: boolean;
  readonly up: boolean;
  readonly aggregates: readonly HostAggregate[];
}

/** A server's copy of its flavor, which later changes of the flavor do not affect. */
export interface ServerFlavor {
  readonly id: string;
  readonly name: string;
  readonly vcpus: number;
  readonly ram: number;
  readonly disk: number;
  readonly ephemeral: number;
  readonly swap: number;
  readonly extraSpecs: Readonly<Record<string, string>>;
}

/** The reason for which a server is in the state ERROR. */
export interface ServerFault {
  readonly code: number;
  readonly message: string;
  readonly details: string;
  readonly createdAt: Micros;
}

export const vmStates = [
  'building',
  'active',
  'paused',
  'suspended',
  'stopped',
  'rescued',
  'resized',
  'soft-delete',
  'deleted',
  'error',
  'shelved',
  'shelved_offloaded',
] as const;
export type VmState = (typeof vmStates)[number];

export const taskStates = [
  'scheduling',
  'block_device_mapping',
  'networking',
  'spawning',
  'image_snapshot',
  'image_snapshot_pending',
  'image_pending_upload',
  'image_uploading',
  'image_backup',
  'updating_password',
  'resize_prep',
  'resize_migrating',
  'resize_migrated',
  'resize_finish',
  'resize_reverting',
  'resize_confirming',
  'rebooting',
  'reboot_pending',
  'reboot_started',
  'rebooting_hard',
  'reboot_pending_hard',
  'reboot_started_hard',
  'pausing',
  'unpausing',
  'suspending',
  'resuming',
  'powering-off',
  'powering-on',
  'rescuing',
  'unrescuing',
  'rebuilding',
  'rebuild_block_device_mapping',
  'rebuild_spawning',
  'migrating',
  'deleting',
  'soft-deleting',
  'restoring',
  'shelving',
  'shelving_image_pending_upload',
  'shelving_image_uploading',
  'shelving_offloading',
  'unshelving',
] as const;

export interface Server {
  readonly id: number;
  readonly uuid: string;
  readonly revision: number;
  readonly name: string;
  readonly description: string | null;
  readonly hostname: string;
  readonly projectId: string;
  readonly userId: string;
  readonly vmState: VmState;
  readonly taskState: string | null;
  readonly powerState: number;
  readonly progress: number;
  /** Empty if the server was created without an image. */
  readonly imageId: string;
  /** Whether the root disk is on a volume. */
  readonly onVolume: boolean;
  readonly imageProperties: Readonly<Record<string, string>>;
  readonly flavor: ServerFlavor;
  readonly host: string | null;
  readonly node: string | null;
  readonly zone: string | null;
  /** The zone that the server is pinned to. */
  readonly pinnedZone: string | null;
  readonly keyName: string | null;
  /** The image of a shelved server's disk. */
  readonly shelvedImageId: string | null;
  readonly configDrive: string;
  readonly userData: string | null;
  readonly accessIpV4: string | null;
  readonly accessIpV6: string | null;
  readonly diskConfig: string;
  readonly launchIndex: number;
  readonly reservationId: string;
  readonly rootDeviceName: string | null;
  readonly lockedBy: string | null;
  readonly lockedReason: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  readonly hints: Readonly<Record<string, unknown>>;
  readonly trustedCerts: readonly string[] | null;
  /** The server group, which may be deleted. */
  readonly groupId: string | null;
  readonly securityGroups: readonly string[];
  readonly fault: ServerFault | null;
  /** The current action. */
  readonly actionId: number | null;
  readonly createdAt: Micros;
  readonly updatedAt: Micros;
  readonly launchedAt: Micros | null;
  readonly terminatedAt: Micros | null;
  /** When a client last deleted the server softly; null if it is not, or was restored. */
  readonly softDeletedAt: Micros | null;
  readonly deletedAt: Micros | null;
}

/** The vm_state of soft-deleted servers. */
export const softDeletedState = 'soft-delete';

export type NewServer = Omit<Server, 'id' | 'revision'>;

/** A server that a request creates. Its action is its creation. */
export type CreatedServer = Omit<NewServer, 'actionId'>;

export type ServerChanges = Partial<Omit<Server, 'id' | 'uuid' | 'revision' | 'createdAt'>>;

/** The types of consoles, which upstream's configuration switches on one by one. */
export const consoleTypes = ['novnc', 'spice-html5', 'spice-direct', 'serial', 'webmks'] as const;
export type ConsoleType = (typeof consoleTypes)[number];

/** A token that opens a console of a server, and where the console is behind the proxy. */
export interface ConsoleToken {
  readonly tokenHash: string;
  readonly serverUuid: string;
  readonly consoleType: ConsoleType;
  readonly host: string;
  readonly port: number;
  /** Only SPICE has one. */
  readonly tlsPort: number | null;
  readonly expiresAt: Micros;
}

/** A volume of a server. */
export interface ServerVolume {
  readonly uuid: string;
  readonly serverUuid: string;
  readonly volumeId: string;
  readonly attachmentId: string | null;
  readonly device: string | null;
  readonly tag: string | null;
  readonly deleteOnTermination: boolean;
  /** 0 is the root disk. */
  readonly bootIndex: number | null;
}

/** A port of a server. */
export interface ServerPort {
  readonly serverUuid: string;
  readonly portId: string;
  readonly tag: string | null;
  /** Whether the port was created for the server, and so is deleted with it. */
  readonly own: boolean;
}

export interface ServerAction {
  readonly id: number;
  readonly serverUuid: string;
  readonly action: string;
  readonly requestId: string;
  readonly projectId: string | null;
  readonly userId: string | null;
  readonly message: string | null;
  readonly startedAt: Micros;
  readonly updatedAt: Micros;
}

/** A step of an action. */
export interface ServerEvent {
  readonly event: string;
  readonly result: string | null;
  readonly details: string | null;
  readonly host: string | null;
  readonly startedAt: Micros;
  readonly finishedAt: Micros | null;
}

export interface Migration {
  readonly id: number;
  readonly uuid: string;
  readonly serverUuid: string;
  readonly type: string;
  readonly status: string;
  readonly sourceHost: string | null;
  readonly sourceNode: string | null;
  readonly destHost: string | null;
  readonly destNode: string | null;
  readonly oldFlavor: ServerFlavor;
  readonly newFlavor: ServerFlavor;
  readonly oldVmState: VmState;
  readonly projectId: string;
  readonly userId: string;
  readonly createdAt: Micros;
  readonly updatedAt: Micros;
}

export type NewMigration = Omit<Migration, 'id'>;

export type MigrationChanges = Partial<Pick<Migration, 'status' | 'destHost' | 'destNode'>>;

/** The fields of a server that are relevant for billing. */
export interface Run {
  readonly uuid: string;
  readonly name: string;
  readonly projectId: string;
  readonly vmState: string;
  readonly flavor: string;
  readonly vcpus: number;
  readonly memoryMb: number;
  readonly localGb: number;
  readonly launchedAt: Micros;
  readonly terminatedAt: Micros | null;
}
