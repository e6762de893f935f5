// The tags of a project.
import { noContent, ok, reply } from '../../../../kernel/http/reply.ts';
import { addTag, checkTag, removeTag, replaceTags } from '../../domain/resource/project-tags.ts';
import { linkTo, linkToSelf } from '../../views/links.ts';
import { findAuthorized } from './projects.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

const tagsReply = (call: Call, tags: readonly string[]): Reply =>
  ok({ tags, links: { self: linkToSelf(call) } });

/** GET /v3/projects/{project_id}/tags */
export async function list(call: Call): Promise<Reply> {
  return tagsReply(call, (await findAuthorized(call, 'list_project_tags')).tags);
}

/** PUT /v3/projects/{project_id}/tags */
export async function update(call: Call): Promise<Reply> {
  const project = await findAuthorized(call, 'update_project_tags');
  return tagsReply(call, await replaceTags(call, project, (call.body as { tags: string[] }).tags));
}

/** DELETE /v3/projects/{project_id}/tags */
export async function remove(call: Call): Promise<Reply> {
  await replaceTags(call, await findAuthorized(call, 'delete_project_tags'), []);
  return noContent();
}

/** GET and HEAD /v3/projects/{project_id}/tags/{value} */
export async function showOne(call: Call): Promise<Reply> {
  checkTag(await findAuthorized(call, 'get_project_tag'), call.params['value']!);
  return noContent();
}

/** PUT /v3/projects/{project_id}/tags/{value} */
export async function createOne(call: Call): Promise<Reply> {
  const project = await findAuthorized(call, 'create_project_tag');
  const tag = call.params['value']!;
  await addTag(call, project, tag);
  // Upstream leaves "projects" out of the location.
  return reply(201, '', {
    location: linkTo(call, `${project.id}/tags/${encodeURIComponent(tag)}`),
    'content-type': 'text/html; charset=utf-8',
  });
}

/** DELETE /v3/projects/{project_id}/tags/{value} */
export async function removeOne(call: Call): Promise<Reply> {
  await removeTag(call, await findAuthorized(call, 'delete_project_tag'), call.params['value']!);
  return noContent();
}
