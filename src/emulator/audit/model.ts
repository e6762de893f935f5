// Audits: what services find inconsistent in their data, in a form that they share.

/** Something inconsistent that a service has found. */
export interface Inconsistency {
  /** The name of the check, such as `server_without_allocations`. */
  readonly check: string;
  readonly resource: AuditedResource;
  /** What is inconsistent, as a sentence with the numbers or names that show it. */
  readonly text: string;
  /** The commands that repair it, for an administrator to run. Nothing runs them. */
  readonly repair: readonly string[];
}

/** The resource that an administrator changes to repair an inconsistency. */
export interface AuditedResource {
  /** Such as `server`, or `resource_provider`. */
  readonly type: string;
  readonly id: string;
  /** Null if the resource has no name. */
  readonly name: string | null;
}

/** What a service has examined and found in a region. */
export interface Audited {
  /** How many resources it has examined, by their noun in the plural, such as `servers`. */
  readonly examined: Readonly<Record<string, number>>;
  readonly inconsistencies: readonly Inconsistency[];
}

/** The version of the format, which changes if a field changes its meaning or disappears. */
export const auditFormat = 1;

declare module '../../kernel/model.ts' {
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- merged declarations must agree
  interface ServiceDefinition<V extends string = string> {
    /**
     * Compares the rows of the service with each other and with those of other services of the
     * region. It writes nothing.
     */
    readonly audit?: (context: Context) => Promise<Audited>;
  }
}
