// Associations of endpoints and endpoint groups with projects. Upstream:
// keystone/api/os_ep_filter.py.
import { noContent, ok } from '../../../../kernel/http/reply.ts';
import {
  associateWithProject,
  checkAssociation,
  deleteAssociation,
  endpointsForProject,
} from '../../domain/catalog/endpoint-filters.ts';
import type { FilteredEndpoints } from '../../model.ts';
import { found } from '../../domain/refusals.ts';
import {
  associatedGroups,
  associatedProjectIds,
  findEndpointGroup,
} from '../../store/catalog/endpoint-filters.ts';
import { findEndpoint } from '../../store/catalog/endpoints.ts';
import { findProject, findProjects } from '../../store/resource/projects.ts';
import { endpointGroupView } from '../../views/catalog/endpoint-groups.ts';
import { endpointView } from '../../views/catalog/endpoints.ts';
import { wrapped } from '../../views/links.ts';
import { projectView } from '../../views/resource/projects.ts';
import { enforce } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

/** GET /v3/OS-EP-FILTER/projects/{project_id}/endpoints */
export async function listEndpoints(call: Call): Promise<Reply> {
  enforce(call, 'list_endpoints_for_project');
  const endpoints = await endpointsForProject(call.db, await projectId(call));
  return ok(
    wrapped(
      call,
      'endpoints',
      endpoints.map((endpoint) => endpointView(call, endpoint)),
    ),
  );
}

/** GET /v3/OS-EP-FILTER/projects/{project_id}/endpoint_groups */
export async function listGroups(call: Call): Promise<Reply> {
  enforce(call, 'list_endpoint_groups_for_project');
  const groups = await associatedGroups(call.db, await projectId(call));
  return ok(
    wrapped(
      call,
      'endpoint_groups',
      groups.map((group) => endpointGroupView(call, group)),
    ),
  );
}

/** GET /v3/OS-EP-FILTER/endpoints/{endpoint_id}/projects */
export async function listProjectsOfEndpoint(call: Call): Promise<Reply> {
  enforce(call, 'list_projects_for_endpoint');
  return associatedProjects(call, { endpointId: await endpointId(call) });
}

/**
 * GET /v3/OS-EP-FILTER/endpoint_groups/{endpoint_group_id}/projects; an empty list for an unknown
 * group, as upstream.
 */
export async function listProjectsOfGroup(call: Call): Promise<Reply> {
  enforce(call, 'list_projects_associated_with_endpoint_group');
  return associatedProjects(call, { groupId: call.params['endpoint_group_id']! });
}

async function associatedProjects(call: Call, endpoints: FilteredEndpoints): Promise<Reply> {
  const projects = await findProjects(call.db, await associatedProjectIds(call.db, endpoints));
  return ok(
    wrapped(
      call,
      'projects',
      projects.map((project) => projectView(call, project)),
    ),
  );
}

/** PUT /v3/OS-EP-FILTER/projects/{project_id}/endpoints/{endpoint_id} */
export async function addEndpoint(call: Call): Promise<Reply> {
  enforce(call, 'add_endpoint_to_project');
  const endpoint = { endpointId: await endpointId(call) };
  await associateWithProject(call, await projectId(call), endpoint);
  return noContent();
}

/** GET /v3/OS-EP-FILTER/projects/{project_id}/endpoints/{endpoint_id} */
export async function checkEndpoint(call: Call): Promise<Reply> {
  enforce(call, 'check_endpoint_in_project');
  const endpoint = { endpointId: await endpointId(call) };
  await checkAssociation(call, await projectId(call), endpoint);
  return noContent();
}

/** DELETE /v3/OS-EP-FILTER/projects/{project_id}/endpoints/{endpoint_id} */
export async function removeEndpoint(call: Call): Promise<Reply> {
  enforce(call, 'remove_endpoint_from_project');
  const { project_id: id, endpoint_id: endpoint } = call.params as {
    project_id: string;
    endpoint_id: string;
  };
  await deleteAssociation(call, id, { endpointId: endpoint });
  return noContent();
}

/** PUT /v3/OS-EP-FILTER/endpoint_groups/{endpoint_group_id}/projects/{project_id} */
export async function addGroup(call: Call): Promise<Reply> {
  enforce(call, 'add_endpoint_group_to_project');
  const id = await projectId(call);
  await associateWithProject(call, id, { groupId: await groupId(call) });
  return noContent();
}

/** GET /v3/OS-EP-FILTER/endpoint_groups/{endpoint_group_id}/projects/{project_id} */
export async function showGroup(call: Call): Promise<Reply> {
  enforce(call, 'get_endpoint_group_in_project');
  const project = await projectId(call);
  const group = await groupId(call);
  await checkAssociation(call, project, { groupId: group });
  // Upstream: the link has no host.
  const links = { self: `/OS-EP-FILTER/endpoint_groups/${group}/projects/${project}` };
  return ok({ project_endpoint_group: { endpoint_group_id: group, project_id: project, links } });
}

/** DELETE /v3/OS-EP-FILTER/endpoint_groups/{endpoint_group_id}/projects/{project_id} */
export async function removeGroup(call: Call): Promise<Reply> {
  enforce(call, 'remove_endpoint_group_from_project');
  const project = await projectId(call);
  await deleteAssociation(call, project, { groupId: await groupId(call) });
  return noContent();
}

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
  return found(await findEndpointGroup(call.db, id), 'endpoint_group', id).id;
}
