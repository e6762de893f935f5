// The segments that subnets are on: all subnets of a network are on segments, or none is. Upstream:
// _validate_segment in neutron/db/ipam_backend_mixin.py, and SegmentHostRoutes in
// neutron/services/segments/plugin.py.
import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../../../kernel/model.ts';
import { contains, parseCidr } from '../../ip.ts';
import type { HostRoute, Segment, Subnet } from '../../model.ts';
import { segmentsOf } from '../../store/segments.ts';
import { segmentTable, subnetTable } from '../../store/tables.ts';
import { bad, segmentNotFound } from '../refusals.ts';
import { networkSettings } from '../settings.ts';

/** The service type of subnets that are on no segment, although others of the network are. */
const routedType = 'network:routed';

const isOrdinary = ({ service_types: types }: Pick<Subnet, 'service_types'>): boolean =>
  !types.includes(routedType);

const notAll = (networkId: string) =>
  bad(
    'SubnetsNotAllAssociatedWithSegments',
    `All of the subnets on network '${networkId}' must either all be associated with segments or ` +
      'all not associated with any segment.',
  );

/** Finds the segment with an id; undefined without one. @throws 404 */
export async function requireSegment(
  { db }: Context,
  id: string | null,
): Promise<Segment | undefined> {
  if (id === null) return undefined;
  const segment = await segmentTable.find(db, { id });
  if (!segment) throw segmentNotFound(id);
  return segment;
}

/** Checks the segment of a new subnet beside the other subnets of its network. @throws 400 */
export function checkNewSegment(
  subnet: Subnet,
  segment: Segment | undefined,
  others: readonly Subnet[],
): void {
  const all = [...others, subnet].filter(isOrdinary);
  const ids = new Set(all.map(({ segment_id: id }) => id));
  if (ids.has(null) && ids.size > 1) throw notAll(subnet.network_id);
  checkNetwork(subnet.network_id, segment);
}

/** @throws 400 if the segment is one of another network */
function checkNetwork(networkId: string, segment: Segment | undefined): void {
  if (!segment || segment.network_id === networkId) return;
  throw bad(
    'NetworkIdsDontMatch',
    `The subnet's network id, '${networkId}', doesn't match the network_id of segment ` +
      `'${segment.id}'`,
  );
}

/**
 * Checks the segment that a subnet gets by an update, which makes its network a routed one.
 * @param all the subnets of the network
 * @throws 400, 404
 */
export async function checkSegmentChange(
  context: Context,
  subnet: Subnet,
  segmentId: string | null,
  all: readonly Subnet[],
): Promise<void> {
  const { network_id: networkId } = subnet;
  const segment = await requireSegment(context, segmentId);
  if (segmentId !== subnet.segment_id) {
    const ids = all.filter(isOrdinary).map(({ segment_id: id }) => id);
    if (ids.length > 1) throw notAll(networkId);
    if (!ids.includes(null) && !ids.includes(segmentId))
      throw bad(
        'SubnetSegmentAssociationChangeNotAllowed',
        'A subnet that is already associated with a segment cannot have its segment association ' +
          'changed.',
      );
    if ((await segmentsOf(context.db, networkId)).length > 1)
      throw bad(
        'NoUpdateSubnetWhenMultipleSegmentsOnNetwork',
        `The network '${networkId}' has multiple segments, it is only possible to associate an ` +
          'existing subnet with a segment on networks with a single segment.',
      );
  }
  checkNetwork(networkId, segment);
}

/** What has changed before the routes to peers are calculated. */
interface RouteChange {
  /** The prefix of a subnet that has been deleted. */
  readonly deleted?: string;
  /** The gateway that the subnet had before. */
  readonly gateway?: string | null;
}

/** The routes of a subnet with those to the subnets of other segments, by its gateway. */
export function peerRoutes(
  subnet: Subnet,
  all: readonly Subnet[],
  { deleted, gateway }: RouteChange = {},
): readonly HostRoute[] {
  const { gateway_ip: nexthop, host_routes: before } = subnet;
  const peers = all.filter(
    (one) =>
      one.id !== subnet.id &&
      one.segment_id !== subnet.segment_id &&
      one.ip_version === subnet.ip_version,
  );
  const isStale = (route: HostRoute): boolean =>
    (route.destination === deleted && route.nexthop === nexthop) ||
    (route.nexthop === gateway && peers.some(({ cidr }) => cidr === route.destination));
  const routes = before.filter((route) => !isStale(route));
  if (nexthop === null) return routes;
  const isCovered = (cidr: string): boolean =>
    routes.some(({ destination }) => {
      const [outer, inner] = [parseCidr(destination)!, parseCidr(cidr)!];
      return inner.prefix >= outer.prefix && contains(outer, inner.ip);
    });
  const missing = peers.filter(({ cidr }) => !isCovered(cidr));
  return [...routes, ...missing.map(({ cidr: destination }) => ({ destination, nexthop }))];
}

/**
 * Updates the routes between the subnets of a network after one was created or deleted. A subnet
 * that would have too many keeps those that it has.
 * @returns the subnets afterwards
 */
export async function updatePeerRoutes(
  { db, now }: Context,
  all: readonly Subnet[],
  change: RouteChange = {},
): Promise<Subnet[]> {
  const { maxSubnetHostRoutes: most } = await networkSettings.load(db);
  const updated: Subnet[] = [];
  for (const subnet of all) {
    const host_routes = peerRoutes(subnet, all, change);
    const isUnchanged =
      host_routes.length > most || isDeepStrictEqual(host_routes, subnet.host_routes);
    updated.push(isUnchanged ? subnet : await subnetTable.change(db, subnet, { host_routes }, now));
  }
  return updated;
}
