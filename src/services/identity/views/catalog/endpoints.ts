// An endpoint in the format of the API. URLs of this server have the address that the client used.
import type { Endpoint } from '../../model.ts';
import { originPlaceholder } from '../../domain/catalog/origin.ts';
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
    url: endpoint.url.replace(originPlaceholder, () => mainOrigin(call)),
    enabled: endpoint.enabled,
    links: { self: linkTo(call, `endpoints/${endpoint.id}`) },
  };
}

/**
 * The address of the listener that serves all services. A listener for Identity alone has another
 * port.
 */
export function mainOrigin(call: Call): string {
  const { port } = call.cloud.config;
  if (call.prefix !== '' || !port) return call.origin;
  return call.origin.replace(/(?::\d+)?$/, `:${port}`);
}
