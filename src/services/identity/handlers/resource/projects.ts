// Projects: what things belong to.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import { isDuplicate } from '../../../../kernel/db/errors.ts';
import { bumpAuthRevision } from '../../../../kernel/db/state.ts';
import { badRequest, forbidden } from '../../../../kernel/fault.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import { checkEnabled, checkImmutable, checkPlace, projectTaken, removeProject } from '../../domain/resource/projects.ts';
import { projectsOf } from '../../domain/assignment/user-projects.ts';
import type { Project } from '../../domain/records.ts';
import { found } from '../../domain/refusals.ts';
import { tagsMatch } from '../../domain/resource/project-tags.ts';
import { findProject, insertProject, listProjects, updateProject } from '../../store/resource/projects.ts';
import { findUser } from '../../store/identity/users.ts';
import { isTrue, listReply } from '../../views/links.ts';
import { projectView } from '../../views/resource/projects.ts';
import { relatives } from './project-relatives.ts';
import {
  allow,
  bodyOf,
  domainScope,
  extraOf,
  type Fields,
  homeDomain,
  inDomainScope,
  mergedOptions,
  normalized,
  refuseMove,
  textOf,
  truth,
} from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts'; // prettier-ignore

const known = [
  'id',
  'name',
  'domain_id',
  'parent_id',
  'is_domain',
  'enabled',
  'description',
  'tags',
  'options',
  'links',
  'parents',
  'subtree',
];
const filters = ['domain_id', 'enabled', 'name', 'parent_id', 'is_domain'];

/** GET /v3/projects */
export async function list(call: Call): Promise<Reply> {
  const { query } = call;
  allow(call, 'list_projects', { domainId: domainScope(call) });
  const asked = query.last('is_domain');
  const filter = {
    name: query.last('name'),
    domainId: query.last('domain_id'),
    isDomain: asked === undefined ? false : isTrue(asked),
  };
  const projects = (await listProjects(call.db, filter)).filter((project) => tagsMatch(project.tags, query));
  const shown = inDomainScope(call, projects, (project) => project.domainId);
  return listReply(
    call,
    'projects',
    shown.map((project) => projectView(call, project)),
    filters,
  );
}

/** GET /v3/users/{user_id}/projects */
export async function listOfUser(call: Call): Promise<Reply> {
  const id = call.params['user_id']!;
  const user = await findUser(call.db, id);
  allow(call, 'list_user_projects', { user });
  const projects = await projectsOf(call.db, found(user, 'user', id).id);
  return listReply(
    call,
    'projects',
    projects.map((project) => projectView(call, project)),
    ['domain_id', 'enabled', 'name'],
  );
}

/** POST /v3/projects */
export async function create(call: Call): Promise<Reply> {
  const given = bodyOf(call, 'project');
  allow(call, 'create_project', { project: { id: '', domainId: (given['domain_id'] as string | undefined) ?? null } });
  const fields = normalized(given);
  const isDomain = truth(fields['is_domain'] ?? false);
  const domainId = isDomain ? null : ((fields['domain_id'] as string | null | undefined) ?? homeDomain(call));
  const project = newProject(fields, newHexId(), {
    isDomain,
    domainId,
    parentId: (fields['parent_id'] as string | null | undefined) ?? domainId,
  });
  await checkPlace(call.db, project);
  await unique(project, () => insertProject(call.db, project));
  return created({ project: projectView(call, project) });
}

/** A project as the fields of a body make it. */
export function newProject(fields: Fields, id: string, place: Pick<Project, 'isDomain' | 'domainId' | 'parentId'>): Project {
  return {
    ...place,
    id,
    name: textOf(fields, 'name').trim(),
    enabled: truth(fields['enabled'] ?? true),
    description: 'description' in fields ? (fields['description'] as string | null) : '',
    tags: trimmed((fields['tags'] ?? []) as string[]),
    options: mergedOptions({}, fields['options']),
    extra: extraOf(fields, known),
    tokenEpoch: 0,
  };
}

const trimmed = (tags: readonly string[]): string[] => [...new Set(tags.map((tag) => tag.trim()))];

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
  const next = await changeProject(call, project, fields);
  return ok({ project: projectView(call, next) });
}

/** Changes a project or a domain; being disabled ends the tokens that rest on it. */
export async function changeProject(call: Call, project: Project, fields: Fields): Promise<Project> {
  checkImmutable(project.isDomain ? 'domain' : 'project', project, fields);
  if ('parent_id' in fields && fields['parent_id'] !== project.parentId) throw forbidden('Update of `parent_id` is not allowed.');
  if ('is_domain' in fields && truth(fields['is_domain']) !== project.isDomain)
    throw badRequest('Update of `is_domain` is not allowed.');
  const enabled = 'enabled' in fields ? truth(fields['enabled']) : project.enabled;
  await checkEnabled(call.db, project, enabled);
  const next: Project = {
    ...project,
    enabled,
    name: 'name' in fields ? textOf(fields, 'name').trim() : project.name,
    description: 'description' in fields ? (fields['description'] as string | null) : project.description,
    tags: 'tags' in fields ? trimmed(fields['tags'] as string[]) : project.tags,
    options: mergedOptions(project.options, fields['options']),
    extra: { ...project.extra, ...extraOf(fields, known) },
    tokenEpoch: project.tokenEpoch + Number(project.enabled && !enabled),
  };
  await unique(next, () => updateProject(call.db, next));
  await bumpAuthRevision(call.db);
  return next;
}

/** DELETE /v3/projects/{project_id} */
export async function remove(call: Call): Promise<Reply> {
  await removeProject(call.db, await target(call, 'delete_project'));
  await bumpAuthRevision(call.db);
  return noContent();
}

/** The project that the path names, once policy has been asked about it. */
export async function target(call: Call, rule: string): Promise<Project> {
  const id = call.params['project_id']!;
  const project = await findProject(call.db, id);
  allow(call, rule, { project });
  return found(project, 'project', id);
}

/** @throws 409 where the name is taken */
export async function unique(project: Project, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw isDuplicate(error) ? projectTaken(project) : error;
  }
}
