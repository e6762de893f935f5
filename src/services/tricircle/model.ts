// The records of Tricircle.
import type { Micros } from '../../kernel/clock.ts';

/**
 * What a pod is for, or what a request asks for: keys and values of extra specs. Empty: general.
 */
export type Tag = Readonly<Record<string, string>>;

/** What of a pod may run out. */
export const dimensions = ['vcpus', 'memory_mb', 'disk_gb', 'volume_gb'] as const;
export type Dimension = (typeof dimensions)[number];
export type Headroom = Readonly<Partial<Record<Dimension, number>>>;

/** An OpenStack below the central one: a region of the catalog. */
export interface Pod {
  readonly id: string;
  readonly regionName: string;
  /** The zone that is sent to the pod; empty for none. */
  readonly podAzName: string;
  readonly dcName: string;
  /** The zone that tenants see; empty for the central pod, which is the top of all others. */
  readonly azName: string;
  readonly resourceAffinityTag: Tag;
  /** The tag in a canonical form, as a key; empty for the general group. */
  readonly affinityGroup: string;
  readonly isUnderMaintenance: boolean;
  readonly createTime: Micros;
  /** The place in a manual order, smaller first; null where age decides. */
  readonly weight: number | null;
  /**
   * The part of a dimension's total, in percent, at which it counts as exhausted; null for the
   * default.
   */
  readonly thresholdPercent: number | null;
  /** What has to stay free of a dimension, in its own unit. */
  readonly headroom: Headroom | null;
  readonly revision: number;
  /** How many bindings to it there ever were. */
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
>;

/** What a pod's Nova tells of all its hypervisors together: `os-hypervisors/statistics`. */
export type NovaUsage = Readonly<Record<string, number | null>>;

export interface CinderPool {
  readonly name: string;
  readonly updated: string | null;
  /** GiB, `infinite` or `unknown`. */
  readonly total_capacity_gb: number | string;
  readonly free_capacity_gb: number | string;
}

/**
 * What a pod's Cinder tells of its pools, and their sums over the pools of which the size is known.
 */
export interface CinderUsage {
  readonly pools: readonly CinderPool[];
  readonly total_capacity_gb: number;
  readonly free_capacity_gb: number;
}

/** How full a pod was when it was last asked. Null: not asked yet, which counts as free. */
export interface PodUsage {
  readonly podId: string;
  readonly novaUsage: NovaUsage | null;
  readonly cinderUsage: CinderUsage | null;
  readonly collectedAt: Micros | null;
  /** Why the last collection failed; null where it did not. */
  readonly lastError: string | null;
}

/** Why a pod is not used any more. */
export type EndReason = 'admin' | 'maintenance' | 'exhausted' | 'pod_changed' | 'pod_unreachable';
export type StartReason = 'first' | 'admin' | `rebind:${EndReason}`;

/** A tenant's place in a pod, for a zone and a group, from a time to a time. */
export interface Binding {
  readonly id: string;
  /** Its place among all bindings, in the order in which they were made. */
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
  /** An admin has deleted it; it is in the history only. */
  readonly deleted: boolean;
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
  readonly revision: number;
}

/** In which pod a resource is. */
export interface Routing {
  readonly id: number;
  /** The id that the centre shows. */
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

export type JobStatus = 'NEW' | 'RUNNING' | 'SUCCESS' | 'FAIL';

/** What Tricircle's workers do to Neutron. */
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
