// The tables of endpoint groups, and of the endpoints and groups that are associated with projects.
import { jsonObject, named, nullable, text } from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { Table } from '../../../../kernel/db/table.ts';
import type { EndpointGroup, FilteredEndpoints } from '../../model.ts';

const groups = new Table<EndpointGroup>('identity_endpoint_groups', {
  id: text,
  name: text,
  description: nullable(text),
  filters: jsonObject(),
});

/** A table that associates projects with endpoints or with endpoint groups. */
const associationTable = (name: string, column: string) =>
  new Table(
    name,
    { projectId: text, associatedId: named(column, text) },
    { key: ['projectId', 'associatedId'] },
  );

const projectGroups = associationTable('identity_project_endpoint_groups', 'endpoint_group_id');
const projectEndpoints = associationTable('identity_project_endpoints', 'endpoint_id');

/** The table that associates an endpoint or a group with projects, and the id in it. */
const associationOf = (endpoints: FilteredEndpoints) =>
  'groupId' in endpoints
    ? ([projectGroups, endpoints.groupId] as const)
    : ([projectEndpoints, endpoints.endpointId] as const);

export async function insertEndpointGroup(db: Db, group: EndpointGroup): Promise<void> {
  await groups.insert(db, group);
}

export async function updateEndpointGroup(db: Db, group: EndpointGroup): Promise<void> {
  await groups.update(db, { id: group.id }, group);
}

/** Deletes a group with its associations. */
export async function deleteEndpointGroup(db: Db, id: string): Promise<void> {
  await groups.remove(db, { id });
}

export const findEndpointGroup = (db: Db, id: string): Promise<EndpointGroup | undefined> =>
  groups.find(db, { id });

/** All endpoint groups, ordered by name. */
export const listEndpointGroups = (db: Db): Promise<EndpointGroup[]> =>
  groups.list(db, { sort: ['name'] });

/** The groups that are associated with a project, ordered by name. */
export async function associatedGroups(db: Db, projectId: string): Promise<EndpointGroup[]> {
  const ids = (await projectGroups.list(db, { where: { projectId } })).map(
    (association) => association.associatedId,
  );
  return ids.length ? groups.list(db, { where: { id: ids }, sort: ['name'] }) : [];
}

/** @throws the driver's error of `isDuplicate` if the association exists */
export async function associate(
  db: Db,
  projectId: string,
  endpoints: FilteredEndpoints,
): Promise<void> {
  const [table, associatedId] = associationOf(endpoints);
  await table.insert(db, { projectId, associatedId });
}

/** Deletes an association, and returns whether it existed. */
export async function dissociate(
  db: Db,
  projectId: string,
  endpoints: FilteredEndpoints,
): Promise<boolean> {
  const [table, associatedId] = associationOf(endpoints);
  return (await table.remove(db, { projectId, associatedId })) > 0;
}

export function isAssociated(
  db: Db,
  projectId: string,
  endpoints: FilteredEndpoints,
): Promise<boolean> {
  const [table, associatedId] = associationOf(endpoints);
  return table.exists(db, { projectId, associatedId });
}

/** The ids of the projects that an endpoint or a group is associated with. */
export async function associatedProjectIds(
  db: Db,
  endpoints: FilteredEndpoints,
): Promise<string[]> {
  const [table, associatedId] = associationOf(endpoints);
  return (await table.list(db, { where: { associatedId } })).map(({ projectId }) => projectId);
}

/** The ids of the endpoints that are directly associated with a project. */
export const associatedEndpointIds = async (db: Db, projectId: string): Promise<string[]> =>
  (await projectEndpoints.list(db, { where: { projectId } })).map(
    (association) => association.associatedId,
  );
