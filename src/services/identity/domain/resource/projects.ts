// Creates, updates and deletes projects, and domains as far as they are alike. Upstream:
// keystone/resource/core.py.
import { bumpAuthRevision } from '../../../../kernel/db/state.ts';
import { badRequest, conflict, ApiError, forbidden } from '../../../../kernel/errors.ts';
import { deleteAssignmentsOnTarget } from '../../store/assignment/assignments.ts';
import { deleteCredentialsOf } from '../../store/credential/credentials.ts';
import { clearDefaultProject } from '../../store/identity/users.ts';
import { deleteLimitsOf } from '../../store/limit/limits.ts';
import { deleteOAuthTokensOf } from '../../store/oauth/tokens.ts';
import * as store from '../../store/resource/projects.ts';
import { deleteTrustsForProject } from '../../store/trust/trusts.ts';
import {
  booleanOf,
  extraOf,
  mergedOptions,
  textOf,
  updatedText,
  type Fields,
} from '../attributes.ts';
import type { Project } from '../../model.ts';
import { checkImmutable, missing, refuseImmutable, refuseOnDuplicate } from '../refusals.ts';
import { loadSettings } from '../settings.ts';
import { recordRevocations } from '../auth/revocation-events.ts';
import { associateWithDefaultGroup } from '../catalog/default-endpoint-group.ts';
import { ancestors, childrenOf, subtree } from './project-tree.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { Context } from '../../../../kernel/model.ts';

const apiAttributes = [
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

/** The project or domain in a request, which is not stored yet. */
export function newProject(
  fields: Fields,
  id: string,
  position: Pick<Project, 'isDomain' | 'domainId' | 'parentId'>,
): Project {
  return {
    ...position,
    id,
    name: textOf(fields, 'name').trim(),
    enabled: booleanOf(fields['enabled'] ?? true),
    description: updatedText(fields, 'description', ''),
    tags: trimmed((fields['tags'] ?? []) as string[]),
    options: mergedOptions({}, fields['options']),
    extra: extraOf(fields, apiAttributes),
    tokenEpoch: 0,
  };
}

const trimmed = (tags: readonly string[]): string[] => [...new Set(tags.map((tag) => tag.trim()))];

/** Stores a new project or domain. @throws 400, 403 for its domain or parent, 409 */
export async function createProject(context: Context, project: Project): Promise<void> {
  const { db } = context;
  await checkParent(db, project);
  await refuseOnDuplicate(store.insertProject(db, project), () => duplicateProject(project));
  if (!project.isDomain) await associateWithDefaultGroup(context, project.id);
}

/** Checks the domain and the parent of a new project. @throws 400, 403 */
async function checkParent(db: Db, project: Project): Promise<void> {
  if (project.isDomain) {
    if (project.parentId !== null)
      throw badRequest('only root projects are allowed to act as domains.');
    return refuseReservedName(project);
  }
  const domain = await store.findProject(db, project.domainId!);
  if (!domain?.isDomain) throw badRequest(missing('domain', project.domainId!).message);
  const parent = await store.findProject(db, project.parentId!);
  if (!parent) throw badRequest(missing('project', project.parentId!).message);
  checkSameDomain(parent, domain);
  const above = [parent, ...(await ancestors(db, parent.id))];
  const disabled = above.findLast((ancestor) => !ancestor.enabled);
  if (disabled)
    throw badRequest(
      `cannot create a project in a branch containing a disabled project: ${disabled.id}`,
    );
  if (above.length > (await loadSettings({ db })).maxProjectTreeDepth)
    throw forbidden(`Max hierarchy depth reached for ${parent.id} branch.`);
}

function checkSameDomain(parent: Project, domain: Project): void {
  if (parent.isDomain && parent.id !== domain.id) {
    throw badRequest(
      `Cannot create project, the parent (${parent.id}) is acting as a domain, but ` +
        `this project's domain id (${domain.id}) does not match the parent's id.`,
    );
  }
  if (!parent.isDomain && parent.domainId !== domain.id) {
    throw badRequest(
      `Cannot create project, since it specifies its domain_id ${domain.id}, but ` +
        `specifies a parent in a different domain (${parent.domainId}).`,
    );
  }
}

/** Rejects the name of the domain that federated users would belong to. @throws 400 */
export function refuseReservedName({ id, name }: Pick<Project, 'id' | 'name'>): void {
  if (name.toLowerCase() === 'federated') throw badRequest(`Domain cannot be named ${name}`);
  if (id.toLowerCase() === 'federated') throw badRequest(`Domain cannot have ID ${id}`);
}

/** The error for a name or an id that is already in use. */
function duplicateProject(project: Project): ApiError {
  const reason = project.isDomain
    ? 'it is not permitted to have two projects acting as domains with the same ' +
      `name: ${project.name}`
    : 'it is not permitted to have two projects with either the same name or same id ' +
      `in the same domain: name is ${project.name}, project id ${project.id}`;
  return conflict(`Conflict occurred attempting to store project - ${reason}.`);
}

/**
 * Updates a project or a domain. Disabling it ends the tokens that depend on it.
 * @throws 400, 403, 409
 */
export async function updateProject(
  { db }: Context,
  project: Project,
  fields: Fields,
): Promise<Project> {
  checkImmutable(project.isDomain ? 'domain' : 'project', project, fields);
  if ('parent_id' in fields && fields['parent_id'] !== project.parentId)
    throw forbidden('Update of `parent_id` is not allowed.');
  if ('is_domain' in fields && booleanOf(fields['is_domain']) !== project.isDomain)
    throw badRequest('Update of `is_domain` is not allowed.');
  const enabled = 'enabled' in fields ? booleanOf(fields['enabled']) : project.enabled;
  await checkEnabled(db, project, enabled);
  const next: Project = {
    ...project,
    enabled,
    name: 'name' in fields ? textOf(fields, 'name').trim() : project.name,
    description: updatedText(fields, 'description', project.description),
    tags: 'tags' in fields ? trimmed(fields['tags'] as string[]) : project.tags,
    options: mergedOptions(project.options, fields['options']),
    extra: { ...project.extra, ...extraOf(fields, apiAttributes) },
    tokenEpoch: project.tokenEpoch + Number(project.enabled && !enabled),
  };
  await refuseOnDuplicate(store.updateProject(db, next), () => duplicateProject(next));
  await bumpAuthRevision(db);
  return next;
}

/**
 * Checks that a project is enabled only if all its ancestors are, and disabled only if its whole
 * subtree is.
 * @throws 403
 */
async function checkEnabled(db: Db, project: Project, enabled: boolean): Promise<void> {
  if (project.enabled === enabled || project.isDomain) return;
  if (enabled) {
    const above = await ancestors(db, project.id);
    if (above.some((ancestor) => !ancestor.enabled))
      throw forbidden(`Cannot enable project ${project.id} since it has disabled parents`);
    return;
  }
  const all = await store.listProjects(db, { domainId: project.domainId! });
  const below = subtree(project.id, childrenOf(all));
  if (below.some((descendant) => descendant.enabled)) {
    throw forbidden(
      `Cannot disable project ${project.id} since its subtree contains enabled projects.`,
    );
  }
}

/** Deletes a project without child projects. @throws 403 */
export async function deleteProject(context: Context, project: Project): Promise<void> {
  const { db } = context;
  if (project.options['immutable']) throw refuseImmutable('project', project.id, 'delete');
  if ((await store.listProjects(db, { parentId: project.id })).length) {
    throw forbidden(
      `Cannot delete the project ${project.id} since it is not a leaf in the ` +
        'hierarchy. Use the cascade option if you want to delete a whole subtree.',
    );
  }
  await discardProject(context, project.id);
  await bumpAuthRevision(db);
}

/** Deletes a project or a domain with its assignments, credentials, trusts and limits. */
export async function discardProject(context: Context, id: string): Promise<void> {
  const { db } = context;
  await deleteAssignmentsOnTarget(db, id);
  await deleteCredentialsOf(db, { projectId: id });
  await deleteTrustsForProject(db, id);
  await deleteOAuthTokensOf(db, { projectId: id });
  await deleteLimitsOf(db, id);
  await clearDefaultProject(db, id);
  await store.deleteProject(db, id);
  await recordRevocations(context, { projectId: id });
}
