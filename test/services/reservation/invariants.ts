// The invariants of leases between requests: no host is allocated beyond its capacity, and
// Placement, Compute and Network agree with the leases.
import { expect } from 'chai';
import { hosts, must, type Ask } from './stories.ts';
import { classOf, type Fields } from './support.ts';

const placement = (ask: Ask, path: string): Promise<Fields> =>
  must(ask, 'GET', `/placement${path}`, { version: '1.29' });

const isWhole = (part: Fields): boolean => part['min'] !== undefined;

/** A reserved slot of a host, with its reservation. */
interface Slot {
  readonly part: Fields;
  readonly start: string;
  readonly end: string;
}

export async function checkInvariants(ask: Ask): Promise<void> {
  const leases = (await must(ask, 'GET', '/reservation/v1/leases'))['leases'] as Fields[];
  const stuck = leases.filter(
    ({ status }) => !['PENDING', 'ACTIVE', 'TERMINATED'].includes(status as string),
  );
  expect(stuck, 'leases that are stuck').to.deep.equal([]);
  const parts = leases.flatMap(({ reservations }) => reservations as Fields[]);
  const reserved = await readSlots(ask, new Map(parts.map((one) => [one['id'] as string, one])));
  for (const [host, own] of reserved) checkCapacity(host, own);
  checkAmounts(parts, [...reserved.values()].flat());
  const isActive = ({ part }: Slot): boolean => part['status'] === 'active';
  expect(await slotsOf(ask)).to.deep.equal(
    Object.fromEntries(
      [...reserved].map(([host, own]) => [
        host,
        count(own.filter((one) => isActive(one) && !isWhole(one.part))),
      ]),
    ),
  );
  const inUse = [...reserved].filter(([, own]) =>
    own.some((one) => isActive(one) && isWhole(one.part)),
  );
  await checkAggregates(
    ask,
    parts,
    [...reserved.keys()].filter((host) => !inUse.some(([name]) => name === host)),
  );
  await checkFlavors(ask, parts);
  await checkFloatingIps(ask, parts);
  await checkServers(ask, reserved);
}

/** Reads the reserved slots by host. */
async function readSlots(
  ask: Ask,
  parts: ReadonlyMap<string, Fields>,
): Promise<Map<string, Slot[]>> {
  const registered = (await must(ask, 'GET', '/reservation/v1/os-hosts'))['hosts'] as Fields[];
  const names = new Map(
    registered.map((one) => [one['id'] as string, one['hypervisor_hostname'] as string]),
  );
  const { allocations } = await must(ask, 'GET', '/reservation/v1/os-hosts/allocations');
  return new Map(
    (allocations as Fields[]).map(({ resource_id: id, reservations }) => [
      names.get(id as string)!,
      (reservations as Fields[]).map(({ id: part, start_date: start, end_date: end }) => {
        expect(parts.has(part as string), `the lease of ${part}`).to.equal(true);
        return { part: parts.get(part as string)!, start: start as string, end: end as string };
      }),
    ]),
  );
}

function checkCapacity(host: string, own: readonly Slot[]): void {
  for (const { start: moment } of own) {
    const at = own.filter(({ start, end }) => start <= moment && end > moment);
    if (at.some(({ part }) => isWhole(part))) expect(at, `${host} at ${moment}`).to.have.length(1);
    // Reservations of flavors are limited by Placement's inventory instead, which the scheduler
    // checks.
    if (at.every(({ part }) => isWhole(part) || part['resource_type'] === 'flavor:instance'))
      continue;
    expect(
      at.reduce((sum, { part }) => sum + (part['vcpus'] as number), 0),
      `${host} at ${moment}`,
    ).to.be.at.most(16);
  }
}

/** Each reservation that has not ended has the requested number of slots. */
function checkAmounts(parts: readonly Fields[], reserved: readonly Slot[]): void {
  for (const part of parts) {
    if (part['network_id'] !== undefined) continue;
    const slots = reserved.filter((one) => one.part === part).length;
    if (part['status'] === 'deleted') expect(slots).to.equal(0);
    else if (isWhole(part))
      expect(slots).to.be.within(part['min'] as number, part['max'] as number);
    else expect(slots).to.equal(part['amount']);
  }
}

const count = (own: readonly Slot[]): Record<string, number> => {
  const slots: Record<string, number> = {};
  for (const { part } of own)
    slots[classOf(part['id'] as string)] = (slots[classOf(part['id'] as string)] ?? 0) + 1;
  return slots;
};

/** The slots of each registered host in Placement, by host and class. */
async function slotsOf(ask: Ask): Promise<Record<string, Record<string, number>>> {
  const { resource_providers: providers } = await placement(ask, '/resource_providers');
  const slots: Record<string, Record<string, number>> = {};
  for (const { uuid, name } of (providers as Fields[]).filter((one) =>
    (one['name'] as string).startsWith('blazar_'),
  )) {
    const { inventories } = await placement(ask, `/resource_providers/${uuid}/inventories`);
    slots[(name as string).slice('blazar_'.length)] = Object.fromEntries(
      Object.entries(inventories as Record<string, Fields>).map(([of, one]) => [
        of,
        one['total'] as number,
      ]),
    );
  }
  return slots;
}

async function checkAggregates(
  ask: Ask,
  parts: readonly Fields[],
  free: readonly string[],
): Promise<void> {
  const { aggregates } = await must(ask, 'GET', '/compute/v2.1/os-aggregates');
  const pools = new Map(
    (aggregates as Fields[]).map(({ name, hosts: own }) => [name as string, own as string[]]),
  );
  expect(pools.get('freepool')).to.have.members([...free]);
  const living = parts.filter(
    ({ status, network_id }) => status !== 'deleted' && network_id === undefined,
  );
  expect([...pools.keys()]).to.have.members(['freepool', ...living.map(({ id }) => id as string)]);
}

/**
 * Resource classes, flavors and server groups exist exactly for reservations that have not ended.
 */
async function checkFlavors(ask: Ask, parts: readonly Fields[]): Promise<void> {
  const living = parts.filter(({ status, vcpus }) => status !== 'deleted' && vcpus !== undefined);
  const ids = living.map(({ id }) => id as string);
  const { flavors } = await must(ask, 'GET', '/compute/v2.1/flavors?is_public=None');
  expect(
    (flavors as Fields[]).map(({ id }) => id as string).filter((id) => id.length === 36),
  ).to.have.members(ids);
  const { resource_classes: classes } = await placement(ask, '/resource_classes');
  const ours = (classes as Fields[])
    .map(({ name }) => name as string)
    .filter((name) => name.startsWith('CUSTOM_RESERVATION'));
  expect(ours).to.have.members(ids.map(classOf));
  const { server_groups: groups } = await must(
    ask,
    'GET',
    '/compute/v2.1/os-server-groups?all_projects=1',
  );
  const expected = living
    .map(({ server_group_id: id }) => id as string | null)
    .filter((id) => id !== null);
  expect((groups as Fields[]).map(({ id }) => id as string)).to.have.members(expected);
}

/** Network has exactly the floating IPs of active reservations. */
async function checkFloatingIps(ask: Ask, parts: readonly Fields[]): Promise<void> {
  const { floatingips } = await must(ask, 'GET', '/network/v2.0/floatingips');
  const found = (floatingips as Fields[]).flatMap(({ tags }) =>
    (tags as string[]).filter((tag) => tag !== 'blazar'),
  );
  const active = parts.filter(
    ({ status, network_id }) => status === 'active' && network_id !== undefined,
  );
  expect(found).to.have.members(
    active.flatMap(
      ({ id, amount }) => Array(amount as number).fill(`reservation:${id}`) as string[],
    ),
  );
}

/** Servers on registered hosts belong to an active reservation. */
async function checkServers(
  ask: Ask,
  reserved: ReadonlyMap<string, readonly Slot[]>,
): Promise<void> {
  const { servers } = await must(ask, 'GET', '/compute/v2.1/servers/detail?all_tenants=1');
  for (const server of servers as Fields[]) {
    const host = server['OS-EXT-SRV-ATTR:host'] as string | null;
    if (host === null || !reserved.has(host)) continue;
    const own = reserved.get(host)!.filter(({ part }) => part['status'] === 'active');
    const flavor = (server['flavor'] as Fields)['id'] as string;
    const allowed = own.some(({ part }) => isWhole(part) || part['id'] === flavor);
    expect(allowed, `the server ${server['id']} of the flavor ${flavor} on ${host}`).to.equal(true);
  }
}

/** Checks that all hosts can be unregistered after the last lease, and that nothing is left. */
export async function checkNothingLeft(ask: Ask): Promise<void> {
  await checkInvariants(ask);
  const known = (await must(ask, 'GET', '/reservation/v1/os-hosts'))['hosts'] as Fields[];
  for (const { id } of known) await must(ask, 'DELETE', `/reservation/v1/os-hosts/${id}`);
  expect(await slotsOf(ask)).to.deep.equal({});
  const { aggregates } = await must(ask, 'GET', '/compute/v2.1/os-aggregates');
  expect(
    (aggregates as Fields[]).map(({ name, hosts: own }) => [name as string, own as string[]]),
  ).to.deep.equal([['freepool', []]]);
  const ips = (await must(ask, 'GET', '/reservation/v1/floatingips'))['floatingips'] as Fields[];
  for (const { id } of ips) await must(ask, 'DELETE', `/reservation/v1/floatingips/${id}`);
  for (const name of hosts) await must(ask, 'POST', '/reservation/v1/os-hosts', { body: { name } });
}
