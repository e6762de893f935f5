// Lets the subnets of a network join a subnet pool. Upstream: neutron/db/db_base_plugin_v2.py
// onboard_network_subnets.
import type { Context } from '../../../../kernel/model.ts';
import type { Subnet, Subnetpool } from '../../model.ts';
import { networkTable, subnetTable } from '../../store/tables.ts';
import { bad, denied, invalidInput } from '../refusals.ts';
import { getNetwork } from '../visibility.ts';
import { cidrsOf, findSharing } from './prefixes.ts';
import { addPrefixes } from './subnetpools.ts';

/**
 * Lets all subnets of a network that have the pool's IP version join the pool, and adds their
 * prefixes to it. @returns these subnets
 * @throws 404 for an unknown network; 403 for one of another project; 400 if a subnet of the pool
 *   has an address of theirs
 */
export async function onboardSubnets(
  context: Context,
  pool: Subnetpool,
  networkId: unknown,
): Promise<Subnet[]> {
  const { db, actor, now } = context;
  if (networkId === undefined || networkId === null)
    throw invalidInput('network_id must be specified.');
  const network = await getNetwork(context, String(networkId));
  if (!actor.isAdmin && network.project_id !== actor.projectId)
    throw denied('NotAuthorized', 'Not authorized.');
  const subnets = await subnetTable.list(db, {
    where: { network_id: network.id, ip_version: pool.ip_version },
  });
  const allocated = await subnetTable.list(db, { where: { subnetpool_id: pool.id } });
  const [prefixes, taken] = [subnets, allocated].map((all) => all.map(({ cidr }) => cidr));
  const cidrs = cidrsOf(prefixes!);
  const conflicting = findSharing(cidrs, cidrsOf(taken!));
  if (conflicting) {
    const { id, cidr } = subnets[cidrs.indexOf(conflicting)]!;
    throw bad(
      'IllegalSubnetPoolUpdate',
      `Illegal subnetpool update : Onboarding subnet ${id}: ${cidr} conflicts with allocated ` +
        `prefixes in subnet pool ${pool.id}.`,
    );
  }
  await addPrefixes(context, pool, prefixes!);
  for (const subnet of subnets)
    await subnetTable.change(db, subnet, { subnetpool_id: pool.id }, now);
  // Every change of a subnet does this. It conflicts with transactions that might create a subnet.
  if (subnets.length) await networkTable.touch(db, network, now);
  return subnets;
}
