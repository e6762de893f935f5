// Which endpoints and endpoint groups are for which projects. Upstream: keystone/api/os_ep_filter.py.
import { noContent, ok } from '../../../../kernel/http/reply.ts';
import { isDuplicate } from '../../../../kernel/db/errors.ts';
import { conflict, notFound } from '../../../../kernel/fault.ts';
import { endpointsFor } from '../../domain/catalog/endpoint-filters.ts';
import { found } from '../../domain/refusals.ts';
import { findEndpoint } from '../../store/catalog/catalog.ts';
import { endpointGroupsOf, findEndpointGroup, giveProject, hasProject, projectIdsWith, takeFromProject, type Given } from '../../store/catalog/endpoint-filters.ts'; // prettier-ignore
import { findProject, findProjects } from '../../store/resource/projects.ts';
import { endpointView } from '../../views/catalog/catalog.ts';
import { wrapped } from '../../views/links.ts';
import { projectView } from '../../views/resource/projects.ts';
import { endpointGroupView } from './endpoint-groups.ts';
import { allow } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

/** GET /v3/OS-EP-FILTER/projects/{project_id}/endpoints */
export async function listEndpoints(call: Call): Promise<Reply> {
  allow(call, 'list_endpoints_for_project');
  const endpoints = await endpointsFor(call.db, await projectId(call));
  return ok(wrapped(call, 'endpoints', endpoints.map((endpoint) => endpointView(call, endpoint)))); // prettier-ignore
}

/** GET /v3/OS-EP-FILTER/projects/{project_id}/endpoint_groups */
export async function listGroups(call: Call): Promise<Reply> {
  allow(call, 'list_endpoint_groups_for_project');
  const groups = await endpointGroupsOf(call.db, await projectId(call));
  return ok(wrapped(call, 'endpoint_groups', groups.map((group) => endpointGroupView(call, group)))); // prettier-ignore
}

/** GET /v3/OS-EP-FILTER/endpoints/{endpoint_id}/projects */
export async function listProjectsOfEndpoint(call: Call): Promise<Reply> {
  allow(call, 'list_projects_for_endpoint');
  return projectsWith(call, { endpointId: await endpointId(call) });
}

/** GET /v3/OS-EP-FILTER/endpoint_groups/{endpoint_group_id}/projects; none for a group that there is not, as upstream. */
export async function listProjectsOfGroup(call: Call): Promise<Reply> {
  allow(call, 'list_projects_associated_with_endpoint_group');
  return projectsWith(call, { groupId: call.params['endpoint_group_id']! });
}

async function projectsWith(call: Call, given: Given): Promise<Reply> {
  const projects = await findProjects(call.db, await projectIdsWith(call.db, given));
  return ok(wrapped(call, 'projects', projects.map((project) => projectView(call, project)))); // prettier-ignore
}

/** PUT /v3/OS-EP-FILTER/projects/{project_id}/endpoints/{endpoint_id} */
export async function addEndpoint(call: Call): Promise<Reply> {
  allow(call, 'add_endpoint_to_project');
  const given = { endpointId: await endpointId(call) };
  return give(call, await projectId(call), given, 'project_endpoint');
}

/** GET /v3/OS-EP-FILTER/projects/{project_id}/endpoints/{endpoint_id} */
export async function checkEndpoint(call: Call): Promise<Reply> {
  allow(call, 'check_endpoint_in_project');
  const given = { endpointId: await endpointId(call) };
  if (!(await hasProject(call.db, await projectId(call), given))) throw noEndpoint(call);
  return noContent();
}

/** DELETE /v3/OS-EP-FILTER/projects/{project_id}/endpoints/{endpoint_id} */
export async function removeEndpoint(call: Call): Promise<Reply> {
  allow(call, 'remove_endpoint_from_project');
  const { project_id: id, endpoint_id: endpoint } = call.params as { project_id: string; endpoint_id: string };
  if (!(await takeFromProject(call.db, id, { endpointId: endpoint }))) throw noEndpoint(call);
  return noContent();
}

/** PUT /v3/OS-EP-FILTER/endpoint_groups/{endpoint_group_id}/projects/{project_id} */
export async function addGroup(call: Call): Promise<Reply> {
  allow(call, 'add_endpoint_group_to_project');
  const id = await projectId(call);
  return give(call, id, { groupId: await groupId(call) }, 'project_endpoint_group');
}

/** GET /v3/OS-EP-FILTER/endpoint_groups/{endpoint_group_id}/projects/{project_id} */
export async function showGroup(call: Call): Promise<Reply> {
  allow(call, 'get_endpoint_group_in_project');
  const project = await projectId(call);
  const group = await groupId(call);
  if (!(await hasProject(call.db, project, { groupId: group }))) throw noGroup();
  // Upstream: the link has no host.
  const links = { self: `/OS-EP-FILTER/endpoint_groups/${group}/projects/${project}` };
  return ok({ project_endpoint_group: { endpoint_group_id: group, project_id: project, links } });
}

/** DELETE /v3/OS-EP-FILTER/endpoint_groups/{endpoint_group_id}/projects/{project_id} */
export async function removeGroup(call: Call): Promise<Reply> {
  allow(call, 'remove_endpoint_group_from_project');
  const project = await projectId(call);
  if (!(await takeFromProject(call.db, project, { groupId: await groupId(call) }))) throw noGroup();
  return noContent();
}

async function give(call: Call, project: string, given: Given, type: string): Promise<Reply> {
  try {
    await giveProject(call.db, project, given);
  } catch (error) {
    throw isDuplicate(error) ? conflict(`Conflict occurred attempting to store ${type} - Duplicate entry.`) : error;
  }
  return noContent();
}

const noEndpoint = ({ params }: Call) =>
  notFound(`Endpoint ${params['endpoint_id']} not found in project ${params['project_id']}`);
const noGroup = () => notFound('Endpoint Group Project Association not found');

async function projectId(call: Call): Promise<string> {
  const id = call.params['project_id']!;
  return found(await findProject(call.db, id), 'project', id).id;
}

async function endpointId(call: Call): Promise<string> {
  const id = call.params['endpoint_id']!;
  return found(await findEndpoint(call.db, id), 'endpoint', id).id;
}

async function groupId(call: Call): Promise<string> {
  const id = call.params['endpoint_group_id']!;
  return found(await findEndpointGroup(call.db, id), 'endpointGroup', id).id;
}
