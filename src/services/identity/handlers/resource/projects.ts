// Projects, and the projects of a user.
import { plainHandlers } from '../../../../kernel/http/plain-resource.ts';
import { ok } from '../../../../kernel/http/reply.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import { projectsOfUser } from '../../domain/assignment/user-projects.ts';
import {
  booleanOf,
  nullableText,
  optionalText,
  refuseIdChange,
  type Fields,
} from '../../domain/attributes.ts';
import type { Project } from '../../model.ts';
import { found } from '../../domain/refusals.ts';
import { deleteDomain } from '../../domain/resource/domains.ts';
import { tagFilter } from '../../domain/resource/project-tags.ts';
import {
  createProject,
  deleteProject,
  newProject,
  updateProject,
} from '../../domain/resource/projects.ts';
import { findUser } from '../../store/identity/users.ts';
import { findProject, listProjects } from '../../store/resource/projects.ts';
import { projectView } from '../../views/resource/projects.ts';
import { isTrueFilter, listBody } from '../lists.ts';
import { bodiesOf, ruleOf } from '../plain.ts';
import { enforce, domainScope, fallbackDomain, inDomainScope } from '../requests.ts';
import { relatives } from './project-relatives.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

/** The operations of /v3/projects. Deleting a project that acts as a domain deletes the domain. */
export const { list, show, create, update, remove } = plainHandlers<Call, Project, Fields>({
  ...bodiesOf({
    noun: 'project',
    collection: 'projects',
    filters: ['domain_id', 'enabled', 'name', 'parent_id', 'is_domain'],
    view: projectView,
  }),
  async list(call) {
    const { query } = call;
    enforce(call, 'list_projects', { domainId: domainScope(call) });
    const isDomain = query.last('is_domain');
    const filter = {
      name: query.last('name'),
      domainId: query.last('domain_id'),
      isDomain: isDomain === undefined ? false : isTrueFilter(isDomain),
    };
    const hasTags = tagFilter(query);
    const projects = (await listProjects(call.db, filter)).filter(({ tags }) => hasTags(tags));
    return inDomainScope(call, projects, (project) => project.domainId);
  },
  find: (call, operation) => findAuthorized(call, ruleOf(operation, 'project')),
  async create(call, fields) {
    enforce(call, 'create_project', {
      project: { id: '', domainId: optionalText(fields, 'domain_id') ?? null },
    });
    const isDomain = booleanOf(fields['is_domain'] ?? false);
    const domainId = isDomain ? null : (nullableText(fields, 'domain_id') ?? fallbackDomain(call));
    const parentId = nullableText(fields, 'parent_id') ?? domainId;
    const project = newProject(fields, newHexId(), { isDomain, domainId, parentId });
    await createProject(call, project);
    return project;
  },
  update(call, project, fields) {
    refuseIdChange(fields, project);
    return updateProject(call, project, fields);
  },
  remove: (call, project) =>
    project.isDomain ? deleteDomain(call, project) : deleteProject(call, project),
  body: async (call, project, operation) => ({
    project: {
      ...projectView(call, project),
      ...(operation === 'show' ? await relatives(call, project) : {}),
    },
  }),
});

/** GET /v3/users/{user_id}/projects */
export async function listOfUser(call: Call): Promise<Reply> {
  const id = call.params['user_id']!;
  const user = await findUser(call.db, id);
  enforce(call, 'list_user_projects', { user });
  const projects = await projectsOfUser(call, found(user, 'user', id).id);
  return ok(
    listBody(
      call,
      'projects',
      projects.map((project) => projectView(call, project)),
      ['domain_id', 'enabled', 'name'],
    ),
  );
}

/** The project in the path. Policy is enforced before a missing project is a 404, as upstream. */
export async function findAuthorized(call: Call, rule: string): Promise<Project> {
  const id = call.params['project_id']!;
  const project = await findProject(call.db, id);
  enforce(call, rule, { project });
  return found(project, 'project', id);
}
