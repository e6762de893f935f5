// The parts of a cloud, as a program controls them: clock, faults, requests, regions, ...
import type { Connection, Input, Reply } from './connection.ts';
import type {
  Clock,
  FaultRule,
  FaultScenario,
  Host,
  ActionExplanation,
  CandidatesExplanation,
  Explanation,
  Job,
  JournalEntry,
  Migration,
  MovedClock,
  Region,
  ServiceSettings,
  Snapshot,
  Word,
} from './contract.ts';

/** A time: a `Date`, or text such as `2030-01-01` or `2030-01-01T12:00:00Z`. */
export type Time = Date | string;

const textOf = (time: Time): string => (typeof time === 'string' ? time : time.toISOString());

/** The clock of a cloud, which its services use for everything. */
export class CloudClock {
  readonly #connection: Connection;

  /** @internal */
  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Returns the time of the cloud. */
  read(): Promise<Clock> {
    return this.#connection.call('clock:show');
  }

  /** Stops the clock, at the current time of the cloud or at another one. */
  freeze(at?: Time): Promise<MovedClock> {
    const now = at === undefined ? {} : { now: textOf(at) };
    return this.#connection.call('clock:update', { body: { frozen: true, ...now } });
  }

  /** Lets a frozen clock run again. */
  unfreeze(): Promise<MovedClock> {
    return this.#connection.call('clock:update', { body: { frozen: false } });
  }

  /** Sets the time. A frozen clock stays frozen. */
  set(time: Time): Promise<MovedClock> {
    return this.#connection.call('clock:update', { body: { now: textOf(time) } });
  }

  /**
   * Moves the clock forward, by a duration such as `{ hours: 2 }` or to a time, and runs all jobs
   * that become due.
   */
  advance(by: Omit<Input<'clock:advance'>['body'], 'to'> | { to: Time }): Promise<MovedClock> {
    const body = 'to' in by ? { to: textOf(by.to) } : by;
    return this.#connection.call('clock:advance', { body });
  }
}

/** The fault rules of a cloud: which requests fail, are slowed down, or get no reply. */
export class CloudFaults {
  readonly #connection: Connection;

  /** @internal */
  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Adds a rule. @returns the rule with its id */
  async add(rule: Input<'faults:create'>['body']): Promise<FaultRule> {
    return (await this.#connection.call('faults:create', { body: rule })).fault;
  }

  /** Returns all rules, the oldest first, with the number of requests that each has affected. */
  async list(): Promise<readonly FaultRule[]> {
    return (await this.#connection.call('faults:list')).faults;
  }

  /** Returns a rule. */
  async show(id: Word): Promise<FaultRule> {
    return (await this.#connection.call('faults:show', { path: { id } })).fault;
  }

  /** Removes a rule. */
  async delete(id: Word): Promise<void> {
    await this.#connection.call('faults:delete', { path: { id } });
  }

  /** Removes all rules. */
  async clear(): Promise<void> {
    await this.#connection.call('faults:clear');
  }

  /** Returns the failure scenarios, sorted by name, with the rules of each. */
  async scenarios(): Promise<readonly FaultScenario[]> {
    return (await this.#connection.call('fault_scenarios:list')).scenarios;
  }

  /** Adds the rules of a scenario, such as `flaky-network`. @returns the rules with their ids */
  async addScenario(name: string): Promise<readonly FaultRule[]> {
    return (await this.#connection.call('fault_scenarios:add', { path: { name } })).faults;
  }
}

/** The journal of a cloud: the requests that it has received. */
export class CloudRequests {
  readonly #connection: Connection;

  /** @internal */
  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Returns the newest requests that match, in the order of their arrival; 100 unless limited. */
  async list(query: Input<'requests:list'>['query'] = {}): Promise<readonly JournalEntry[]> {
    return (await this.#connection.call('requests:list', { query })).requests;
  }

  /** Returns a request, by its number or its request id. */
  async show(id: Word): Promise<JournalEntry> {
    return (await this.#connection.call('requests:show', { path: { id } })).request;
  }

  /**
   * Asserts how many requests match (at least one unless it is given), or that requests matched in
   * a certain order.
   * @returns the requests that match
   * @throws RequestAssertionError with the requests that nearly match
   */
  async assert(assertion: Input<'requests:assert'>['body']): Promise<readonly JournalEntry[]> {
    return (await this.#connection.call('requests:assert', { body: assertion })).requests;
  }

  /** Returns which microversions each client asked for, and what differs at the newest ones. */
  async versions(
    query: Input<'requests:versions'>['query'] = {},
  ): Promise<Reply<'requests:versions'>['clients']> {
    return (await this.#connection.call('requests:versions', { query })).clients;
  }

  /** Sets how many requests the journal keeps; 0 switches it off. */
  async keep(count: number): Promise<void> {
    await this.#connection.call('requests:update', { body: { keep: count } });
  }

  /** Empties the journal. */
  async clear(): Promise<void> {
    await this.#connection.call('requests:clear');
  }
}

/** The snapshots of a cloud. `cloud.snapshot()` takes one, and `cloud.restore()` restores it. */
export class CloudSnapshots {
  readonly #connection: Connection;

  /** @internal */
  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Returns all snapshots, sorted by name. */
  async list(): Promise<readonly Snapshot[]> {
    return (await this.#connection.call('snapshots:list')).snapshots;
  }

  /** Returns what is known about a snapshot. */
  async show(name: string): Promise<Snapshot> {
    return (await this.#connection.call('snapshots:show', { path: { name } })).snapshot;
  }

  /** Deletes a snapshot. */
  async delete(name: string): Promise<void> {
    await this.#connection.call('snapshots:delete', { path: { name } });
  }
}

/** The regions of a cloud. */
export class CloudRegions {
  readonly #connection: Connection;

  /** @internal */
  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Returns all regions, in the order in which they were added. */
  async list(): Promise<readonly Region[]> {
    return (await this.#connection.call('regions:list')).regions;
  }

  /** Returns a region. */
  async show(name: string): Promise<Region> {
    return (await this.#connection.call('regions:show', { path: { name } })).region;
  }

  /** Adds a region: a new one, or with `from` a copy of another one. */
  async add(region: Input<'regions:create'>['body']): Promise<Region> {
    return (await this.#connection.call('regions:create', { body: region })).region;
  }

  /** Drops a region with all its data. */
  async delete(name: string): Promise<void> {
    await this.#connection.call('regions:delete', { path: { name } });
  }
}

/** The pods of Tricircle, in a cloud with a central region. */
export class CloudPods {
  readonly #connection: Connection;

  /** @internal */
  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Moves all servers and volumes of tenants to other pods. The pod is under maintenance then. */
  drain(region: string, options: Input<'pods:drain'>['body'] = {}): Promise<Migration> {
    return this.#connection.call('pods:drain', { path: { region }, body: options });
  }

  /** Returns a migration of `drain()` with its progress. */
  migration(id: string): Promise<Migration> {
    return this.#connection.call('migrations:show', { path: { migration_id: id } });
  }
}

/** The hosts of Compute. */
export class CloudHosts {
  readonly #connection: Connection;

  /** @internal */
  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Returns the hosts of a region, or of the first one. */
  async list(query: Input<'hosts:list'>['query'] = {}): Promise<readonly Host[]> {
    return (await this.#connection.call('hosts:list', { query })).hosts;
  }

  /** Adds a host. Properties that are left out are those of the hosts of a new region. */
  add(host: Input<'hosts:create'>['body']): Promise<Host> {
    return this.#connection.call('hosts:create', { body: host });
  }

  /** Removes a host without servers. */
  async delete(name: string, query: Input<'hosts:delete'>['query'] = {}): Promise<void> {
    await this.#connection.call('hosts:delete', { path: { name }, query });
  }
}

/** Why services decide as they do. A cloud explains failures only, unless `update()` says all. */
export class CloudExplanations {
  readonly #connection: Connection;

  /** @internal */
  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Returns the newest explanations that match, the newest first. */
  async list(query: Input<'explanations:list'>['query'] = {}): Promise<readonly Explanation[]> {
    return (await this.#connection.call('explanations:list', { query })).explanations;
  }

  /** Explains all decisions from now on, or failures only (the default). */
  async update(body: { readonly all: boolean }): Promise<void> {
    await this.#connection.call('explanations:update', { body });
  }

  /** Returns the last decision about a subject of a kind, such as `servers` or `requests`. */
  async show(
    kind: string,
    id: string,
    query: Input<'explanations:show'>['query'] = {},
  ): Promise<Explanation> {
    return (await this.#connection.call('explanations:show', { path: { kind, id }, query }))
      .explanation;
  }

  /** Explains which provider trees Placement offers for a query, such as `resources=VCPU:8`. */
  async candidates(
    query: string,
    options: Omit<Input<'explanations:candidates'>['query'], 'query'> = {},
  ): Promise<CandidatesExplanation> {
    return (
      await this.#connection.call('explanations:candidates', { query: { query, ...options } })
    ).explanation;
  }

  /** Explains what an action, such as `{ scale_out: { count: 2 } }`, would do to a cluster now. */
  async action(
    cluster: string,
    action: Readonly<Record<string, unknown>>,
    query: Input<'explanations:action'>['query'] = {},
  ): Promise<ActionExplanation> {
    const body = { cluster, action };
    return (await this.#connection.call('explanations:action', { query, body })).explanation;
  }
}

/** The jobs that a cloud runs when its clock reaches their time. */
export class CloudJobs {
  readonly #connection: Connection;

  /** @internal */
  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Returns the jobs in the order in which they run, and those that were set aside. */
  async list(query: Input<'jobs:list'>['query'] = {}): Promise<readonly Job[]> {
    return (await this.#connection.call('jobs:list', { query })).jobs;
  }

  /** Lets a job that was set aside run again. */
  async retry(id: string): Promise<Job> {
    return (await this.#connection.call('jobs:retry', { path: { id } })).job;
  }

  /** Deletes a job, so that what it would do never happens. */
  async delete(id: string): Promise<void> {
    await this.#connection.call('jobs:delete', { path: { id } });
  }
}

/** What upstream's services publish on a message bus. A cloud keeps none until `keep()`. */
export class CloudNotifications {
  readonly #connection: Connection;

  /** @internal */
  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Returns the newest notifications of a region that match, the oldest of them first. */
  async list(
    query: Input<'notifications:list'>['query'] = {},
  ): Promise<Reply<'notifications:list'>['notifications']> {
    return (await this.#connection.call('notifications:list', { query })).notifications;
  }

  /** Sets how many notifications each region keeps; 0 switches it off. */
  async keep(count: number): Promise<void> {
    await this.#connection.call('notifications:update', { body: { keep: count } });
  }

  /** Deletes the notifications of all regions. */
  async clear(): Promise<void> {
    await this.#connection.call('notifications:clear');
  }
}

/** The settings of services, which upstream reads from configuration files. */
export class CloudSettings {
  readonly #connection: Connection;

  /** @internal */
  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Returns the settings of a service, such as `reservation`. */
  show(
    service: string,
    query: Input<'service_settings:show'>['query'] = {},
  ): Promise<ServiceSettings> {
    return this.#connection.call('service_settings:show', { path: { service }, query });
  }

  /** Changes settings of a service, and returns all of them. */
  update(
    service: string,
    settings: Input<'service_settings:update'>['body'],
  ): Promise<ServiceSettings> {
    return this.#connection.call('service_settings:update', { path: { service }, body: settings });
  }
}
