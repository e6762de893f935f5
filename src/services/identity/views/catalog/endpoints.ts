// An endpoint as a client sees it, with the address that the client came by in the URLs of this
// server.
import type { Endpoint } from '../../model.ts';
import { originMark } from '../../domain/catalog/origin.ts';
import { linkTo, type View } from '../links.ts';
import type { Call } from '../../../../kernel/model.ts';

export function endpointView(call: Call, endpoint: Endpoint): View {
  return {
    ...endpoint.extra,
    id: endpoint.id,
    service_id: endpoint.serviceId,
    interface: endpoint.interface,
    region: endpoint.regionId,
    region_id: endpoint.regionId,
    url: endpoint.url.replace(originMark, () => mainOrigin(call)),
    enabled: endpoint.enabled,
    links: { self: linkTo(call, `endpoints/${endpoint.id}`) },
  };
}

/**
 * The address of the port that serves all services. On a port for Identity alone the client has
 * come by another one.
 */
export function mainOrigin(call: Call): string {
  const { port } = call.cloud.config;
  if (call.prefix !== '' || !port) return call.origin;
  const url = new URL(call.origin);
  url.port = String(port);
  return url.origin;
}
