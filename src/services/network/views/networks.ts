// The view of a network.
import type { Network, NetworkDetails, Segment } from '../model.ts';
import { standardView, tagsView, zones, type View } from './view.ts';

export function networkView(network: Network, details: NetworkDetails): View {
  const subnets = details.subnets.get(network.id) ?? [];
  const segments = details.segments.get(network.id) ?? [];
  /** The address scope of the subnets of an IP version, which their subnet pools determine. */
  const scope = (version: number): string | null => {
    const pools = subnets.flatMap(({ ip_version, subnetpool_id: pool }) =>
      ip_version === version && pool !== null ? (details.pools.get(pool) ?? []) : [],
    );
    return pools.find((pool) => pool.address_scope_id !== null)?.address_scope_id ?? null;
  };
  const {
    is_default,
    'provider:network_type': type,
    'provider:physical_network': physical,
    'provider:segmentation_id': number,
    ...shown
  } = network;
  const provider = {
    'provider:network_type': type,
    'provider:physical_network': physical,
    'provider:segmentation_id': number,
  };
  return {
    ...shown,
    ...standardView(network),
    ...(network['router:external'] && { is_default }),
    ...(segments.length > 1 ? { segments: segments.map(segmentView) } : provider),
    l2_adjacency: subnets.every((subnet) => subnet.segment_id === null),
    subnets: subnets.map(({ id }) => id),
    availability_zones: subnets.length ? zones : [],
    ipv4_address_scope: scope(4),
    ipv6_address_scope: scope(6),
    ...tagsView(network, details),
  };
}

const segmentView = (segment: Segment): View => ({
  'provider:network_type': segment.network_type,
  'provider:physical_network': segment.physical_network,
  'provider:segmentation_id': segment.segmentation_id || null,
});
