// The tags of a project.
import { noContent, ok, reply } from '../../../../kernel/http/reply.ts';
import { badRequest, forbidden } from '../../../../kernel/fault.ts';
import type { Project } from '../../domain/records.ts';
import { missing } from '../../domain/refusals.ts';
import { updateProject } from '../../store/resource/projects.ts';
import { linkTo, linkToSelf } from '../../views/links.ts';
import { target } from './projects.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

const most = 80;

const tagsReply = (call: Call, tags: readonly string[]): Reply => ok({ tags, links: { self: linkToSelf(call) } });

/** GET /v3/projects/{project_id}/tags */
export async function list(call: Call): Promise<Reply> {
  const project = await target(call, 'list_project_tags');
  return tagsReply(call, project.tags);
}

/** PUT /v3/projects/{project_id}/tags */
export async function update(call: Call): Promise<Reply> {
  const project = await target(call, 'update_project_tags');
  const { tags } = call.body as { tags: string[] };
  const next = await retag(call, project, tags.map((tag) => tag.trim()), 'update'); // prettier-ignore
  return tagsReply(call, next);
}

/** DELETE /v3/projects/{project_id}/tags */
export async function remove(call: Call): Promise<Reply> {
  const project = await target(call, 'delete_project_tags');
  await retag(call, project, [], 'update');
  return noContent();
}

/** GET and HEAD /v3/projects/{project_id}/tags/{value} */
export async function showOne(call: Call): Promise<Reply> {
  const project = await target(call, 'get_project_tag');
  const tag = call.params['value']!;
  if (!project.tags.includes(tag)) throw missing('tag', tag);
  return noContent();
}

/** PUT /v3/projects/{project_id}/tags/{value} */
export async function createOne(call: Call): Promise<Reply> {
  const project = await target(call, 'create_project_tag');
  const tag = call.params['value']!;
  if (tag.length > 255 || /[,/]/.test(tag))
    throw badRequest(`Invalid input for field/attribute tag. Value: ${tag}. '${tag}' is not a valid tag`);
  if (project.tags.includes(tag))
    throw badRequest(`Invalid input for field/attribute tags. Value: ${tag}. the tags have non-unique elements`);
  if (project.tags.length >= most)
    throw badRequest(`Invalid input for field/attribute tags. Value: ${tag}. the tags are too long`);
  await retag(call, project, [...project.tags, tag.trim()], 'create');
  // Upstream leaves "projects" out of the location.
  return reply(201, '', {
    location: linkTo(call, `${project.id}/tags/${encodeURIComponent(tag)}`),
    'content-type': 'text/html; charset=utf-8',
  });
}

/** DELETE /v3/projects/{project_id}/tags/{value} */
export async function removeOne(call: Call): Promise<Reply> {
  const project = await target(call, 'delete_project_tag');
  const tag = call.params['value']!;
  const rest = project.tags.filter((one) => one !== tag);
  if (rest.length === project.tags.length) throw missing('tag', tag);
  await retag(call, project, rest, 'delete');
  return noContent();
}

async function retag(
  call: Call,
  project: Project,
  tags: readonly string[],
  verb: 'create' | 'update' | 'delete',
): Promise<readonly string[]> {
  if (project.options['immutable']) {
    throw forbidden(
      `Cannot ${verb} project tags for ${project.id}, project is immutable. Set "immutable" option to false before creating project tags.`,
    );
  }
  await updateProject(call.db, { ...project, tags });
  return tags;
}
