// The subnets on which a port may have addresses, depending on their service types and, if they are
// on segments, on the host of the port. Upstream: _ipam_get_subnets in
// neutron/db/ipam_backend_mixin.py, and find_candidate_subnets in neutron/objects/subnet.py.
import type { Context } from '../../../../kernel/model.ts';
import type { Ip } from '../../ip.ts';
import { parseCidr, parseIp } from '../../ip.ts';
import { deviceOwners, isAutoAddressed, type Subnet } from '../../model.ts';
import { finderOf, type Range } from '../../ranges.ts';
import { subnetTable } from '../../store/tables.ts';
import { bad, inConflict } from '../refusals.ts';
import { segmentsOfHost } from '../segments/hosts.ts';

/** The subnets of a network for the ports of one device owner. */
export interface CandidateSubnets {
  /** All subnets of the network, by id. */
  readonly all: ReadonlyMap<string, Subnet>;
  /** Whether a port may have addresses on the subnet with this id. */
  readonly includes: (id: string) => boolean;
  /** Finds the subnet that contains an address. */
  readonly containing: (ip: Ip) => Subnet | undefined;
  /** By IP version, those without automatic addresses, in order of preference. */
  readonly assignable: Readonly<Record<4 | 6, readonly Subnet[]>>;
  readonly autoAddressed: readonly Subnet[];
  /** Whether only a host decides which subnets the port may use. */
  readonly isDeferred: boolean;
}

/** What decides on the subnets for a port. */
export interface SubnetUser {
  readonly network_id: string;
  readonly device_owner: string;
  readonly 'binding:host_id': string;
}

/** An entry of `fixed_ips`: a specific address, or any address on a subnet. */
export interface RequestedIp {
  readonly subnet_id?: string;
  readonly ip_address?: string;
}

/** The subnets of a network, in the order of their creation. */
export const subnetsOf = ({ db }: Pick<Context, 'db'>, networkId: string): Promise<Subnet[]> =>
  subnetTable.list(db, { where: { network_id: networkId }, sort: ['created_at'] });

/**
 * Selects the subnets for a port among all subnets of its network.
 * @param fixed the addresses that the port has or requests; undefined if it leaves them open
 * @throws 400 if they are on several segments
 * @throws 409 if the network has subnets, but none for such ports, or none that the host reaches
 */
export async function candidatesAmong(
  context: Pick<Context, 'db'>,
  subnets: readonly Subnet[],
  user: SubnetUser,
  fixed: readonly RequestedIp[] | undefined,
): Promise<CandidateSubnets> {
  const { network_id: networkId, device_owner: owner, 'binding:host_id': host } = user;
  const accepting = subnets.filter((subnet) => acceptsOwner(subnet, owner));
  const reached = await reachedBy(context, accepting, host, fixed);
  if (!reached.length && host !== '' && isRouted(subnets))
    throw inConflict(
      'HostNotConnectedToAnySegment',
      `Host ${host} is not connected to any segments on routed provider network ` +
        `'${networkId}'.  It should be connected to one.`,
    );
  if (subnets.length && !accepting.length)
    throw inConflict(
      'IpAddressGenerationFailureNoMatchingSubnet',
      `No valid service subnet for the given device owner, network ${networkId}, service type ` +
        `${owner}.`,
    );
  const preferred = reached.toSorted(
    (a, b) => Number(!a.service_types.length) - Number(!b.service_types.length),
  );
  const ids = new Set(preferred.map(({ id }) => id));
  const assignable = (version: number): Subnet[] =>
    preferred.filter((subnet) => subnet.ip_version === version && !isAutoAddressed(subnet));
  return {
    all: new Map(subnets.map((subnet) => [subnet.id, subnet])),
    includes: (id) => ids.has(id),
    containing: finderOf(preferred, rangeOf),
    assignable: { 4: assignable(4), 6: assignable(6) },
    autoAddressed: preferred.filter(isAutoAddressed),
    isDeferred: subnets.length > 0 && !preferred.length,
  };
}

/** Whether subnets are on segments, so that their network is a routed one. */
export const isRouted = (subnets: readonly Subnet[]): boolean =>
  subnets.some((subnet) => subnet.segment_id !== null);

/** The subnets that a host reaches, or that a port without a host may use. @throws 400 */
async function reachedBy(
  context: Pick<Context, 'db'>,
  subnets: readonly Subnet[],
  host: string,
  fixed: readonly RequestedIp[] | undefined,
): Promise<readonly Subnet[]> {
  if (!isRouted(subnets)) return subnets;
  if (host !== '') return subnetsOnHost(context, subnets, host);
  const onNone = subnets.filter((subnet) => subnet.segment_id === null);
  return fixed ? besideFixed(subnets, fixed) : onNone;
}

/** Those of the subnets that a host reaches: on its segments, or on none. */
export async function subnetsOnHost(
  context: Pick<Context, 'db'>,
  subnets: readonly Subnet[],
  host: string,
): Promise<Subnet[]> {
  const ids = subnets.flatMap(({ segment_id: id }) => id ?? []);
  const connected = ids.length ? await segmentsOfHost(context, ids, host) : new Set<string>();
  return subnets.filter(({ segment_id: id }) => id === null || connected.has(id));
}

/** The subnets on the segment of fixed IPs. If one of them is on no subnet, all are. @throws 400 */
function besideFixed(subnets: readonly Subnet[], fixed: readonly RequestedIp[]): readonly Subnet[] {
  const containing = finderOf(subnets, rangeOf);
  const segments = new Set<string | null>();
  for (const { subnet_id: id, ip_address: text } of fixed) {
    const ip = parseIp(text ?? null);
    const subnet =
      id === undefined ? ip && containing(ip) : subnets.find((subnet) => subnet.id === id);
    if (!subnet) return subnets;
    segments.add(subnet.segment_id);
  }
  if (segments.size > 1)
    throw bad(
      'FixedIpsSubnetsNotOnSameSegment',
      'Cannot allocate addresses from different segments.',
    );
  const [segment = null] = segments;
  return subnets.filter((subnet) => subnet.segment_id === segment);
}

/**
 * Whether ports with that device owner may use a subnet. A DHCP server may use every subnet that it
 * serves.
 */
export const acceptsOwner = (
  { service_types: types, enable_dhcp }: Subnet,
  owner: string,
): boolean =>
  !types.length || types.includes(owner) || (enable_dhcp && owner === deviceOwners.dhcp);

/** The addresses of a subnet. */
export function rangeOf({ cidr }: Pick<Subnet, 'cidr'>): Range {
  const { ip, first, last } = parseCidr(cidr)!;
  return { version: ip.version, first, last };
}
