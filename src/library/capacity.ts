// How much more fits into a cloud, as a program asks.
import type { Connection, Input, Reply } from './connection.ts';
import type { Capacity } from './contract.ts';

/** How many more servers or allocations fit now, where, and what runs out first. */
export class CloudCapacity {
  readonly #connection: Connection;

  /** @internal */
  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Counts how many more servers of a flavor, by id or name, fit if they are created one at a time.
   * Quotas are not considered.
   */
  async servers(
    flavor: string,
    options: Omit<Input<'capacity:servers'>['query'], 'flavor'> = {},
  ): Promise<Capacity> {
    const query = { flavor, ...options };
    return (await this.#connection.call('capacity:servers', { query })).capacity;
  }

  /** Counts how many more nodes of a profile, by id or name, fit, created one at a time. */
  async nodes(profile: string, options: { readonly region?: string } = {}): Promise<Capacity> {
    const query = { profile, ...options };
    return (await this.#connection.call('capacity:nodes', { query })).capacity;
  }

  /**
   * Counts how many more leases fit, each with one reservation of `hosts`, or of `instances` of a
   * flavor or a size, if they are created one at a time.
   */
  async leases(question: NonNullable<Input<'capacity:leases'>['query']>): Promise<Capacity> {
    return (await this.#connection.call('capacity:leases', { query: question })).capacity;
  }

  /** Counts how often Placement serves a query, such as `resources=VCPU:8`, if each is claimed. */
  async candidates(
    query: string,
    options: Omit<Input<'capacity:candidates'>['query'], 'query'> = {},
  ): Promise<Capacity> {
    const parameters = { query, ...options };
    return (await this.#connection.call('capacity:candidates', { query: parameters })).capacity;
  }

  /**
   * Counts servers of a flavor, nodes, leases, or how often a query of candidates is served, now
   * and after each start and end of a lease, up to a time such as `2030-01-01T12:00:00Z`. Give
   * `flavor`, `profile`, `query`, or the `hosts` or `instances` of leases.
   */
  async timeline(
    until: string,
    question: Omit<Input<'capacity:timeline'>['query'], 'until'>,
  ): Promise<Reply<'capacity:timeline'>['timeline']> {
    const query = { until, ...question };
    return (await this.#connection.call('capacity:timeline', { query })).timeline;
  }
}
