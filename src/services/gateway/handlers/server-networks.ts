// Shows the networks of servers that have their ports in the central region.
import { grouped } from '../../../kernel/db/grouping.ts';
import type { GatewayCall, Json } from '../call.ts';
import { addressesView, listGuestPorts, portsOfGuests } from '../clients/compute.ts';
import { withNetworks } from '../views/servers.ts';

/** Servers of pods with the names, addresses and groups of the central region. */
export async function withCentralNetworks(
  call: GatewayCall,
  servers: readonly Json[],
): Promise<Json[]> {
  const named = servers.filter((server) => 'addresses' in server || 'security_groups' in server);
  const ids = named.map((server) => String(server['id']));
  const guests = ids.length ? await listGuestPorts(call, ids) : [];
  if (!guests.length) return [...servers];
  const ports = grouped(await portsOfGuests(call, guests), ({ deviceId }) => deviceId);
  return servers.map((server) => {
    const own = ports.get(String(server['id']));
    return withNetworks(
      server,
      own && {
        addresses: (all) => addressesView(own, all),
        groups: [...new Set(own.flatMap(({ securityGroups }) => securityGroups))],
      },
    );
  });
}
