// The records of the request journal: entries, the conditions that select them, and assertions.
import type { Micros } from '../../kernel/clock.ts';
import type { Json } from '../../kernel/json.ts';
import type { FaultMatch } from '../fault-injection/model.ts';

/** A recorded request. Unknown values are null. */
export interface JournalEntry {
  readonly request_id: string;
  /** The emulated time. */
  readonly time: Micros;
  /** The machine's time when the request arrived. */
  readonly machine_time: Micros;
  readonly duration_ms: number;
  readonly method: string;
  /** The part of the path before the service's own, such as `/RegionTwo/compute`. */
  readonly prefix: string;
  /** The rest of the path, without the project id. */
  readonly path: string;
  readonly query: string;
  /** The service's name. A gateway uses the name of the service that it fronts. */
  readonly service: string | null;
  /** Null for central services, which belong to no region. */
  readonly region: string | null;
  /** The operationId in api-ref; null if the request was rejected before routing. */
  readonly operation: string | null;
  readonly action: string | null;
  /** Whether the request came from a service rather than from a client. */
  readonly inside: boolean;
  /** The version that the request asked for, such as `2.1` or `latest`. */
  readonly version_asked: string | null;
  /** The version that the service used. */
  readonly version: string | null;
  readonly project_id: string | null;
  readonly project_name: string | null;
  readonly user_id: string | null;
  readonly user_name: string | null;
  readonly user_agent: string | null;
  /** Null if the connection was closed without a response. */
  readonly status: number | null;
  readonly dropped: boolean;
  /** The fault rules that affected the request. */
  readonly fault_rules: readonly number[];
  /**
   * The body without secrets. A long body is cut and stored as text. Null if there is no body, or
   * if it is not JSON.
   */
  readonly request_body: Json;
  readonly request_body_cut: boolean;
  /** The length of the original body. */
  readonly request_bytes: number | null;
  /** The body of an error response, treated like the request's. */
  readonly response_body: Json;
  readonly response_body_cut: boolean;
  /** The address of the explanation, if the request has failed because of a decision. */
  readonly explanation: string | null;
}

/** An entry with its number in the journal, which is unique and increases. */
export interface NumberedEntry extends JournalEntry {
  readonly id: number;
}

/** A new entry, with the generation of the journal in which it was recorded. */
export interface GenerationEntry {
  readonly generation: number;
  readonly entry: JournalEntry;
}

/**
 * Conditions for entries, all of which must hold. Those that fault rules have too mean the same
 * here.
 */
export interface JournalMatch extends Omit<FaultMatch, 'headers' | 'inside'> {
  /** `404`, `4xx`, or `dropped`. */
  readonly status?: string | number;
  /** A part of the user agent. */
  readonly user_agent?: string;
  /** The version as the request asks for it; empty for requests without a version. */
  readonly version_asked?: string;
  /**
   * Selects requests from clients (`false`, the default), from services (`true`), or from both
   * (`any`).
   */
  readonly inside?: boolean | 'true' | 'false' | 'any';
  /** Selects entries after this entry's number, or from this machine time on. */
  readonly since?: string | number;
  /** A part of the request body. */
  readonly body?: Json;
}

/** Asserts how many requests match, or that requests matched in a certain order. */
export interface JournalAssertion {
  readonly match?: JournalMatch;
  readonly sequence?: readonly JournalMatch[];
  readonly times?: number;
  readonly at_least?: number;
  readonly at_most?: number;
  readonly never?: boolean;
}

/** A request that meets all conditions of an assertion except one. */
export interface NearMiss {
  readonly request: NumberedEntry;
  readonly condition: string;
  readonly expected: Json;
  readonly actual: Json;
}

/** The result of an assertion. */
export interface AssertionResult {
  readonly holds: boolean;
  /** What was expected and what was found, in a sentence or two. */
  readonly message: string;
  readonly matched: readonly NumberedEntry[];
  readonly nearMisses: readonly NearMiss[];
}
