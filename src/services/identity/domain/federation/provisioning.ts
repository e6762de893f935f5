// Creates the projects of a mapping, and gives the user its roles on them. Upstream:
// keystone/auth/plugins/mapped.py.
import { forbidden } from '../../../../kernel/errors.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import {
  deleteAssignment,
  ensureAssignments,
  listAssignments,
} from '../../store/assignment/assignments.ts';
import { listRoles } from '../../store/assignment/roles.ts';
import { findProjectByName } from '../../store/resource/projects.ts';
import type { Assignment, IdentityProvider, Mapping, Role, User } from '../../model.ts';
import { missing } from '../refusals.ts';
import { createProject, newProject } from '../resource/projects.ts';
import { mappedDomainId } from './domains.ts';
import type { MappedProject } from './mapped-projects.ts';
import type { Mapped } from './mapping-engine.ts';
import type { NamedUser } from './shadow-users.ts';

interface Provisioning {
  readonly user: User;
  readonly named: NamedUser;
  readonly mapped: Mapped;
  readonly mapping: Mapping;
  readonly provider: IdentityProvider;
}

/**
 * Creates projects that do not exist, and the user's assignments on all of them. From version 3.0
 * on, the user loses its other assignments on projects.
 * @throws 403 for a role of another domain, 404 for an unknown role or domain
 */
export async function provisionProjects(
  context: Context,
  { user, named, mapped: { projects }, mapping, provider }: Provisioning,
): Promise<void> {
  const { db } = context;
  const roles = await rolesByName(context);
  for (const name of projects.flatMap((project) => project.roles.map((role) => role.name)))
    checkRole(roles.get(name), name, named, provider);
  const wanted: Assignment[] = [];
  for (const project of projects) {
    const projectId = await idOfProject(context, project, provider);
    for (const { name } of project.roles)
      wanted.push({
        actorType: 'user',
        actorId: user.id,
        targetType: 'project',
        targetId: projectId,
        roleId: roles.get(name)!.id,
        inherited: false,
      });
  }
  if (mapping.schemaVersion === '3.0') await deleteOthers(context, user, wanted);
  await ensureAssignments(db, wanted);
}

/** All roles by their names; a global role counts before one of a domain with its name. */
async function rolesByName({ db }: Context): Promise<Map<string, Role>> {
  const roles = await listRoles(db);
  const isGlobal = ({ domainId }: Role): boolean => domainId === null;
  const sorted = [...roles.filter((role) => !isGlobal(role)), ...roles.filter(isGlobal)];
  return new Map(sorted.map((role) => [role.name, role]));
}

function checkRole(
  role: Role | undefined,
  name: string,
  { domainId }: NamedUser,
  provider: IdentityProvider,
): void {
  if (!role) throw missing('role', name);
  if (role.domainId !== null && role.domainId !== domainId)
    throw forbidden(
      `role: ${name} must be within the same domain as the identity provider: ${provider.id}.`,
    );
}

/** The id of a project of a mapping, which is created if it does not exist. */
async function idOfProject(
  context: Context,
  { name, domain }: MappedProject,
  provider: IdentityProvider,
): Promise<string> {
  const domainId = await mappedDomainId(context.db, domain, provider.domainId);
  const known = await findProjectByName(context.db, name, domainId);
  if (known) return known.id;
  const position = { isDomain: false, domainId, parentId: domainId };
  const project = newProject({ name }, newHexId(), position);
  await createProject(context, project);
  return project.id;
}

/** Deletes the user's assignments on projects that are not wanted. */
async function deleteOthers(
  { db }: Context,
  user: User,
  wanted: readonly Assignment[],
): Promise<void> {
  const keyOf = ({ targetId, roleId }: Assignment): string => `${targetId} ${roleId}`;
  const kept = new Set(wanted.map(keyOf));
  const all = await listAssignments(db, { actorType: 'user', actorId: user.id });
  for (const one of all)
    if (one.targetType === 'project' && !one.inherited && !kept.has(keyOf(one)))
      await deleteAssignment(db, one);
}
