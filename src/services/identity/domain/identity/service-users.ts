// The users of services, such as `blazar` and `senlin`, which services use to call other services.
import { ensureAssignments, listAssignments } from '../../store/assignment/assignments.ts';
import { listRoles } from '../../store/assignment/roles.ts';
import { ensureUsers, findUserByName } from '../../store/identity/users.ts';
import { findProjectByName } from '../../store/resource/projects.ts';
import type { Assignment, User } from '../../model.ts';
import { defaultDomainId, seededId } from '../seeded-ids.ts';
import { blankUser } from './blank-user.ts';
import type { Db } from '../../../../kernel/db/database.ts';

/** The roles of a service's user on the project `service`. */
const serviceRoles = ['admin', 'service'];

/**
 * Ensures that the user exists, in the default domain and without a password, and has its roles, if
 * the project and the roles exist.
 */
export async function ensureServiceUser(
  db: Db,
  name: string,
): Promise<{ readonly id: string; readonly isChanged: boolean }> {
  const existing = await findUserByName(db, name, defaultDomainId);
  if (!existing) await ensureUsers(db, [serviceUserNamed(name)]);
  const id = existing?.id ?? seededId('user', name);
  const missing = await missingAssignments(db, id);
  if (missing.length) await ensureAssignments(db, missing);
  return { id, isChanged: !existing || missing.length > 0 };
}

async function missingAssignments(db: Db, userId: string): Promise<Assignment[]> {
  const project = await findProjectByName(db, 'service', defaultDomainId);
  if (!project) return [];
  const target = {
    actorType: 'user',
    actorId: userId,
    targetType: 'project',
    targetId: project.id,
    inherited: false,
  } as const;
  const roles = (await listRoles(db)).filter(
    (role) => role.domainId === null && serviceRoles.includes(role.name),
  );
  const assigned = await listAssignments(db, {
    actorId: userId,
    targetType: 'project',
    targetId: project.id,
    inherited: false,
  });
  return roles
    .filter((role) => !assigned.some((assignment) => assignment.roleId === role.id))
    .map((role) => ({ ...target, roleId: role.id }));
}

const serviceUserNamed = (name: string): User => ({
  ...blankUser,
  id: seededId('user', name),
  name,
  domainId: defaultDomainId,
});
