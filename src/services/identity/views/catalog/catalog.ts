// The catalog and what it is made of, as a client sees it: URLs carry the address that the client came by.
import type { CatalogRegion, CatalogService, Endpoint } from '../../domain/records.ts';
import { linkTo, type View } from '../links.ts';
import type { Call } from '../../../../kernel/model.ts';

/** What stands in a stored URL for the address of this server. */
export const originMark = '$(cumulet_origin)s';

export function regionView(call: Call, region: CatalogRegion): View {
  return {
    ...region.extra,
    id: region.id,
    description: region.description,
    parent_region_id: region.parentId,
    links: { self: linkTo(call, `regions/${region.id}`) },
  };
}

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

const nameOf = (service: CatalogService): unknown => service.extra['name'] ?? '';

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

/** The address of the port that has all services; on a port of identity's own it is another than the client came by. */
function mainOrigin(call: Call): string {
  const { port } = call.cloud.config;
  if (call.prefix !== '' || !port) return call.origin;
  const url = new URL(call.origin);
  url.port = String(port);
  return url.origin;
}

/** Whom and what the URLs of a catalog are for. */
export interface Subject {
  readonly userId: string;
  readonly projectId: string | undefined;
}

/**
 * The catalog of a token: enabled services, also those without endpoints, and enabled endpoints whose URL can be filled in;
 * of `only` some, where there are any, and then no services without endpoints.
 */
export function catalogView(
  call: Call,
  services: readonly CatalogService[],
  endpoints: readonly Endpoint[],
  subject: Subject,
  only: readonly Endpoint[],
): unknown[] {
  const filtered = only.length > 0;
  const shown = (filtered ? only : endpoints).filter((endpoint) => endpoint.enabled);
  return services
    .filter((service) => service.enabled)
    .map((service) => ({
      endpoints: shown
        .filter((endpoint) => endpoint.serviceId === service.id)
        .flatMap((endpoint) => catalogEndpoint(call, endpoint, subject)),
      id: service.id,
      type: service.type,
      name: nameOf(service),
    }))
    .filter((service) => !filtered || service.endpoints.length > 0);
}

function catalogEndpoint(call: Call, endpoint: Endpoint, subject: Subject): object[] {
  const url = filledIn(endpoint.url, { ...subject, origin: mainOrigin(call) });
  if (url === undefined) return [];
  const { id, interface: face, regionId } = endpoint;
  return [{ ...endpoint.extra, id, interface: face, region: regionId, region_id: regionId, url }];
}

/** A URL with its substitutions filled in; undefined where one is unknown, or wants a project that there is not. */
function filledIn(url: string, { userId, projectId, origin }: Subject & { origin: string }): string | undefined {
  const values: Record<string, string | undefined> = {
    cumulet_origin: origin,
    user_id: userId,
    project_id: projectId,
    tenant_id: projectId,
  };
  let complete = true;
  const text = url.replace(/[$%]\((\w+)\)s/g, (_all, name: string) => {
    const value = values[name];
    complete &&= value !== undefined;
    return value ?? '';
  });
  return complete ? text.replaceAll('%%', '%') : undefined;
}
