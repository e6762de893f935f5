// The records of the microversion audit.

/** A version at which an operation changed, with its line in the service's version history. */
export interface Change {
  readonly version: string;
  readonly summary: string;
  /** Whether the request changed. */
  readonly request: boolean;
  /** Whether the response changed. */
  readonly response: boolean;
}

/** Names of parameters and paths of properties that the newest version adds and removes. */
export interface Difference {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** How an operation differs between a version and the newest. */
export interface Outcome {
  /**
   * `gone` if the newest version does not have the operation, `added` if only later versions than
   * the one used have it.
   */
  readonly latest: 'same' | 'changed' | 'gone' | 'added';
  readonly changes: readonly Change[];
  readonly request: Difference;
  readonly response: Difference;
}

/** How many requests asked for a version, and which one the service used; null for none. */
export interface AskedVersion {
  readonly asked: string | null;
  readonly used: string | null;
  readonly requests: number;
}

/** An operation that a client used, or tried to use, and that differs at the newest version. */
export interface AuditedOperation extends Outcome {
  readonly operation: string;
  readonly action: string | null;
  readonly version: string;
  readonly requests: number;
  /**
   * How many of the requests asked for no version. They get the server's minimum, which may change,
   * and the client's author may not be aware of it.
   */
  readonly unversioned: number;
}

/** The requests of one client to one service. */
export interface AuditedClient {
  readonly service: string;
  readonly user_agent: string | null;
  readonly min_version: string;
  readonly max_version: string;
  readonly requests: number;
  /** How many requests asked for no version, and so got the oldest. */
  readonly unversioned: number;
  readonly versions: readonly AskedVersion[];
  /** How many operations are the same at the newest version. */
  readonly unchanged: number;
  readonly operations: readonly AuditedOperation[];
}
