// Endpoints: the URLs of services in regions.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import { normalized } from '../../domain/attributes.ts';
import { createEndpoint, deleteEndpoint, updateEndpoint } from '../../domain/catalog/endpoints.ts';
import type { Endpoint } from '../../model.ts';
import { found } from '../../domain/refusals.ts';
import { findEndpoint, listEndpoints } from '../../store/catalog/endpoints.ts';
import { endpointView } from '../../views/catalog/endpoints.ts';
import { listReply } from '../lists.ts';
import { allow, bodyOf } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

/** GET /v3/endpoints */
export async function list(call: Call): Promise<Reply> {
  allow(call, 'list_endpoints');
  const views = (await listEndpoints(call.db)).map((endpoint) => endpointView(call, endpoint));
  return listReply(call, 'endpoints', views, ['interface', 'service_id', 'region_id']);
}

/** POST /v3/endpoints */
export async function create(call: Call): Promise<Reply> {
  allow(call, 'create_endpoint');
  const endpoint = await createEndpoint(call, normalized(bodyOf(call, 'endpoint')));
  return created({ endpoint: endpointView(call, endpoint) });
}

/** GET /v3/endpoints/{endpoint_id} */
export async function show(call: Call): Promise<Reply> {
  return ok({ endpoint: endpointView(call, await target(call, 'get_endpoint')) });
}

/** PATCH /v3/endpoints/{endpoint_id} */
export async function update(call: Call): Promise<Reply> {
  const endpoint = await updateEndpoint(
    call,
    await target(call, 'update_endpoint'),
    bodyOf(call, 'endpoint'),
  );
  return ok({ endpoint: endpointView(call, endpoint) });
}

/** DELETE /v3/endpoints/{endpoint_id} */
export async function remove(call: Call): Promise<Reply> {
  await deleteEndpoint(call, (await target(call, 'delete_endpoint')).id);
  return noContent();
}

async function target(call: Call, rule: string): Promise<Endpoint> {
  allow(call, rule);
  const id = call.params['endpoint_id']!;
  return found(await findEndpoint(call.db, id), 'endpoint', id);
}
