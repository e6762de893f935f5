// A service of the catalog in the format of the API.
import type { CatalogService } from '../../model.ts';
import { linkTo, type View } from '../links.ts';
import type { Call } from '../../../../kernel/model.ts';

export function serviceView(call: Call, service: CatalogService): View {
  return {
    ...service.extra,
    id: service.id,
    type: service.type,
    name: nameOf(service),
    enabled: service.enabled,
    links: { self: linkTo(call, `services/${service.id}`) },
  };
}

/** The name of a service; an empty string if it has none. */
export const nameOf = (service: CatalogService): unknown => service.extra['name'] ?? '';
