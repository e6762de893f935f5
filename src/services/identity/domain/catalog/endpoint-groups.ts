// Creates, updates and evaluates endpoint groups. Upstream: keystone/api/os_ep_filter.py and
// catalog/core.py.
import { badRequest } from '../../../../kernel/errors.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import * as store from '../../store/catalog/endpoint-filters.ts';
import { nullableText, textOf, type Fields } from '../attributes.ts';
import type { Endpoint, EndpointGroup } from '../../model.ts';
import { expecting } from '../refusals.ts';
import type { Context } from '../../../../kernel/model.ts';

/** The attributes that groups can filter by. */
const attributes = {
  service_id: (endpoint: Endpoint) => endpoint.serviceId,
  region_id: (endpoint: Endpoint) => endpoint.regionId,
  interface: (endpoint: Endpoint) => endpoint.interface,
};

/** Creates an endpoint group. @throws 400 */
export async function createEndpointGroup({ db }: Context, fields: Fields): Promise<EndpointGroup> {
  const filters = (fields['filters'] ?? {}) as Fields;
  if (!Object.keys(filters).length)
    throw badRequest('filters field is required and cannot be empty');
  checkFilters(filters);
  const description = nullableText(fields, 'description') ?? null;
  const group: EndpointGroup = {
    id: newHexId(),
    name: textOf(fields, 'name'),
    description,
    filters,
  };
  await store.insertEndpointGroup(db, group);
  return group;
}

/** Updates an endpoint group. */
export async function updateEndpointGroup(
  { db }: Context,
  group: EndpointGroup,
  fields: Fields,
): Promise<EndpointGroup> {
  const next: EndpointGroup = { ...group, ...(fields as Partial<Omit<EndpointGroup, 'id'>>) };
  await store.updateEndpointGroup(db, next);
  return next;
}

/** Deletes an endpoint group with its associations. */
export const deleteEndpointGroup = ({ db }: Context, { id }: EndpointGroup): Promise<void> =>
  store.deleteEndpointGroup(db, id);

/** @throws 400 for a filter by any other attribute */
export function checkFilters(filters: Fields): void {
  const names = Object.keys(attributes);
  if (Object.keys(filters).some((name) => !names.includes(name)))
    throw expecting(names.join(' or '), 'endpoint_group');
}

/** The endpoints that match the filters of a group. */
export function endpointsInGroup(
  { filters }: EndpointGroup,
  endpoints: readonly Endpoint[],
): Endpoint[] {
  const tests = Object.entries(filters) as [keyof typeof attributes, unknown][];
  return endpoints.filter((endpoint) =>
    tests.every(([name, value]) => attributes[name](endpoint) === value),
  );
}
