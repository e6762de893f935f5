// Allocates the fixed IPs of ports, each to one port only. Upstream:
// neutron/db/ipam_pluggable_backend.py.
import { SerializationFailure } from '../../../../kernel/db/errors.ts';
import {
  addressesOf,
  releaseAddresses,
  freeAddress,
  portWithAddress,
  assignAddress,
  tryAssignAddress,
} from '../../store/addresses.ts';
import { subnetTable } from '../../store/tables.ts';
import type { Context } from '../../../../kernel/model.ts';
import { eui64, fitsSubnet, formatIp, parseCidr, parseIp, type Ip, type Pool } from '../../ip.ts';
import { getSubnet } from '../visibility.ts';
import { isAutoAddressed, deviceOwners, type FixedIp, type Subnet } from '../../model.ts';
import { addressInUse, bad, invalidInput, noAddressLeft } from '../refusals.ts';

/** An entry of `fixed_ips` in a body: a specific address, or any address on a subnet. */
export interface RequestedIp {
  readonly subnet_id?: string;
  readonly ip_address?: string;
}

/** The port that the addresses are for. */
export interface AllocationPort {
  readonly id: string;
  readonly network_id: string;
  readonly mac_address: string;
  readonly device_owner: string;
}

/** A request for an address on a subnet: for `ip`, or for any address if it is absent. */
interface IpRequest {
  readonly subnet: Subnet;
  readonly ip?: Ip;
}

export const subnetsOf = ({ db }: Context, networkId: string): Promise<Subnet[]> =>
  subnetTable.list(db, {
    where: { network_id: networkId },
    sort: ['created_at'],
  });

/** Assigns addresses to a new port: the requested ones, or by default one of each IP version. */
export async function allocate(
  context: Context,
  port: AllocationPort,
  requested: readonly RequestedIp[] | undefined,
): Promise<FixedIp[]> {
  const subnets = await subnetsOf(context, port.network_id);
  const assigned: FixedIp[] = [];
  if (requested) {
    for (const request of await requestsFor(context, port, subnets, requested))
      assigned.push(await assign(context, port, request));
    return assigned;
  }
  for (const version of [4, 6]) {
    const eligible = subnets.filter(
      (subnet) => subnet.ip_version === version && !isAutoAddressed(subnet),
    );
    if (eligible.length) assigned.push(await assignAny(context, port, eligible));
  }
  return [...assigned, ...(await allocateAutomatic(context, port, subnets, assigned))];
}

/**
 * Assigns EUI-64 addresses to a port on the auto-addressed subnets on which it has no address yet.
 */
async function allocateAutomatic(
  context: Context,
  port: AllocationPort,
  subnets: readonly Subnet[],
  assigned: readonly FixedIp[],
): Promise<FixedIp[]> {
  if (port.device_owner === deviceOwners.routerInterface) return [];
  const created: FixedIp[] = [];
  for (const subnet of subnets.filter(isAutoAddressed)) {
    if (assigned.some(({ subnet_id }) => subnet_id === subnet.id)) continue;
    created.push(await assign(context, port, { subnet }));
  }
  return created;
}

/**
 * Resolves each request to its subnet. Requests for specific addresses are sorted to the front.
 * @throws 400, 404
 */
async function requestsFor(
  context: Context,
  port: AllocationPort,
  subnets: readonly Subnet[],
  requested: readonly RequestedIp[],
): Promise<IpRequest[]> {
  const found: IpRequest[] = [];
  for (const one of requested) {
    const request = await requestFor(context, port, subnets, one);
    if (
      request.ip &&
      isAutoAddressed(request.subnet) &&
      port.device_owner !== deviceOwners.routerInterface &&
      port.device_owner !== deviceOwners.routerGateway
    ) {
      const own = eui64(parseCidr(request.subnet.cidr)!, port.mac_address);
      if (own.value !== request.ip.value) {
        throw bad(
          'AllocationOnAutoAddressSubnet',
          `IPv6 address ${one.ip_address} cannot be directly assigned to a port on subnet ` +
            `${request.subnet.id} as the subnet is configured for automatic addresses`,
        );
      }
    }
    found.push(request);
  }
  // Assign specific addresses first, so that none of them goes to a request for any address.
  return found.toSorted((a, b) => Number(!a.ip) - Number(!b.ip));
}

async function requestFor(
  context: Context,
  port: AllocationPort,
  subnets: readonly Subnet[],
  requested: RequestedIp,
): Promise<IpRequest> {
  const { subnet_id: id, ip_address: text } = requested;
  const ip = text === undefined ? undefined : parseIp(text)!;
  if (id !== undefined) {
    const subnet = subnets.find((one) => one.id === id);
    if (!subnet) {
      await getSubnet(context, id);
      throw invalidInput(
        `Failed to create port on network ${port.network_id}, because fixed_ips included ` +
          `invalid subnet ${id}`,
      );
    }
    if (ip && !fitsSubnet(parseCidr(subnet.cidr)!, ip, port.device_owner)) {
      throw bad(
        'InvalidIpForSubnet',
        `IP address ${text} is not a valid IP for the specified subnet.`,
      );
    }
    return ip ? { subnet, ip } : { subnet };
  }
  if (!subnets.length) throw invalidInput('IP allocation requires subnets for network');
  if (!ip) throw invalidInput('IP allocation requires subnet_id or ip_address');
  const subnet = subnets.find((one) => fitsSubnet(parseCidr(one.cidr)!, ip, port.device_owner));
  if (!subnet)
    throw bad(
      'InvalidIpForNetwork',
      `IP address ${text} is not a valid IP for any of the subnets on the specified network.`,
    );
  return { subnet, ip };
}

/** @throws 409 if the specific address is in use, or no address is free */
async function assign(
  context: Context,
  port: AllocationPort,
  { subnet, ip }: IpRequest,
): Promise<FixedIp> {
  const auto = isAutoAddressed(subnet) && port.device_owner !== deviceOwners.routerInterface;
  const address = ip ?? (auto ? eui64(parseCidr(subnet.cidr)!, port.mac_address) : undefined);
  if (!address) return assignAny(context, port, [subnet]);
  const fixed = { subnet_id: subnet.id, ip_address: formatIp(address) };
  const owner = await portWithAddress(context.db, subnet.id, address);
  if (owner !== undefined) throw addressInUse(port.network_id, fixed.ip_address);
  await assignAddress(
    context.db,
    port.id,
    fixed,
    addressInUse(port.network_id, fixed.ip_address),
  );
  return fixed;
}

/**
 * A retried transaction skips a random number of free addresses, below this number times the
 * attempt, so that concurrent transactions try different ones.
 */
const skipRange = 8;

/**
 * How many addresses a transaction tries that others take from under it, before it is retried as a
 * whole.
 */
const maxTries = 8;

async function assignAny(
  context: Context,
  port: AllocationPort,
  subnets: readonly Subnet[],
): Promise<FixedIp> {
  const skip =
    context.attempt > 1
      ? Number.parseInt(port.id.slice(0, 6), 16) % (skipRange * context.attempt)
      : 0;
  for (const subnet of subnets) {
    for (const pool of subnet.allocation_pools) {
      const fixed = await assignFromPool(context, port, subnet, pool, skip);
      if (fixed) return fixed;
    }
  }
  throw noAddressLeft(port.network_id);
}

/**
 * Assigns an address from an allocation pool; undefined if none is free.
 * @throws SerializationFailure if other transactions get every address that is tried
 */
async function assignFromPool(
  context: Context,
  port: AllocationPort,
  subnet: Subnet,
  pool: Pool,
  skip: number,
): Promise<FixedIp | undefined> {
  for (let more = 0; more < maxTries; more++) {
    const ip = await freeAddress(
      context.db,
      subnet.id,
      parseIp(pool.start)!,
      parseIp(pool.end)!,
      skip + more,
    );
    if (!ip) return undefined;
    const fixed = { subnet_id: subnet.id, ip_address: formatIp(ip) };
    if (await tryAssignAddress(context.db, port.id, fixed)) return fixed;
  }
  throw new SerializationFailure(noAddressLeft(port.network_id));
}

/**
 * Replaces the addresses of a port. Addresses that it has and that are requested again stay.
 * Upstream: ipam_backend_mixin.py, _get_changed_ips_for_port.
 */
export async function reallocate(
  context: Context,
  port: AllocationPort,
  requested: readonly RequestedIp[],
): Promise<FixedIp[]> {
  const before = (await addressesOf(context.db, [port.id])).get(port.id) ?? [];
  const subnets = await subnetsOf(context, port.network_id);
  const remaining = [...before];
  const take = (matches: (one: FixedIp) => boolean): FixedIp | undefined => {
    const index = remaining.findIndex(matches);
    return index < 0 ? undefined : remaining.splice(index, 1)[0];
  };
  const stays = new Map<RequestedIp, FixedIp | undefined>();
  for (const one of requested.filter(({ ip_address: ip }) => ip !== undefined))
    stays.set(
      one,
      take(({ ip_address }) => ip_address === canonical(one.ip_address!)),
    );
  for (const one of requested.filter(({ ip_address: ip }) => ip === undefined))
    stays.set(
      one,
      take(({ subnet_id }) => subnet_id === one.subnet_id),
    );
  const added = requested.filter((one) => !stays.get(one));
  const requests = await requestsFor(context, port, subnets, added);
  const removed = remaining.filter(({ subnet_id }) => {
    const subnet = subnets.find((one) => one.id === subnet_id)!;
    return port.device_owner === deviceOwners.routerInterface || !isAutoAddressed(subnet);
  });
  await releaseAddresses(context.db, port.id, removed);
  for (const request of requests) await assign(context, port, request);
  return (await addressesOf(context.db, [port.id])).get(port.id) ?? [];
}

const canonical = (text: string): string => formatIp(parseIp(text)!);
