// The tables of endpoint groups, and of the endpoints and groups that are associated with projects.
import type { EndpointGroup, FilteredEndpoints } from '../../model.ts';
import { objectFrom, toJson } from '../columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';

interface Row {
  id: string;
  name: string;
  description: string | null;
  filters: string;
}

const groups = (db: Db) => db<Row>('identity_endpoint_groups');
const projectGroups = (db: Db) =>
  db<{ project_id: string; endpoint_group_id: string }>('identity_project_endpoint_groups');
const projectEndpoints = (db: Db) =>
  db<{ project_id: string; endpoint_id: string }>('identity_project_endpoints');

const recordOf = ({ filters, ...row }: Row): EndpointGroup => ({
  ...row,
  filters: objectFrom(filters),
});
const rowOf = ({ filters, ...group }: EndpointGroup): Row => ({
  ...group,
  filters: toJson(filters),
});

export async function insertEndpointGroup(db: Db, group: EndpointGroup): Promise<void> {
  await groups(db).insert(rowOf(group));
}

export async function updateEndpointGroup(db: Db, group: EndpointGroup): Promise<void> {
  await groups(db).where({ id: group.id }).update(rowOf(group));
}

/** Deletes the group with its associations. */
export async function deleteEndpointGroup(db: Db, id: string): Promise<void> {
  await groups(db).where({ id }).delete();
}

export async function findEndpointGroup(db: Db, id: string): Promise<EndpointGroup | undefined> {
  const row = await groups(db).where({ id }).first();
  return row && recordOf(row);
}

export async function listEndpointGroups(db: Db): Promise<EndpointGroup[]> {
  return (await groups(db).orderBy(['name', 'id'])).map((row) => recordOf(row));
}

/** The groups that are associated with a project. */
export async function associatedGroups(db: Db, projectId: string): Promise<EndpointGroup[]> {
  const ids = (await projectGroups(db).where({ project_id: projectId })).map(
    (row) => row.endpoint_group_id,
  );
  if (!ids.length) return [];
  return (await groups(db).whereIn('id', ids).orderBy(['name', 'id'])).map((row) => recordOf(row));
}

/** @throws the driver's error of `isDuplicate` where they are associated already */
export async function associate(
  db: Db,
  projectId: string,
  endpoints: FilteredEndpoints,
): Promise<void> {
  if ('groupId' in endpoints)
    await projectGroups(db).insert({ project_id: projectId, endpoint_group_id: endpoints.groupId });
  else
    await projectEndpoints(db).insert({ project_id: projectId, endpoint_id: endpoints.endpointId });
}

/** Ends an association. Whether there was one. */
export async function dissociate(
  db: Db,
  projectId: string,
  endpoints: FilteredEndpoints,
): Promise<boolean> {
  return (await associationsOf(db, endpoints).where({ project_id: projectId }).delete()) > 0;
}

export async function isAssociated(
  db: Db,
  projectId: string,
  endpoints: FilteredEndpoints,
): Promise<boolean> {
  return (await associatedProjectIds(db, endpoints)).includes(projectId);
}

/** The ids of the associated projects. */
export async function associatedProjectIds(
  db: Db,
  endpoints: FilteredEndpoints,
): Promise<string[]> {
  return (await associationsOf(db, endpoints)
    .orderBy('project_id')
    .pluck('project_id')) as string[];
}

/** The ids of the endpoints that are directly associated with a project. */
export async function associatedEndpointIds(db: Db, projectId: string): Promise<string[]> {
  return (await projectEndpoints(db).where({ project_id: projectId }).orderBy('endpoint_id')).map(
    (row) => row.endpoint_id,
  );
}

function associationsOf(db: Db, endpoints: FilteredEndpoints) {
  return 'groupId' in endpoints
    ? db('identity_project_endpoint_groups').where({ endpoint_group_id: endpoints.groupId })
    : db('identity_project_endpoints').where({ endpoint_id: endpoints.endpointId });
}
