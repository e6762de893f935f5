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

/** Whether the tags match `tags`, `tags-any`, `not-tags` and `not-tags-any` in the query. */
export function tagsMatch(tags: readonly string[], query: Query): boolean {
  const listIn = (name: string): string[] | undefined => query.first(name)?.split(',');
  const all = (names: readonly string[]): boolean => names.every((name) => tags.includes(name));
  const any = (names: readonly string[]): boolean => names.some((name) => tags.includes(name));
  const checks: [string[] | undefined, (names: readonly string[]) => boolean][] = [
    [listIn('tags'), all],
    [listIn('tags-any'), any],
    [listIn('not-tags'), (names) => !all(names)],
    [listIn('not-tags-any'), (names) => !any(names)],
  ];
  return checks.every(([names, test]) => names === undefined || test(names));
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
