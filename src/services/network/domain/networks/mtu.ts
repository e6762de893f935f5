// The MTU of networks: at most what their type leaves, and at least what their subnets need.
// Upstream: _get_network_mtu in neutron/plugins/ml2/plugin.py, and _validate_change_network_mtu in
// neutron/db/db_base_plugin_v2.py.
import type { Context } from '../../../../kernel/model.ts';
import type { Segment } from '../../model.ts';
import { inConflict, invalidInput } from '../refusals.ts';
import { networkSettings } from '../settings.ts';

/** The bytes of headers that each type of tunnel adds to a frame. */
const tunnelHeaders: Readonly<Record<string, number>> = { geneve: 58, vxlan: 50, gre: 42 };

/** The lowest MTU of a network with subnets of each IP version. */
const minMtus = { 4: 68, 6: 1280 } as const;

/**
 * Returns the MTU of a network with those segments: the requested one, or the maximum for 0. The
 * maximum is what the physical networks leave.
 * @throws 400 if the requested MTU is above the maximum
 */
export async function mtuOf(
  { db }: Pick<Context, 'db'>,
  segments: readonly Pick<Segment, 'network_type'>[],
  requested: number,
): Promise<number> {
  const { globalPhysnetMtu } = await networkSettings.load(db);
  const headers = segments.map(({ network_type: type }) => tunnelHeaders[type] ?? 0);
  const max = globalPhysnetMtu - Math.max(0, ...headers);
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
