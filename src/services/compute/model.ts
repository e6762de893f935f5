// The records of Compute: flavors, keypairs, hosts, servers, and what belongs to them.
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

export interface Keypair {
  readonly id: number;
  readonly userId: string;
  readonly name: string;
  readonly type: 'ssh' | 'x509';
  readonly fingerprint: string;
  readonly publicKey: string;
  readonly createdAt: Micros;
}

export type GroupPolicy = 'affinity' | 'anti-affinity' | 'soft-affinity' | 'soft-anti-affinity';

export interface ServerGroup {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly policy: GroupPolicy;
  /** Null if the client gave no such rule, in which case 1 applies. */
  readonly maxServerPerHost: number | null;
  readonly projectId: string;
  readonly userId: string;
  /** UUIDs of the members that are not deleted, in the order in which they were added. */
  readonly members: readonly string[];
}

/** The policy of a server group, as the scheduler needs it. */
export interface GroupRule {
  readonly uuid: string;
  readonly policy: GroupPolicy;
  /** Of anti-affinity: how many members may be on one host. */
  readonly perHost: number;
  /** How often hosts have been selected for its members: who selects one claims this count. */
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
  /** The resource provider in Placement has the same. */
  readonly uuid: string;
  readonly name: string;
  readonly vcpus: number;
  readonly memoryMb: number;
  readonly diskGb: number;
  readonly createdAt: Micros;
  readonly service: ComputeService;
}

export type NewHost = Omit<ComputeHost, 'id' | 'createdAt' | 'service'>;

/** A server in the list of those on a host. */
export interface HostedServer {
  readonly host: string;
  readonly name: string;
  readonly uuid: string;
}

/** The item of metadata that makes an aggregate an availability zone. */
export const zoneKey = 'availability_zone';

/** The availability zone of hosts that no aggregate puts into another. */
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

/** An aggregate as filters see it. */
export interface HostAggregate {
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
  /** How many servers are being built, moved or stopped there. */
  readonly busy: number;
}

/** A flavor as a server keeps it: later changes of the flavor do not change the server. */
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

/** Why a server is in the state ERROR. */
export interface ServerFault {
  readonly code: number;
  readonly message: string;
  readonly details: string;
  readonly createdAt: Micros;
}

export interface Server {
  readonly id: number;
  readonly uuid: string;
  readonly revision: number;
  readonly name: string;
  readonly description: string | null;
  readonly hostname: string;
  readonly projectId: string;
  readonly userId: string;
  readonly vmState: string;
  readonly taskState: string | null;
  readonly powerState: number;
  readonly progress: number;
  /** Empty where the request for the server named none. */
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
  /** Of a server that is shelved: the image of its disk. */
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
  /** The server group; it may be gone. */
  readonly groupId: string | null;
  readonly securityGroups: readonly string[];
  readonly fault: ServerFault | null;
  /** The action that is going on. */
  readonly actionId: number | null;
  readonly createdAt: Micros;
  readonly updatedAt: Micros;
  readonly launchedAt: Micros | null;
  readonly terminatedAt: Micros | null;
  readonly deletedAt: Micros | null;
}

export type NewServer = Omit<Server, 'id' | 'revision'>;

export type ServerChanges = Partial<Omit<Server, 'id' | 'uuid' | 'revision' | 'createdAt'>>;

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
  /** Whether the port was made for the server, and so goes with it. */
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
  readonly oldVmState: string;
  readonly projectId: string;
  readonly userId: string;
  readonly createdAt: Micros;
  readonly updatedAt: Micros;
}

export type NewMigration = Omit<Migration, 'id'>;

export type MigrationChanges = Partial<Pick<Migration, 'status' | 'destHost' | 'destNode'>>;

/** A server, as far as it is charged for. */
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
