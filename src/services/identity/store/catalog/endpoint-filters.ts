// The tables of endpoint groups, and of which endpoints and groups are for which projects.
import type { EndpointGroup } from '../../domain/records.ts';
import { objectFrom, toJson } from '../columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';

interface Row {
  id: string;
  name: string;
  description: string | null;
  filters: string;
}

const groups = (db: Db) => db<Row>('identity_endpoint_groups');
const ofGroups = (db: Db) => db<{ project_id: string; endpoint_group_id: string }>('identity_project_endpoint_groups');
const ofEndpoints = (db: Db) => db<{ project_id: string; endpoint_id: string }>('identity_project_endpoints');

const recordOf = ({ filters, ...row }: Row): EndpointGroup => ({ ...row, filters: objectFrom(filters) });
const rowOf = ({ filters, ...group }: EndpointGroup): Row => ({ ...group, filters: toJson(filters) });

export async function insertEndpointGroup(db: Db, group: EndpointGroup): Promise<void> {
  await groups(db).insert(rowOf(group));
}

export async function updateEndpointGroup(db: Db, group: EndpointGroup): Promise<void> {
  await groups(db).where({ id: group.id }).update(rowOf(group));
}

/** Deletes the group, and takes it from all projects. */
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

/** The groups of a project. */
export async function endpointGroupsOf(db: Db, projectId: string): Promise<EndpointGroup[]> {
  const ids = (await ofGroups(db).where({ project_id: projectId })).map((row) => row.endpoint_group_id);
  if (!ids.length) return [];
  return (await groups(db).whereIn('id', ids).orderBy(['name', 'id'])).map((row) => recordOf(row));
}

/** What a project is given: a group of endpoints, or one endpoint. */
export type Given = { readonly groupId: string } | { readonly endpointId: string };

/** @throws the driver's error of `isDuplicate` where the project has it already */
export async function giveProject(db: Db, projectId: string, given: Given): Promise<void> {
  if ('groupId' in given) await ofGroups(db).insert({ project_id: projectId, endpoint_group_id: given.groupId });
  else await ofEndpoints(db).insert({ project_id: projectId, endpoint_id: given.endpointId });
}

/** Whether the project had it. */
export async function takeFromProject(db: Db, projectId: string, given: Given): Promise<boolean> {
  return (await rowsOf(db, given).where({ project_id: projectId }).delete()) > 0;
}

export async function hasProject(db: Db, projectId: string, given: Given): Promise<boolean> {
  return (await projectIdsWith(db, given)).includes(projectId);
}

/** The projects that are given it. */
export async function projectIdsWith(db: Db, given: Given): Promise<string[]> {
  return (await rowsOf(db, given).orderBy('project_id').pluck('project_id')) as string[];
}

/** The endpoints that a project is given by themselves. */
export async function endpointIdsOf(db: Db, projectId: string): Promise<string[]> {
  return (await ofEndpoints(db).where({ project_id: projectId }).orderBy('endpoint_id')).map((row) => row.endpoint_id);
}

function rowsOf(db: Db, given: Given) {
  return 'groupId' in given
    ? db('identity_project_endpoint_groups').where({ endpoint_group_id: given.groupId })
    : db('identity_project_endpoints').where({ endpoint_id: given.endpointId });
}
