// Ports on routed networks, whose addresses depend on their host. Upstream: update_port in
// neutron/db/ipam_backend_mixin.py.
import type { Db } from '../../../../kernel/db/database.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { IpAllocation, Port } from '../../model.ts';
import { addressesOf } from '../../store/addresses.ts';
import { portTable, subnetTable } from '../../store/tables.ts';
import { inConflict } from '../refusals.ts';
import { isReserved, reportAddresses } from '../segments/inventories.ts';
import { allocate } from './allocation.ts';
import { candidatesAmong, isRouted, subnetsOf } from './candidate-subnets.ts';

/** Notes when a port that has just been created gets its addresses. */
export async function noteAllocation(
  db: Db,
  id: string,
  ip_allocation: IpAllocation,
): Promise<void> {
  await portTable.update(db, { id }, { ip_allocation });
}

/** What a port has after an update. */
interface PortChange {
  readonly host: string;
  readonly owner: string;
  readonly mac: string;
}

/**
 * Gives a port that gets a host the addresses that were deferred, or checks that the host can use
 * those that the port has.
 * @throws 409
 */
export async function followHost(
  context: Context,
  port: Port,
  { host, owner, mac }: PortChange,
): Promise<void> {
  if (host === '' || host === port['binding:host_id']) return;
  const isDeferred = port.ip_allocation === 'deferred' && port['binding:host_id'] === '';
  const subnets = await subnetsOf(context, port.network_id);
  // Most ports are on networks that are not routed: their addresses need not be read.
  if (!isDeferred && !isRouted(subnets)) return;
  const fixed = (await addressesOf(context.db, [port.id])).get(port.id) ?? [];
  if (!fixed.length) {
    const bound = { ...port, mac_address: mac, device_owner: owner, 'binding:host_id': host };
    if (isDeferred) await allocate(context, bound, undefined);
    return;
  }
  if (!isRouted(subnets)) return;
  const user = { ...port, 'binding:host_id': host };
  const { includes } = await candidatesAmong(context, subnets, user, undefined);
  if (fixed.every(({ subnet_id: id }) => includes(id))) return;
  throw inConflict(
    'HostNotCompatibleWithFixedIps',
    `Host ${host} is not connected to a segment where the existing fixed_ips on port ${port.id} ` +
      'will function given the routed network topology.',
  );
}

/** Reports that a port loses all addresses. */
export async function reportRelease(context: Context, port: Port): Promise<void> {
  if (!isReserved(port)) return;
  const { db } = context;
  const fixed = (await addressesOf(db, [port.id])).get(port.id) ?? [];
  const ids = fixed.map(({ subnet_id: id }) => id);
  await reportAddresses(context, port, await subnetTable.among(db, 'id', ids));
}
