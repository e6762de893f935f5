// Endpoints: where services are to be found.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import { checkUrl } from '../../domain/catalog/regions.ts';
import type { Endpoint } from '../../domain/records.ts';
import { expecting, found } from '../../domain/refusals.ts';
import { deleteEndpoint, findEndpoint, findRegion, findService, insertEndpoint, insertRegion, listEndpoints, updateEndpoint } from '../../store/catalog/catalog.ts'; // prettier-ignore
import { forgetPolicyPlaces } from '../../store/policy/policies.ts';
import { endpointView } from '../../views/catalog/catalog.ts';
import { listReply } from '../../views/links.ts';
import { allow, bodyOf, extraOf, type Fields, normalized, refuseMove, textOf } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

const known = ['id', 'service_id', 'interface', 'region', 'region_id', 'url', 'enabled', 'links', 'legacy_endpoint_id'];

/** GET /v3/endpoints */
export async function list(call: Call): Promise<Reply> {
  allow(call, 'list_endpoints');
  const views = (await listEndpoints(call.db)).map((endpoint) => endpointView(call, endpoint));
  return listReply(call, 'endpoints', views, ['interface', 'service_id', 'region_id']);
}

/** POST /v3/endpoints */
export async function create(call: Call): Promise<Reply> {
  allow(call, 'create_endpoint');
  const fields = normalized(bodyOf(call, 'endpoint'));
  checkUrl(textOf(fields, 'url'));
  const endpoint: Endpoint = {
    id: newHexId(),
    serviceId: textOf(fields, 'service_id'),
    interface: textOf(fields, 'interface'),
    regionId: (await regionOf(call, fields)) ?? null,
    url: textOf(fields, 'url'),
    enabled: (fields['enabled'] as boolean | undefined) ?? true,
    extra: extraOf(fields, known),
  };
  await checkService(call, endpoint.serviceId);
  await insertEndpoint(call.db, endpoint);
  return created({ endpoint: endpointView(call, endpoint) });
}

/** GET /v3/endpoints/{endpoint_id} */
export async function show(call: Call): Promise<Reply> {
  const endpoint = await target(call, 'get_endpoint');
  return ok({ endpoint: endpointView(call, endpoint) });
}

/** PATCH /v3/endpoints/{endpoint_id} */
export async function update(call: Call): Promise<Reply> {
  const endpoint = await target(call, 'update_endpoint');
  const fields = bodyOf(call, 'endpoint');
  refuseMove(fields, endpoint);
  const regionId = await regionOf(call, fields);
  const next: Endpoint = {
    ...endpoint,
    serviceId: (fields['service_id'] as string | undefined) ?? endpoint.serviceId,
    interface: (fields['interface'] as string | undefined) ?? endpoint.interface,
    regionId: regionId === undefined ? endpoint.regionId : regionId,
    url: (fields['url'] as string | undefined) ?? endpoint.url,
    enabled: (fields['enabled'] as boolean | undefined) ?? endpoint.enabled,
    extra: { ...endpoint.extra, ...extraOf(fields, known) },
  };
  await checkService(call, next.serviceId);
  await updateEndpoint(call.db, next);
  return ok({ endpoint: endpointView(call, next) });
}

/** DELETE /v3/endpoints/{endpoint_id} */
export async function remove(call: Call): Promise<Reply> {
  const { id } = await target(call, 'delete_endpoint');
  await forgetPolicyPlaces(call.db, { endpointId: id });
  await deleteEndpoint(call.db, id);
  return noContent();
}

async function target(call: Call, rule: string): Promise<Endpoint> {
  allow(call, rule);
  const id = call.params['endpoint_id']!;
  return found(await findEndpoint(call.db, id), 'endpoint', id);
}

/** The region of the body; undefined where it names none. One that comes as `region` is made where it is not there. */
async function regionOf(call: Call, fields: Fields): Promise<string | null | undefined> {
  const { region_id: id, region } = fields as { region_id?: string | null; region?: string | null };
  if (id === undefined && region === undefined) return undefined;
  const name = id ?? region ?? null;
  if (name === null || (await findRegion(call.db, name))) return name;
  if (id) throw expecting('endpoint region_id', 'region table');
  await insertRegion(call.db, { id: name, description: '', parentId: null, extra: {} });
  return name;
}

async function checkService(call: Call, id: string): Promise<void> {
  if (!(await findService(call.db, id))) throw expecting('endpoint service_id', 'service table');
}
