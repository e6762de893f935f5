// The rules for projects and domains: where they may stand, and what goes with them. Upstream: keystone/resource/core.py.
import { badRequest, conflict, Fault, forbidden } from '../../../../kernel/fault.ts';
import { deleteAssignmentsOnTarget } from '../../store/assignment/assignments.ts';
import { deleteCredentialsOf } from '../../store/credential/credentials.ts';
import { listGroups } from '../../store/identity/groups.ts';
import { deleteLimitsOf } from '../../store/limit/limits.ts';
import { deleteProject, findProject, listProjects } from '../../store/resource/projects.ts';
import { deleteRolesOfDomain } from '../../store/assignment/roles.ts';
import { deleteTrustsForProject } from '../../store/trust/trusts.ts';
import { clearDefaultProject, listUsers } from '../../store/identity/users.ts';
import { subtree } from '../assignment/assignments.ts';
import type { Project } from '../records.ts';
import { missing, refuseImmutable } from '../refusals.ts';
import { ancestors } from '../assignment/effective-roles.ts';
import { removeGroup, removeUser } from '../identity/users.ts';
import type { Db } from '../../../../kernel/db/database.ts';

/** How deep projects may stand below each other. Upstream: [DEFAULT] max_project_tree_depth. */
const deepest = 5;

/** Checks where a new project is to stand. @throws 400, 403 */
export async function checkPlace(db: Db, project: Project): Promise<void> {
  if (project.isDomain) {
    if (project.parentId !== null) throw badRequest('only root projects are allowed to act as domains.');
    return refuseReservedName(project);
  }
  const domain = await findProject(db, project.domainId!);
  if (!domain?.isDomain) throw badRequest(missing('domain', project.domainId!).message);
  const parent = await findProject(db, project.parentId!);
  if (!parent) throw badRequest(missing('project', project.parentId!).message);
  checkDomains(parent, domain);
  const above = [parent, ...(await ancestors(db, parent.id))];
  const disabled = above.findLast((one) => !one.enabled);
  if (disabled) throw badRequest(`cannot create a project in a branch containing a disabled project: ${disabled.id}`);
  if (above.length > deepest) throw forbidden(`Max hierarchy depth reached for ${parent.id} branch.`);
}

function checkDomains(parent: Project, domain: Project): void {
  if (parent.isDomain && parent.id !== domain.id) {
    throw badRequest(
      `Cannot create project, the parent (${parent.id}) is acting as a domain, but this project's domain id (${domain.id}) does not match the parent's id.`,
    );
  }
  if (!parent.isDomain && parent.domainId !== domain.id) {
    throw badRequest(
      `Cannot create project, since it specifies its domain_id ${domain.id}, but specifies a parent in a different domain (${parent.domainId}).`,
    );
  }
}

/** Users from identity providers would stand in a domain of this name. @throws 400 */
export function refuseReservedName({ id, name }: Pick<Project, 'id' | 'name'>): void {
  if (name.toLowerCase() === 'federated') throw badRequest(`Domain cannot be named ${name}`);
  if (id.toLowerCase() === 'federated') throw badRequest(`Domain cannot have ID ${id}`);
}

/** The name, or the id, is taken. */
export function projectTaken(project: Project): Fault {
  const why = project.isDomain
    ? `it is not permitted to have two projects acting as domains with the same name: ${project.name}`
    : `it is not permitted to have two projects with either the same name or same id in the same domain: name is ${project.name}, project id ${project.id}`;
  return conflict(`Conflict occurred attempting to store project - ${why}.`);
}

/** A change to a thing that says it must not be changed may only take that back. @throws 403 */
export function checkImmutable(
  type: string,
  thing: { id: string; options: object },
  fields: Readonly<Record<string, unknown>>,
): void {
  if (!('immutable' in thing.options) || !thing.options.immutable) return;
  const options = (fields['options'] ?? {}) as Record<string, unknown>;
  const takesBack = Object.keys(fields).length === 1 && 'immutable' in options && !options['immutable'];
  if (!takesBack) throw refuseImmutable(type, thing.id, 'update');
}

/** Enabling wants enabled ancestors, disabling a project disabled descendants. @throws 403 */
export async function checkEnabled(db: Db, project: Project, enabled: boolean): Promise<void> {
  if (project.enabled === enabled || project.isDomain) return;
  if (enabled) {
    const above = await ancestors(db, project.id);
    if (above.some((one) => !one.enabled)) throw forbidden(`Cannot enable project ${project.id} since it has disabled parents`);
    return;
  }
  const below = subtree(project.id, await listProjects(db, { domainId: project.domainId! }));
  if (below.some((one) => one.enabled)) {
    throw forbidden(`Cannot disable project ${project.id} since its subtree contains enabled projects.`);
  }
}

/** Deletes a project, or a domain with all that is in it. @throws 403 */
export async function removeProject(db: Db, project: Project): Promise<void> {
  if (project.isDomain) return removeDomain(db, project);
  if (project.options['immutable']) throw refuseImmutable('project', project.id, 'delete');
  if ((await listProjects(db, { parentId: project.id })).length) {
    throw forbidden(
      `Cannot delete the project ${project.id} since it is not a leaf in the hierarchy. Use the cascade option if you want to delete a whole subtree.`,
    );
  }
  await discard(db, project.id);
}

/** Deletes a domain with its users, groups, roles and projects. @throws 403 while it is enabled */
export async function removeDomain(db: Db, domain: Project): Promise<void> {
  if (domain.options['immutable']) throw refuseImmutable('domain', domain.id, 'delete');
  if (domain.enabled) throw forbidden('Cannot delete a domain that is enabled, please disable it first.');
  const projects = subtree(domain.id, await listProjects(db, { domainId: domain.id })).toReversed();
  const immutable = projects.find((project) => project.options['immutable']);
  if (immutable) throw refuseImmutable('project', immutable.id, 'delete');
  for (const project of projects) await discard(db, project.id);
  for (const group of await listGroups(db, { domainId: domain.id })) await removeGroup(db, group.id);
  for (const user of await listUsers(db, { domainId: domain.id })) await removeUser(db, user.id);
  await deleteRolesOfDomain(db, domain.id);
  await discard(db, domain.id);
}

async function discard(db: Db, id: string): Promise<void> {
  await deleteAssignmentsOnTarget(db, id);
  await deleteCredentialsOf(db, { projectId: id });
  await deleteTrustsForProject(db, id);
  await deleteLimitsOf(db, id);
  await clearDefaultProject(db, id);
  await deleteProject(db, id);
}
