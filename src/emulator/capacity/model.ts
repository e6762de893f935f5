// Capacity: how many more identical requests fit, where, and what runs out first, in a form that
// the services share.

/** What a service has counted, for the report. */
export interface Measured {
  /** What is counted, as a plural noun: `servers`, `nodes`, `leases` or `candidates`. */
  readonly noun: string;
  /** How many fit, if one may need several places; otherwise the sum of all places. */
  readonly count?: number;
  /** The hosts, or the provider trees, in the order in which Placement searches them. */
  readonly places: readonly Place[];
  /** Why the next request is refused although some place has room; undefined if none has. */
  readonly limit?: string | undefined;
  readonly resources: readonly MeasuredResource[];
}

/** A host, or a provider tree. */
export interface Place {
  /** The UUID of the root provider. */
  readonly uuid: string;
  readonly name: string;
  /** Null if the service has no zones. */
  readonly zone: string | null;
  readonly aggregates: readonly string[];
  /** How many of the requests are served here, or how many slots of leases. */
  readonly count: number;
  /** Why no more fit here. */
  readonly reason: string;
}

/** The free amount of a class before the first request, in the places that may serve it. */
export interface MeasuredResource {
  readonly resourceClass: string;
  /** The amount of each request. */
  readonly requested: number;
  readonly free: number;
  /** The most that one provider has free. */
  readonly largest: number;
  /** The name of that provider; null if nothing is free. */
  readonly largestOn: string | null;
}

/** The version of the format, which changes if a field changes its meaning or disappears. */
export const capacityFormat = 1;
