// Endpoint groups: all endpoints that match some filters. Upstream: keystone/api/os_ep_filter.py.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import type { Fields } from '../../domain/attributes.ts';
import {
  checkFilters,
  createEndpointGroup,
  deleteEndpointGroup,
  endpointsInGroup,
  updateEndpointGroup,
} from '../../domain/catalog/endpoint-groups.ts';
import type { EndpointGroup } from '../../model.ts';
import { found } from '../../domain/refusals.ts';
import { findEndpointGroup, listEndpointGroups } from '../../store/catalog/endpoint-filters.ts';
import { listEndpoints } from '../../store/catalog/endpoints.ts';
import { endpointGroupView } from '../../views/catalog/endpoint-groups.ts';
import { endpointView } from '../../views/catalog/endpoints.ts';
import { wrapped } from '../../views/links.ts';
import { listReply } from '../lists.ts';
import { allow, bodyOf } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

/** GET /v3/OS-EP-FILTER/endpoint_groups */
export async function list(call: Call): Promise<Reply> {
  allow(call, 'list_endpoint_groups');
  const views = (await listEndpointGroups(call.db)).map((group) => endpointGroupView(call, group));
  return listReply(call, 'endpoint_groups', views, ['name']);
}

/** POST /v3/OS-EP-FILTER/endpoint_groups */
export async function create(call: Call): Promise<Reply> {
  allow(call, 'create_endpoint_group');
  const group = await createEndpointGroup(call, bodyOf(call, 'endpoint_group'));
  return created({ endpoint_group: endpointGroupView(call, group) });
}

/** GET /v3/OS-EP-FILTER/endpoint_groups/{endpoint_group_id} */
export async function show(call: Call): Promise<Reply> {
  return ok({ endpoint_group: endpointGroupView(call, await target(call, 'get_endpoint_group')) });
}

/** PATCH /v3/OS-EP-FILTER/endpoint_groups/{endpoint_group_id} */
export async function update(call: Call): Promise<Reply> {
  allow(call, 'update_endpoint_group');
  const fields = bodyOf(call, 'endpoint_group');
  if ('filters' in fields) checkFilters(fields['filters'] as Fields);
  const group = await updateEndpointGroup(
    call,
    await target(call, 'update_endpoint_group'),
    fields,
  );
  return ok({ endpoint_group: endpointGroupView(call, group) });
}

/** DELETE /v3/OS-EP-FILTER/endpoint_groups/{endpoint_group_id} */
export async function remove(call: Call): Promise<Reply> {
  await deleteEndpointGroup(call, (await target(call, 'delete_endpoint_group')).id);
  return noContent();
}

/** GET /v3/OS-EP-FILTER/endpoint_groups/{endpoint_group_id}/endpoints */
export async function listEndpointsIn(call: Call): Promise<Reply> {
  const group = await target(call, 'list_endpoints_associated_with_endpoint_group');
  const endpoints = endpointsInGroup(group, await listEndpoints(call.db));
  return ok(
    wrapped(
      call,
      'endpoints',
      endpoints.map((endpoint) => endpointView(call, endpoint)),
    ),
  );
}

async function target(call: Call, rule: string): Promise<EndpointGroup> {
  allow(call, rule);
  const id = call.params['endpoint_group_id']!;
  return found(await findEndpointGroup(call.db, id), 'endpointGroup', id);
}
