// Random operations of clients on leases, for one client or several concurrent ones.
import { expect } from 'chai';
import { cirrosId } from '../../../src/services/image/index.ts';
import type { Asked } from '../../support/cloud.ts';
import { member } from '../../support/people.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import { hostReservation, instanceReservation, type Fields } from './support.ts';

/** Sends a request, by default as the administrator. The path includes the service's prefix. */
export type Ask = (
  method: string,
  path: string,
  options?: Asked,
) => Promise<{ readonly status: number; readonly body: Fields }>;

export const hosts = ['compute-1', 'compute-2', 'compute-3'];
const addresses = ['10.9.0.20', '10.9.0.21', '10.9.0.22'];

const hour = 3_600_000;
const leases = '/reservation/v1/leases';
const osHosts = '/reservation/v1/os-hosts';

const dateOf = (time: number): string =>
  new Date(time).toISOString().slice(0, 16).replace('T', ' ');

/** Sends a request that must succeed. @returns the body of the reply */
export async function must(
  ask: Ask,
  method: string,
  path: string,
  options: Asked = {},
): Promise<Fields> {
  const { status, body } = await ask(method, path, options);
  expect(status, `${method} ${path}: ${JSON.stringify(body)}`).to.be.below(300);
  return body;
}

/**
 * Registers hosts and floating IPs, and lifts the quota.
 * @returns the network of the floating IPs
 */
export async function prepare(ask: Ask): Promise<string> {
  for (const name of hosts) await must(ask, 'POST', osHosts, { body: { name } });
  const quota = { quota_set: { cores: -1, ram: -1, instances: -1 } };
  await must(ask, 'PUT', '/compute/v2.1/os-quota-sets/demo', { body: quota });
  const network = { name: 'outside', 'router:external': true };
  const { id } = (await must(ask, 'POST', '/network/v2.0/networks', { body: { network } }))[
    'network'
  ] as { id: string };
  const allocation_pools = [{ start: '10.9.0.2', end: '10.9.0.9' }];
  const subnet = { network_id: id, cidr: '10.9.0.0/24', ip_version: 4, allocation_pools };
  await must(ask, 'POST', '/network/v2.0/subnets', { body: { subnet } });
  for (const floating_ip_address of addresses)
    await must(ask, 'POST', '/reservation/v1/floatingips', {
      body: { floating_network_id: id, floating_ip_address },
    });
  return id;
}

/** The conditions of a run, on which the possible errors depend. */
export interface Conditions {
  /** Whether other clients send requests at the same time. */
  readonly isConcurrent: boolean;
  /** Whether a statement of the database has failed on purpose. */
  readonly isBroken: () => boolean;
}

export class Story {
  /** The emulator's time, in milliseconds. */
  now: number;
  private readonly dice: SeededRandom;
  private readonly network: string;
  private readonly conditions: Conditions;

  constructor(
    dice: SeededRandom,
    begin: number,
    network: string,
    conditions: Conditions = { isConcurrent: false, isBroken: () => false },
  ) {
    this.dice = dice;
    this.now = begin;
    this.network = network;
    this.conditions = conditions;
  }

  /**
   * Chooses the next operation of a client. All random numbers are drawn before the first request,
   * so that the seed determines the operations of concurrent clients.
   */
  next(): (ask: Ask) => Promise<void> {
    const what = this.dice.between(0, 8);
    if (what < 4) return this.create();
    if (what < 6) return this.update();
    if (what < 7) return this.remove();
    return what < 8 ? this.server() : this.host();
  }

  /** Chooses how long to wait, in hours. */
  pause(): number {
    return this.dice.pick([1, 5, 24, 24 * 10]);
  }

  /** Moves the clock. */
  async wait(ask: Ask, hours: number): Promise<void> {
    this.now += hours * hour;
    await this.setClock(ask);
  }

  async setClock(ask: Ask): Promise<void> {
    await must(ask, 'PUT', '/_emulator/clock', {
      body: { now: new Date(this.now).toISOString(), frozen: true },
    });
  }

  /** Ends all leases, and deletes them. */
  async end(ask: Ask): Promise<void> {
    await this.wait(ask, 24 * 100);
    const known = (await must(ask, 'GET', leases))['leases'] as Fields[];
    const others = known
      .map(({ status }) => status as string)
      .filter((status) => status !== 'TERMINATED');
    expect(others).to.deep.equal([]);
    for (const { id } of known) await must(ask, 'DELETE', `${leases}/${id}`);
    await this.removeServers(ask);
  }

  /**
   * Deletes the servers outside of reservations, because a host with servers cannot be registered.
   */
  private async removeServers(ask: Ask): Promise<void> {
    const { servers } = await must(ask, 'GET', '/compute/v2.1/servers/detail?all_tenants=1');
    const plain = (servers as Fields[]).filter(({ name }) => (name as string).startsWith('plain'));
    for (const { id } of plain)
      this.expectAnswer(await ask('DELETE', `/compute/v2.1/servers/${id}`), 204);
  }

  private expectAnswer(
    { status, body }: { status: number; body: Fields },
    ...expected: readonly number[]
  ): void {
    const { isConcurrent, isBroken } = this.conditions;
    if (isBroken() && status === 500) return;
    expect(status, JSON.stringify(body)).to.be.oneOf([
      ...expected,
      ...(isConcurrent ? [404, 409] : []),
    ]);
    if (status === 500) expect(body['error_message']).to.equal('Not enough hosts available');
  }

  private randomReservation(): Fields {
    const { dice } = this;
    const amount = dice.between(1, 8);
    if (dice.chance(0.3)) return hostReservation({ min: 1, max: dice.between(1, 2) });
    if (dice.chance(0.15))
      return { resource_type: 'flavor:instance', flavor_id: '3', amount, affinity: null };
    if (dice.chance(0.2))
      return {
        resource_type: 'virtual:floatingip',
        network_id: this.network,
        amount: dice.between(1, 2),
        required_floatingips: dice.some(addresses.slice(0, 1), 0.3),
      };
    return instanceReservation({
      amount,
      vcpus: dice.between(1, 8),
      memory_mb: 2048,
      affinity: dice.pick([null, null, true, false]),
    });
  }

  private create(): (ask: Ask) => Promise<void> {
    const { dice } = this;
    const start = this.now + dice.between(0, 40) * hour;
    const body = {
      name: 'random',
      start_date: start === this.now ? 'now' : dateOf(start),
      end_date: dateOf(start + dice.between(1, 30) * hour),
      reservations: Array.from({ length: dice.between(1, 2) }, () => this.randomReservation()),
    };
    return async (ask) =>
      this.expectAnswer(await ask('POST', leases, { ...member, body }), 201, 400, 409, 500);
  }

  /** Draws a random number now, which later chooses one of the leases. */
  private chooser(): <T>(items: readonly T[]) => T | undefined {
    const roll = this.dice.roll();
    return (items) => items[Math.floor(roll * items.length)];
  }

  private update(): (ask: Ask) => Promise<void> {
    const { dice } = this;
    const choose = this.chooser();
    const [isParts, max, amount] = [dice.chance(0.5), dice.between(1, 3), dice.between(1, 10)];
    const [moves, by, hours] = [dice.chance(0.5), dice.between(-3, 3), dice.between(1, 40)];
    return async (ask) => {
      const lease = choose((await must(ask, 'GET', leases, member))['leases'] as Fields[]);
      if (!lease) return;
      const path = `${leases}/${lease['id']}`;
      const part = choose(lease['reservations'] as Fields[])!;
      const start = Date.parse(`${lease['start_date']}Z`) + by * hour;
      const body = isParts
        ? { reservations: [{ id: part['id'], ...(part['min'] ? { max } : { amount }) }] }
        : {
            ...(moves ? { start_date: dateOf(start) } : {}),
            end_date: dateOf(start + hours * hour),
          };
      const before = await ask('GET', path, member);
      const answer = await ask('PUT', path, { ...member, body });
      this.expectAnswer(answer, 200, 400, 409, 500);
      if (answer.status !== 200 && !this.conditions.isConcurrent)
        expect((await ask('GET', path, member)).body).to.deep.equal(before.body);
    };
  }

  private remove(): (ask: Ask) => Promise<void> {
    const choose = this.chooser();
    return async (ask) => {
      const lease = choose((await must(ask, 'GET', leases, member))['leases'] as Fields[]);
      if (lease) this.expectAnswer(await ask('DELETE', `${leases}/${lease['id']}`, member), 204);
    };
  }

  /** Boots a server on an active reservation, or without one. */
  private server(): (ask: Ask) => Promise<void> {
    const choose = this.chooser();
    const isPlain = this.dice.chance(0.1);
    const name = `${isPlain ? 'plain' : 'reserved'}-${this.dice.between(0, 1_000_000)}`;
    return async (ask) => {
      const known = (await must(ask, 'GET', leases, member))['leases'] as Fields[];
      const active = known
        .flatMap(({ reservations }) => reservations as Fields[])
        .filter(({ status, network_id }) => status === 'active' && network_id === undefined);
      const chosen = isPlain ? undefined : choose(active);
      if (!chosen && !isPlain) return;
      const whole = !chosen || chosen['min'] !== undefined;
      const server = {
        name,
        imageRef: cirrosId,
        flavorRef: whole ? '1' : chosen['id'],
        networks: 'none',
      };
      const hints = chosen && whole ? { reservation: chosen['id'] } : {};
      const request = { ...member, version: '2.37', body: { server, 'os:scheduler_hints': hints } };
      const answer = await ask('POST', '/compute/v2.1/servers', request);
      this.expectAnswer(answer, 202, ...(this.conditions.isConcurrent ? [400] : []));
    };
  }

  /** Unregisters or registers the last host, or changes a capability of the first one. */
  private host(): (ask: Ask) => Promise<void> {
    const { dice } = this;
    const [isFirst, rack] = [dice.chance(0.3), String(dice.between(1, 9))];
    return async (ask) => {
      const known = (await must(ask, 'GET', osHosts))['hosts'] as Fields[];
      const [first, , last] = hosts.map(
        (name) => known.find((host) => host['hypervisor_hostname'] === name)?.['id'] as string,
      );
      if (isFirst)
        this.expectAnswer(await ask('PUT', `${osHosts}/${first}`, { body: { rack } }), 200);
      else if (last) this.expectAnswer(await ask('DELETE', `${osHosts}/${last}`), 204, 409);
      else {
        await this.removeServers(ask);
        this.expectAnswer(await ask('POST', osHosts, { body: { name: hosts[2] } }), 201, 409);
      }
    };
  }
}
