// The catalog of a token as a client sees it.
import type { Catalog, CatalogSubject } from '../../domain/catalog/token-catalog.ts';
import type { Endpoint } from '../../model.ts';
import { mainOrigin } from './endpoints.ts';
import { nameOf } from './services.ts';
import type { Call } from '../../../../kernel/model.ts';

/**
 * The enabled services with their enabled endpoints whose URL can be filled in. Where endpoints are
 * associated with the project only those are shown, and services without one are left out.
 */
export function catalogView(
  call: Call,
  { subject, services, endpoints, ofProject }: Catalog,
): unknown[] {
  const filtered = ofProject.length > 0;
  const shown = (filtered ? ofProject : endpoints).filter((endpoint) => endpoint.enabled);
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

function catalogEndpoint(call: Call, endpoint: Endpoint, subject: CatalogSubject): object[] {
  const url = filledIn(endpoint.url, { ...subject, origin: mainOrigin(call) });
  if (url === undefined) return [];
  const { id, interface: face, regionId } = endpoint;
  return [{ ...endpoint.extra, id, interface: face, region: regionId, region_id: regionId, url }];
}

/**
 * A URL with its substitutions filled in; undefined where one is unknown, or stands for a project
 * in a token without one.
 */
function filledIn(
  url: string,
  { userId, projectId, origin }: CatalogSubject & { origin: string },
): string | undefined {
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
