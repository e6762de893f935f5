// The hosts that reach the segments of routed networks. Upstream: routed_networks_filter in
// nova/scheduler/request_filter.py.
import { badRequest } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { portsOfServers, segmentsFor, type NetworkRequest } from '../../clients/network.ts';
import { aggregatesOf } from '../../clients/placement.ts';
import { loadSettings } from '../settings.ts';

/**
 * The aggregates of the segments of each network that a server requests, if the settings ask for
 * them. Networks that are not routed have none.
 * @param requested the networks of a new server; otherwise those of the server's ports count
 * @throws 400 if a segment has no aggregate
 */
export async function routedAggregatesOf(
  context: Context,
  server: string,
  requested: readonly NetworkRequest[] | undefined,
): Promise<string[][]> {
  const { queryPlacementForRoutedNetworkAggregates: isAsked } = await loadSettings(context);
  if (!isAsked) return [];
  const requests =
    requested ?? (await portsOfServers(context, [server])).map(({ id }) => ({ portId: id }));
  const found: string[][] = [];
  for (const request of requests) {
    const { ids, subnetId, networkId } = await segmentsFor(context, request);
    const aggregates = new Set<string>();
    for (const id of ids) {
      const own = await aggregatesOf(context, id);
      if (!own.length)
        throw badRequest(
          'Scheduling failed: Aggregates not found for the ' +
            (subnetId === undefined ? `network ${networkId}` : `subnet ${subnetId}`),
        );
      for (const aggregate of own) aggregates.add(aggregate);
    }
    if (aggregates.size) found.push([...aggregates]);
  }
  return found;
}
