// The records of Clustering.
import type { Micros } from '../../kernel/clock.ts';

export type Json = Record<string, unknown>;

/** The user and the project that a record belongs to. */
export interface Owner {
  readonly userId: string;
  readonly projectId: string;
  readonly domainId: string | null;
}

/** An owner for whom the engine acts. */
export interface Delegator extends Owner {
  /** The credential that the record was created with; null if there was none. */
  readonly credentialId: string | null;
}

/** The fields that all records with an owner have. */
export interface Owned extends Owner {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Micros | null;
  readonly updatedAt: Micros | null;
}

/** The specification of a profile or a policy. */
export interface Spec {
  readonly type: string;
  readonly version: string;
  readonly description?: string;
  readonly properties: Json;
}

export interface Profile extends Owned {
  /** `<type>-<version>`. */
  readonly type: string;
  readonly spec: Spec;
  readonly metadata: Json;
}

export interface Policy extends Owned {
  /** `<type>-<version>`. */
  readonly type: string;
  readonly spec: Spec;
  readonly data: Json;
}

export const clusterStatuses = [
  'INIT',
  'ACTIVE',
  'CREATING',
  'UPDATING',
  'RESIZING',
  'DELETING',
  'CHECKING',
  'RECOVERING',
  'CRITICAL',
  'ERROR',
  'WARNING',
  'OPERATING',
] as const;
export type ClusterStatus = (typeof clusterStatuses)[number];

export interface Cluster extends Owned, Delegator {
  readonly profileId: string;
  readonly initAt: Micros;
  readonly minSize: number;
  readonly maxSize: number;
  readonly desiredCapacity: number;
  /** The index of the next node. */
  readonly nextIndex: number;
  /** Seconds. */
  readonly timeout: number;
  readonly status: ClusterStatus;
  readonly statusReason: string;
  readonly metadata: Json;
  readonly data: Json;
  readonly dependents: Json;
  readonly config: Json;
  readonly revision: number;
}

export const nodeStatuses = [
  'INIT',
  'ACTIVE',
  'CREATING',
  'UPDATING',
  'DELETING',
  'RECOVERING',
  'WARNING',
  'ERROR',
  'OPERATING',
] as const;
export type NodeStatus = (typeof nodeStatuses)[number];

export interface Node extends Owned, Delegator {
  readonly profileId: string;
  /** Empty for a node outside of any cluster. */
  readonly clusterId: string;
  /** The id of the node's physical resource, such as a server; null if it has none yet. */
  readonly physicalId: string | null;
  readonly index: number;
  readonly role: string | null;
  readonly initAt: Micros;
  readonly tainted: boolean;
  readonly status: NodeStatus;
  readonly statusReason: string;
  readonly metadata: Json;
  readonly data: NodeData;
  readonly dependents: Json;
  readonly revision: number;
}

/** Where policies have decided to create a node. */
export interface NodePlacement {
  readonly zone?: string;
  readonly region_name?: string;
  readonly servergroup?: string;
}

export interface NodeData extends Json {
  readonly placement?: NodePlacement;
}

/** The attachment of a policy to a cluster. */
export interface Binding {
  readonly id: string;
  readonly clusterId: string;
  readonly policyId: string;
  readonly enabled: boolean;
  readonly priority: number;
  readonly data: Json;
  /** When the policy last took part in an action; starts the cooldown of a scaling policy. */
  readonly lastOp: Micros | null;
}

export interface Receiver extends Owned, Delegator {
  readonly type: string;
  readonly clusterId: string | null;
  readonly action: string | null;
  readonly actor: Json;
  readonly params: Json;
  readonly channel: Json;
}

/** What lets Clustering act for a user on a project, with one set of roles. */
export interface Credential {
  /** The id of the trust, if there is one. */
  readonly id: string;
  readonly userId: string;
  readonly projectId: string;
  readonly trustId: string | null;
  readonly roles: readonly string[];
}

/** How many nodes an action creates, and where. */
export interface Creation {
  readonly count: number;
  readonly zones?: Readonly<Record<string, number>>;
  readonly regions?: Readonly<Record<string, number>>;
  /** The ids of the new nodes, for policies that run after the action. */
  readonly nodes?: readonly string[];
}

/** How many nodes an action removes, from where, and which. */
export interface Deletion {
  readonly count: number;
  readonly candidates?: readonly string[];
  readonly zones?: Readonly<Record<string, number>>;
  readonly regions?: Readonly<Record<string, number>>;
  readonly destroy_after_deletion?: boolean;
  readonly grace_period?: number;
  readonly reduce_desired_capacity?: boolean;
}

/** The decisions of the policies, which the steps of an action follow. Clients see them. */
export interface ActionData extends Json {
  readonly status?: string;
  readonly reason?: string;
  readonly creation?: Creation;
  readonly deletion?: Deletion;
  readonly placement?: { readonly count: number; readonly placements: readonly NodePlacement[] };
  readonly hooks?: { readonly type?: string; readonly timeout?: number };
  readonly update?: {
    readonly pause_time: number;
    readonly plan: readonly (readonly string[])[];
  };
  readonly health?: Json;
  /** How often the action has failed to lock its target. */
  readonly retries?: number;
}

export const actionStatuses = [
  'INIT',
  'WAITING',
  'READY',
  'RUNNING',
  'SUCCEEDED',
  'FAILED',
  'CANCELLED',
  'WAITING_LIFECYCLE_COMPLETION',
  'SUSPENDED',
] as const;
export type ActionStatus = (typeof actionStatuses)[number];

export interface Action extends Owned, Delegator {
  readonly clusterId: string;
  /** The id of the cluster or node that the action is about. */
  readonly target: string;
  /** Its kind, such as `CLUSTER_SCALE_OUT`. */
  readonly action: string;
  readonly cause: string;
  /** The id of the engine that runs it. */
  readonly owner: string | null;
  /** Seconds. */
  readonly timeout: number;
  readonly startTime: Micros | null;
  readonly endTime: Micros | null;
  readonly control: string | null;
  readonly status: ActionStatus;
  readonly statusReason: string;
  readonly inputs: Json;
  readonly outputs: Json;
  readonly data: ActionData;
  /** What the action remembers from one step to the next. Clients do not see it. */
  readonly memory: Memory;
  readonly revision: number;
}

/** What the driver of a profile remembers from one call to the next. */
export interface DriverMemory extends Json {
  /** Creation: the ids that the names in the profile resolve to. */
  readonly known?: Json;
  /** Creation: the id of the server, once it has been requested. */
  readonly server?: string;
  /** When the driver began to wait for a server, and how often it has polled it since. */
  readonly since?: Micros;
  readonly looks?: number;
}

/**
 * The memory of an action. Actions in existing databases have these names, so they must not change.
 */
export interface Memory {
  /** The next step; absent before the action has begun. */
  readonly step?: string;
  /** Set when a child has failed or was cancelled, or when the action has timed out. */
  readonly outcome?: 'ERROR' | 'CANCEL' | 'TIMEOUT';
  /** Whether the timeout of the action is scheduled. */
  readonly isTimed?: boolean;
  /** The ids of the nodes that the action has created or added. */
  readonly created?: readonly string[];
  /** What drivers do for the action in other regions, by node and purpose. */
  readonly remoteTasks?: Readonly<Record<string, RemoteTask>>;
  /** Scaling: how many nodes to create. */
  readonly count?: number;
  /** The nodes to remove. */
  readonly ids?: readonly string[];
  /** The size of the cluster when all of them have joined or left. */
  readonly desired?: number;
  /** How many batches of an update have begun. */
  readonly batches?: number;
  /** Recovery: the physical resource that the node had before. */
  readonly before?: string | null;
  /** The memory of the driver, by purpose. */
  readonly create?: DriverMemory;
  readonly remove?: DriverMemory;
  readonly delete?: DriverMemory;
  readonly update?: DriverMemory;
  readonly operate?: DriverMemory;
  readonly check?: DriverMemory;
  readonly membership?: DriverMemory;
}

/** The purposes for which a driver remembers something. */
export type DriverPurpose =
  'create' | 'remove' | 'delete' | 'update' | 'operate' | 'check' | 'membership';

/** A call to the driver of a node's profile. */
export interface DriverCall {
  readonly method: 'create' | 'remove' | 'update' | 'check' | 'operate' | 'join' | 'leave';
  readonly arguments?: readonly unknown[];
}

/** The result of a driver call. */
export type Answer = { readonly value: unknown } | { readonly failure: string };

/** A driver call in another region than the action's. */
export interface RemoteTask {
  /** Under this id the other region keeps the result, so that the call is made only once. */
  readonly id: string;
  readonly nodeId: string;
  readonly region: string;
  readonly call: DriverCall;
  readonly memory: DriverMemory;
  /** Absent until the call has been made. */
  readonly answer?: Answer;
}

/** The result of a remote task, kept in the database of the region where it ran. */
export interface RemoteTaskResult {
  readonly id: string;
  readonly createdAt: Micros;
  readonly result: { readonly answer: Answer; readonly memory: DriverMemory };
}

/** One action waits for another. */
export interface Dependency {
  /** The id of the action that is waited for. */
  readonly depended: string;
  /** The id of the action that waits. */
  readonly dependent: string;
}

/** The lock of a cluster or node, which actions hold. */
export interface Lock {
  /** The id of the cluster or node. */
  readonly target: string;
  readonly exclusive: boolean;
  readonly actionIds: readonly string[];
}

export interface DetectionMode extends Json {
  readonly type: string;
  readonly poll_url?: string;
}

/** How a health policy has a cluster checked. */
export interface HealthParams extends Json {
  /** Seconds. */
  readonly interval: number;
  readonly node_update_timeout: number;
  readonly recovery_conditional: string;
  readonly node_delete_timeout: number;
  readonly node_force_recreate: boolean;
  readonly recover_action: readonly { readonly name: string; readonly params: Json | null }[];
  readonly detection_modes: readonly DetectionMode[];
}

/** A cluster whose health is checked. */
export interface Registration {
  readonly clusterId: string;
  readonly interval: number;
  readonly params: HealthParams;
  readonly enabled: boolean;
  readonly round: number;
}

export interface Event {
  readonly id: string;
  readonly timestamp: Micros;
  readonly oid: string;
  readonly oname: string;
  readonly otype: string;
  readonly clusterId: string;
  readonly level: number;
  readonly userId: string;
  readonly projectId: string;
  readonly action: string;
  readonly status: string;
  readonly statusReason: string;
  readonly metaData: Json;
}
