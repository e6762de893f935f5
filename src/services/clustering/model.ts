// The records of Clustering.
import type { Micros } from '../../kernel/clock.ts';

export type Json = Record<string, unknown>;

/** Whose something is. */
export interface Owner {
  readonly userId: string;
  readonly projectId: string;
  readonly domainId: string | null;
}

interface Owned extends Owner {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Micros | null;
  readonly updatedAt: Micros | null;
}

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
  readonly type: string;
  readonly spec: Spec;
  readonly data: Json;
}

export interface Cluster extends Owned {
  readonly profileId: string;
  readonly initAt: Micros;
  readonly minSize: number;
  readonly maxSize: number;
  readonly desiredCapacity: number;
  readonly nextIndex: number;
  /** Seconds. */
  readonly timeout: number;
  readonly status: string;
  readonly statusReason: string;
  readonly metadata: Json;
  readonly data: Json;
  readonly dependents: Json;
  readonly config: Json;
  readonly revision: number;
}

export interface Node extends Owned {
  readonly profileId: string;
  /** Empty for a node that is in no cluster. */
  readonly clusterId: string;
  readonly physicalId: string | null;
  readonly index: number;
  readonly role: string | null;
  readonly initAt: Micros;
  readonly tainted: boolean;
  readonly status: string;
  readonly statusReason: string;
  readonly metadata: Json;
  readonly data: NodeData;
  readonly dependents: Json;
  readonly revision: number;
}

export interface NodePlacement {
  zone?: string;
  region_name?: string;
  servergroup?: string;
}

export interface NodeData extends Json {
  placement?: NodePlacement;
}

/** What a cluster has of a policy. */
export interface Binding {
  readonly id: string;
  readonly clusterId: string;
  readonly policyId: string;
  readonly enabled: boolean;
  readonly priority: number;
  readonly data: Json;
  readonly lastOp: Micros | null;
}

export interface Receiver extends Owned {
  readonly type: string;
  readonly clusterId: string | null;
  readonly action: string | null;
  readonly actor: Json;
  readonly params: Json;
  readonly channel: Json;
}

export interface Credential {
  readonly userId: string;
  readonly projectId: string;
  readonly trustId: string | null;
  readonly roles: readonly string[];
}

/** How many nodes an action makes or takes away, where, and which. */
export interface Creation {
  count: number;
  zones?: Record<string, number>;
  regions?: Record<string, number>;
  nodes?: string[];
}

export interface Deletion {
  count: number;
  candidates?: string[];
  zones?: Record<string, number>;
  regions?: Record<string, number>;
  destroy_after_deletion?: boolean;
  grace_period?: number;
  reduce_desired_capacity?: boolean;
}

/** What policies decide, and what handlers go by. */
export interface ActionData extends Json {
  status?: string;
  reason?: string;
  creation?: Creation;
  deletion?: Deletion;
  placement?: { count: number; placements: NodePlacement[] };
  hooks?: Json;
  update?: { pause_time: number; plan: string[][] };
  health?: Json;
  retries?: number;
}

export interface Action extends Owned {
  readonly clusterId: string;
  readonly target: string;
  readonly action: string;
  readonly cause: string;
  readonly owner: string | null;
  /** Seconds. */
  readonly timeout: number;
  readonly startTime: Micros | null;
  readonly endTime: Micros | null;
  readonly control: string | null;
  readonly status: string;
  readonly statusReason: string;
  readonly inputs: Json;
  readonly outputs: Json;
  readonly data: ActionData;
  /** Where the action goes on when it is woken, and what it keeps for that. No client sees it. */
  readonly memory: Memory;
  readonly revision: number;
}

export interface Memory extends Json {
  /** The step that comes next; none before the action has begun. */
  step?: string;
  /** A child failed or was cancelled. */
  outcome?: 'ERROR' | 'CANCEL' | 'TIMEOUT';
  reason?: string;
  /** The nodes that the action has made, or added. */
  created?: string[];
  /** What is done for the action in other regions, by node and purpose. */
  remoteTasks?: Record<string, RemoteTask>;
}

/** Something for the driver of a node's profile to do, by the name of its function. */
export interface DriverCall {
  readonly method: 'create' | 'remove' | 'update' | 'check' | 'operate' | 'join' | 'leave';
  readonly arguments?: readonly unknown[];
}

/** What came of it. */
export type Answer = { readonly value: unknown } | { readonly failure: string };

/** What a driver does in another region than the action's. */
export interface RemoteTask {
  /** By which the other region knows what it has done already. */
  readonly id: string;
  readonly nodeId: string;
  readonly region: string;
  readonly call: DriverCall;
  /** What the driver remembers. */
  readonly memory: Json;
  /** None before it is done. */
  readonly answer?: Answer;
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
