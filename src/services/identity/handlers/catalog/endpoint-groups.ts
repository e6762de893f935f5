// Endpoint groups: endpoints by what they have in common. Upstream: keystone/api/os_ep_filter.py.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import { badRequest } from '../../../../kernel/fault.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import { checkFilters, inGroup } from '../../domain/catalog/endpoint-filters.ts';
import type { EndpointGroup } from '../../domain/records.ts';
import { found } from '../../domain/refusals.ts';
import { listEndpoints } from '../../store/catalog/catalog.ts';
import { deleteEndpointGroup, findEndpointGroup, insertEndpointGroup, listEndpointGroups, updateEndpointGroup } from '../../store/catalog/endpoint-filters.ts'; // prettier-ignore
import { endpointView } from '../../views/catalog/catalog.ts';
import { linkTo, listReply, wrapped, type View } from '../../views/links.ts';
import { allow, bodyOf, textOf, type Fields } from '../requests.ts';
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
  const fields = bodyOf(call, 'endpoint_group');
  const filters = (fields['filters'] ?? {}) as Fields;
  if (!Object.keys(filters).length) throw badRequest('filters field is required and cannot be empty');
  checkFilters(filters);
  const description = (fields['description'] as string | null | undefined) ?? null;
  const group: EndpointGroup = { id: newHexId(), name: textOf(fields, 'name'), description, filters };
  await insertEndpointGroup(call.db, group);
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
  const group = await target(call, 'update_endpoint_group');
  const next: EndpointGroup = { ...group, ...(fields as Partial<Omit<EndpointGroup, 'id'>>) };
  await updateEndpointGroup(call.db, next);
  return ok({ endpoint_group: endpointGroupView(call, next) });
}

/** DELETE /v3/OS-EP-FILTER/endpoint_groups/{endpoint_group_id} */
export async function remove(call: Call): Promise<Reply> {
  await deleteEndpointGroup(call.db, (await target(call, 'delete_endpoint_group')).id);
  return noContent();
}

/** GET /v3/OS-EP-FILTER/endpoint_groups/{endpoint_group_id}/endpoints */
export async function listEndpointsIn(call: Call): Promise<Reply> {
  const group = await target(call, 'list_endpoints_associated_with_endpoint_group');
  const endpoints = inGroup(group, await listEndpoints(call.db));
  return ok(wrapped(call, 'endpoints', endpoints.map((endpoint) => endpointView(call, endpoint)))); // prettier-ignore
}

async function target(call: Call, rule: string): Promise<EndpointGroup> {
  allow(call, rule);
  const id = call.params['endpoint_group_id']!;
  return found(await findEndpointGroup(call.db, id), 'endpointGroup', id);
}

/** An endpoint group as a client sees it. */
export const endpointGroupView = (call: Call, { id, name, description, filters }: EndpointGroup): View => ({
  id,
  name,
  description,
  filters,
  links: { self: linkTo(call, `OS-EP-FILTER/endpoint_groups/${id}`) },
});
