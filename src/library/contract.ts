// The types of the emulator's API. Written by `npm run docs` from api-ref/emulator.yaml: do not
// edit.
/* eslint-disable max-lines */

/** A value that is written into a path or a query. */
export type Word = string | number;

/** A migration as Tricircle's API shows it, at /v1.0/migrations. */
export interface Migration {
  readonly id: string | null;
  readonly status: string;
  readonly moves: readonly {
    readonly [name: string]: unknown;
  }[];
  readonly refused: readonly {
    readonly [name: string]: unknown;
  }[];
  readonly [name: string]: unknown;
}

export interface SamlProvider {
  readonly name: string;
  /** The issuer of its assertions. */
  readonly entity_id: string;
  /** The certificates of the keys that it signs with, in PEM. */
  readonly certificates: readonly string[];
}

export interface OidcUser {
  readonly name: string;
  readonly claims: {
    readonly [name: string]: unknown;
  };
}

export interface Project {
  readonly id: string;
  /** The name of the project, the domain and the user. */
  readonly name: string;
  readonly domain_id: string;
  readonly user_id: string;
  readonly created_at: string;
}

export interface NewProject {
  readonly id: string;
  /** The name of the project, the domain and the user. */
  readonly name: string;
  readonly domain_id: string;
  readonly user_id: string;
  readonly created_at: string;
  readonly roles: readonly string[];
  readonly password: string;
  /** A token of the user for the project. */
  readonly token: string;
  /** The OS_* variables with which a client signs in as the user. */
  readonly env: {
    readonly [name: string]: string;
  };
  /** A clouds.yaml with the cloud cumulet. */
  readonly clouds_yaml: string;
  /** The network of the project in each region. */
  readonly networks: readonly {
    readonly region: string;
    readonly network_id: string;
    readonly subnet_id: string;
    readonly router_id: string;
    /** The router's address in the external network; null if that has none left. */
    readonly external_ip: string | null;
  }[];
}

export type Limits = {
  readonly [name: string]: number;
};

export interface Region {
  readonly name: string;
  /** The path prefix of its services; empty for the first region. */
  readonly path: string;
  /** Whether this is the central region, with Tricircle and its gateways. */
  readonly central: boolean;
}

/**
 * Conditions for recorded requests, all of which must hold. An empty match selects
 * every request.
 */
export interface JournalMatch {
  readonly service?: string;
  readonly region?: string;
  readonly operation?: string;
  readonly method?:
    'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS' | 'CONNECT' | 'TRACE';
  readonly path?: string;
  readonly status?: number | string;
  readonly project?: string;
  readonly user?: string;
  readonly min_version?: string;
  readonly max_version?: string;
  readonly version_asked?: string;
  readonly user_agent?: string;
  readonly inside?: true | false | 'any';
  readonly since?: number | string;
  /** A part of the body: some properties of an object, some items of a list. */
  readonly body?: unknown;
}

export interface Notification {
  /** Its number in the region. */
  readonly id: number;
  readonly service: string;
  readonly message_id: string;
  /** Such as nova-api:controller. */
  readonly publisher_id: string;
  /** Such as server_group.create. */
  readonly event_type: string;
  readonly priority: 'INFO' | 'ERROR';
  readonly timestamp: string;
  /** The user who caused it. */
  readonly user_id: string | null;
  readonly project_id: string | null;
  readonly request_id: string;
  /** In upstream's format. */
  readonly payload: {
    readonly [name: string]: unknown;
  };
}

export interface JournalEntry {
  readonly id: number;
  readonly request_id: string;
  /** The emulated time. */
  readonly time: string;
  /** The machine's time when the request arrived. */
  readonly machine_time: string;
  readonly duration_ms: number;
  readonly method: string;
  /** The part of the path before the service's own. */
  readonly prefix: string;
  /** The rest of the path, without the project id. */
  readonly path: string;
  readonly query: string;
  /** Null if no service has the path. */
  readonly service: string | null;
  /** Null for services that all regions share. */
  readonly region: string | null;
  /** Null if the request was rejected before routing. */
  readonly operation: string | null;
  readonly action: string | null;
  /** Whether a service sent the request, rather than a client. */
  readonly inside: boolean;
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
  /** The body without secrets, if it is JSON. A long body is cut and returned as text. */
  readonly request_body: unknown;
  readonly request_body_cut: boolean;
  /** The length of the original body. */
  readonly request_bytes: number | null;
  /** The body of an error response, without secrets. */
  readonly response_body: unknown;
  readonly response_body_cut: boolean;
  /**
   * The address of the explanation, if the request has failed because of a decision that
   * is explained.
   */
  readonly explanation?: string | null;
}

export interface FailedAssertion {
  readonly error: {
    readonly code: 409;
    readonly message: string;
  };
  readonly matched: number;
  readonly requests: readonly JournalEntry[];
  /** The newest ten requests that meet all conditions except one. */
  readonly near_misses: readonly {
    readonly request: JournalEntry;
    /** The condition that does not hold, by its name in the match. */
    readonly condition: string;
    readonly expected: unknown;
    readonly actual: unknown;
  }[];
}

export interface AuditedClient {
  readonly service: string;
  readonly user_agent: string | null;
  readonly min_version: string;
  readonly max_version: string;
  readonly requests: number;
  /** How many requests asked for no version, and got the oldest. */
  readonly unversioned: number;
  readonly versions: readonly {
    readonly asked: string | null;
    /** Null if the version was rejected. */
    readonly used: string | null;
    readonly requests: number;
  }[];
  /** How many operations are the same at the newest version. */
  readonly unchanged: number;
  readonly operations: readonly AuditedOperation[];
}

/**
 * An operation that the newest version changes or removes, or that only later versions
 * than the one used have.
 */
export interface AuditedOperation {
  readonly operation: string;
  readonly action: string | null;
  /** The version that was used. */
  readonly version: string;
  readonly requests: number;
  readonly unversioned: number;
  /**
   * gone: the newest version does not have the operation. added: only later versions
   * than the one used have it.
   */
  readonly latest: 'changed' | 'gone' | 'added';
  readonly changes: readonly {
    readonly version: string;
    /** The line of the service's version history. */
    readonly summary: string;
    /** Whether the request changed. */
    readonly request: boolean;
    /** Whether the response changed. */
    readonly response: boolean;
  }[];
  readonly request: VersionDifference;
  readonly response: VersionDifference;
}

export interface VersionDifference {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/**
 * Conditions for requests, all of which must hold. An empty match selects every
 * request.
 */
export interface FaultMatch {
  /** The name of the service, such as compute. */
  readonly service?: string;
  readonly region?: string;
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /**
   * A pattern for the path as in api-ref, without the service's prefix and the project
   * id, such as /v2.1/servers/{id}. `*` and `{name}` match one segment, `**` any number.
   */
  readonly path?: string;
  /** An operationId of api-ref, such as servers:create, or an action, such as os-start. */
  readonly operation?: string;
  /** The id or name of the token's project. */
  readonly project?: string;
  /** The id or name of the token's user. */
  readonly user?: string;
  /** The lowest microversion. */
  readonly min_version?: string;
  /** The highest microversion. */
  readonly max_version?: string;
  /** Maps names of headers to texts that they must contain. */
  readonly headers?: {
    readonly [name: string]: string;
  };
  /** Selects requests between services instead of requests from clients. */
  readonly inside?: boolean;
}

/**
 * What happens to a request: an error status, a dropped connection, a delay, or a
 * delay before one of the others.
 */
export interface FaultEffect {
  /** The status of an error in the service's own format. */
  readonly status?: number;
  /** The message of the error. */
  readonly message?: string;
  /** The service's own error code, such as placement.concurrent_update. */
  readonly code?: string;
  /** Additional headers of the error, such as retry-after. */
  readonly headers?: {
    readonly [name: string]: string;
  };
  /** A delay in milliseconds of real time. */
  readonly delay_ms?: number;
  /** Closes the connection without a reply. */
  readonly drop?: boolean;
  /**
   * before: the effect replaces the operation. after: the operation is committed, and
   * the effect replaces its reply.
   */
  readonly when?: 'before' | 'after';
}

export interface FaultRule {
  readonly id: number;
  readonly match: FaultMatch;
  readonly effect: FaultEffect;
  readonly count?: number;
  readonly skip?: number;
  readonly probability?: number;
  readonly seed?: string;
  /** How many requests matched. */
  readonly matched: number;
  /** How many requests the rule affected. */
  readonly hit: number;
  /** Whether the rule has affected as many requests as count allows. */
  readonly spent: boolean;
  readonly created_at: string;
}

export interface FaultPlan {
  readonly match: FaultMatch;
  readonly effect: FaultEffect;
  readonly count?: number;
  readonly skip?: number;
  readonly probability?: number;
  readonly seed?: string;
}

/** A named list of fault rules for what clients meet in production. */
export interface FaultScenario {
  readonly name: string;
  readonly description: string;
  readonly rules: readonly FaultPlan[];
}

export interface OneFaultRule {
  readonly fault: FaultRule;
}

export interface Snapshot {
  readonly name: string;
  /** The machine's time. */
  readonly created_at: string;
  /** The emulated time. */
  readonly now: string;
  /** The version of the emulator that took it. */
  readonly version: string;
  readonly regions: readonly string[];
  /** The size in the database in bytes. */
  readonly size: number;
  readonly rows: number;
}

export interface OneSnapshot {
  readonly snapshot: Snapshot;
}

export interface OneRegion {
  readonly region: Region;
}

export interface Amounts {
  readonly vcpus?: number;
  readonly memory_mb?: number;
  readonly disk_gb?: number;
}

export interface Explanation {
  /** The version of this format. */
  readonly format: number;
  readonly region: string;
  /** The request that led to the decision. */
  readonly request_id: string;
  /** The emulated time of the decision. */
  readonly time: string;
  readonly kind: 'candidates' | 'server' | 'lease' | 'action' | 'pod';
  /** The id of what the decision was about; null if it does not exist. */
  readonly subject: string | null;
  /** The name of what the decision was about. */
  readonly name: string | null;
  /** partial: less than was asked for. */
  readonly outcome: 'success' | 'partial' | 'failure';
  /** The decision in one sentence. */
  readonly summary: string;
  /** The explanation for people, a line each. */
  readonly text: readonly string[];
  /** The explanation for programs; its fields depend on the kind. */
  readonly details: {
    readonly [name: string]: unknown;
  };
}

/**
 * How many more identical requests fit if they are sent one at a time, where, and what
 * runs out first.
 */
export interface Capacity {
  /** The version of the format. */
  readonly format: 1;
  readonly region: string;
  /** How many more fit. The next one is refused. */
  readonly count: number;
  /** The answer in one or two sentences. */
  readonly summary: string;
  /** The answer for people, a line each. */
  readonly text: readonly string[];
  /**
   * Why the next one is refused, the reason of most hosts first. A reason without hosts
   * holds for all.
   */
  readonly reasons: readonly {
    readonly reason: string;
    /** The number of hosts. */
    readonly count: number;
    /** The names of up to 20 of them. */
    readonly hosts: readonly string[];
  }[];
  /** The hosts, or for candidates the provider trees. */
  readonly hosts: readonly {
    /** The UUID of the root provider; for leases the id of the host in Blazar. */
    readonly uuid: string;
    readonly name: string;
    /** The availability zone; null for a provider tree. */
    readonly zone: string | null;
    /** The names of its aggregates; for candidates their UUIDs. */
    readonly aggregates: readonly string[];
    /**
     * How many of the requests are served here; for leases, how many hosts or instances
     * are reserved here.
     */
    readonly count: number;
    /** Why no more fit here. */
    readonly reason: string;
  }[];
  /** The sums of the zones; none for candidates. */
  readonly zones: readonly CapacitySum[];
  /** The sums of the aggregates. */
  readonly aggregates: readonly CapacitySum[];
  /**
   * How fragmented the free amounts are now, on the hosts that could serve the request
   * if they had room.
   */
  readonly resources: readonly {
    readonly resource_class: string;
    /** The amount of each request. */
    readonly requested: number;
    /** The free amount in sum. */
    readonly free: number;
    /** The most that one provider has free. */
    readonly largest: number;
    /** The name of that provider; null if nothing is free. */
    readonly largest_on: string | null;
    /** How many would fit if the free amount were in one piece and nothing else ran out. */
    readonly fits_in_sum: number;
  }[];
}

/** How many fit on some hosts together. */
export interface CapacitySum {
  readonly name: string;
  readonly count: number;
  /** The number of hosts. */
  readonly hosts: number;
}

export interface ActionExplanation {
  /** The version of this format. */
  readonly format: number;
  readonly region: string;
  readonly kind: 'action';
  /** The id of the cluster. */
  readonly subject: string;
  /** The name of the cluster. */
  readonly name: string;
  /** partial: a policy would cut the action. */
  readonly outcome: 'success' | 'partial' | 'failure';
  /** What would happen in one sentence. */
  readonly summary: string;
  /** The explanation for people, a line each. */
  readonly text: readonly string[];
  readonly details: {
    /** The kind of the action, such as CLUSTER_SCALE_OUT. */
    readonly action: string;
    /** The id of the cluster. */
    readonly target: string;
    readonly inputs: {
      readonly [name: string]: unknown;
    };
    /** Why it would fail or be refused. */
    readonly reason: string | null;
    /** How each policy would check the action, in the order in which they run. */
    readonly policies: readonly {
      readonly [name: string]: unknown;
    }[];
    /** The actions of nodes that it would start. */
    readonly nodes: readonly {
      readonly action: string;
      /** The name of the node. New nodes get another one when they are created. */
      readonly node: string;
      /** Where a new node would be placed; null if no policy decides that. */
      readonly zone: string | null;
    }[];
  };
}

export interface CandidatesExplanation {
  /** The version of this format. */
  readonly format: number;
  readonly region: string;
  readonly kind: 'candidates';
  readonly subject: null;
  /** Whether there is a candidate. */
  readonly outcome: 'success' | 'failure';
  /** The result in one sentence. */
  readonly summary: string;
  /** The explanation for people, a line each. */
  readonly text: readonly string[];
  readonly details: {
    /** The number of candidates. */
    readonly candidates: number;
    /** Why the request is refused */
    readonly refusal: string | null;
    readonly trees: {
      readonly total: number;
      readonly offered: number;
      readonly rejected: number;
      /** Whether there are more trees than the total that is explained. */
      readonly has_more: boolean;
    };
    /** How many trees have each first cause. */
    readonly causes: readonly {
      readonly cause: string;
      /** The cause in words, such as not enough VCPU. */
      readonly text: string;
      readonly count: number;
      readonly trees: readonly string[];
    }[];
    /**
     * Up to fifty trees, or twenty if the explanation is kept, those with the smallest
     * change first.
     */
    readonly rejected: readonly RejectedTree[];
  };
}

export interface NamedProvider {
  readonly uuid: string;
  readonly name: string;
}

export interface RejectedTree {
  readonly root: NamedProvider;
  readonly causes: readonly {
    readonly cause:
      | 'root_trait_missing'
      | 'root_trait_forbidden'
      | 'root_aggregate_forbidden'
      | 'outside_of_tree'
      | 'no_inventory'
      | 'amount'
      | 'trait_missing'
      | 'trait_forbidden'
      | 'aggregate_missing'
      | 'aggregate_forbidden'
      | 'rule'
      | 'limit'
      | 'duplicate';
    readonly text: string;
    /** The suffix of the request group. */
    readonly group?: string;
    readonly provider?: NamedProvider;
    readonly resource_class?: string;
    readonly requested?: number;
    readonly free?: number;
    /** The inventory of the class. */
    readonly inventory?: {
      readonly [name: string]: number;
    };
    readonly traits?: readonly string[];
    readonly aggregates?: readonly string[];
    /**
     * The rules of the inventory (capacity, min_unit, max_unit, step_size), or those for
     * several groups together.
     */
    readonly rules?: readonly string[];
  }[];
  /** The smallest change that makes the tree a candidate; null if none is known. */
  readonly change:
    | readonly {
        readonly change:
          | 'free'
          | 'add_capacity'
          | 'add_inventory'
          | 'set_min_unit'
          | 'set_max_unit'
          | 'set_step_size'
          | 'add_trait'
          | 'remove_trait'
          | 'add_aggregate'
          | 'remove_aggregate';
        readonly text: string;
        readonly provider: NamedProvider;
        readonly resource_class?: string;
        readonly amount?: number;
        readonly trait?: string;
        readonly aggregate?: string;
        readonly held_by?: readonly {
          readonly consumer: string;
          readonly amount: number;
          /**
           * The kind and the name of the consumer, such as server 'web-1'; null if no service
           * knows it.
           */
          readonly name: string | null;
          /** The lease that releases the resources when it ends, if any. */
          readonly released_by: string | null;
          /** When it does. */
          readonly released_at: string | null;
        }[];
      }[]
    | null;
}

export interface Audit {
  /** The version of the format. */
  readonly format: 1;
  /** How many resources were examined, by their noun, such as servers. */
  readonly examined: {
    readonly [name: string]: number;
  };
  /** How many inconsistencies there are. */
  readonly count: number;
  readonly inconsistencies: readonly {
    readonly region: string;
    readonly service: string;
    /** The name of the check, such as server_without_allocations. */
    readonly check: string;
    /** The resource that an administrator changes. */
    readonly resource: {
      readonly type: string;
      readonly id: string;
      readonly name: string | null;
    };
    /** What is inconsistent. */
    readonly text: string;
    /** The commands that repair it. */
    readonly repair: readonly string[];
  }[];
  /** The report, in lines that people can read. */
  readonly text: readonly string[];
}

export interface HostFailure {
  /** The version of the format. */
  readonly format: 1;
  readonly region: string;
  readonly kind: 'host' | 'zone' | 'aggregate';
  readonly name: string;
  /** The hosts that fail. */
  readonly hosts: readonly string[];
  /** Whether everything on the hosts finds a place. */
  readonly survives: boolean;
  readonly summary: string;
  readonly displaced: readonly {
    /** What was on the hosts: servers or reservations. */
    readonly noun: string;
    readonly moved: readonly {
      readonly id: string;
      /** The name of the server, or of the lease. */
      readonly name: string;
      /** The hosts on which it is afterwards. */
      readonly to: readonly string[];
    }[];
    readonly lost: readonly {
      readonly id: string;
      /** The name of the server, or of the lease. */
      readonly name: string;
      /** Why it finds no place. */
      readonly reason: string;
    }[];
  }[];
  /** The same, in lines that people can read. */
  readonly text: readonly string[];
}

export interface Change {
  /** Adds equal hosts, as in the section hosts of a world. */
  readonly add_hosts?: {
    /** Their name, with -1, -2, ... after it if there is a count; new by default. */
    readonly name?: string;
    readonly count?: number;
    readonly vcpus?: number;
    readonly memory_mb?: number;
    readonly disk_gb?: number;
    readonly ratios?: Amounts;
    readonly reserved?: Amounts;
    readonly traits?: readonly string[];
    readonly zone?: string;
    readonly aggregates?: readonly string[];
  };
  /** Removes a host, which must have no servers. */
  readonly remove_host?: string;
  /** Disables the service of a host, and moves its servers to others. */
  readonly drain_host?: string;
  /** Sets the allocation ratio of a resource class on hosts. */
  readonly set_ratio?: {
    readonly resource_class: string;
    readonly ratio: number;
    /** The names of the hosts; all by default. */
    readonly hosts?: readonly string[];
  };
  /** Changes the sizes of a flavor. Existing servers keep theirs. */
  readonly resize_flavor?: {
    readonly name: string;
    readonly vcpus?: number;
    readonly memory_mb?: number;
    readonly disk_gb?: number;
  };
  readonly add_servers?: ServersToAdd;
  /** Deletes a lease, by name or id. */
  readonly end_lease?: string;
  /** Drains the pod of this region. */
  readonly maintain_pod?: string;
  /** Moves the clock, as POST /clock/advance does. */
  readonly advance?: {
    readonly to?: string;
    readonly weeks?: number;
    readonly days?: number;
    readonly hours?: number;
    readonly minutes?: number;
    readonly seconds?: number;
  };
}

export interface Question {
  /** How many servers fit, as GET /capacity/servers counts them. */
  readonly servers?: {
    readonly flavor: string;
    readonly image?: string;
    readonly zone?: string;
    readonly group?: string;
    readonly group_policy?: 'affinity' | 'anti-affinity' | 'soft-affinity' | 'soft-anti-affinity';
    readonly max_server_per_host?: number;
    readonly project?: string;
  };
  /** How many leases fit, as GET /capacity/leases counts them. */
  readonly leases?: {
    readonly hosts?: number;
    readonly instances?: number;
    readonly flavor?: string;
    readonly vcpus?: number;
    readonly memory_mb?: number;
    readonly disk_gb?: number;
    readonly affinity?: boolean;
    readonly properties?: string;
    readonly start?: string;
    readonly for?: string;
  };
  /** How many nodes of a profile fit, as GET /capacity/nodes counts them. */
  readonly nodes?: {
    readonly profile: string;
  };
  /** How often a query of allocation candidates is served, such as resources=VCPU:8. */
  readonly candidates?: string;
  /** How many hosts, zones or aggregates may fail, one at a time. */
  readonly n_plus_1?: 'host' | 'zone' | 'aggregate';
}

export interface WhatIfAnswer {
  /** Null if the question was refused. */
  readonly count: number | null;
  /** What limits the number, or why the question was refused. */
  readonly text: string;
}

/** Equal servers, as in the section servers of a world. */
export interface ServersToAdd {
  readonly name: string;
  readonly count?: number;
  readonly project?: string;
  readonly flavor?: string;
  readonly image?: string;
  readonly network?: string;
  readonly host?: string;
  readonly zone?: string;
  readonly group?: string;
}

/** A server or a lease that arrives. */
export interface Arrival {
  /**
   * When it arrives: a time such as 2026-11-20T12:00:00Z, or seconds. The first arrival
   * comes at once, and the others as much later.
   */
  readonly at: number | string;
  readonly server?: ServersToAdd;
  /** A lease, as in the section leases of a world. */
  readonly lease?: {
    readonly name: string;
    readonly project?: string;
    /** now, +2d after the arrival, or a time; now by default. */
    readonly start?: string;
    /** How long it lasts; 24h by default. */
    readonly for?: string;
    /** How many hosts to reserve. */
    readonly hosts?: number;
    readonly instances?: {
      readonly amount: number;
      readonly vcpus: number;
      readonly memory_mb: number;
      readonly disk_gb?: number;
      readonly affinity?: boolean | null;
    };
  };
  /** The seconds after which a server is deleted; it stays by default. */
  readonly lasts?: number;
}

export interface ReplayConfiguration {
  readonly name?: string;
  /** Settings by service, as PUT /{service}/settings takes them. */
  readonly settings?: {
    readonly [name: string]: {
      readonly [name: string]: unknown;
    };
  };
  /** Changes before the first arrival, as of what-if. */
  readonly changes?: readonly Change[];
}

export interface Replay {
  /** The version of the format. */
  readonly format: 1;
  readonly region: string;
  readonly configuration: string;
  /** The time of the first arrival. */
  readonly from: string;
  /** The time of the last arrival. */
  readonly until: string;
  readonly arrivals: number;
  readonly accepted: number;
  readonly rejected: number;
  /** Why arrivals were rejected: up to 50 causes, the most frequent first. */
  readonly causes: readonly {
    readonly cause: string;
    readonly count: number;
  }[];
  /** How full the region was over the time of the replay, as fractions of the capacity. */
  readonly use: readonly {
    readonly resource_class: string;
    readonly mean: number;
    readonly peak: number;
  }[];
  /** How full the region was at a hundred times, as fractions by resource class. */
  readonly samples: readonly {
    readonly time: string;
    readonly use: {
      readonly [name: string]: number;
    };
  }[];
  readonly changes: readonly {
    readonly change: string;
    readonly text: string;
    readonly failed: boolean;
  }[];
  /** The same, in lines that people can read. */
  readonly text: readonly string[];
}

export interface WhatIf {
  /** The version of the format. */
  readonly format: 1;
  readonly region: string;
  readonly changes: readonly {
    readonly change: string;
    /** What happened, or why the change failed. */
    readonly text: string;
    readonly failed: boolean;
  }[];
  readonly questions: readonly {
    readonly question: string;
    readonly before: WhatIfAnswer;
    readonly after: WhatIfAnswer;
    readonly difference: number | null;
  }[];
  /** The same, in lines that people can read. */
  readonly text: readonly string[];
}

export interface Job {
  readonly id: string;
  /** Null for the services that all regions share. */
  readonly region: string | null;
  readonly service: string;
  readonly kind: string;
  /** The resource that the job changes, such as the id of a lease. */
  readonly subject: string;
  /** The emulated time at which it runs. */
  readonly due_at: string;
  readonly state: 'pending' | 'running' | 'set_aside';
  /** The time between the rounds of a periodic job. */
  readonly period_seconds: number | null;
  /** How often it has failed. */
  readonly failures: number;
  /** Why it was set aside. */
  readonly error: string | null;
}

/** docs/reference/settings.md lists the settings of each service. */
export type ServiceSettings = {
  readonly [name: string]: unknown;
};

export interface Host {
  readonly uuid: string;
  readonly name: string;
  readonly vcpus: number;
  readonly memory_mb: number;
  readonly disk_gb: number;
  readonly enabled: boolean;
  readonly up: boolean;
}

export interface Health {
  readonly status: 'ok';
}

export interface Readiness {
  readonly ready: boolean;
  readonly databases: {
    readonly [name: string]: boolean;
  };
  /**
   * The databases whose jobs this process runs now, because the clock has moved or the
   * emulator was off.
   */
  readonly catching_up: readonly {
    /** A region */
    readonly database: string;
    /** The emulated time of the current job. */
    readonly at: string;
    /** The time up to which jobs run. */
    readonly until: string;
    readonly jobs_run: number;
    /**
     * How many rounds of periodic jobs were left out because they would have changed
     * nothing.
     */
    readonly rounds_skipped: number;
    /** How long it has taken so far. */
    readonly seconds: number;
  }[];
}

export interface Info {
  readonly version: string;
  readonly database: 'sqlite' | 'mysql';
  readonly auth: 'keystone' | 'noauth2';
  readonly regions: readonly string[];
  readonly services: {
    readonly [name: string]: {
      readonly path: string;
      readonly min_version: string;
      readonly max_version: string;
      readonly operations: number;
    };
  };
  readonly now: string;
}

export interface Clock {
  readonly now: string;
  readonly frozen: boolean;
  /** How many seconds the clock is ahead of the machine's. */
  readonly ahead_seconds: number;
}

export interface MovedClock {
  readonly now: string;
  readonly frozen: boolean;
  /** How many seconds the clock is ahead of the machine's. */
  readonly ahead_seconds: number;
  /** How many jobs this process has run because they became due. */
  readonly jobs_run: number;
  /**
   * How many rounds of periodic jobs were left out because they would have changed
   * nothing.
   */
  readonly rounds_skipped: number;
  /** How many jobs could not run. */
  readonly jobs_set_aside: number;
}

/** What each operation takes and returns. */
export interface Operations {
  /** Returns a page for browsers, and the same as /info for other clients. */
  'index:show': {
    readonly reply: Info;
  };
  /** Returns the page, as /ui/ does. */
  'page:open': {
    readonly reply: string;
  };
  /** Returns the page, which shows the cloud in a browser. */
  'page:show': {
    readonly reply: string;
  };
  /** Returns a file of the page, or the page itself for the name of a view. */
  'page_files:show': {
    readonly path: { readonly file: Word };
    readonly reply: string;
  };
  /** Streams what changes in the cloud from now on, as server-sent events. */
  'changes:stream': {
    readonly query?: {
      /** How long the stream lasts; without it, until the client or the emulator ends it. */
      readonly seconds?: Word;
    };
    readonly reply: string;
  };
  /** Shows that the process is running. */
  'health:show': {
    readonly reply: Health;
  };
  /**
   * Shows whether all databases are reachable, and which of them catch up with the
   * clock.
   */
  'ready:show': {
    readonly reply: Readiness;
  };
  /**
   * Shows the emulator's version, services with their microversions, regions, database
   * and time.
   */
  'info:show': {
    readonly reply: Info;
  };
  /** Returns counters and latencies in the format of Prometheus. */
  'metrics:show': {
    readonly reply: string;
  };
  /**
   * Returns a clouds.yaml with the clouds cumulet, cumulet-demo and cumulet-system. With
   * --auth noauth2 it has only the first, without a password.
   */
  'clouds_yaml:show': {
    readonly reply: string;
  };
  /**
   * Returns shell commands that remove all OS_* variables, and set those for the user
   * admin.
   */
  'openrc:show': {
    readonly query?: {
      /** The shell; sh, for bash, zsh and dash, if it is omitted. */
      readonly shell?: 'sh' | 'fish' | 'powershell';
    };
    readonly reply: string;
  };
  /** Returns the OS_* variables for the user admin, as /openrc sets them. */
  'environment:show': {
    readonly reply: {
      /** Values by the names of the variables. */
      readonly environment: {
        readonly [name: string]: string;
      };
      /** What a client needs besides, such as a password that is not known here. */
      readonly missing: string | null;
    };
  };
  /**
   * Resets the cloud, a region or a service to its initial state. Without region and
   * service, everything is reset, including the clock; a cloud with --seed restores that
   * file. With a preset, everything is reset to that preset.
   */
  'reset:create': {
    readonly body?: {
      readonly region?: string;
      readonly service?: string;
      /** The name of a preset to start from */
      readonly preset?: string;
    };
    readonly reply: undefined;
  };
  /** Lists the named snapshots, sorted by name. */
  'snapshots:list': {
    readonly reply: {
      readonly snapshots: readonly Snapshot[];
    };
  };
  /** Shows a snapshot. */
  'snapshots:show': {
    readonly path: { readonly name: Word };
    readonly reply: OneSnapshot;
  };
  /**
   * Takes a snapshot of the whole cloud, and overwrites an existing snapshot of that
   * name.
   */
  'snapshots:save': {
    readonly path: { readonly name: Word };
    readonly reply: OneSnapshot;
  };
  /** Deletes a snapshot. */
  'snapshots:delete': {
    readonly path: { readonly name: Word };
    readonly reply: undefined;
  };
  /** Restores the cloud, including its regions, to the state when the snapshot was taken. */
  'snapshots:restore': {
    readonly path: { readonly name: Word };
    readonly reply: undefined;
  };
  /**
   * Exports the current state, or a snapshot, as a document for import and --seed. It
   * contains keys and password hashes.
   */
  'export:show': {
    readonly query?: {
      /** The name of a snapshot; without it, the current state is exported. */
      readonly snapshot?: Word;
    };
    readonly reply: string;
  };
  /**
   * Restores the state in a document of /export. The whole document is checked before
   * anything is changed.
   */
  'import:create': {
    readonly query?: {
      /**
       * Whether rows may refer to resources that do not exist, as in a copy of a cloud that
       * has such rows.
       */
      readonly allow_inconsistent?: 'true' | 'false' | boolean;
    };
    readonly body: string;
    readonly reply: undefined;
  };
  /** Lists the newest notifications of a region that match, the oldest of them first. */
  'notifications:list': {
    readonly query?: {
      /** The region; the first one by default. */
      readonly region?: Word;
      /** Notifications of this service, such as compute. */
      readonly service?: Word;
      /** Notifications of this type; a `*` at the end matches any rest. */
      readonly event_type?: Word;
      /** Notifications that this project has caused. */
      readonly project?: Word;
      /** Notifications of the request with this id. */
      readonly request?: Word;
      /** Notifications with greater numbers. */
      readonly after?: Word;
      /** The maximum number of notifications; 100 by default. */
      readonly limit?: Word;
    };
    readonly reply: {
      /** How many notifications each region keeps. */
      readonly keep: number;
      readonly notifications: readonly Notification[];
    };
  };
  /** Sets how many notifications each region keeps; 0 switches it off and deletes them. */
  'notifications:update': {
    readonly body: {
      /** How many notifications each region keeps; older ones are deleted. */
      readonly keep: number;
    };
    readonly reply: {
      readonly keep: number;
    };
  };
  /** Deletes the notifications of all regions. */
  'notifications:clear': {
    readonly reply: undefined;
  };
  /** Streams the notifications of a region that match, as server-sent events. */
  'notifications:stream': {
    readonly query?: {
      /** The region; the first one by default. */
      readonly region?: Word;
      /** Notifications of this service, such as compute. */
      readonly service?: Word;
      /** Notifications of this type; a `*` at the end matches any rest. */
      readonly event_type?: Word;
      /** Notifications that this project has caused. */
      readonly project?: Word;
      /** Notifications of the request with this id. */
      readonly request?: Word;
      /** Notifications with greater numbers. */
      readonly after?: Word;
    };
    readonly reply: string;
  };
  /**
   * Lists the messages to servers outside of the cloud, such as a Nova elsewhere, that
   * have not been delivered.
   */
  'outbox:list': {
    readonly query?: {
      /** The region; the first one by default. */
      readonly region?: Word;
    };
    readonly reply: {
      readonly messages: readonly {
        /** The service and the kind of message, such as network.server_event. */
        readonly kind: string;
        readonly payload: {
          readonly [name: string]: unknown;
        };
        readonly created_at: string;
        readonly status: 'pending' | 'undelivered';
        /** Why the last attempt failed. */
        readonly error: string | null;
      }[];
    };
  };
  /**
   * Permanently removes the records of deleted resources and finished actions, such as
   * deleted servers.
   */
  'purge:create': {
    readonly body?: {
      readonly region?: string;
      readonly older_than_seconds?: number;
    };
    readonly reply: {
      readonly purged: {
        readonly [name: string]: number;
      };
    };
  };
  /**
   * Lists the users of an OpenID provider, with which tests sign in by federation,
   * sorted by name.
   */
  'oidc_users:list': {
    readonly path: { readonly issuer: Word };
    readonly reply: {
      readonly users: readonly OidcUser[];
    };
  };
  /** Creates a user of an OpenID provider, or replaces it. */
  'oidc_users:update': {
    readonly path: { readonly issuer: Word; readonly name: Word };
    readonly body: {
      /** The password of the user. */
      readonly password: string;
      /**
       * The claims of the tokens besides iss, sub, aud, iat and exp. The claim email is the
       * attribute HTTP_OIDC_EMAIL of assertions.
       */
      readonly claims?: {
        readonly [name: string]: unknown;
      };
    };
    readonly reply: {
      readonly user: OidcUser;
    };
  };
  /**
   * Deletes a user of an OpenID provider. Tokens of the user stay valid until they
   * expire.
   */
  'oidc_users:delete': {
    readonly path: { readonly issuer: Word; readonly name: Word };
    readonly reply: undefined;
  };
  /**
   * Lists the identity providers whose SAML assertions are accepted besides those of
   * this cloud, sorted by name.
   */
  'saml_providers:list': {
    readonly reply: {
      readonly providers: readonly SamlProvider[];
    };
  };
  /**
   * Registers an identity provider, such as another cloud, by its SAML metadata, or
   * replaces it.
   */
  'saml_providers:update': {
    readonly path: { readonly name: Word };
    readonly body: {
      /**
       * The metadata in XML: an EntityDescriptor with an IDPSSODescriptor and an RSA
       * certificate.
       */
      readonly metadata: string;
    };
    readonly reply: {
      readonly provider: SamlProvider;
    };
  };
  /**
   * Deletes an identity provider. Its assertions are no longer accepted; sessions and
   * tokens stay valid.
   */
  'saml_providers:delete': {
    readonly path: { readonly name: Word };
    readonly reply: undefined;
  };
  /** Lists the throw-away projects, the oldest first. */
  'projects:list': {
    readonly reply: {
      readonly projects: readonly Project[];
    };
  };
  /**
   * Creates a throw-away project in a domain of its own, with a user, a network in each
   * region, and credentials.
   */
  'projects:create': {
    readonly body?: {
      /** The name of the domain, the project and the user; a generated one by default. */
      readonly name?: string;
      /** The roles of the user on the project; member and reader by default. */
      readonly roles?: readonly string[];
      /** The password of the user; a generated one by default. */
      readonly password?: string;
      /**
       * The quotas of services in all regions, by resource; -1 is unlimited. Others have the
       * defaults.
       */
      readonly quotas?: {
        readonly compute?: Limits;
        readonly network?: Limits;
        readonly volume?: Limits;
      };
      /** Whether the project gets a network with a subnet and a router; true by default. */
      readonly network?: boolean;
    };
    readonly reply: {
      readonly project: NewProject;
    };
  };
  /**
   * Deletes a throw-away project with its domain, its users, and everything that belongs
   * to them in all services and regions.
   */
  'projects:delete': {
    readonly path: { readonly id: Word };
    readonly reply: {
      readonly removed: {
        readonly [name: string]: number;
      };
    };
  };
  /** Lists the regions, in the order in which they were added. */
  'regions:list': {
    readonly reply: {
      readonly regions: readonly Region[];
    };
  };
  /**
   * Adds a region while the cloud runs. With `from`, it is a fork of that region and
   * starts with a copy of its data.
   */
  'regions:create': {
    readonly body: {
      readonly name: string;
      readonly from?: string;
    };
    readonly reply: OneRegion;
  };
  /** Shows a region. */
  'regions:show': {
    readonly path: { readonly name: Word };
    readonly reply: OneRegion;
  };
  /**
   * Drops a region with all its data. The first region, which serves the paths without a
   * prefix, cannot be dropped.
   */
  'regions:delete': {
    readonly path: { readonly name: Word };
    readonly reply: undefined;
  };
  /** Lists the fault rules, the oldest first. */
  'faults:list': {
    readonly reply: {
      readonly faults: readonly FaultRule[];
    };
  };
  /**
   * Adds a fault rule. The reply is sent when the rule is active in all processes. A
   * reset removes the rules that match only what it resets.
   */
  'faults:create': {
    readonly body: {
      readonly match?: FaultMatch;
      readonly effect: FaultEffect;
      /** How many requests the rule affects at most; unlimited by default. */
      readonly count?: number;
      /** How many matching requests pass before the rule takes effect. */
      readonly skip?: number;
      /** The probability that a matching request is affected. */
      readonly probability?: number;
      /**
       * Makes the choice by probability repeatable: the same matches are affected in every
       * run.
       */
      readonly seed?: string;
    };
    readonly reply: OneFaultRule;
  };
  /** Removes all fault rules. */
  'faults:clear': {
    readonly reply: undefined;
  };
  /** Shows a fault rule with its counters. */
  'faults:show': {
    readonly path: { readonly id: Word };
    readonly reply: OneFaultRule;
  };
  /** Removes a fault rule. */
  'faults:delete': {
    readonly path: { readonly id: Word };
    readonly reply: undefined;
  };
  /** Lists the failure scenarios, sorted by name, with the fault rules of each. */
  'fault_scenarios:list': {
    readonly reply: {
      readonly scenarios: readonly FaultScenario[];
    };
  };
  /** Adds the fault rules of a scenario, in order. */
  'fault_scenarios:add': {
    readonly path: { readonly name: Word };
    readonly reply: {
      readonly faults: readonly FaultRule[];
    };
  };
  /** Lists the newest recorded requests that match, in the order of their arrival. */
  'requests:list': {
    readonly query?: {
      /** The name of the service, such as compute. */
      readonly service?: Word;
      /** The region. Services that all regions share belong to none. */
      readonly region?: Word;
      /** An operationId of api-ref, such as servers:create, or an action, such as os-start. */
      readonly operation?: Word;
      /** The method. */
      readonly method?:
        'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS' | 'CONNECT' | 'TRACE';
      /**
       * A pattern for the path, without the service's prefix and the project id. `*` and
       * `{name}` match one segment, `**` any number.
       */
      readonly path?: Word;
      /** A status such as 404, a class such as 4xx, or dropped. */
      readonly status?: Word;
      /** An id or a name. */
      readonly project?: Word;
      /** An id or a name. */
      readonly user?: Word;
      /** The lowest microversion that was used. */
      readonly min_version?: Word;
      /** The highest microversion that was used. */
      readonly max_version?: Word;
      /**
       * The version that the request asked for, such as latest; empty for requests without a
       * version.
       */
      readonly version_asked?: Word;
      /** A part of the user agent. */
      readonly user_agent?: Word;
      /**
       * Whether to select requests from clients (false, the default), from services (true),
       * or from both (any).
       */
      readonly inside?: 'true' | 'false' | 'any' | boolean;
      /** Selects entries after this number, or from this machine time on. */
      readonly since?: Word;
      /** The maximum number of requests; 100 by default. */
      readonly limit?: Word;
      /** Lists requests with a smaller number, for the next page. */
      readonly before?: Word;
    };
    readonly reply: {
      /** How many requests the journal keeps. */
      readonly keep: number;
      readonly requests: readonly JournalEntry[];
      /** A link to older requests, if more match. */
      readonly requests_links: readonly {
        readonly rel: 'next';
        readonly href: string;
      }[];
    };
  };
  /** Sets how many requests the journal retains, in all processes; 0 switches it off. */
  'requests:update': {
    readonly body: {
      /** How many requests the journal retains; older ones are deleted. 0 switches it off. */
      readonly keep: number;
    };
    readonly reply: {
      readonly keep: number;
    };
  };
  /** Empties the journal. */
  'requests:clear': {
    readonly reply: undefined;
  };
  /**
   * Asserts how many requests match (at least one by default), or that requests matched
   * in a certain order.
   */
  'requests:assert': {
    readonly body: {
      readonly match?: JournalMatch;
      /**
       * For each match there must be a request after that of the previous match; other
       * requests may lie between them.
       */
      readonly sequence?: readonly JournalMatch[];
      readonly times?: number;
      readonly at_least?: number;
      readonly at_most?: number;
      readonly never?: true;
    };
    readonly reply: {
      readonly message: string;
      /** How many requests match. */
      readonly matched: number;
      /** The newest hundred of them. */
      readonly requests: readonly JournalEntry[];
    };
  };
  /**
   * Shows which microversions each client asked for, and which operations differ at the
   * newest version.
   */
  'requests:versions': {
    readonly query?: {
      /** The name of the service, such as compute. */
      readonly service?: Word;
      /** The region. Services that all regions share belong to none. */
      readonly region?: Word;
      /** An operationId of api-ref, such as servers:create, or an action, such as os-start. */
      readonly operation?: Word;
      /** The method. */
      readonly method?:
        'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS' | 'CONNECT' | 'TRACE';
      /**
       * A pattern for the path, without the service's prefix and the project id. `*` and
       * `{name}` match one segment, `**` any number.
       */
      readonly path?: Word;
      /** A status such as 404, a class such as 4xx, or dropped. */
      readonly status?: Word;
      /** An id or a name. */
      readonly project?: Word;
      /** An id or a name. */
      readonly user?: Word;
      /** The lowest microversion that was used. */
      readonly min_version?: Word;
      /** The highest microversion that was used. */
      readonly max_version?: Word;
      /**
       * The version that the request asked for, such as latest; empty for requests without a
       * version.
       */
      readonly version_asked?: Word;
      /** A part of the user agent. */
      readonly user_agent?: Word;
      /**
       * Whether to select requests from clients (false, the default), from services (true),
       * or from both (any).
       */
      readonly inside?: 'true' | 'false' | 'any' | boolean;
      /** Selects entries after this number, or from this machine time on. */
      readonly since?: Word;
    };
    readonly reply: {
      readonly clients: readonly AuditedClient[];
    };
  };
  /** Shows a recorded request, by its number or its request id. */
  'requests:show': {
    readonly path: { readonly id: Word };
    readonly reply: {
      readonly request: JournalEntry;
    };
  };
  /** Shows the emulated time. */
  'clock:show': {
    readonly reply: Clock;
  };
  /** Sets the time, and freezes or unfreezes the clock. Omitted fields keep their values. */
  'clock:update': {
    readonly body: {
      readonly now?: string;
      readonly frozen?: boolean;
    };
    readonly reply: MovedClock;
  };
  /**
   * Moves the clock forward, by a duration or to a time, and runs all jobs that become
   * due before it responds.
   */
  'clock:advance': {
    readonly body: {
      readonly to?: string;
      readonly weeks?: number;
      readonly days?: number;
      readonly hours?: number;
      readonly minutes?: number;
      readonly seconds?: number;
    };
    readonly reply: MovedClock;
  };
  /** Lists Compute's hosts in a region, in the order in which they were added. */
  'hosts:list': {
    readonly query?: {
      /** The region; the first one by default. */
      readonly region?: Word;
    };
    readonly reply: {
      readonly hosts: readonly Host[];
    };
  };
  /** Adds a host. Omitted properties are those of a new region's hosts. */
  'hosts:create': {
    readonly body: {
      readonly region?: string;
      readonly name: string;
      readonly vcpus?: number;
      readonly memory_mb?: number;
      readonly disk_gb?: number;
      readonly ratios?: Amounts;
      readonly reserved?: Amounts;
      readonly traits?: readonly string[];
      readonly zone?: string;
    };
    readonly reply: Host;
  };
  /** Removes a host without servers, with its service and its resource provider. */
  'hosts:delete': {
    readonly path: { readonly name: Word };
    readonly query?: {
      /** The region; the first one by default. */
      readonly region?: Word;
    };
    readonly reply: undefined;
  };
  /**
   * Puts a pod of Tricircle under maintenance, and moves all servers and volumes of
   * tenants to other pods.
   */
  'pods:drain': {
    readonly path: { readonly region: Word };
    readonly body: {
      /**
       * The region of the pod to move to; by default the pods to which the tenants are bound
       * then.
       */
      readonly target?: string;
      /** Whether the reply is only a plan. */
      readonly dry_run?: boolean;
    };
    readonly reply: Migration;
  };
  /** Shows a migration between pods with the progress of its moves. */
  'migrations:show': {
    readonly path: { readonly migration_id: Word };
    readonly reply: Migration;
  };
  /** Lists the newest explanations of decisions in a region, the newest first. */
  'explanations:list': {
    readonly query?: {
      /** The region; the first one by default. */
      readonly region?: Word;
      /** The kind of the decision. */
      readonly kind?: 'candidates' | 'server' | 'lease' | 'action' | 'pod';
      /** The id of what the decision was about. */
      readonly subject?: Word;
      /** The id of the request that led to the decision. */
      readonly request?: Word;
      /** The outcome of the decision; partial: less than was asked for. */
      readonly outcome?: 'success' | 'partial' | 'failure';
      /** How many explanations to list at most, from 1 to 1000; 20 by default. */
      readonly limit?: Word;
    };
    readonly reply: {
      /** Whether all decisions are explained, and not only failures. */
      readonly all: boolean;
      readonly explanations: readonly Explanation[];
    };
  };
  /** Explains all decisions from now on, or failures only (the default). */
  'explanations:update': {
    readonly body: {
      readonly all: boolean;
    };
    readonly reply: {
      readonly all: boolean;
    };
  };
  /**
   * Shows the newest explanation of a request, of the host of a server, of a lease, of
   * an action of a cluster, or of the choice of a pod.
   */
  'explanations:show': {
    readonly path: { readonly kind: Word; readonly id: Word };
    readonly query?: {
      /** The region; all regions by default. */
      readonly region?: Word;
    };
    readonly reply: {
      readonly explanation: Explanation;
    };
  };
  /**
   * Explains which provider trees Placement offers for a request, and why not the
   * others.
   */
  'explanations:candidates': {
    readonly query?: {
      /**
       * The query of GET /allocation_candidates, percent-encoded as a whole, such as
       * `resources=VCPU:8`.
       */
      readonly query?: Word;
      /** The microversion of Placement, from 1.10; the newest one by default. */
      readonly microversion?: Word;
      /** The region; the first one by default. */
      readonly region?: Word;
    };
    readonly reply: {
      readonly explanation: CandidatesExplanation;
    };
  };
  /**
   * Explains what an action would do to a cluster of Clustering now. It is taken in a
   * transaction that is rolled back.
   */
  'explanations:action': {
    readonly query?: {
      /** The region; the first one by default. */
      readonly region?: Word;
    };
    readonly body: {
      /** The id of the cluster */
      readonly cluster: string;
      /** The body of POST /clusters/{id}/actions, such as `{"scale_out": {"count": 2}}`. */
      readonly action: {
        readonly [name: string]: unknown;
      };
    };
    readonly reply: {
      readonly explanation: ActionExplanation;
    };
  };
  /**
   * Counts how often a request for allocation candidates is served, if the first
   * candidate is claimed each time.
   */
  'capacity:candidates': {
    readonly query?: {
      /**
       * The query of GET /allocation_candidates, percent-encoded as a whole, such as
       * `resources=VCPU:8`. Its limit has no effect.
       */
      readonly query?: Word;
      /** The microversion of Placement, from 1.10; the newest one by default. */
      readonly microversion?: Word;
      /** The region; the first one by default. */
      readonly region?: Word;
    };
    readonly reply: {
      readonly capacity: Capacity;
    };
  };
  /**
   * Counts how many more servers of a flavor fit, if they are created one at a time.
   * Quotas are not considered.
   */
  'capacity:servers': {
    readonly query?: {
      /** The id or the name of the flavor. */
      readonly flavor?: Word;
      /** The id or the name of an image, whose properties can require traits. */
      readonly image?: Word;
      /** The availability zone. */
      readonly zone?: Word;
      /** The id of a server group that the servers join. */
      readonly group?: Word;
      /** The policy of a new server group that the servers join. */
      readonly group_policy?: 'affinity' | 'anti-affinity' | 'soft-affinity' | 'soft-anti-affinity';
      /** How many servers of a new group with anti-affinity may be on one host; 1 by default. */
      readonly max_server_per_host?: Word;
      /**
       * The id of the project that owns the servers, for aggregates that only some projects
       * may use.
       */
      readonly project?: Word;
      /** The region; the first one by default. */
      readonly region?: Word;
    };
    readonly reply: {
      readonly capacity: Capacity;
    };
  };
  /**
   * Counts how many more nodes of a profile fit, if they are created one at a time.
   * Quotas, and the sizes and policies of clusters, are not considered.
   */
  'capacity:nodes': {
    readonly query?: {
      /** The id or the name of a profile of servers. */
      readonly profile?: Word;
      /** The region; the first one by default. */
      readonly region?: Word;
    };
    readonly reply: {
      readonly capacity: Capacity;
    };
  };
  /**
   * Counts how many more leases with one reservation of hosts or instances fit, if they
   * are created one at a time. Limits of enforcement are not considered.
   */
  'capacity:leases': {
    readonly query?: {
      /** How many whole hosts each lease reserves. */
      readonly hosts?: Word;
      /** How many instances each lease reserves, instead of hosts. */
      readonly instances?: Word;
      /** The id or the name of the flavor of the instances, instead of their sizes. */
      readonly flavor?: Word;
      /** The VCPUs of an instance. */
      readonly vcpus?: Word;
      /** The memory of an instance. */
      readonly memory_mb?: Word;
      /** The disk of an instance; 0 by default. */
      readonly disk_gb?: Word;
      /**
       * Whether the instances of a lease are on one host, or each on another; neither by
       * default.
       */
      readonly affinity?: 'true' | 'false' | boolean;
      /** Requirements on hosts, such as `["==", "$gpu", "true"]`. */
      readonly properties?: Word;
      /** When the leases start: now (the default), +2d, or a time. */
      readonly start?: Word;
      /** How long they last, such as 7d; 24h by default. */
      readonly for?: Word;
      /** The region; the first one by default. */
      readonly region?: Word;
    };
    readonly reply: {
      readonly capacity: Capacity;
    };
  };
  /**
   * Reports what is inconsistent in a region or in all of them, each with the commands
   * that repair it. Nothing is changed.
   */
  'audit:show': {
    readonly query?: {
      /** The region; all by default. */
      readonly region?: Word;
    };
    readonly reply: {
      readonly audit: Audit;
    };
  };
  /** Lists the hosts, zones or aggregates of a region that may fail. */
  'host_failures:list': {
    readonly path: { readonly kind: Word };
    readonly query?: {
      /** The region; the first one by default. */
      readonly region?: Word;
    };
    readonly reply: {
      readonly domains: readonly {
        readonly kind: 'host' | 'zone' | 'aggregate';
        readonly name: string;
        readonly hosts: readonly string[];
      }[];
    };
  };
  /**
   * Rehearses a failure. Servers are evacuated and reservations moved, in a transaction
   * that is rolled back.
   */
  'host_failures:show': {
    readonly path: { readonly kind: Word; readonly name: Word };
    readonly query?: {
      /** The region; the first one by default. */
      readonly region?: Word;
    };
    readonly reply: {
      readonly failure: HostFailure;
    };
  };
  /**
   * Makes changes in a copy of the cloud, answers questions before and after them, and
   * throws the copy away.
   */
  'what_if:create': {
    readonly body: {
      /** The region; the first one by default. */
      readonly region?: string;
      /** The changes, in order, each an object with one field. */
      readonly changes: readonly Change[];
      /**
       * The questions, each an object with one field; by default, how many servers of each
       * flavor fit.
       */
      readonly questions?: readonly Question[];
    };
    readonly reply: {
      readonly what_if: WhatIf;
    };
  };
  /**
   * Plays arrivals of servers and leases in a copy of the cloud, under a configuration,
   * and throws the copy away.
   */
  'replay:create': {
    readonly body: {
      /** The region; the first one by default. */
      readonly region?: string;
      readonly configuration?: ReplayConfiguration;
      /** What arrives, in any order. */
      readonly arrivals: readonly Arrival[];
    };
    readonly reply: {
      readonly replay: Replay;
    };
  };
  /**
   * Counts how many more servers, leases or candidates fit, now and after each start and
   * end of a lease, in a copy of the cloud whose clock is moved.
   */
  'capacity:timeline': {
    readonly query?: {
      /** The last time to look at, such as 2026-11-20T12:00:00Z. */
      readonly until?: Word;
      /** A query of allocation candidates, instead of a flavor. */
      readonly query?: Word;
      /** The id or the name of the flavor. */
      readonly flavor?: Word;
      /** The id or the name of an image. */
      readonly image?: Word;
      /** The availability zone. */
      readonly zone?: Word;
      /** The id of a server group that the servers join. */
      readonly group?: Word;
      /** The policy of a new server group that the servers join. */
      readonly group_policy?: 'affinity' | 'anti-affinity' | 'soft-affinity' | 'soft-anti-affinity';
      /** How many servers of a new group with anti-affinity may be on one host. */
      readonly max_server_per_host?: Word;
      /** The id of the project that owns the servers. */
      readonly project?: Word;
      /** The id or the name of a profile, to count nodes. */
      readonly profile?: Word;
      /** How many whole hosts each lease reserves, to count leases. */
      readonly hosts?: Word;
      /** How many instances each lease reserves, instead of hosts. */
      readonly instances?: Word;
      /** The VCPUs of an instance. */
      readonly vcpus?: Word;
      /** The memory of an instance. */
      readonly memory_mb?: Word;
      /** The disk of an instance; 0 by default. */
      readonly disk_gb?: Word;
      /**
       * Whether the instances of a lease are on one host, or each on another; neither by
       * default.
       */
      readonly affinity?: 'true' | 'false' | boolean;
      /** Requirements on hosts, such as `["==", "$gpu", "true"]`. */
      readonly properties?: Word;
      /** When the leases start: now (the default), +2d, or a time. */
      readonly start?: Word;
      /** How long they last, such as 7d; 24h by default. */
      readonly for?: Word;
      /** The region; the first one by default. */
      readonly region?: Word;
    };
    readonly reply: {
      readonly timeline: {
        readonly format: 1;
        readonly region: string;
        readonly periods: readonly {
          /** When the period begins. */
          readonly from: string;
          /** Null if the question was refused. */
          readonly count: number | null;
          /** What limits the number, or why the question was refused. */
          readonly text: string;
        }[];
        readonly text: readonly string[];
      };
    };
  };
  /**
   * Lists the scheduled jobs in the order in which they run, and those that were set
   * aside because they cannot run.
   */
  'jobs:list': {
    readonly query?: {
      /** The region; `central` for the services that all regions share. */
      readonly region?: Word;
      /** The service, such as reservation. */
      readonly service?: Word;
      /** The kind, such as reservation.end_lease. */
      readonly kind?: Word;
      /** The state: pending, running or set_aside. */
      readonly state?: 'pending' | 'running' | 'set_aside';
      /** How many jobs to list at most, from 1 to 1000 (the default). */
      readonly limit?: Word;
    };
    readonly reply: {
      readonly jobs: readonly Job[];
    };
  };
  /** Deletes a job, so that what it would do never happens. */
  'jobs:delete': {
    readonly path: { readonly id: Word };
    readonly reply: undefined;
  };
  /** Lets a job that was set aside run again, before the next request to its service. */
  'jobs:retry': {
    readonly path: { readonly id: Word };
    readonly reply: {
      readonly job: Job;
    };
  };
  /** Shows the OpenAPI description of a service, which requests are checked against. */
  'api_descriptions:show': {
    readonly path: { readonly service: Word };
    readonly query?: {
      /**
       * The microversion to describe. Without one, the document describes all, and marks in
       * `x-openstack` what exists at which.
       */
      readonly microversion?: Word;
    };
    readonly reply: {
      readonly openapi: string;
      readonly info: {
        readonly [name: string]: unknown;
      };
      readonly servers: readonly {
        readonly url: string;
      }[];
      readonly paths: {
        readonly [name: string]: unknown;
      };
      readonly components: {
        readonly [name: string]: unknown;
      };
      readonly [name: string]: unknown;
    };
  };
  /** Shows the settings of a service, which upstream reads from a configuration file. */
  'service_settings:show': {
    readonly path: { readonly service: Word };
    readonly query?: {
      /** The region; the first one by default. */
      readonly region?: Word;
    };
    readonly reply: ServiceSettings;
  };
  /** Changes settings of a service. Omitted settings keep their values. */
  'service_settings:update': {
    readonly path: { readonly service: Word };
    readonly body: {
      /** The region; the first one by default. */
      readonly region?: string;
      readonly [name: string]: unknown;
    };
    readonly reply: ServiceSettings;
  };
}

/** The method and the path of each operation. */
export const operations: Readonly<
  Record<keyof Operations, readonly [method: string, path: string]>
> = {
  'index:show': ['GET', '/'],
  'page:open': ['GET', '/ui'],
  'page:show': ['GET', '/ui/'],
  'page_files:show': ['GET', '/ui/{file}'],
  'changes:stream': ['GET', '/changes'],
  'health:show': ['GET', '/health'],
  'ready:show': ['GET', '/ready'],
  'info:show': ['GET', '/info'],
  'metrics:show': ['GET', '/metrics'],
  'clouds_yaml:show': ['GET', '/clouds.yaml'],
  'openrc:show': ['GET', '/openrc'],
  'environment:show': ['GET', '/environment'],
  'reset:create': ['POST', '/reset'],
  'snapshots:list': ['GET', '/snapshots'],
  'snapshots:show': ['GET', '/snapshots/{name}'],
  'snapshots:save': ['PUT', '/snapshots/{name}'],
  'snapshots:delete': ['DELETE', '/snapshots/{name}'],
  'snapshots:restore': ['POST', '/snapshots/{name}/restore'],
  'export:show': ['GET', '/export'],
  'import:create': ['POST', '/import'],
  'notifications:list': ['GET', '/notifications'],
  'notifications:update': ['PUT', '/notifications'],
  'notifications:clear': ['DELETE', '/notifications'],
  'notifications:stream': ['GET', '/notifications/stream'],
  'outbox:list': ['GET', '/outbox'],
  'purge:create': ['POST', '/purge'],
  'oidc_users:list': ['GET', '/oidc/{issuer}/users'],
  'oidc_users:update': ['PUT', '/oidc/{issuer}/users/{name}'],
  'oidc_users:delete': ['DELETE', '/oidc/{issuer}/users/{name}'],
  'saml_providers:list': ['GET', '/saml/providers'],
  'saml_providers:update': ['PUT', '/saml/providers/{name}'],
  'saml_providers:delete': ['DELETE', '/saml/providers/{name}'],
  'projects:list': ['GET', '/projects'],
  'projects:create': ['POST', '/projects'],
  'projects:delete': ['DELETE', '/projects/{id}'],
  'regions:list': ['GET', '/regions'],
  'regions:create': ['POST', '/regions'],
  'regions:show': ['GET', '/regions/{name}'],
  'regions:delete': ['DELETE', '/regions/{name}'],
  'faults:list': ['GET', '/faults'],
  'faults:create': ['POST', '/faults'],
  'faults:clear': ['DELETE', '/faults'],
  'faults:show': ['GET', '/faults/{id}'],
  'faults:delete': ['DELETE', '/faults/{id}'],
  'fault_scenarios:list': ['GET', '/fault-scenarios'],
  'fault_scenarios:add': ['POST', '/fault-scenarios/{name}'],
  'requests:list': ['GET', '/requests'],
  'requests:update': ['PUT', '/requests'],
  'requests:clear': ['DELETE', '/requests'],
  'requests:assert': ['POST', '/requests/assert'],
  'requests:versions': ['GET', '/requests/versions'],
  'requests:show': ['GET', '/requests/{id}'],
  'clock:show': ['GET', '/clock'],
  'clock:update': ['PUT', '/clock'],
  'clock:advance': ['POST', '/clock/advance'],
  'hosts:list': ['GET', '/hosts'],
  'hosts:create': ['POST', '/hosts'],
  'hosts:delete': ['DELETE', '/hosts/{name}'],
  'pods:drain': ['POST', '/pods/{region}/drain'],
  'migrations:show': ['GET', '/migrations/{migration_id}'],
  'explanations:list': ['GET', '/explain'],
  'explanations:update': ['PUT', '/explain'],
  'explanations:show': ['GET', '/explain/{kind}/{id}'],
  'explanations:candidates': ['GET', '/explain/candidates'],
  'explanations:action': ['POST', '/explain/actions'],
  'capacity:candidates': ['GET', '/capacity/candidates'],
  'capacity:servers': ['GET', '/capacity/servers'],
  'capacity:nodes': ['GET', '/capacity/nodes'],
  'capacity:leases': ['GET', '/capacity/leases'],
  'audit:show': ['GET', '/audit'],
  'host_failures:list': ['GET', '/host-failures/{kind}'],
  'host_failures:show': ['GET', '/host-failures/{kind}/{name}'],
  'what_if:create': ['POST', '/what-if'],
  'replay:create': ['POST', '/replay'],
  'capacity:timeline': ['GET', '/capacity/timeline'],
  'jobs:list': ['GET', '/jobs'],
  'jobs:delete': ['DELETE', '/jobs/{id}'],
  'jobs:retry': ['POST', '/jobs/{id}/retry'],
  'api_descriptions:show': ['GET', '/openapi/{service}'],
  'service_settings:show': ['GET', '/{service}/settings'],
  'service_settings:update': ['PUT', '/{service}/settings'],
};
