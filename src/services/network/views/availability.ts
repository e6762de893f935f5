// The view of the number of addresses that networks have and use. Upstream:
// neutron/db/network_ip_availability_db.py.
import { contains, parseCidr, parseIp } from '../ip.ts';
import type { Network, Subnet } from '../model.ts';
import type { View } from './view.ts';

/**
 * Counts the addresses of a network and of each of its subnets. Totals are bigints: an IPv6 subnet
 * has more addresses than a number can hold exactly. `used` is by subnet id.
 */
export function availabilityView(
  network: Network,
  subnets: readonly Subnet[],
  used: ReadonlyMap<string, number>,
): View {
  const bySubnet = subnets.map((subnet) => ({
    subnet_id: subnet.id,
    subnet_name: subnet.name,
    ip_version: subnet.ip_version,
    cidr: subnet.cidr,
    total_ips: totalOf(subnet),
    used_ips: used.get(subnet.id) ?? 0,
  }));
  return {
    network_id: network.id,
    network_name: network.name,
    project_id: network.project_id,
    tenant_id: network.project_id,
    total_ips: bySubnet.reduce((sum, subnet) => sum + subnet.total_ips, 0n),
    used_ips: bySubnet.reduce((sum, subnet) => sum + subnet.used_ips, 0),
    subnet_ip_availability: bySubnet,
  };
}

function totalOf(subnet: Subnet): bigint {
  const cidr = parseCidr(subnet.cidr)!;
  return subnet.allocation_pools.reduce((sum, { start, end }) => {
    const [from, to] = [parseIp(start)!, parseIp(end)!];
    return contains(cidr, from) ? sum + (to.value - from.value + 1n) : sum;
  }, 0n);
}
