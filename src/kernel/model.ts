// The types that everything speaks: Cloud, Region, Work, Actor, Call, Reply, Service, Card, Route,
// Job. They refer to each other, so they stand in one file.
import type { IncomingHttpHeaders } from 'node:http';
import type { Authenticate, Caller } from './auth/caller.ts';
import type { Credentials, Policy, RuleDefaults } from './oslo/policy.ts';
import type { Micros } from './clock.ts';
import type { Database, Db, Migration } from './db/database.ts';
import type { SharedState, SharedValues } from './db/state.ts';
import type { ApiError } from './errors.ts';
import type { RequestBody, BodyMemory } from './http/body.ts';
import type { Contract, Operation } from './contract/contract.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { Span, Version, Versions } from './microversion.ts';
import type { Query } from './query.ts';
import type { Config } from './settings.ts';

/** An OpenStack with its own database. Its services meet only inside it. */
export interface Region {
  readonly name: string;
  /** Its row in the list of regions: one that is dropped and added again has another. */
  readonly id: number;
  /** Tricircle's region above the others: see `Card.regions`. A cloud has one at most. */
  readonly isCentral: boolean;
  readonly database: Database;
  readonly jobPoll: JobPoll;
}

/**
 * When this process looks for due jobs in a database again, by the counter `ticks`; and the look
 * that is going on.
 */
export interface JobPoll {
  nextPollAt: number;
  running?: Promise<void> | undefined;
  /** The look into another region that a job of this one waits for. */
  waitingFor?: JobPoll | undefined;
}

/**
 * The revision of the list of regions that this process goes by, and the change to it that is going
 * on.
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
  call: Call,
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
  aroundHandler(call: Call, next: () => Promise<Reply>): Promise<Reply>;
  /**
   * Runs before one service calls another, outside of the transaction of the service that is
   * called. `call` makes the call, which costs too much if the feature has nothing to do.
   * @throws ApiError to refuse the call
   */
  beforeServiceCall?(context: Context, call: () => Call): Promise<void> | void;
}

/** A clock, a central database and regions, with the services mounted on them. */
export interface Cloud {
  readonly config: Config;
  readonly log: Log;
  readonly central: Database;
  readonly centralMigrations: readonly Migration[];
  /** What `openRegion` brings a new region's database up to date with. */
  readonly regionMigrations: readonly Migration[];
  /** The look for due jobs in the central database. */
  readonly centralJobPoll: JobPoll;
  readonly sharedState: SharedState;
  /**
   * Regions come and go while the cloud runs: `openRegion` and `closeRegion` in powers/regions.ts.
   */
  readonly regions: ReadonlyMap<string, Region>;
  /**
   * What this process knows of the list of regions in the central database: see powers/regions.ts.
   */
  readonly regionCache: RegionCache;
  /**
   * The change of all of it that is going on in this process, for which requests wait: see
   * powers/snapshots/restore.ts.
   */
  readonly quiesced: { going?: Promise<unknown> | undefined };
  /** The region whose services are mounted without its name: the first that is not central. */
  readonly firstRegion: Region;
  readonly services: readonly Service[];
  readonly authenticate: Authenticate;
  /** From the outermost to the innermost. */
  readonly interceptors: readonly Interceptor[];
  readonly observers: Observer[];
  readonly metrics: Metrics;
  /** Room for the bodies of requests. */
  readonly bodyMemory: BodyMemory;
  /** When the process opened the cloud, in `ticks`. */
  readonly openedAt: number;
}

/** Who does something: a caller, a user for whom a service acts, or a service on its own behalf. */
export interface Actor {
  readonly userId: string;
  readonly projectId: string | undefined;
  /** Names of roles, implied ones too. */
  readonly roles: readonly string[];
  /** Sees and may do everything in the service that does the work, by that service's own rule. */
  readonly isAdmin: boolean;
  /** Another service of the cloud, or the cloud itself. */
  readonly isService: boolean;
  /** The same, as policy rules know it. */
  readonly credentials: Credentials;
}

/** A piece of work. A request is one; `settle` makes one for each due job. */
export interface Context {
  readonly cloud: Cloud;
  /**
   * The region that the work is for; for a central service the first one, unless the path named
   * another.
   */
  readonly region: Region;
  /**
   * The database of the service that does the work: a transaction, but for reads that are a single
   * query.
   */
  readonly db: Db;
  /**
   * The time of the request, or the time at which the job was due: all that the work writes bears
   * the same.
   */
  readonly now: Micros;
  /**
   * Which try at the transaction this is, from 1 on. Who has lost a race takes their locks before
   * they read.
   */
  readonly attempt: number;
  readonly actor: Actor;
  /** As in `x-openstack-request-id`. */
  readonly requestId: string;
}

/**
 * The answer to a request; of status 0 for none, where the connection is closed. A body that is
 * neither a string nor bytes is written as JSON; a string is JSON already, unless a content-type
 * says otherwise. An async generator of strings is written as it goes, after the transaction: it
 * must not need the database.
 */
export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  /** An undefined one takes away what the service's card has on every reply. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/**
 * One request. The steps of its life fill it in, in the order of the fields. It is the `Work` that
 * the domain and other services are handed: what `Work` has, the request has under the same name.
 */
export interface Call<V extends string = string> extends Context {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** The address that the connection comes from. */
  readonly remoteAddress: string;
  /** `http://host:port` as the client knows it. */
  readonly origin: string;
  now: Micros;
  region: Region;
  service: Service<V>;
  /**
   * The part of the path before the service's own, such as `/placement` or `/RegionTwo/placement`;
   * empty on a port of its own.
   */
  prefix: string;
  /** The path below the prefix, as it came (not decoded). */
  path: string;
  query: Query;
  /**
   * The body, which is read once the service has let the caller in; undefined in what one service
   * asks another.
   */
  readonly received?: RequestBody;
  /** The body as it came; undefined where none was sent, and before it is received. */
  raw: Buffer | undefined;
  caller: Caller | undefined;
  actor: Actor;
  /** Undefined until it has been negotiated: a fault before that is told without a version. */
  version: Version<V>;
  route: Route<V>;
  params: Readonly<Record<string, string>>;
  operation: Operation | undefined;
  /** The body, read as JSON and allowed by the contract. */
  body: unknown;
  db: Db;
  attempt: number;
  /**
   * Whether the request may still be done again after what is due: see `comeAfterDue` in
   * http/handle.ts.
   */
  mayRetry?: boolean;
  /** Fields that interceptors add to the request's line in the log. */
  logFields?: Readonly<Record<string, string | number>>;
}

/** A step of a request's life: goes on, or ends it with a reply or a thrown fault. */
export type Step = (call: Call) => Reply | void | Promise<Reply | void>;

/**
 * One line of a service's table. A path may stand several times with spans that do not meet. A
 * service's own flags go in an interface that extends this one.
 */
export interface Route<V extends string = string> {
  readonly method: string;
  /** `/resource_classes/:name`, relative to the service's root. */
  readonly path: string;
  readonly span?: Span<V>;
  /** The status outside of the span, where it is not 404. */
  readonly statusOutsideSpan?: number;
  /**
   * The rule that the service's `checks` ask for; where a rule needs more than the request, the
   * handler asks.
   */
  readonly policy?: string;
  readonly handler: Handler<V>;
  /** The actions of a path whose body names one by its only key. */
  readonly actions?: Actions<V>;
  /** Needs no token. */
  readonly open?: boolean;
  /** A GET that is a single query, or none: it needs no transaction to see one state. */
  readonly single?: boolean;
  /** The handler reads the body itself, as it comes: it may be larger than memory. */
  readonly streams?: boolean;
  /** The turn that the request takes before it reads; without it that of the card. */
  readonly lock?: string;
}

/**
 * Turns a call into a reply. (Taken from a method, so that a service's own kind of call goes where
 * any call goes.)
 */
export type Handler<V extends string = string> = {
  handle(call: Call<V>): Reply | Promise<Reply>;
}['handle'];

/** What the actions of a path do, by the only key of the body. */
export type Actions<V extends string = string> = Readonly<Record<string, Action<V>>>;

/** A handler; with a span where not every version has the action. */
export type Action<V extends string = string> =
  Handler<V> | { readonly span: Span<V>; readonly handler: Handler<V> };

/** Everything that makes a service itself. */
export interface ServiceDefinition<V extends string = string> {
  readonly name: string;
  /** The type in the catalog; undefined keeps it out. */
  readonly type?: string;
  readonly description: string;
  readonly prefix: string;
  /**
   * Central services live in the cloud's database, the others in each region's; one at home in the
   * process answers without any.
   */
  readonly database: 'central' | 'region' | 'none';
  /**
   * The regions that have it: where nothing is said, a central service is in all of them, and one
   * of regions in those that are not central. A central service that belongs to the central region
   * is served only in a cloud that has one.
   */
  readonly regions?: 'ordinary' | 'central' | 'all';
  /**
   * The service whose API it has, where that is another's: contract, policy file and entry in the
   * catalog are that service's.
   */
  readonly api?: string;
  /** Further entries in the catalog with the same URL. */
  readonly aliases?: readonly { readonly type: string; readonly name: string }[];
  readonly versions: Versions<V>;
  readonly routes: readonly Route<V>[];
  /** Routes that the service adds to the emulator's own, below `/_emulator`. */
  readonly controls?: readonly Route[];
  readonly policy: RuleDefaults;
  /** The order of refusals: before the route is looked for, and after. */
  readonly beforeRouting: readonly Step[];
  readonly beforeHandler: readonly Step[];
  /** Tells a fault in the service's dialect. */
  renderError(error: ApiError, call: Call<V>): Reply;
  /** The version that a request asks for, where the service has words of its own for that. */
  requestedVersion?(call: Call<V>): string | undefined;
  /** Headers on every answer of the service. */
  headers?(call: Call<V>): Record<string, string>;
  /**
   * Requests that write are done one after the other, in the turn of this name, across all
   * processes. It is for writes that are few and rest on many rows that they only read; where there
   * are many, each claims those rows (db/versioned.ts). Central services have theirs.
   */
  readonly lock?: string;
  /** Larger bodies are refused with 413; bytes. */
  readonly bodyLimit: number;
  /**
   * What an empty database starts with; run at each start and after a reset, so it must not mind
   * what is there.
   */
  readonly seed?: (context: Context) => Promise<void>;
  /**
   * What a service does before its tables are emptied, in the same transaction: a central one
   * writes down what must outlive its reset; one of a region, where it is reset alone, takes back
   * what it has in others.
   */
  readonly beforeReset?: (context: Context) => Promise<void>;
  /**
   * What the service does after others of its region were reset without it: `reset` has their
   * names. Runs in the transaction of the reset.
   */
  readonly afterReset?: (context: Context, reset: ReadonlySet<string>) => Promise<void>;
  /**
   * What a service changes in a region that holds a copy of another's rows: what may be there only
   * once. Runs in the new region.
   */
  readonly regionForked?: (context: Context, from: Region) => Promise<void>;
  /**
   * What a central service does when a region joins a cloud that runs, or that ran before. Runs in
   * the central database.
   */
  readonly regionOpened?: (context: Context, region: Region) => Promise<void>;
  /**
   * Deletes what a service of the region keeps, for the record only, of what was deleted or done
   * before a time. Runs in a transaction of its own.
   * @returns how many things
   */
  readonly purge?: (context: Context, before: Micros) => Promise<number>;
  /**
   * What a central service does when a region has been closed while the cloud runs. Runs in the
   * central database.
   */
  readonly regionClosed?: (context: Context, region: string) => Promise<void>;
  /** What is done later, by the kind of the job: `<service>.<what>`. */
  readonly jobs?: Jobs;
  /** What of the service takes time where --latency says so: `server.create`. */
  readonly latencies?: readonly string[];
  /** The path of the catalog's URL below the service's base. */
  readonly catalogPath?: string;
}

/** What is done for each kind of job. */
export type Jobs = Readonly<Record<string, JobHandler | MultiDatabaseJob>>;

/** Something that is to happen. `subject` is what it is about, so that it can be called off. */
export interface Job {
  readonly dueAt: Micros;
  /** `<service>.<what>`, such as `reservation.lease_start`. */
  readonly kind: string;
  readonly subject: string;
  readonly payload?: unknown;
}

/** Does a job, in a transaction of its own, with `now` the time at which it was due. */
export type JobHandler = (context: Context, job: Required<Job>) => Promise<void>;

/**
 * A job that reaches beyond one database: it runs outside of any transaction and opens its own, one
 * after the other (`inRegion`, `inCentral`). It must bear to be done again from its beginning,
 * because a process that ends in its midst leaves it to another.
 */
export interface MultiDatabaseJob {
  readonly run: (context: Context, job: Required<Job>) => Promise<void>;
}

/** A service in a cloud: its card, with table, contract and policy ready for use. */
export interface Service<V extends string = string> {
  readonly definition: ServiceDefinition<V>;
  readonly contract: Contract;
  readonly policy: Policy;
  /** Looks a path up; undefined where nothing has it. */
  match(path: string): RouteMatch<V> | undefined;
}

/** The routes at a path, and the path's parameters. */
export interface RouteMatch<V extends string = string> {
  readonly routes: readonly Route<V>[];
  readonly params: Readonly<Record<string, string>>;
}
