// Associations of endpoints with projects, which restrict the projects' catalogs. Upstream:
// keystone/catalog/core.py and backends/sql.py.
import { notFound, type ApiError } from '../../../../kernel/errors.ts';
import { listEndpoints } from '../../store/catalog/endpoints.ts';
import {
  associate,
  associatedEndpointIds,
  associatedGroups,
  dissociate,
  isAssociated,
} from '../../store/catalog/endpoint-filters.ts';
import type { Endpoint, FilteredEndpoints } from '../../model.ts';
import { duplicateEntry, refuseOnDuplicate } from '../refusals.ts';
import { endpointsInGroup } from './endpoint-groups.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { Context } from '../../../../kernel/model.ts';

/**
 * The endpoints that are associated with a project, directly or through a group; empty if the
 * project is not restricted.
 */
export async function endpointsForProject(
  db: Db,
  projectId: string,
  all?: readonly Endpoint[],
): Promise<Endpoint[]> {
  const ids = new Set(await associatedEndpointIds(db, projectId));
  const groups = await associatedGroups(db, projectId);
  if (!ids.size && !groups.length) return [];
  const endpoints = all ?? (await listEndpoints(db));
  const inGroups = new Set(groups.flatMap((group) => endpointsInGroup(group, endpoints)));
  return endpoints.filter((endpoint) => ids.has(endpoint.id) || inGroups.has(endpoint));
}

/** Associates an endpoint or a group with a project. @throws 409 */
export async function associateWithProject(
  { db }: Context,
  projectId: string,
  endpoints: FilteredEndpoints,
): Promise<void> {
  const type = 'groupId' in endpoints ? 'project_endpoint_group' : 'project_endpoint';
  await refuseOnDuplicate(associate(db, projectId, endpoints), () => duplicateEntry(type));
}

/** @throws 404 if the project and the endpoints are not associated */
export async function checkAssociation(
  { db }: Context,
  projectId: string,
  endpoints: FilteredEndpoints,
): Promise<void> {
  if (!(await isAssociated(db, projectId, endpoints)))
    throw associationNotFound(projectId, endpoints);
}

/** Deletes an association. @throws 404 */
export async function deleteAssociation(
  { db }: Context,
  projectId: string,
  endpoints: FilteredEndpoints,
): Promise<void> {
  if (!(await dissociate(db, projectId, endpoints)))
    throw associationNotFound(projectId, endpoints);
}

const associationNotFound = (projectId: string, endpoints: FilteredEndpoints): ApiError =>
  'groupId' in endpoints
    ? notFound('Endpoint Group Project Association not found')
    : notFound(`Endpoint ${endpoints.endpointId} not found in project ${projectId}`);
