// The users of services, such as `blazar` and `senlin`, which services use to call other services.
import { bumpAuthRevision } from '../../../../kernel/db/state.ts';
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

/** The id of the user, if it exists and has all of its roles. */
export async function findServiceUser(db: Db, name: string): Promise<string | undefined> {
  const user = await findUserByName(db, name, defaultDomainId);
  if (!user) return undefined;
  const { wanted, missing } = await assignmentsOf(db, user.id);
  return wanted.length === serviceRoles.length && !missing.length ? user.id : undefined;
}

/**
 * Ensures that the user exists, in the default domain and without a password, and has its roles, if
 * the project and the roles exist. @returns its id
 */
export async function ensureServiceUser(db: Db, name: string): Promise<string> {
  const existing = await findUserByName(db, name, defaultDomainId);
  if (!existing) await ensureUsers(db, [serviceUserNamed(name)]);
  const id = existing?.id ?? seededId('user', name);
  const { missing } = await assignmentsOf(db, id);
  if (missing.length) await ensureAssignments(db, missing);
  if (!existing || missing.length) await bumpAuthRevision(db);
  return id;
}

/** The assignments that a service's user should have, and those of them that it does not have. */
interface ServiceAssignments {
  readonly wanted: readonly Assignment[];
  readonly missing: readonly Assignment[];
}

async function assignmentsOf(db: Db, userId: string): Promise<ServiceAssignments> {
  const project = await findProjectByName(db, 'service', defaultDomainId);
  if (!project) return { wanted: [], missing: [] };
  const target = {
    actorType: 'user',
    actorId: userId,
    targetType: 'project',
    targetId: project.id,
    inherited: false,
  } as const;
  const wanted = (await listRoles(db))
    .filter(({ domainId, name }) => domainId === null && serviceRoles.includes(name))
    .map(({ id }) => ({ ...target, roleId: id }));
  const assigned = await listAssignments(db, target);
  const missing = wanted.filter(({ roleId }) => !assigned.some((one) => one.roleId === roleId));
  return { wanted, missing };
}

const serviceUserNamed = (name: string): User => ({
  ...blankUser,
  id: seededId('user', name),
  name,
  domainId: defaultDomainId,
});
