// The records of fault injection: rules, the requests that they match, and their effects.
import type { Micros } from '../../kernel/clock.ts';

/** Which requests a rule matches. All given conditions must hold. */
export interface FaultMatch {
  /** The service's name. A gateway uses the name of the service that it fronts. */
  readonly service?: string;
  /** Only regional services match: central ones belong to no region. */
  readonly region?: string;
  readonly method?: string;
  /**
   * A path below the service's prefix, without the project id, in the syntax of access rules
   * (auth/access-rules.ts).
   */
  readonly path?: string;
  /** The operationId in api-ref, or the name of an action. */
  readonly operation?: string;
  /** Id or name. */
  readonly project?: string;
  /** Id or name. */
  readonly user?: string;
  readonly min_version?: string;
  readonly max_version?: string;
  /** Maps the header's name in lower case to a text that its value must contain. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Matches requests between services instead of requests from clients. */
  readonly inside?: boolean;
}

/** What a rule does to a request. effects.ts has an entry for each kind of effect. */
export interface FaultEffect {
  readonly status?: number;
  readonly message?: string;
  /** The service's own error code. */
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly delay_ms?: number;
  readonly drop?: boolean;
  /** `after`: the request is processed and committed first, and then its reply is lost. */
  readonly when?: 'before' | 'after';
}

/** A rule as the client posts it. */
export interface FaultPlan {
  readonly match: FaultMatch;
  readonly effect: FaultEffect;
  /** How many requests the rule affects at most. */
  readonly count?: number;
  /** How many matching requests pass before the rule takes effect. */
  readonly skip?: number;
  /** The probability that a matching request is affected. */
  readonly probability?: number;
  /** Makes the choice by probability repeatable: the same matches are affected in every run. */
  readonly seed?: string;
}

/** A stored rule with its counters. */
export interface FaultRule extends FaultPlan {
  readonly id: number;
  /** How many requests matched. */
  readonly matched: number;
  /** How many requests the rule affected. */
  readonly hit: number;
  readonly createdAt: Micros;
}

/** Selects rules by what they match: all, those of a region, of a service, or of both. */
export interface FaultScope {
  readonly region?: string | undefined;
  readonly service?: string | undefined;
}

/** The fault rules, the oldest first, as this process last read them, at their revision then. */
export interface FaultRuleCache {
  revision: number;
  rules: readonly FaultRule[];
}

declare module '../../kernel/model.ts' {
  interface Cloud {
    readonly faultRules: FaultRuleCache;
  }
  interface IncomingRequest {
    /** The id of the fault rule that ended the request. */
    faultRule?: number;
    /** The ids of all fault rules that affected the request, also of those that only delayed it. */
    faultRules?: readonly number[];
  }
}
