// The subnets on which a port may have addresses, depending on their service types. Upstream:
// _ipam_get_subnets in neutron/db/ipam_backend_mixin.py.
import type { Context } from '../../../../kernel/model.ts';
import type { Ip } from '../../ip.ts';
import { parseCidr } from '../../ip.ts';
import { deviceOwners, isAutoAddressed, type Subnet } from '../../model.ts';
import { finderOf, type Range } from '../../ranges.ts';
import { subnetTable } from '../../store/tables.ts';
import { inConflict } from '../refusals.ts';

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
}

/** The subnets of a network, in the order of their creation. */
export const subnetsOf = ({ db }: Pick<Context, 'db'>, networkId: string): Promise<Subnet[]> =>
  subnetTable.list(db, { where: { network_id: networkId }, sort: ['created_at'] });

/**
 * Selects the subnets for ports with a device owner among all subnets of their network.
 * @throws 409 if the network has subnets, but none for such ports
 */
export function candidatesAmong(
  subnets: readonly Subnet[],
  networkId: string,
  owner: string,
): CandidateSubnets {
  const accepting = subnets.filter((subnet) => acceptsOwner(subnet, owner));
  if (subnets.length && !accepting.length)
    throw inConflict(
      'IpAddressGenerationFailureNoMatchingSubnet',
      `No valid service subnet for the given device owner, network ${networkId}, service type ` +
        `${owner}.`,
    );
  const preferred = accepting.toSorted(
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
  };
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
