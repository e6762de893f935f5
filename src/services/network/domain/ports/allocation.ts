// Choosing the addresses of ports, and keeping others from getting the same. Upstream: neutron/db/ipam_pluggable_backend.py.
import { Contention } from '../../../../kernel/db/errors.ts';
import { addressesOf, dropAddresses, freeAddress, holderOf, takeAddress, tryAddress } from '../../store/addresses.ts';
import { list } from '../../store/table.ts';
import { subnetTable } from '../../store/tables.ts';
import type { Work } from '../../../../kernel/model.ts';
import { eui64, fitsSubnet, formatIp, parseCidr, parseIp, type Ip, type Pool } from '../../ip.ts';
import { getSubnet } from '../visibility.ts';
import { isAutoAddressed, deviceOwners, type FixedIp, type Subnet } from '../records.ts';
import { addressInUse, bad, invalidInput, noAddressLeft } from '../refusals.ts';

/** An address that a port asks for: any of a subnet, or a certain one. */
export interface AskedIp {
  readonly subnet_id?: string;
  readonly ip_address?: string;
}

/** The port that addresses are for. */
export interface Holder {
  readonly id: string;
  readonly network_id: string;
  readonly mac_address: string;
  readonly device_owner: string;
}

/** A subnet and, where a certain address is wanted, that. */
interface Wish {
  readonly subnet: Subnet;
  readonly ip?: Ip;
}

export const subnetsOf = ({ db }: Work, networkId: string): Promise<Subnet[]> =>
  list(db, subnetTable, { where: { network_id: [networkId] }, sorts: [{ key: 'created_at', ascending: true }] });

/** Gives a new port its addresses: those that it asks for, or one of each version where it asks for none. */
export async function allocate(work: Work, port: Holder, asked: readonly AskedIp[] | undefined): Promise<FixedIp[]> {
  const subnets = await subnetsOf(work, port.network_id);
  const taken: FixedIp[] = [];
  if (asked) {
    for (const wish of await wishes(work, port, subnets, asked)) taken.push(await grant(work, port, wish, taken.length));
    return taken;
  }
  for (const version of [4, 6]) {
    const eligible = subnets.filter((subnet) => subnet.ip_version === version && !isAutoAddressed(subnet));
    if (eligible.length) taken.push(await anyOf(work, port, eligible, taken.length));
  }
  return [...taken, ...(await automatic(work, port, subnets, taken))];
}

/** The addresses that the port makes up itself, on the subnets where it has none yet. */
async function automatic(work: Work, port: Holder, subnets: readonly Subnet[], have: readonly FixedIp[]): Promise<FixedIp[]> {
  if (port.device_owner === deviceOwners.routerInterface) return [];
  const made: FixedIp[] = [];
  for (const subnet of subnets.filter(isAutoAddressed)) {
    if (have.some(({ subnet_id }) => subnet_id === subnet.id)) continue;
    made.push(await grant(work, port, { subnet }, have.length + made.length));
  }
  return made;
}

/** What is asked for, each with its subnet. @throws 400, 404 */
async function wishes(work: Work, port: Holder, subnets: readonly Subnet[], asked: readonly AskedIp[]): Promise<Wish[]> {
  const found: Wish[] = [];
  for (const one of asked) {
    const wish = await wishFor(work, port, subnets, one);
    if (
      wish.ip &&
      isAutoAddressed(wish.subnet) &&
      port.device_owner !== deviceOwners.routerInterface &&
      port.device_owner !== deviceOwners.routerGateway
    ) {
      const own = eui64(parseCidr(wish.subnet.cidr)!, port.mac_address);
      if (own.value !== wish.ip.value) {
        throw bad(
          'AllocationOnAutoAddressSubnet',
          `IPv6 address ${one.ip_address} cannot be directly assigned to a port on subnet ${wish.subnet.id} as the subnet is configured for automatic addresses`,
        );
      }
    }
    found.push(wish);
  }
  // Certain addresses first, so that none of them is handed out as any.
  return found.toSorted((a, b) => Number(!a.ip) - Number(!b.ip));
}

async function wishFor(work: Work, port: Holder, subnets: readonly Subnet[], asked: AskedIp): Promise<Wish> {
  const { subnet_id: id, ip_address: text } = asked;
  const ip = text === undefined ? undefined : parseIp(text)!;
  if (id !== undefined) {
    const subnet = subnets.find((one) => one.id === id);
    if (!subnet) {
      await getSubnet(work, id);
      throw invalidInput(`Failed to create port on network ${port.network_id}, because fixed_ips included invalid subnet ${id}`);
    }
    if (ip && !fitsSubnet(parseCidr(subnet.cidr)!, ip, port.device_owner)) {
      throw bad('InvalidIpForSubnet', `IP address ${text} is not a valid IP for the specified subnet.`);
    }
    return ip ? { subnet, ip } : { subnet };
  }
  if (!subnets.length) throw invalidInput('IP allocation requires subnets for network');
  if (!ip) throw invalidInput('IP allocation requires subnet_id or ip_address');
  const subnet = subnets.find((one) => fitsSubnet(parseCidr(one.cidr)!, ip, port.device_owner));
  if (!subnet)
    throw bad('InvalidIpForNetwork', `IP address ${text} is not a valid IP for any of the subnets on the specified network.`);
  return { subnet, ip };
}

/** @throws 409 where a certain address is taken, or none is left */
async function grant(work: Work, port: Holder, { subnet, ip }: Wish, place: number): Promise<FixedIp> {
  const auto = isAutoAddressed(subnet) && port.device_owner !== deviceOwners.routerInterface;
  const wanted = ip ?? (auto ? eui64(parseCidr(subnet.cidr)!, port.mac_address) : undefined);
  if (!wanted) return anyOf(work, port, [subnet], place);
  const fixed = { subnet_id: subnet.id, ip_address: formatIp(wanted) };
  const holder = await holderOf(work.db, subnet.id, wanted);
  if (holder !== undefined) throw addressInUse(port.network_id, fixed.ip_address);
  await takeAddress(work.db, port.id, place, fixed, addressInUse(port.network_id, fixed.ip_address));
  return fixed;
}

/** How far apart those look who try again, so that they do not meet at every address. */
const spread = 8;

/** How many addresses are tried that others take at the same time, before all is done again. */
const tries = 8;

async function anyOf(work: Work, port: Holder, subnets: readonly Subnet[], place: number): Promise<FixedIp> {
  const skip = work.attempt > 1 ? Number.parseInt(port.id.slice(0, 6), 16) % (spread * work.attempt) : 0;
  for (const subnet of subnets) {
    for (const pool of subnet.allocation_pools) {
      const fixed = await anyIn(work, port, subnet, pool, skip, place);
      if (fixed) return fixed;
    }
  }
  throw noAddressLeft(port.network_id);
}

/** @throws Contention where others are faster all the time */
async function anyIn(
  work: Work,
  port: Holder,
  subnet: Subnet,
  pool: Pool,
  skip: number,
  place: number,
): Promise<FixedIp | undefined> {
  for (let more = 0; more < tries; more++) {
    const ip = await freeAddress(work.db, subnet.id, parseIp(pool.start)!, parseIp(pool.end)!, skip + more);
    if (!ip) return undefined;
    const fixed = { subnet_id: subnet.id, ip_address: formatIp(ip) };
    if (await tryAddress(work.db, port.id, place, fixed)) return fixed;
  }
  throw new Contention(noAddressLeft(port.network_id));
}

/** Gives a port other addresses: those that it had and asks for again stay. Upstream: ipam_backend_mixin.py, _get_changed_ips_for_port. */
export async function reallocate(work: Work, port: Holder, asked: readonly AskedIp[]): Promise<FixedIp[]> {
  const before = (await addressesOf(work.db, [port.id])).get(port.id) ?? [];
  const subnets = await subnetsOf(work, port.network_id);
  const left = [...before];
  const take = (matches: (one: FixedIp) => boolean): FixedIp | undefined => {
    const index = left.findIndex(matches);
    return index < 0 ? undefined : left.splice(index, 1)[0];
  };
  const stays = new Map<AskedIp, FixedIp | undefined>();
  for (const one of asked.filter(({ ip_address: ip }) => ip !== undefined)) stays.set(one, take(({ ip_address }) => ip_address === canonical(one.ip_address!))); // prettier-ignore
  for (const one of asked.filter(({ ip_address: ip }) => ip === undefined))
    stays.set(
      one,
      take(({ subnet_id }) => subnet_id === one.subnet_id),
    );
  const added = asked.filter((one) => !stays.get(one));
  const granted = await wishes(work, port, subnets, added);
  const removed = left.filter(({ subnet_id }) => {
    const subnet = subnets.find((one) => one.id === subnet_id)!;
    return port.device_owner === deviceOwners.routerInterface || !isAutoAddressed(subnet);
  });
  await dropAddresses(work.db, port.id, removed);
  let place = before.length;
  for (const wish of granted) await grant(work, port, wish, place++);
  return (await addressesOf(work.db, [port.id])).get(port.id) ?? [];
}

const canonical = (text: string): string => formatIp(parseIp(text)!);
