// Removes port forwardings. A floating IP without any is behind no router.
import type { Context } from '../../../../kernel/model.ts';
import { parseIp } from '../../ip.ts';
import type { FixedIp, PortForwarding } from '../../model.ts';
import { floatingipTable, forwardingTable } from '../../store/tables.ts';

/** Removes a forwarding. */
export async function removeForwarding(
  { db, now }: Context,
  forwarding: PortForwarding,
): Promise<void> {
  await forwardingTable.delete(db, forwarding);
  const { floatingip_id } = forwarding;
  const floating = (await floatingipTable.find(db, { id: floatingip_id }))!;
  const isLast = !(await forwardingTable.count(db, { where: { floatingip_id } }));
  const unused = { router_id: null, status: 'DOWN' } as const;
  await floatingipTable.change(db, floating, isLast ? unused : {}, now);
}

/**
 * Removes the forwardings to addresses that a port does not have any more. As upstream, a port
 * without an IPv4 address keeps them.
 */
export async function removeForwardingsExcept(
  context: Context,
  portId: string,
  kept: readonly FixedIp[],
): Promise<void> {
  const addresses = kept.map(({ ip_address: ip }) => ip);
  if (!addresses.some((ip) => parseIp(ip)!.version === 4)) return;
  const where = { internal_port_id: portId };
  for (const forwarding of await forwardingTable.list(context.db, { where }))
    if (!addresses.includes(forwarding.internal_ip_address))
      await removeForwarding(context, forwarding);
}
