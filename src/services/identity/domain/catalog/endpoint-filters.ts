// Which endpoints a project gets to see. Upstream: keystone/catalog/core.py and backends/sql.py.
import { listEndpoints } from '../../store/catalog/catalog.ts';
import { endpointGroupsOf, endpointIdsOf } from '../../store/catalog/endpoint-filters.ts';
import type { Endpoint, EndpointGroup } from '../records.ts';
import { expecting } from '../refusals.ts';
import type { Db } from '../../../../kernel/db/database.ts';

const attributes = {
  service_id: (endpoint: Endpoint) => endpoint.serviceId,
  region_id: (endpoint: Endpoint) => endpoint.regionId,
  interface: (endpoint: Endpoint) => endpoint.interface,
};

/** @throws 400 for a filter by something else */
export function checkFilters(filters: Readonly<Record<string, unknown>>): void {
  const names = Object.keys(attributes);
  if (Object.keys(filters).some((name) => !names.includes(name))) throw expecting(names.join(' or '), 'endpoint_group');
}

/** The endpoints that are as the group's filters say. */
export function inGroup({ filters }: EndpointGroup, endpoints: readonly Endpoint[]): Endpoint[] {
  const tests = Object.entries(filters) as [keyof typeof attributes, unknown][];
  return endpoints.filter((endpoint) => tests.every(([name, value]) => attributes[name](endpoint) === value));
}

/** The endpoints that a project is given, by themselves or in groups; none where all are for it. */
export async function endpointsFor(db: Db, projectId: string, all?: readonly Endpoint[]): Promise<Endpoint[]> {
  const ids = await endpointIdsOf(db, projectId);
  const groups = await endpointGroupsOf(db, projectId);
  if (!ids.length && !groups.length) return [];
  const endpoints = all ?? (await listEndpoints(db));
  const inGroups = new Set(groups.flatMap((group) => inGroup(group, endpoints)));
  return endpoints.filter((endpoint) => ids.includes(endpoint.id) || inGroups.has(endpoint));
}
