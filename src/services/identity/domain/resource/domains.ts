// Creates, updates and deletes domains, which are projects that act as one. Upstream:
// keystone/api/domains.py and resource/core.py.
import { bumpAuthRevision } from '../../../../kernel/db/state.ts';
import { badRequest, forbidden } from '../../../../kernel/errors.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import { deleteRolesOfDomain } from '../../store/assignment/roles.ts';
import { listGroups } from '../../store/identity/groups.ts';
import { listUsers } from '../../store/identity/users.ts';
import { listProjects } from '../../store/resource/projects.ts';
import { optionalText, type Fields } from '../attributes.ts';
import { discardIdentityProvidersOf } from '../federation/removal.ts';
import { discardGroup } from '../identity/groups.ts';
import { discardUser } from '../identity/users.ts';
import type { Project } from '../../model.ts';
import { refuseImmutable } from '../refusals.ts';
import { childrenOf, subtree } from './project-tree.ts';
import {
  createProject,
  discardProject,
  newProject,
  refuseReservedName,
  updateProject,
} from './projects.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { Context } from '../../../../kernel/model.ts';

/** Creates a domain. @throws 400, 409 */
export async function createDomain(
  context: Context,
  { explicit_domain_id: id, ...fields }: Fields,
): Promise<Project> {
  if (id !== undefined && !/^[0-9a-f]{32}$/.test(id as string))
    throw badRequest('Domain ID does not conform to required UUID format.');
  const top = { isDomain: true, domainId: null, parentId: null };
  const domain = newProject(fields, (id as string | undefined) ?? newHexId(), top);
  await createProject(context, domain);
  return domain;
}

/** Updates a domain. @throws 400, 403, 409 */
export function updateDomain(context: Context, domain: Project, fields: Fields): Promise<Project> {
  refuseReservedName({ id: domain.id, name: optionalText(fields, 'name') ?? '' });
  return updateProject(context, domain, fields);
}

/**
 * Deletes a domain with its identity providers, users, groups, roles and projects.
 * @throws 403 while it is enabled, or if a project is immutable
 */
export async function deleteDomain(context: Context, domain: Project): Promise<void> {
  const { db } = context;
  if (domain.options['immutable']) throw refuseImmutable('domain', domain.id, 'delete');
  if (domain.enabled)
    throw forbidden('Cannot delete a domain that is enabled, please disable it first.');
  const immutable = (await projectsOf(db, domain.id)).find(
    (project) => project.options['immutable'],
  );
  if (immutable) throw refuseImmutable('project', immutable.id, 'delete');
  await discardDomain(context, domain.id);
  await bumpAuthRevision(db);
}

/** The projects of a domain, those below others first. */
const projectsOf = async (db: Db, id: string): Promise<Project[]> =>
  subtree(id, childrenOf(await listProjects(db, { domainId: id }))).toReversed();

/**
 * Deletes a domain with its identity providers, users, groups, roles and projects.
 * @returns how many of each
 */
export async function discardDomain(context: Context, id: string): Promise<Record<string, number>> {
  const { db } = context;
  await discardIdentityProvidersOf(context, id);
  const projects = await projectsOf(db, id);
  for (const project of projects) await discardProject(context, project.id);
  const groups = await listGroups(db, { domainId: id });
  for (const group of groups) await discardGroup(context, group.id);
  const users = await listUsers(db, { domainId: id });
  for (const user of users) await discardUser(context, user.id);
  await deleteRolesOfDomain(db, id);
  await discardProject(context, id);
  return { projects: projects.length, groups: groups.length, users: users.length, domains: 1 };
}
