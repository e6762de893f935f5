// Changes the tags of a project, and filters projects by them. Upstream: resource/core.py and
// resource/backends/sql.py.
import { badRequest, forbidden } from '../../../../kernel/errors.ts';
import type { Query } from '../../../../kernel/query.ts';
import { updateProject } from '../../store/resource/projects.ts';
import type { Project } from '../../model.ts';
import { missing } from '../refusals.ts';
import type { Context } from '../../../../kernel/model.ts';

/** How many tags a project may have. */
const maxTags = 80;

/** The filter that `tags`, `tags-any`, `not-tags` and `not-tags-any` in the query are. */
export function tagFilter(query: Query): (tags: readonly string[]) => boolean {
  const namesIn = (parameter: string): Set<string> | undefined =>
    query.has(parameter) ? new Set(query.first(parameter)!.split(',')) : undefined;
  const all = namesIn('tags');
  const any = namesIn('tags-any');
  const notAll = namesIn('not-tags');
  const notAny = namesIn('not-tags-any');
  // A project has few tags, the query any number of names.
  const hasAll = (tags: readonly string[], names: ReadonlySet<string>): boolean =>
    new Set(tags.filter((tag) => names.has(tag))).size === names.size;
  const hasAny = (tags: readonly string[], names: ReadonlySet<string>): boolean =>
    tags.some((tag) => names.has(tag));
  return (tags) =>
    (!all || hasAll(tags, all)) &&
    (!any || hasAny(tags, any)) &&
    (!notAll || !hasAll(tags, notAll)) &&
    (!notAny || !hasAny(tags, notAny));
}

/** Replaces all tags of a project. @throws 403 if it is immutable */
export const replaceTags = (
  context: Context,
  project: Project,
  tags: readonly string[],
): Promise<readonly string[]> =>
  storeTags(
    context,
    project,
    tags.map((tag) => tag.trim()),
    'update',
  );

/** Adds a tag. @throws 400, 403 */
export async function addTag(context: Context, project: Project, tag: string): Promise<void> {
  if (tag.length > 255 || /[,/]/.test(tag))
    throw badRequest(
      `Invalid input for field/attribute tag. Value: ${tag}. '${tag}' is not a valid tag`,
    );
  if (project.tags.includes(tag))
    throw badRequest(
      `Invalid input for field/attribute tags. Value: ${tag}. the tags have non-unique elements`,
    );
  if (project.tags.length >= maxTags)
    throw badRequest(
      `Invalid input for field/attribute tags. Value: ${tag}. the tags are too long`,
    );
  await storeTags(context, project, [...project.tags, tag.trim()], 'create');
}

/** @throws 404 if the project does not have the tag */
export function checkTag({ tags }: Project, tag: string): void {
  if (!tags.includes(tag)) throw missing('tag', tag);
}

/** Removes a tag. @throws 403, 404 */
export async function removeTag(context: Context, project: Project, tag: string): Promise<void> {
  checkTag(project, tag);
  await storeTags(
    context,
    project,
    project.tags.filter((other) => other !== tag),
    'delete',
  );
}

async function storeTags(
  { db }: Context,
  project: Project,
  tags: readonly string[],
  verb: 'create' | 'update' | 'delete',
): Promise<readonly string[]> {
  if (project.options['immutable']) {
    throw forbidden(
      `Cannot ${verb} project tags for ${project.id}, project is immutable. Set ` +
        '"immutable" option to false before creating project tags.',
    );
  }
  await updateProject(db, { ...project, tags });
  return tags;
}
