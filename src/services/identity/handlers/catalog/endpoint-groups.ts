// Endpoint groups: all endpoints that match some filters. Upstream: keystone/api/os_ep_filter.py.
import { plainHandlers } from '../../../../kernel/http/plain-resource.ts';
import { ok } from '../../../../kernel/http/reply.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';
import type { Fields } from '../../domain/attributes.ts';
import {
  checkFilters,
  createEndpointGroup,
  deleteEndpointGroup,
  endpointsInGroup,
  updateEndpointGroup,
} from '../../domain/catalog/endpoint-groups.ts';
import type { EndpointGroup } from '../../model.ts';
import { findEndpointGroup, listEndpointGroups } from '../../store/catalog/endpoint-filters.ts';
import { listEndpoints } from '../../store/catalog/endpoints.ts';
import { endpointGroupView } from '../../views/catalog/endpoint-groups.ts';
import { endpointView } from '../../views/catalog/endpoints.ts';
import { wrapped } from '../../views/links.ts';
import { bodiesOf, lookupsOf, type Shape } from '../plain.ts';
import { bodyOf, enforce } from '../requests.ts';

const shape: Shape<EndpointGroup> = {
  noun: 'endpoint_group',
  collection: 'endpoint_groups',
  filters: ['name'],
  view: endpointGroupView,
};
const lookups = lookupsOf({ ...shape, list: listEndpointGroups, find: findEndpointGroup });

/**
 * The operations of /v3/OS-EP-FILTER/endpoint_groups. An update checks filters before the lookup.
 */
export const { list, show, create, update, remove } = plainHandlers<Call, EndpointGroup, Fields>({
  ...lookups,
  ...bodiesOf(shape),
  fields(call, operation) {
    const fields = bodyOf(call, 'endpoint_group');
    if (operation === 'update' && 'filters' in fields) checkFilters(fields['filters'] as Fields);
    return fields;
  },
  create: createEndpointGroup,
  update: updateEndpointGroup,
  remove: deleteEndpointGroup,
});

/** GET /v3/OS-EP-FILTER/endpoint_groups/{endpoint_group_id}/endpoints */
export async function listEndpointsIn(call: Call): Promise<Reply> {
  enforce(call, 'list_endpoints_associated_with_endpoint_group');
  const group = await lookups.find(call, 'show');
  const endpoints = endpointsInGroup(group, await listEndpoints(call.db));
  return ok(
    wrapped(
      call,
      'endpoints',
      endpoints.map((endpoint) => endpointView(call, endpoint)),
    ),
  );
}
