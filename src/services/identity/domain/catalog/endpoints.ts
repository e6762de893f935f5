// Creates, updates and deletes endpoints. Upstream: keystone/api/endpoints.py and catalog/core.py.
import { badRequest } from '../../../../kernel/errors.ts';
import { bumpAuthRevision } from '../../../../kernel/db/state.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import * as store from '../../store/catalog/endpoints.ts';
import { findRegion, insertRegion } from '../../store/catalog/regions.ts';
import { findService, listServices } from '../../store/catalog/services.ts';
import { originPlaceholder } from './origin.ts';
import { deleteAssociationsOf } from '../../store/policy/policies.ts';
import {
  extraOf,
  optionalBoolean,
  optionalText,
  refuseIdChange,
  textOf,
  type Fields,
} from '../attributes.ts';
import type { Endpoint, PublicEndpoint } from '../../model.ts';
import { expecting } from '../refusals.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { Context } from '../../../../kernel/model.ts';

const apiAttributes = [
  'id',
  'service_id',
  'interface',
  'region',
  'region_id',
  'url',
  'enabled',
  'links',
  'legacy_endpoint_id',
];

/** Creates an endpoint. @throws 400 */
export async function createEndpoint({ db }: Context, fields: Fields): Promise<Endpoint> {
  checkUrl(textOf(fields, 'url'));
  const endpoint: Endpoint = {
    id: newHexId(),
    serviceId: textOf(fields, 'service_id'),
    interface: textOf(fields, 'interface'),
    regionId: (await regionIdOf(db, fields)) ?? null,
    url: textOf(fields, 'url'),
    enabled: optionalBoolean(fields, 'enabled') ?? true,
    extra: extraOf(fields, apiAttributes),
  };
  await checkService(db, endpoint.serviceId);
  await store.insertEndpoint(db, endpoint);
  await bumpAuthRevision(db);
  return endpoint;
}

/** Updates an endpoint. @throws 400 */
export async function updateEndpoint(
  { db }: Context,
  endpoint: Endpoint,
  fields: Fields,
): Promise<Endpoint> {
  refuseIdChange(fields, endpoint);
  const regionId = await regionIdOf(db, fields);
  const next: Endpoint = {
    ...endpoint,
    serviceId: optionalText(fields, 'service_id') ?? endpoint.serviceId,
    interface: optionalText(fields, 'interface') ?? endpoint.interface,
    regionId: regionId === undefined ? endpoint.regionId : regionId,
    url: optionalText(fields, 'url') ?? endpoint.url,
    enabled: optionalBoolean(fields, 'enabled') ?? endpoint.enabled,
    extra: { ...endpoint.extra, ...extraOf(fields, apiAttributes) },
  };
  await checkService(db, next.serviceId);
  await store.updateEndpoint(db, next);
  await bumpAuthRevision(db);
  return next;
}

/** Deletes an endpoint. */
export async function deleteEndpoint({ db }: Context, { id }: Endpoint): Promise<void> {
  await deleteAssociationsOf(db, { endpointId: id });
  await store.deleteEndpoint(db, id);
  await bumpAuthRevision(db);
}

/** The enabled public endpoints of services that are enabled, if they belong to a region. */
export async function publicEndpoints(db: Db): Promise<PublicEndpoint[]> {
  const services = new Map((await listServices(db)).map((service) => [service.id, service]));
  return (await store.listEndpoints(db)).flatMap(
    ({ serviceId, interface: face, enabled, regionId, url }) => {
      const service = services.get(serviceId);
      if (!service?.enabled || !enabled || face !== 'public' || regionId === null) return [];
      const isHere = url.startsWith(originPlaceholder);
      const { type, extra } = service;
      const name = typeof extra['name'] === 'string' ? extra['name'] : '';
      return [
        {
          regionId,
          type,
          name,
          isHere,
          url: isHere ? url.slice(originPlaceholder.length) : url,
        },
      ];
    },
  );
}

/**
 * The region in a request; undefined if it names none. A region that is named by `region` is
 * created if it does not exist.
 * @throws 400 for an unknown `region_id`
 */
async function regionIdOf(db: Db, fields: Fields): Promise<string | null | undefined> {
  const { region_id: id, region } = fields as { region_id?: string | null; region?: string | null };
  if (id === undefined && region === undefined) return undefined;
  const name = id ?? region ?? null;
  if (name === null || (await findRegion(db, name))) return name;
  if (id) throw expecting('endpoint region_id', 'region table');
  await insertRegion(db, { id: name, description: '', parentId: null, extra: {} });
  return name;
}

async function checkService(db: Db, id: string): Promise<void> {
  if (!(await findService(db, id))) throw expecting('endpoint service_id', 'service table');
}

const substitutions = [
  'cumulet_origin',
  'tenant_id',
  'project_id',
  'user_id',
  'public_bind_host',
  'admin_bind_host',
  'compute_host',
  'admin_port',
  'public_port',
  'public_endpoint',
  'admin_endpoint',
];

/** @throws 400 for a URL with an unknown or incomplete substitution */
function checkUrl(url: string): void {
  const rest = url
    .replace(/[$%]\((\w+)\)s/g, (all, name: string) => (substitutions.includes(name) ? '' : all))
    .replaceAll('%%', '');
  if (/%|\$\(/.test(rest))
    throw badRequest(`Cannot create an endpoint with an invalid URL: ${url}.`);
}
