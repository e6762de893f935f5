// A cloud as a program sees it: its addresses and credentials, and everything that it controls.
import { CloudCapacity } from './capacity.ts';
import type { Connection, Input, Reply } from './connection.ts';
import type { Audit, HostFailure, Info, Readiness, Replay, Snapshot, WhatIf } from './contract.ts';
import { CloudOidcUsers } from './oidc-users.ts';
import { CloudSamlProviders } from './saml-providers.ts';
import {
  CloudClock,
  CloudFaults,
  CloudHosts,
  CloudExplanations,
  CloudJobs,
  CloudNotifications,
  CloudPods,
  CloudRegions,
  CloudRequests,
  CloudSettings,
  CloudSnapshots,
  type Time,
} from './parts.ts';
import { CloudProjects, type CloudProject } from './projects.ts';

/** What a cloud knows from its start. */
export interface CloudOrigin {
  readonly connection: Connection;
  /** The time at which a start, and each reset of the whole cloud, freezes the clock. */
  readonly frozenAt?: Time | undefined;
  /** Stops the emulator, if it was started here. */
  readonly stop?: () => Promise<void>;
}

/** What may fail as a whole. */
export type FailureKind = Input<'host_failures:list'>['path']['kind'];

/**
 * A running cloud: one that `startCloud()` has started, or one that `connectCloud()` has found. All
 * methods throw a `CumuletError` that says what happened and what to do.
 */
export class Cloud {
  /** The address of the emulator, such as `http://127.0.0.1:41233`. */
  readonly url: string;
  /** The `OS_*` variables with which a client signs in as the user `admin`. */
  readonly env: Readonly<Record<string, string>>;
  /** A `clouds.yaml` with the clouds `cumulet` (admin), `cumulet-demo` and `cumulet-system`. */
  readonly cloudsYaml: string;
  /** The clock. */
  readonly clock: CloudClock;
  /** The fault rules. */
  readonly faults: CloudFaults;
  /** The journal of requests. */
  readonly requests: CloudRequests;
  /** The snapshots. */
  readonly snapshots: CloudSnapshots;
  /** The regions. */
  readonly regions: CloudRegions;
  /** The pods of Tricircle. */
  readonly pods: CloudPods;
  /** The hosts of Compute. */
  readonly hosts: CloudHosts;
  /** The throw-away projects. */
  readonly projects: CloudProjects;
  /** The users of OpenID providers, with which tests sign in by federation. */
  readonly oidcUsers: CloudOidcUsers;
  /** The identity providers whose SAML assertions are accepted besides those of the cloud. */
  readonly samlProviders: CloudSamlProviders;
  /** The scheduled jobs. */
  readonly jobs: CloudJobs;
  /** Why services decide as they do. */
  readonly explanations: CloudExplanations;
  /** How much more fits. */
  readonly capacity: CloudCapacity;
  /** The notifications of services. */
  readonly notifications: CloudNotifications;
  /** The settings of services. */
  readonly settings: CloudSettings;
  readonly #origin: CloudOrigin;
  readonly #connection: Connection;
  #stopped: Promise<void> | undefined;

  /** @internal */
  constructor(origin: CloudOrigin, env: Readonly<Record<string, string>>, cloudsYaml: string) {
    const { connection } = origin;
    this.#origin = origin;
    this.#connection = connection;
    this.url = connection.url;
    this.env = env;
    this.cloudsYaml = cloudsYaml;
    this.clock = new CloudClock(connection);
    this.faults = new CloudFaults(connection);
    this.requests = new CloudRequests(connection);
    this.snapshots = new CloudSnapshots(connection);
    this.regions = new CloudRegions(connection);
    this.pods = new CloudPods(connection);
    this.hosts = new CloudHosts(connection);
    this.projects = new CloudProjects(connection);
    this.oidcUsers = new CloudOidcUsers(connection);
    this.samlProviders = new CloudSamlProviders(connection);
    this.jobs = new CloudJobs(connection);
    this.explanations = new CloudExplanations(connection);
    this.capacity = new CloudCapacity(connection);
    this.notifications = new CloudNotifications(connection);
    this.settings = new CloudSettings(connection);
  }

  /**
   * Resets the cloud to its initial state or to a preset, or only a region or a service. A cloud
   * that was started with `clock` has its clock frozen at that time again.
   */
  async reset(only: Input<'reset:create'>['body'] = {}): Promise<void> {
    await this.#connection.call('reset:create', { body: only });
    const { frozenAt } = this.#origin;
    const isWhole = only.region === undefined && only.service === undefined;
    if (isWhole && frozenAt !== undefined) await this.clock.freeze(frozenAt);
  }

  /** Takes a snapshot of the whole cloud, and overwrites an existing one of that name. */
  async snapshot(name: string): Promise<Snapshot> {
    return (await this.#connection.call('snapshots:save', { path: { name } })).snapshot;
  }

  /** Restores the whole cloud, with its regions and clock, from a snapshot. */
  async restore(name: string): Promise<void> {
    await this.#connection.call('snapshots:restore', { path: { name } });
  }

  /** Returns the current state, or a snapshot, as a document for `import()` and `seed`. */
  export(query: Input<'export:show'>['query'] = {}): Promise<string> {
    return this.#connection.call('export:show', { query });
  }

  /** Replaces the state by that of a document of `export()`. */
  async import(document: string, query: Input<'import:create'>['query'] = {}): Promise<void> {
    await this.#connection.call('import:create', { body: document, query });
  }

  /**
   * Creates a throw-away project for tests that run at the same time in one cloud. It is deleted by
   * its `delete()`, or at the end of a block with `await using`.
   */
  project(options: Input<'projects:create'>['body'] = {}): Promise<CloudProject> {
    return this.projects.create(options);
  }

  /** Returns the version, the services with their microversions, the regions and the time. */
  info(): Promise<Info> {
    return this.#connection.call('info:show');
  }

  /** Returns whether all databases are reachable. */
  ready(): Promise<Readiness> {
    return this.#connection.call('ready:show');
  }

  /** Returns counters and latencies in the format of Prometheus. */
  metrics(): Promise<string> {
    return this.#connection.call('metrics:show');
  }

  /** Returns the messages to other servers that have not been delivered. */
  async outbox(
    query: Input<'outbox:list'>['query'] = {},
  ): Promise<Reply<'outbox:list'>['messages']> {
    return (await this.#connection.call('outbox:list', { query })).messages;
  }

  /**
   * Returns the description of a service's API as a document of OpenAPI 3.1: that of one
   * microversion, or that of all, whose differences are in `x-openstack`.
   */
  openapi(
    service: string,
    query: Input<'api_descriptions:show'>['query'] = {},
  ): Promise<Reply<'api_descriptions:show'>> {
    return this.#connection.call('api_descriptions:show', { path: { service }, query });
  }

  /**
   * Reports what is inconsistent in a region, or in all of them, each with the commands that repair
   * it. Changes nothing.
   */
  async audit(query: Input<'audit:show'>['query'] = {}): Promise<Audit> {
    return (await this.#connection.call('audit:show', { query })).audit;
  }

  /**
   * Makes changes in a copy of the cloud, such as `{ drain_host: 'compute-1' }`, and compares the
   * answers to questions before and after them. By default, the questions are how many servers of
   * each flavor fit.
   */
  async whatIf(request: Input<'what_if:create'>['body']): Promise<WhatIf> {
    return (await this.#connection.call('what_if:create', { body: request })).what_if;
  }

  /**
   * Plays arrivals of servers and leases in a copy of the cloud, under a configuration of the
   * scheduler, and reports what is rejected and how full the region was. Replay the same arrivals
   * under another configuration to compare them.
   */
  async replay(request: Input<'replay:create'>['body']): Promise<Replay> {
    return (await this.#connection.call('replay:create', { body: request })).replay;
  }

  /** Lists the hosts, zones or aggregates of a region that may fail. */
  async failureDomains(
    kind: FailureKind,
    query: Input<'host_failures:list'>['query'] = {},
  ): Promise<Reply<'host_failures:list'>['domains']> {
    return (await this.#connection.call('host_failures:list', { path: { kind }, query })).domains;
  }

  /**
   * Rehearses the failure of a host, a zone or an aggregate: which servers and reservations find a
   * place on other hosts. Changes nothing.
   */
  async rehearseFailure(
    kind: FailureKind,
    name: string,
    query: Input<'host_failures:show'>['query'] = {},
  ): Promise<HostFailure> {
    const path = { kind, name };
    return (await this.#connection.call('host_failures:show', { path, query })).failure;
  }

  /** Removes the records of deleted resources. @returns how many each service has removed */
  async purge(only: Input<'purge:create'>['body'] = {}): Promise<Reply<'purge:create'>['purged']> {
    return (await this.#connection.call('purge:create', { body: only })).purged;
  }

  /**
   * Stops a cloud that `startCloud()` has started, after requests in flight. A cloud of
   * `connectCloud()` keeps running.
   */
  stop(): Promise<void> {
    this.#connection.close();
    this.#stopped ??= this.#origin.stop?.() ?? Promise.resolve();
    return this.#stopped;
  }

  /** Stops the cloud at the end of a block with `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/** Reads what a cloud needs to know, and freezes its clock if that is wanted. */
export async function openConnection(origin: CloudOrigin): Promise<Cloud> {
  const { connection, frozenAt } = origin;
  const cloudsYaml = await connection.call('clouds_yaml:show');
  const { environment } = await connection.call('environment:show');
  const cloud = new Cloud(origin, environment, cloudsYaml);
  if (frozenAt !== undefined) await cloud.clock.freeze(frozenAt);
  return cloud;
}
