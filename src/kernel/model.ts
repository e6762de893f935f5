// The types that all code shares: Cloud, Region, Context, Actor, Call, Reply, Service, Route, Job.
// They refer to each other, so they are in one file.
import type { IncomingHttpHeaders } from 'node:http';
import type { Authenticate, Caller } from './auth/caller.ts';
import type { Credentials, Policy, RuleDefaults } from './oslo/policy.ts';
import type { Micros } from './clock.ts';
import type { Database, Db, Migration } from './db/database.ts';
import type { FolderLock } from './db/folder-lock.ts';
import type { ImageCache } from './db/images/image-cache.ts';
import type { SharedState, SharedValues } from './db/state.ts';
import type { ApiError } from './errors.ts';
import type { RequestBody, BodyMemory } from './http/body.ts';
import type { Contract, Operation } from './contract/contract.ts';
import type { ServiceSettings } from './contract/service-settings.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { Span, Version, Versions } from './microversion.ts';
import type { OptionDeclarations } from './options.ts';
import type { Query } from './query.ts';
import type { Config } from './settings.ts';

/**
 * Runs the due jobs of one database before requests: `jobs/runner.ts`, which describes the methods.
 */
export interface JobRunner {
  /** What this process has done since it opened the database. */
  readonly tally: Readonly<JobTally>;
  /** The current pass; undefined while no pass runs. */
  readonly progress: JobProgress | undefined;
  readonly busy: Promise<void> | undefined;
  readonly paused: Promise<void> | undefined;
  wake(): void;
  run(cloud: Cloud, region: Region, until: Micros, now?: Micros): Promise<void> | void;
  waitsFor(other: JobRunner): boolean;
  whileWaitingFor(other: JobRunner, run: () => Promise<void>): Promise<void>;
  pause(done: Promise<void>): void;
  resume(): void;
  stop(): Promise<void>;
  retry<T>(
    transaction: (mayRetry: boolean) => Promise<T>,
    runDueJobs: () => Promise<void>,
  ): Promise<T>;
  requestsEnded(): Promise<void>;
  requireNoDueJob(call: Call): Promise<void>;
}

/** Sends the messages of one region's outbox: `jobs/outbox-sender.ts` describes the methods. */
export interface OutboxSender {
  wake(cloud: Cloud, region: Region): void;
  stop(): Promise<void>;
}

/** How many jobs have run, and how many rounds of periodic jobs were skipped. */
export interface JobTally {
  run: number;
  skipped: number;
  setAside: number;
}

/** How far a pass over the due jobs of a database has come. */
export interface JobProgress {
  /** When the pass began, in `ticks`. */
  readonly since: number;
  /** The due time of the job that runs. */
  readonly at: Micros;
  /** The time up to which jobs run. */
  readonly until: Micros;
  /** What the pass has done. */
  readonly tally: Readonly<JobTally>;
}

/** An OpenStack region with its own database. Its services call only each other. */
export interface Region {
  readonly name: string;
  /** Its row in the list of regions. A region that is dropped and added again gets another id. */
  readonly id: number;
  /** Tricircle's central region: see `ServiceDefinition.regions`. A cloud has at most one. */
  readonly isCentral: boolean;
  readonly database: Database;
  readonly jobs: JobRunner;
  readonly outbox: OutboxSender;
}

/**
 * The revision of the list of regions that this process has loaded, and the update that is under
 * way.
 */
export interface RegionCache {
  revision: number;
  updating?: Promise<unknown> | undefined;
}

/**
 * Where a request comes from: a client, a client whose HTTP cannot be parsed (so it has no path to
 * rely on), a service that forwards a client's request, or a service that calls another one within
 * its own request or job.
 */
export type RequestSource = 'client' | 'malformed' | 'forwarded' | 'service';

/** Sees every reply, how long it took in milliseconds, and where its request comes from. */
export type Observer = (
  request: IncomingRequest,
  reply: Reply,
  milliseconds: number,
  source: RequestSource,
) => void;

/** A feature that acts on requests before or after their handlers, such as fault injection. */
export interface Interceptor {
  /** Updates what the feature has cached, before the request runs due jobs. */
  refresh?(cloud: Cloud, shared: SharedValues): Promise<void> | void;
  /**
   * Wraps the handler of a request that its service has accepted. It replies with `next()`, or with
   * a reply of its own.
   */
  aroundHandler(request: RoutedRequest, next: () => Promise<Reply>): Promise<Reply>;
  /**
   * Runs before one service calls another, outside of the transaction of the service that is
   * called. `call` makes the call, which costs too much if the feature has nothing to do.
   * @throws ApiError to refuse the call
   */
  beforeServiceCall?(context: Context, call: () => Call): Promise<void> | void;
  /** Whether `beforeServiceCall` may refuse or count a call at present. */
  mayAffectServiceCalls?(cloud: Cloud): boolean;
}

/** Knows the users that have the default password: `auth/default-password.ts`. */
export interface DefaultPasswordUsers {
  /** Finds them in a central database. */
  find(db: Db): Promise<readonly string[]>;
  /** Those of the cloud now. */
  current(cloud: Pick<Cloud, 'sharedState' | 'central'>): Promise<readonly string[]>;
}

/** The ports on which a process listens. */
export interface Ports {
  /** The port that serves everything. */
  main?: number;
  /** Those of `--native-ports`, by the path of the service on the main port. */
  readonly native: Map<string, number>;
}

/** A clock, a central database and regions, with the services mounted on them. */
export interface Cloud {
  readonly config: Config;
  readonly log: Log;
  readonly central: Database;
  readonly centralMigrations: readonly Migration[];
  /** The migrations of a region's database. */
  readonly regionMigrations: readonly Migration[];
  /** Runs the jobs of central services. */
  readonly centralJobs: JobRunner;
  readonly sharedState: SharedState;
  /** Copies of the databases, to which resets and restores return quickly. */
  readonly images: ImageCache;
  /**
   * The regions that this process serves. They change while the cloud runs: see regions.ts.
   */
  readonly regions: ReadonlyMap<string, Region>;
  /**
   * What this process has loaded of the list of regions in the central database.
   */
  readonly regionCache: RegionCache;
  /** The region whose paths have no region name: the first that is not central. */
  readonly firstRegion: Region;
  /** The ports on which this process listens, once it does. */
  readonly ports: Ports;
  readonly services: readonly Service[];
  readonly authenticate: Authenticate;
  /** Knows the users that have the default password. */
  readonly defaultPassword: DefaultPasswordUsers;
  /** From the outermost to the innermost. */
  readonly interceptors: readonly Interceptor[];
  readonly observers: Observer[];
  /** The names of the users, admin or demo, that can currently sign in with a password. */
  readonly seededUsersWith: (password: string) => Promise<readonly string[]>;
  /**
   * Opens another cloud in memory, with this cloud's configuration but for these fields, and closes
   * it after `use`. Its operations take no time.
   */
  readonly withTemporaryCloud: <T>(
    fields: Partial<Config>,
    use: (cloud: Cloud) => Promise<T>,
  ) => Promise<T>;
  /** The page for browsers at the root of the cloud; undefined for other clients. */
  readonly frontPage: (request: IncomingRequest) => Reply | undefined;
  /** Whether a request leaves no trace: see `IncomingRequest.isUnobserved`. */
  readonly isUnobserved: (request: IncomingRequest) => boolean;
  readonly metrics: Metrics;
  /** The memory for the bodies of requests. */
  readonly bodyMemory: BodyMemory;
  /** Tells the processes of a cloud, and those before a restart, apart. */
  readonly processId: string;
  /** Aborted when the process begins to stop: replies that stream without end then end. */
  readonly stopping: AbortController;
  /** Whether the cloud did not exist before this process opened it. */
  readonly isNew: boolean;
  /** When the process opened the cloud, in `ticks`. */
  readonly openedAt: number;
  /** The lock on the folder of SQLite databases, if the cloud has one. */
  readonly folderLock: FolderLock | undefined;
}

/** The caller, the user on whose behalf a service acts, or a service that acts for itself. */
export interface Actor {
  readonly userId: string;
  readonly projectId: string | undefined;
  /** Names of the roles, including implied roles. */
  readonly roles: readonly string[];
  /** Whether the policy of the current service makes the actor an administrator. */
  readonly isAdmin: boolean;
  /** Whether the actor is another service of the cloud, or the cloud itself. */
  readonly isService: boolean;
  /** The same values for policy rules. */
  readonly credentials: Credentials;
}

/**
 * The context of an operation, like nova.context: who acts, where, when, and in which transaction.
 * A request is a context; jobs get their own.
 */
export interface Context {
  readonly cloud: Cloud;
  /**
   * The region of the operation. For a central service it is the first one, unless the path names
   * another.
   */
  readonly region: Region;
  /**
   * The database of the service: a transaction, except for reads with a single query.
   */
  readonly db: Db;
  /**
   * The time of the request, or the due time of the job. All rows of one operation have the same
   * time.
   */
  readonly now: Micros;
  /**
   * The number of the transaction's attempt, from 1. After a conflict, the retry acquires its locks
   * before it reads.
   */
  readonly attempt: number;
  readonly actor: Actor;
  /** As in `x-openstack-request-id`. */
  readonly requestId: string;
}

/**
 * The reply to a request; status 0 closes the connection without a reply. A body that is neither a
 * string nor bytes is serialized as JSON; these are JSON already, unless content-type differs. An
 * async generator is streamed after the transaction, so it must not use the database.
 */
export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  /** An undefined value removes a header that the service adds to every reply. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** How send.ts delivers the reply. `dropped`: it closes the connection and sends nothing. */
  readonly delivery?: 'dropped';
}

/**
 * A request as it arrives. Each later stage is the same object with more fields: `LocatedRequest`,
 * `TimedRequest`, `RoutedRequest` and `Call`. A function declares the earliest stage that has what
 * it needs.
 */
export interface IncomingRequest<V extends string = string> {
  readonly cloud: Cloud;
  /** As in `x-openstack-request-id`. */
  readonly requestId: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** The address that the connection comes from. */
  readonly remoteAddress: string;
  /** `http://host:port` as the client knows it, for links in replies. */
  readonly origin: string;
  /** The same with the address that received the request, for URLs that are stored. */
  readonly localOrigin: string;
  /** The region in the path; the first region if the path has none. */
  region: Region;
  /**
   * The part of the path before the service's own, such as `/placement` or `/RegionTwo/placement`;
   * empty if the service has a port of its own.
   */
  prefix: string;
  /** The path below the prefix, as received (not decoded). */
  path: string;
  query: Query;
  /**
   * Whether observers do not see the request, and fault injection leaves it alone: one that only
   * watches the cloud.
   */
  isUnobserved?: boolean | undefined;
  /** The body, to be read after authentication; undefined if another service sends the request. */
  readonly received?: RequestBody | undefined;
  /** The bytes of the body; undefined if there is none, or if it has not been read yet. */
  raw?: Buffer | undefined;
  /** The user of a valid token. */
  caller?: Caller | undefined;
  actor: Actor;
  /** Parameters of the path, decoded. */
  params: Readonly<Record<string, string>>;
  operation?: Operation | undefined;
  /** The body, parsed as JSON and valid according to the contract. */
  body?: unknown;
  /** Fields that interceptors add to the request's line in the log. */
  logFields?: Readonly<Record<string, string | number>>;
  /** Headers that interceptors add to the reply, also to that of an error. */
  replyHeaders?: Readonly<Record<string, string>>;
  service?: Service<V>;
  now?: Micros;
  version?: Version<V>;
  route?: Route<V>;
}

/** A request whose path leads to a service. Errors are rendered from this stage on. */
export interface LocatedRequest<V extends string = string> extends IncomingRequest<V> {
  service: Service<V>;
}

/** A request with its time: all rows that it writes have the same time. */
export interface TimedRequest<V extends string = string> extends LocatedRequest<V> {
  now: Micros;
}

/** A request with its microversion and its line in the table of routes. */
export interface RoutedRequest<V extends string = string> extends TimedRequest<V> {
  version: Version<V>;
  route: Route<V>;
}

/** A request that a handler serves. It is also the context of what the handler does. */
export interface Call<V extends string = string> extends RoutedRequest<V>, Context {
  readonly cloud: Cloud;
  readonly requestId: string;
  region: Region;
  now: Micros;
  actor: Actor;
  db: Db;
  attempt: number;
  /** Whether a due job may still make the request start over: see `JobRunner.retry`. */
  mayRetry: boolean;
}

/** One step in the processing of a request. It may end it with a reply or by throwing ApiError. */
export type Step<Request = TimedRequest> = (
  request: Request,
) => Reply | void | Promise<Reply | void>;

/**
 * An entry in a service's table of routes. A path may occur several times, if the spans do not
 * overlap. Services extend this interface with flags of their own.
 */
export interface Route<V extends string = string> {
  readonly method: string;
  /** `/resource_classes/:name`, relative to the service's root. */
  readonly path: string;
  readonly span?: Span<V>;
  /** The status outside of the span, if it is not 404. */
  readonly statusOutsideSpan?: number;
  /**
   * The policy rule that a step checks. If the rule needs more than the request, the handler checks
   * it.
   */
  readonly policy?: string;
  readonly handler: Handler<V>;
  /** The actions of a path: the only key of the body names the action. */
  readonly actions?: Actions<V>;
  /** Needs no token. */
  readonly open?: boolean;
  /** A GET with at most one query, which sees one state without a transaction. */
  readonly single?: boolean;
  /** The handler streams the body, which may be larger than memory. */
  readonly streams?: boolean;
  /** The lock that the request acquires before it reads, instead of the service's own. */
  readonly lock?: string;
  /** Whether the jobs that the request makes due run before its reply, in this region. */
  runsJobs?(region: Region): boolean;
}

/**
 * Turns a call into a reply. (The type is that of a method, because methods are bivariant: a
 * handler may require its service's own subtype of Call.)
 */
export type Handler<V extends string = string> = {
  handle(call: Call<V>): Reply | Promise<Reply>;
}['handle'];

/** The actions of a path, by the only key of the body. */
export type Actions<V extends string = string> = Readonly<Record<string, Action<V>>>;

/** A handler, with a span if the action does not exist in every version. */
export type Action<V extends string = string> =
  Handler<V> | { readonly span: Span<V>; readonly handler: Handler<V> };

/** Everything that defines a service. */
export interface ServiceDefinition<V extends string = string> {
  readonly name: string;
  /** The type in the catalog; undefined for a service that is not in the catalog. */
  readonly type?: string;
  readonly description: string;
  readonly prefix: string;
  /** The port on which upstream serves it, for `--native-ports`. */
  readonly nativePort?: number;
  /**
   * The database of the service: the cloud's central one, one in each region, or none.
   */
  readonly database: 'central' | 'region' | 'none';
  /**
   * The regions that offer the service. By default, a central service is in all regions, and any
   * other service in all regions except the central one. A central service in the central region
   * exists only if the cloud has such a region.
   */
  readonly regions?: 'ordinary' | 'central' | 'all';
  /**
   * The service whose API this one implements, if it is a gateway: it has the contract, the policy
   * file and the catalog entry of that service.
   */
  readonly api?: string;
  /** More catalog entries with the same URL. */
  readonly aliases?: readonly { readonly type: string; readonly name: string }[];
  readonly versions: Versions<V>;
  readonly routes: readonly Route<V>[];
  /** What an operator changes at `/_emulator/<service>/settings`. */
  readonly settings?: ServiceSettings;
  /** Runs in the transaction that has changed settings, with the fields that changed. */
  readonly settingsChanged?: (context: Context, changed: ReadonlySet<string>) => Promise<void>;
  /** Routes that the service adds to the emulator's own, below `/_emulator`. */
  readonly controls?: readonly Route[];
  /**
   * Adds any number of hosts to a region in one transaction, for worlds with thousands of them.
   * Each description is a body of `POST /_emulator/hosts`, and is checked like one.
   * @returns the hosts in the same order
   * @throws 400, 409
   */
  readonly addHosts?: (
    cloud: Cloud,
    region: Region,
    descriptions: readonly unknown[],
  ) => Promise<readonly { readonly name: string; readonly uuid: string }[]>;
  readonly policy: RuleDefaults;
  /** Its options on the command line, which are fields of the configuration. */
  readonly options?: OptionDeclarations;
  /** Warns at a start about values of its options that an existing cloud does not take. */
  readonly ineffectiveOptions?: (context: Context) => Promise<readonly string[]>;
  /** The checks before and after routing. Their order determines which error a client gets. */
  readonly beforeRouting: readonly Step[];
  readonly beforeHandler: readonly Step<RoutedRequest>[];
  /** Renders an error in the format of the service. */
  renderError(error: ApiError, request: LocatedRequest<V>): Reply;
  /** The requested version, if the service reads it from headers of its own. */
  requestedVersion?(request: LocatedRequest<V>): string | undefined;
  /** Headers of every reply of the service. */
  headers?(request: LocatedRequest<V>): Record<string, string>;
  /**
   * The name of a database lock that every writing request acquires, across processes. It is for
   * services with few writes that depend on many rows; services with many writes check the
   * revisions of those rows instead (db/optimistic-lock.ts). Central services share a lock.
   */
  readonly lock?: string;
  /** The maximum size of a body in bytes. Larger ones get 413. */
  readonly bodyLimit: number;
  /**
   * Writes the initial rows of a database. It runs at each start and after a reset, so it must be
   * idempotent.
   */
  readonly seed?: (context: Context) => Promise<void>;
  /**
   * What the rows of `seed` depend on besides the options, the time and the list of regions: stored
   * values and files, say. As long as it is the same, a reset copies the rows of the last reset.
   */
  readonly seedInputs?: (context: Context) => Promise<unknown>;
  /**
   * The regions that the rows of `seed` refer to, which a reset of everything restores. Called in
   * the central database.
   */
  readonly initialRegions?: (context: Context) => Promise<readonly string[]>;
  /**
   * Runs before the tables of the service are emptied, in the same transaction. A central service
   * saves what must survive the reset; a service that is reset alone releases what it holds in
   * other services.
   */
  readonly beforeReset?: (context: Context) => Promise<void>;
  /**
   * Runs after other services of its region, named in `reset`, have been reset without this one, in
   * the transaction of the reset.
   */
  readonly afterReset?: (context: Context, reset: ReadonlySet<string>) => Promise<void>;
  /**
   * Runs in a new region with a copy of another region's rows, to change values that must be
   * unique.
   */
  readonly regionForked?: (context: Context, from: Region) => Promise<void>;
  /**
   * Runs in the central database when a region joins an existing cloud.
   */
  readonly regionOpened?: (context: Context, region: Region) => Promise<void>;
  /**
   * Deletes the records of resources that were deleted, or of operations that ended, before a time.
   * Runs in a transaction of its own.
   * @returns the number of deleted records
   */
  readonly purge?: (context: Context, before: Micros) => Promise<number>;
  /**
   * Runs in the central database when a region has been closed while the cloud runs.
   */
  readonly regionClosed?: (context: Context, region: string) => Promise<void>;
  /** The handlers of jobs, by kind: `<service>.<what>`. */
  readonly jobs?: Jobs;
  /** How messages to servers outside of the cloud are sent, by kind: `<service>.<what>`. */
  readonly deliveries?: Readonly<Record<string, Delivery>>;
  /** Names of operations whose duration --latency can set, such as `server.create`. */
  readonly latencies?: readonly string[];
  /**
   * What happens to repeated slashes in a path: Paste folds them all (URLMap.normalize_url), Senlin
   * only those before the version, and Flask redirects to the folded path with 308. By default they
   * make the path unknown.
   */
  readonly slashes?: 'folded' | 'folded at the start' | 'redirected';
  /** The path of the catalog's URL, below the service's prefix. */
  readonly catalogPath?: string;
}

/** The handlers of jobs, by kind. */
export type Jobs = Readonly<Record<string, JobHandler | JointJob | MultiDatabaseJob | PeriodicJob>>;

/** A scheduled job. It can be cancelled by its kind and `subject`, such as the id of a server. */
export interface Job {
  readonly dueAt: Micros;
  /** `<service>.<what>`, such as `reservation.lease_start`. */
  readonly kind: string;
  readonly subject: string;
  readonly payload?: unknown;
  /** The time between the rounds of a periodic job, if it is known. */
  readonly period?: Micros | null;
}

/** Runs a job in a transaction of its own. `now` is the due time of the job. */
export type JobHandler = (context: Context, job: Required<Job>) => Promise<void>;

/**
 * Jobs of a kind that run together in one transaction if no other job is due between them. `now` is
 * the due time of the last one. The result is that of running them in their order. All are claimed
 * before the first one runs, so it cannot cancel the others.
 */
export interface JointJob<Read = unknown> {
  /** Reads what they need first, in one packet with their claim. */
  read?(context: Context, jobs: readonly Required<Job>[]): Promise<Read>;
  /** @param read what `read` has returned */
  runAll(context: Context, jobs: readonly Required<Job>[], read: Read): Promise<void>;
  /**
   * How far apart their due times may be, within a second of the clock; by default they are equal.
   * A job that one of them schedules must not be due before the others.
   */
  readonly within?: (cloud: Cloud) => Micros;
}

/**
 * A job (a saga) that changes several databases: it runs outside of any transaction, and opens its
 * own ones sequentially (`inRegionTransaction`, `inCentralTransaction`). It must be idempotent: if
 * a process dies midway, another process runs the job from its beginning.
 */
export interface MultiDatabaseJob {
  readonly run: (context: Context, job: Required<Job>) => Promise<void>;
}

/** How messages of one kind are sent to a server outside of the cloud. */
export interface Delivery {
  /**
   * Sends messages, outside of any transaction.
   * @throws DeliveryFailure to have them sent again later
   */
  readonly send: (context: Context, payloads: readonly unknown[]) => Promise<void>;
  /** Runs in a transaction after the last attempt has failed. */
  readonly abandoned?: (context: Context, payloads: readonly unknown[]) => Promise<void>;
}

/** A job that runs again and again, until it is cancelled or a round is the last. */
export interface PeriodicJob {
  /** Runs one round. @returns when to run the next round; undefined to stop */
  readonly round: (context: Context, job: Required<Job>) => Promise<Round | undefined>;
  /** Whether a round is a multi-database job: see `MultiDatabaseJob`. */
  readonly spansDatabases?: boolean;
  /**
   * Whether each round replaces the whole result of the one before, which no other job reads: of
   * several rounds that are due, only the last one runs.
   */
  readonly supersedes?: boolean;
}

/** A round of a periodic job that has ended. */
export interface Round {
  /** The time from this round to the next. */
  readonly interval: Micros;
  /**
   * Present if the round has changed nothing: the last time at which another round would change
   * nothing either, provided that no request and no other job changes what it depends on. Infinity
   * if its result does not depend on the time. Rounds up to then may be skipped.
   */
  readonly steadyUntil?: Micros;
}

/** A service in a cloud: its definition, with its routes, contract and policy loaded. */
export interface Service<V extends string = string> {
  readonly definition: ServiceDefinition<V>;
  readonly contract: Contract;
  readonly policy: Policy;
  /** The routes of a path; undefined if there are none. */
  match(path: string): RouteMatch<V> | undefined;
}

/** The routes of a path, and the parameters in the path. */
export interface RouteMatch<V extends string = string> {
  readonly routes: readonly Route<V>[];
  readonly params: Readonly<Record<string, string>>;
}
