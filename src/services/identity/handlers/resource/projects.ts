// Projects: listed, shown, created, updated and deleted.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import { projectsOfUser } from '../../domain/assignment/user-projects.ts';
import { booleanOf, normalized, refuseMove } from '../../domain/attributes.ts';
import type { Project } from '../../model.ts';
import { found } from '../../domain/refusals.ts';
import { deleteDomain } from '../../domain/resource/domains.ts';
import { tagsMatch } from '../../domain/resource/project-tags.ts';
import {
  createProject,
  deleteProject,
  newProject,
  updateProject,
} from '../../domain/resource/projects.ts';
import { findUser } from '../../store/identity/users.ts';
import { findProject, listProjects } from '../../store/resource/projects.ts';
import { projectView } from '../../views/resource/projects.ts';
import { isTrueFilter, listReply } from '../lists.ts';
import { allow, bodyOf, domainScope, homeDomain, inDomainScope } from '../requests.ts';
import { relatives } from './project-relatives.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

const filters = ['domain_id', 'enabled', 'name', 'parent_id', 'is_domain'];

/** GET /v3/projects */
export async function list(call: Call): Promise<Reply> {
  const { query } = call;
  allow(call, 'list_projects', { domainId: domainScope(call) });
  const isDomain = query.last('is_domain');
  const filter = {
    name: query.last('name'),
    domainId: query.last('domain_id'),
    isDomain: isDomain === undefined ? false : isTrueFilter(isDomain),
  };
  const projects = (await listProjects(call.db, filter)).filter((project) =>
    tagsMatch(project.tags, query),
  );
  const visible = inDomainScope(call, projects, (project) => project.domainId);
  return listReply(
    call,
    'projects',
    visible.map((project) => projectView(call, project)),
    filters,
  );
}

/** GET /v3/users/{user_id}/projects */
export async function listOfUser(call: Call): Promise<Reply> {
  const id = call.params['user_id']!;
  const user = await findUser(call.db, id);
  allow(call, 'list_user_projects', { user });
  const projects = await projectsOfUser(call.db, found(user, 'user', id).id);
  return listReply(
    call,
    'projects',
    projects.map((project) => projectView(call, project)),
    ['domain_id', 'enabled', 'name'],
  );
}

/** POST /v3/projects */
export async function create(call: Call): Promise<Reply> {
  const fields = normalized(bodyOf(call, 'project'));
  allow(call, 'create_project', {
    project: { id: '', domainId: (fields['domain_id'] as string | undefined) ?? null },
  });
  const isDomain = booleanOf(fields['is_domain'] ?? false);
  const domainId = isDomain
    ? null
    : ((fields['domain_id'] as string | null | undefined) ?? homeDomain(call));
  const parentId = (fields['parent_id'] as string | null | undefined) ?? domainId;
  const project = newProject(fields, newHexId(), { isDomain, domainId, parentId });
  await createProject(call, project);
  return created({ project: projectView(call, project) });
}

/** GET /v3/projects/{project_id} */
export async function show(call: Call): Promise<Reply> {
  const project = await target(call, 'get_project');
  return ok({ project: { ...projectView(call, project), ...(await relatives(call, project)) } });
}

/** PATCH /v3/projects/{project_id} */
export async function update(call: Call): Promise<Reply> {
  const project = await target(call, 'update_project');
  const fields = bodyOf(call, 'project');
  refuseMove(fields, project);
  return ok({ project: projectView(call, await updateProject(call, project, fields)) });
}

/** DELETE /v3/projects/{project_id}; a project that acts as a domain is deleted as one. */
export async function remove(call: Call): Promise<Reply> {
  const project = await target(call, 'delete_project');
  await (project.isDomain ? deleteDomain(call, project) : deleteProject(call, project));
  return noContent();
}

/**
 * The project in the path. Policy is enforced before a project that does not exist is a 404, as
 * upstream.
 */
export async function target(call: Call, rule: string): Promise<Project> {
  const id = call.params['project_id']!;
  const project = await findProject(call.db, id);
  allow(call, rule, { project });
  return found(project, 'project', id);
}
