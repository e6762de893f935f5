// Allocates the fixed IPs of ports, each to one port only. Upstream:
// neutron/db/ipam_pluggable_backend.py.
import { SerializationFailure } from '../../../../kernel/db/errors.ts';
import {
  addressesOf,
  releaseAddresses,
  freeAddresses,
  portWithAddress,
  assignAddress,
  tryAssignAddress,
} from '../../store/addresses.ts';
import type { Context } from '../../../../kernel/model.ts';
import { eui64, fitsSubnet, formatIp, parseCidr, parseIp, type Ip } from '../../ip.ts';
import { getSubnet } from '../visibility.ts';
import {
  isAutoAddressed,
  deviceOwners,
  type FixedIp,
  type IpAllocation,
  type Subnet,
} from '../../model.ts';
import { grouped } from '../../../../kernel/db/grouping.ts';
import { addressInUse, bad, invalidInput, noAddressLeft } from '../refusals.ts';
import { reportAddresses } from '../segments/inventories.ts';
import {
  candidatesAmong,
  isRouted,
  subnetsOf,
  type CandidateSubnets,
  type RequestedIp,
  type SubnetUser,
} from './candidate-subnets.ts';

/** The port that the addresses are for. */
export interface AllocationPort extends SubnetUser {
  readonly id: string;
  readonly mac_address: string;
}

/** A request for an address on a subnet: for `ip`, or for any address if it is absent. */
interface IpRequest {
  readonly subnet: Subnet;
  readonly ip?: Ip;
}

/** A free address. */
interface FreeAddress {
  readonly subnet: Subnet;
  readonly ip: Ip;
}

/**
 * What the allocations of one request share. Without it, each port of a list would read the
 * network's subnets, and look for a free address from the start.
 */
export interface SharedAllocation {
  /** By network and device owner; for routed networks by all that matters. */
  readonly candidates: Map<string, CandidateSubnets>;
  /** The free addresses that are left, by the subnets that they are on. */
  readonly free: Map<string, AsyncGenerator<FreeAddress, void>>;
}

export const newAllocation = (): SharedAllocation => ({ candidates: new Map(), free: new Map() });

async function candidatesOf(
  context: Context,
  port: AllocationPort,
  fixed: readonly RequestedIp[] | undefined,
  { candidates }: SharedAllocation,
): Promise<CandidateSubnets> {
  const { network_id: networkId, device_owner: owner, 'binding:host_id': host } = port;
  const key = JSON.stringify([networkId, owner]);
  const routedKey = JSON.stringify([networkId, owner, host, fixed]);
  const known = candidates.get(key) ?? candidates.get(routedKey);
  if (known) return known;
  const subnets = await subnetsOf(context, networkId);
  const found = await candidatesAmong(context, subnets, port, fixed);
  candidates.set(isRouted(subnets) ? routedKey : key, found);
  return found;
}

/**
 * Assigns addresses to a new port: the requested ones, or by default one of each IP version, and
 * those of auto-addressed subnets. Without a host, a port on a routed network gets none yet.
 * @throws 400, 404, 409
 */
export async function allocate(
  context: Context,
  port: AllocationPort,
  requested: readonly RequestedIp[] | undefined,
  shared = newAllocation(),
): Promise<IpAllocation> {
  const subnets = await candidatesOf(context, port, requested, shared);
  if (subnets.isDeferred && !requested) return 'deferred';
  const handled = new Set<string>();
  if (requested) {
    for (const request of await requestsFor(context, port, subnets, requested)) {
      await assign(context, port, request, shared);
      handled.add(request.subnet.id);
    }
  } else {
    for (const version of [4, 6] as const)
      if (subnets.assignable[version].length)
        await assignAny(context, port, subnets.assignable[version], shared);
  }
  await allocateAutomatic(context, port, subnets, handled, shared);
  await reportAddresses(context, port, subnets.all.values());
  return requested?.length === 0 ? 'none' : 'immediate';
}

/** Assigns EUI-64 addresses to a port on the auto-addressed subnets that are not handled yet. */
async function allocateAutomatic(
  context: Context,
  port: AllocationPort,
  subnets: CandidateSubnets,
  handled: ReadonlySet<string>,
  shared: SharedAllocation,
): Promise<void> {
  if (port.device_owner === deviceOwners.routerInterface) return;
  for (const subnet of subnets.autoAddressed)
    if (!handled.has(subnet.id)) await assign(context, port, { subnet }, shared);
}

/**
 * Resolves each request to its subnet. Requests for specific addresses are sorted to the front.
 * @throws 400, 404
 */
async function requestsFor(
  context: Context,
  port: AllocationPort,
  subnets: CandidateSubnets,
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
  subnets: CandidateSubnets,
  requested: RequestedIp,
): Promise<IpRequest> {
  const { subnet_id: id, ip_address: text } = requested;
  const ip = text === undefined ? undefined : parseIp(text)!;
  if (!subnets.all.size || subnets.isDeferred)
    throw invalidInput('IP allocation requires subnets for network');
  if (id !== undefined) {
    const subnet = subnets.includes(id) ? subnets.all.get(id) : undefined;
    if (!subnet) {
      await getSubnet(context, id);
      throw invalidInput(
        `Failed to create port on network ${port.network_id}, because fixed_ips included ` +
          `invalid subnet ${id}`,
      );
    }
    if (ip && !fits(subnet, ip, port)) {
      throw bad(
        'InvalidIpForSubnet',
        `IP address ${text} is not a valid IP for the specified subnet.`,
      );
    }
    return ip ? { subnet, ip } : { subnet };
  }
  if (!ip) throw invalidInput('IP allocation requires subnet_id or ip_address');
  const subnet = subnets.containing(ip);
  if (!subnet || !fits(subnet, ip, port))
    throw bad(
      'InvalidIpForNetwork',
      `IP address ${text} is not a valid IP for any of the subnets on the specified network.`,
    );
  return { subnet, ip };
}

const fits = ({ cidr }: Subnet, ip: Ip, { device_owner: owner }: AllocationPort): boolean =>
  fitsSubnet(parseCidr(cidr)!, ip, owner);

/** @throws 409 if the specific address is in use, or no address is free */
async function assign(
  context: Context,
  port: AllocationPort,
  { subnet, ip }: IpRequest,
  shared: SharedAllocation,
): Promise<void> {
  const auto = isAutoAddressed(subnet) && port.device_owner !== deviceOwners.routerInterface;
  const address = ip ?? (auto ? eui64(parseCidr(subnet.cidr)!, port.mac_address) : undefined);
  if (!address) return assignAny(context, port, [subnet], shared);
  const fixed = { subnet_id: subnet.id, ip_address: formatIp(address) };
  const owner = await portWithAddress(context.db, subnet.id, address);
  if (owner !== undefined) throw addressInUse(port.network_id, fixed.ip_address);
  await assignAddress(context.db, port.id, fixed, addressInUse(port.network_id, fixed.ip_address));
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

/**
 * Assigns the first free address on one of the subnets.
 * @throws 409 if none is free; SerializationFailure if other transactions get every address that is
 *   tried
 */
async function assignAny(
  context: Context,
  port: AllocationPort,
  subnets: readonly Subnet[],
  { free }: SharedAllocation,
): Promise<void> {
  const { db, attempt } = context;
  const skip = attempt > 1 ? Number.parseInt(port.id.slice(0, 6), 16) % (skipRange * attempt) : 0;
  const key = subnets.map(({ id }) => id).join();
  for (let tries = 0; tries < maxTries; tries++) {
    const addresses = free.get(key) ?? addressesOn(context, subnets, skip + tries);
    free.set(key, addresses);
    const found = await addresses.next();
    if (found.done) throw noAddressLeft(port.network_id);
    const { subnet, ip } = found.value;
    const fixed = { subnet_id: subnet.id, ip_address: formatIp(ip) };
    if (await tryAssignAddress(db, port.id, fixed)) return;
    free.delete(key); // the address is in use by now, and perhaps those after it
  }
  throw new SerializationFailure(noAddressLeft(port.network_id));
}

/** The free addresses in the allocation pools of subnets. */
async function* addressesOn(
  { db }: Context,
  subnets: readonly Subnet[],
  skip: number,
): AsyncGenerator<FreeAddress, void> {
  for (const subnet of subnets)
    for (const { start, end } of subnet.allocation_pools)
      for await (const ip of freeAddresses(db, subnet.id, parseIp(start)!, parseIp(end)!, skip))
        yield { subnet, ip };
}

/** Whether any address of a subnet is free. */
export async function hasFreeAddress(context: Context, subnet: Subnet): Promise<boolean> {
  return !(await addressesOn(context, [subnet], 0).next()).done;
}

/**
 * Replaces the addresses of a port. Addresses that it has and that are requested again stay.
 * Upstream: ipam_backend_mixin.py, _get_changed_ips_for_port.
 * @returns the new addresses
 */
export async function reallocate(
  context: Context,
  port: AllocationPort,
  requested: readonly RequestedIp[],
): Promise<FixedIp[]> {
  const { db } = context;
  const before = (await addressesOf(db, [port.id])).get(port.id) ?? [];
  const fixed = addressesAfter(before, requested);
  const subnets = await candidatesOf(context, port, fixed, newAllocation());
  await replaceAddresses(context, port, { before, subnets }, requested);
  return (await addressesOf(db, [port.id])).get(port.id) ?? [];
}

/** Does the same for a port whose current addresses and possible subnets are known. */
export async function replaceAddresses(
  context: Context,
  port: AllocationPort,
  { before, subnets }: { readonly before: readonly FixedIp[]; readonly subnets: CandidateSubnets },
  requested: readonly RequestedIp[],
): Promise<void> {
  const { db } = context;
  const shared = newAllocation();
  const { added, remaining } = comparison(before, requested);
  const removed = remaining.filter(
    ({ subnet_id: id }) =>
      port.device_owner === deviceOwners.routerInterface || !isAutoAddressed(subnets.all.get(id)!),
  );
  const requests = await requestsFor(context, port, subnets, added);
  await releaseAddresses(db, port.id, removed);
  for (const request of requests) await assign(context, port, request, shared);
  const handled = [
    ...before.map((one) => one.subnet_id),
    ...requests.map(({ subnet }) => subnet.id),
  ];
  await allocateAutomatic(context, port, subnets, new Set(handled), shared);
  await reportAddresses(context, port, subnets.all.values());
}

/** The addresses that a port requests anew, and those that it keeps. */
function addressesAfter(
  before: readonly FixedIp[],
  requested: readonly RequestedIp[],
): RequestedIp[] {
  const { added, remaining } = comparison(before, requested);
  return [...added, ...before.filter((fixed) => !remaining.includes(fixed))];
}

/** Returns the requests that no current address serves, and the addresses that serve none. */
function comparison(
  before: readonly FixedIp[],
  requested: readonly RequestedIp[],
): { added: RequestedIp[]; remaining: FixedIp[] } {
  const byAddress = new Map(before.map((one) => [one.ip_address, one]));
  const isNew = new Set<RequestedIp>();
  for (const one of requested)
    if (one.ip_address !== undefined && !byAddress.delete(canonical(one.ip_address)))
      isNew.add(one);
  const bySubnet = grouped([...byAddress.values()], (one) => one.subnet_id);
  for (const one of requested)
    if (one.ip_address === undefined && !bySubnet.get(one.subnet_id ?? '')?.pop()) isNew.add(one);
  return {
    added: requested.filter((one) => isNew.has(one)),
    remaining: [...bySubnet.values()].flat(),
  };
}

const canonical = (text: string): string => formatIp(parseIp(text)!);
