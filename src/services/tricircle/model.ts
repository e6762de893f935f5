// The records of Tricircle.
import type { Micros } from '../../kernel/clock.ts';

/**
 * A resource affinity tag, with keys and values of extra specs: the resources that a pod is for, or
 * that a request requires. Empty for the general group.
 */
export type Tag = Readonly<Record<string, string>>;

/** The dimensions of a pod's capacity. */
export const dimensions = ['vcpus', 'memory_mb', 'disk_gb', 'volume_gb'] as const;
export type Dimension = (typeof dimensions)[number];
export type Headroom = Readonly<Partial<Record<Dimension, number>>>;
/** The price of one unit of each resource, in any currency. */
export type Prices = Readonly<Partial<Record<Dimension, number>>>;
/** How much of each resource a new server or volume needs. */
export type Demand = Readonly<Partial<Record<Dimension, number>>>;

/** An OpenStack cloud that the central one uses: a region of the catalog. */
export interface Pod {
  readonly id: string;
  readonly regionName: string;
  /** The zone in requests to the pod; empty for none. */
  readonly podAzName: string;
  readonly dcName: string;
  /** The zone that tenants see; empty for the central pod (upstream's top region). */
  readonly azName: string;
  readonly resourceAffinityTag: Tag;
  /** A hash of the tag; empty for the general group. */
  readonly affinityGroup: string;
  readonly isUnderMaintenance: boolean;
  readonly createTime: Micros;
  /** The position in a manual order, lowest first; null for the order of age. */
  readonly weight: number | null;
  /** The usage of a dimension in percent at which it counts as exhausted; null for the default. */
  readonly thresholdPercent: number | null;
  /** The minimum of free capacity by dimension, in its own unit. */
  readonly headroom: Headroom | null;
  /** Null if nothing has a price. A resource without a price costs nothing. */
  readonly prices: Prices | null;
  readonly revision: number;
  /** The number of bindings to it, including previous ones. */
  readonly bound: number;
}

export type PodFields = Pick<
  Pod,
  | 'regionName'
  | 'podAzName'
  | 'dcName'
  | 'azName'
  | 'resourceAffinityTag'
  | 'isUnderMaintenance'
  | 'weight'
  | 'thresholdPercent'
  | 'headroom'
  | 'prices'
>;

/** The totals over all hypervisors of a pod, from Nova's `os-hypervisors/statistics`. */
export type NovaUsage = Readonly<Record<string, number | null>>;

export interface CinderPool {
  readonly name: string;
  readonly updated: string | null;
  /** GiB, `infinite` or `unknown`. */
  readonly total_capacity_gb: number | string;
  readonly free_capacity_gb: number | string;
}

/** The storage pools of a pod's Cinder, and the totals over the pools of known size. */
export interface CinderUsage {
  readonly pools: readonly CinderPool[];
  readonly total_capacity_gb: number;
  readonly free_capacity_gb: number;
}

/** The last known usage of a pod. Null before the first collection, when it counts as free. */
export interface PodUsage {
  readonly podId: string;
  readonly novaUsage: NovaUsage | null;
  readonly cinderUsage: CinderUsage | null;
  readonly collectedAt: Micros | null;
  /** Why the last collection failed; null if it succeeded. */
  readonly lastError: string | null;
}

/** Where a project wants new volumes that refer to nothing. */
export interface VolumePlacement {
  readonly projectId: string;
  /**
   * The server whose pod they go to: its id in the central region, or `latest` for the project's
   * latest server; null for the pod that the project is bound to.
   */
  readonly localToInstance: string | null;
}

/** Why a binding to a pod has ended. */
export const endReasons = [
  'admin',
  'maintenance',
  'exhausted',
  'pod_changed',
  'pod_unreachable',
] as const;
export type EndReason = (typeof endReasons)[number];
export type StartReason = 'first' | 'admin' | `rebind:${EndReason}`;

/** The binding of a tenant to a pod, for a zone and an affinity group, between two times. */
export interface Binding {
  readonly id: string;
  /** Its number in the order of creation of all bindings. */
  readonly sequence: number;
  readonly tenantId: string;
  readonly podId: string;
  readonly azName: string;
  readonly affinityGroup: string;
  readonly resourceAffinityTag: Tag;
  readonly isBinding: boolean;
  readonly startBindingTime: Micros;
  readonly endBindingTime: Micros | null;
  readonly startReason: StartReason;
  readonly endReason: EndReason | null;
  /** Whether an admin has deleted it: then only the history includes it. */
  readonly deleted: boolean;
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
  readonly revision: number;
}

/** The pod that a resource is in. */
export interface Routing {
  readonly id: number;
  /** The id in the central region. */
  readonly topId: string;
  /** The id in the pod. */
  readonly bottomId: string | null;
  readonly podId: string;
  readonly projectId: string;
  /** `server`, `volume`, `server_group`, or one of Neutron's, such as `network`. */
  readonly resourceType: string;
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
}

export type RoutingFields = Pick<
  Routing,
  'topId' | 'bottomId' | 'podId' | 'projectId' | 'resourceType'
>;

export const jobStatuses = ['NEW', 'RUNNING', 'SUCCESS', 'FAIL'] as const;
export type JobStatus = (typeof jobStatuses)[number];

/** What a request is about to create in a pod, which the quota counts as used. */
export interface QuotaReservation {
  readonly id: number;
  readonly projectId: string;
  readonly userId: string;
  /** `compute` or `volume`. */
  readonly service: string;
  /** Amounts by resource, such as `instances`. */
  readonly amounts: Readonly<Record<string, number>>;
  /** By the machine's clock. */
  readonly reservedAt: Micros;
}

/** A job that configures Neutron in pods, run by Tricircle's workers. */
export interface AsyncJob {
  readonly id: string;
  readonly projectId: string;
  readonly type: string;
  readonly status: JobStatus;
  /** The values of the resource in the order of the type's keys, as JSON. */
  readonly resourceId: string;
  readonly timestamp: Micros;
  readonly revision: number;
}

/** A job that succeeded. */
export type JobLog = Pick<AsyncJob, 'id' | 'projectId' | 'type' | 'resourceId' | 'timestamp'>;

/** The types of resources that are migrated from pod to pod. */
export const movedTypes = ['server_group', 'server', 'volume'] as const;
export type MovedType = (typeof movedTypes)[number];

/** A resource that is moved, or cannot be, as it was when the move was planned. */
export interface MovedResource {
  readonly type: MovedType;
  /** In the central region, and in every pod. */
  readonly id: string;
  readonly name: string;
  readonly projectId: string;
  /** How much of the target pod it needs. */
  readonly size: Demand;
  /** The status that it has again after the move; null for a group. */
  readonly status: string | null;
  readonly isLocked: boolean;
}

/** A resource that cannot be migrated, and why. */
export interface RefusedResource {
  readonly resource: MovedResource;
  readonly region: string;
  readonly reason: string;
}

/** What a migration is about: the key in the request, and its value. */
export const scopeKeys = ['server_id', 'volume_id', 'project_id', 'pod_id'] as const;
export interface MigrationScope {
  readonly scopeKey: (typeof scopeKeys)[number];
  readonly scopeId: string;
}

export const migrationStatuses = ['RUNNING', 'CANCELLING', 'SUCCESS', 'FAIL', 'CANCELLED'] as const;
export type MigrationStatus = (typeof migrationStatuses)[number];

/** A migration of servers and volumes from pod to pod. */
export interface Migration extends MigrationScope {
  readonly sequence: number;
  readonly id: string;
  readonly status: MigrationStatus;
  readonly refused: readonly RefusedResource[];
  readonly createdAt: Micros;
  readonly finishedAt: Micros | null;
  readonly revision: number;
}

/** Resources that have to move together, such as a server and its volumes. */
export interface PlannedMove {
  readonly projectId: string;
  readonly sourcePodId: string;
  readonly targetPodId: string;
  /** The pods' regions. The pods may be deleted after the move. */
  readonly sourceRegion: string;
  readonly targetRegion: string;
  readonly resources: readonly MovedResource[];
}

export const moveStatuses = ['MOVING', 'UNDOING', 'MOVED', 'UNDONE'] as const;
export type MoveStatus = (typeof moveStatuses)[number];

/** A move of a migration. */
export interface Move extends PlannedMove {
  readonly id: string;
  readonly migrationId: string;
  readonly position: number;
  readonly status: MoveStatus;
  /** The index of the step that runs next, or is undone next. */
  readonly step: number;
  /** How often that step has failed. */
  readonly attempts: number;
  /** Why the last step failed. */
  readonly error: string | null;
  readonly updatedAt: Micros;
  readonly revision: number;
}
