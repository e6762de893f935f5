// The MTU of networks: at most what their type leaves, and at least what their subnets need.
// Upstream: _get_network_mtu in neutron/plugins/ml2/plugin.py, and _validate_change_network_mtu in
// neutron/db/db_base_plugin_v2.py.
import { inConflict, invalidInput } from '../refusals.ts';

/** The MTU of each tunnel type: 1500 bytes minus its headers. */
const tunnelMtus: Readonly<Record<string, number>> = { geneve: 1442, vxlan: 1450, gre: 1458 };

/** The lowest MTU of a network with subnets of each IP version. */
const minMtus = { 4: 68, 6: 1280 } as const;

/**
 * Returns the MTU of a network of that type: the requested one, or the maximum for 0.
 * @throws 400 if the requested MTU is above the maximum
 */
export function mtuOf(networkType: string, requested: number): number {
  const max = tunnelMtus[networkType] ?? 1500;
  if (requested > max) throw invalidInput(`Requested MTU is too big, maximum is ${max}`);
  return requested || max;
}

/**
 * Checks the MTU of a network with subnets of these IP versions. As upstream, an update to 0 is too
 * small, although it selects the maximum.
 * @throws 409
 */
export function checkMtu(id: string, mtu: number, versions: readonly number[]): void {
  if (!versions.length) return;
  const min = mtu >= minMtus[4] && versions.includes(6) ? minMtus[6] : minMtus[4];
  if (mtu >= min) return;
  throw inConflict(
    'NetworkMTUSubnetConflict',
    `MTU of ${id} is not valid, subnet requires a minimum of ${min}`,
  );
}
