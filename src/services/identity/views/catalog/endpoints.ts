// An endpoint in the format of the API. URLs of this server have the address that the client used.
import type { Endpoint } from '../../model.ts';
import { originPlaceholder } from '../../domain/catalog/origin.ts';
import { linkTo, type View } from '../links.ts';
import { mainOrigin, urlAt } from '../../../../kernel/http/native-ports.ts';
import type { Call } from '../../../../kernel/model.ts';

export function endpointView(call: Call, endpoint: Endpoint): View {
  return {
    ...endpoint.extra,
    id: endpoint.id,
    service_id: endpoint.serviceId,
    interface: endpoint.interface,
    region: endpoint.regionId,
    region_id: endpoint.regionId,
    url: urlHere(call, endpoint),
    enabled: endpoint.enabled,
    links: { self: linkTo(call, `endpoints/${endpoint.id}`) },
  };
}

/** The URL with the address that the client used, if it is on this server. */
export function urlHere(call: Call, { url }: Endpoint): string {
  if (!url.startsWith(originPlaceholder)) return url;
  return urlAt(call.cloud, mainOrigin(call), url.slice(originPlaceholder.length));
}
