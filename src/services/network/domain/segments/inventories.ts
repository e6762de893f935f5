// The IPv4 addresses of segments, which Compute offers in Placement as inventories of the class
// IPV4_ADDRESS. Upstream: NovaSegmentNotifier in neutron/services/segments/plugin.py.
import type { Context } from '../../../../kernel/model.ts';
import { parseIp } from '../../ip.ts';
import { deviceOwners, type Port, type Subnet } from '../../model.ts';
import { portsOnSubnets } from '../../store/addresses.ts';
import { portTable, segmentTable, subnetTable } from '../../store/tables.ts';
import { hostsOfSegment, reportSegment } from './hosts.ts';

/** The addresses of a segment, and the hosts that can use them. */
export interface SegmentSupply {
  readonly total: number;
  readonly reserved: number;
  readonly hosts: readonly string[];
}

/** Whether the addresses of a port are reserved: Compute's own servers and DHCP count otherwise. */
export const isReserved = ({ device_owner: owner }: Pick<Port, 'device_owner'>): boolean =>
  !owner.startsWith('compute:') && owner !== deviceOwners.dhcp;

/** The number of addresses in the pools of a subnet. */
const poolSize = ({ allocation_pools: pools }: Subnet): number =>
  pools.reduce(
    (sum, { start, end }) => sum + Number(parseIp(end)!.value - parseIp(start)!.value) + 1,
    0,
  );

/**
 * The IPv4 addresses of a segment. The gateways count as addresses that are reserved, and each
 * subnet with DHCP has one for its server.
 * @returns undefined if the segment has none, or does not exist
 */
export async function segmentSupply(
  context: Context,
  id: string,
): Promise<SegmentSupply | undefined> {
  const { db } = context;
  const segment = await segmentTable.find(db, { id });
  if (!segment) return undefined;
  const where = { segment_id: id, ip_version: 4 };
  const subnets = (await subnetTable.list(db, { where })).filter((subnet) => poolSize(subnet) > 0);
  if (!subnets.length) return undefined;
  const gateways = subnets.filter((subnet) => subnet.gateway_ip !== null).length;
  const served = subnets.filter((subnet) => subnet.enable_dhcp).length;
  const portIds = await portsOnSubnets(
    db,
    subnets.map((subnet) => subnet.id),
  );
  const owners = new Map(
    (await portTable.among(db, 'id', [...new Set(portIds)])).map((port) => [port.id, port]),
  );
  return {
    total: subnets.reduce((sum, subnet) => sum + poolSize(subnet), gateways),
    reserved: gateways + served + portIds.filter((port) => isReserved(owners.get(port)!)).length,
    hosts: await hostsOfSegment(context, segment),
  };
}

/** Reports that a port has got or lost addresses, if they are reserved ones of segments. */
export async function reportAddresses(
  context: Context,
  port: Pick<Port, 'device_owner'>,
  subnets: Iterable<Subnet>,
): Promise<void> {
  if (!isReserved(port)) return;
  const ids = new Set([...subnets].flatMap(({ segment_id: id }) => id ?? []));
  for (const id of ids) await reportSegment(context, id);
}
