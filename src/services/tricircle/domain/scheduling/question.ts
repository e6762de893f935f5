// What a gateway says about a new server or volume when it asks for a pod.
import type { Demand, Tag } from '../../model.ts';

/** The requirements on a pod for a new server or volume. */
export interface PodQuestion {
  readonly projectId: string;
  /** The name of the new resource, by which its explanation is found. */
  readonly name?: string;
  /** Empty for any zone. */
  readonly azName: string;
  /** The tag that the flavor or volume type requires: see `requestTag`. */
  readonly requestTag: Tag;
  /** The pods of resources that the request refers to, such as the volumes of a new server. */
  readonly referencedPodIds: readonly string[];
  /** The pods of the servers that a new volume belongs to. */
  readonly serverPodIds?: readonly string[];
  /** Whether the new resource is a volume, for which the project may prefer the pod of a server. */
  readonly isVolume?: boolean;
  /** How much of each resource it needs, as far as that is known. */
  readonly demand?: Demand;
}
