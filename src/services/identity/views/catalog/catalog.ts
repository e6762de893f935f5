// The catalog of a token in the format of the API.
import { grouped } from '../../../../kernel/db/grouping.ts';
import type { Catalog, CatalogSubject } from '../../domain/catalog/token-catalog.ts';
import type { Endpoint } from '../../model.ts';
import { urlHere } from './endpoints.ts';
import { nameOf } from './services.ts';
import type { Call } from '../../../../kernel/model.ts';

/**
 * The enabled services with those enabled endpoints whose URL can be expanded. If endpoints are
 * associated with the project, only these are shown, and services without one are left out.
 */
export function catalogView(
  call: Call,
  { subject, services, endpoints, projectEndpoints }: Catalog,
): unknown[] {
  const filtered = projectEndpoints.length > 0;
  const shown = grouped(
    (filtered ? projectEndpoints : endpoints).filter((endpoint) => endpoint.enabled),
    (endpoint) => endpoint.serviceId,
  );
  return services
    .filter((service) => service.enabled)
    .map((service) => ({
      endpoints: (shown.get(service.id) ?? []).flatMap((endpoint) =>
        catalogEndpoint(call, endpoint, subject),
      ),
      id: service.id,
      type: service.type,
      name: nameOf(service),
    }))
    .filter((service) => !filtered || service.endpoints.length > 0);
}

function catalogEndpoint(call: Call, endpoint: Endpoint, subject: CatalogSubject): object[] {
  const url = expandUrl(urlHere(call, endpoint), subject);
  if (url === undefined) return [];
  const { id, interface: face, regionId } = endpoint;
  return [{ ...endpoint.extra, id, interface: face, region: regionId, region_id: regionId, url }];
}

/**
 * Expands the substitutions in a URL. Returns undefined if one is unknown, or needs a project and
 * the token has none.
 */
function expandUrl(url: string, { userId, projectId }: CatalogSubject): string | undefined {
  const substitutions: Record<string, string | undefined> = {
    user_id: userId,
    project_id: projectId,
    tenant_id: projectId,
  };
  let complete = true;
  const text = url.replace(/[$%]\((\w+)\)s/g, (_all, name: string) => {
    const value = substitutions[name];
    complete &&= value !== undefined;
    return value ?? '';
  });
  return complete ? text.replaceAll('%%', '%') : undefined;
}
