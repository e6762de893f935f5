// Rehearsals of failures: whether what is on hosts that fail finds a place elsewhere.
import type { Explanation } from '../explain/model.ts';

export const failureKinds = ['host', 'zone', 'aggregate'] as const;
export type FailureKind = (typeof failureKinds)[number];

/** Hosts that may fail together. */
export interface FailureDomain {
  readonly kind: FailureKind;
  readonly name: string;
  readonly hosts: readonly string[];
}

/** What a service had on the hosts that failed. */
export interface Displaced {
  /** Its noun in the plural: `servers`, `reservations`. */
  readonly noun: string;
  /** What has found a place, and on which hosts. */
  readonly moved: readonly Moved[];
  /** What has found none, and why. */
  readonly lost: readonly Lost[];
}

export interface Moved {
  readonly id: string;
  readonly name: string;
  readonly to: readonly string[];
}

export interface Lost {
  readonly id: string;
  readonly name: string;
  readonly reason: string;
}

/** The version of the format, which changes if a field changes its meaning or disappears. */
export const failureFormat = 1;

declare module '../../kernel/model.ts' {
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- merged declarations must agree
  interface ServiceDefinition<V extends string = string> {
    /** Lists the hosts, zones or aggregates of a region. */
    readonly failureDomains?: (
      context: Context,
      kind: FailureKind,
    ) => Promise<readonly FailureDomain[]>;
    /**
     * Moves what the service has on failed hosts to others, as its operators or its monitor would.
     * It runs in a transaction that is rolled back.
     * @param explanations what has been decided so far in the rehearsal, which grows
     */
    readonly rehearseFailure?: (
      context: Context,
      hosts: readonly string[],
      explanations: readonly Explanation[],
    ) => Promise<Displaced>;
  }
}
