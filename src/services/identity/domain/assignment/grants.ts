// Grants and revokes roles of a user or a group on a project, a domain or the system.
import { bumpAuthRevision } from '../../../../kernel/db/state.ts';
import { badRequest, notFound } from '../../../../kernel/errors.ts';
import { deleteApplicationCredentialsOf } from '../../store/application-credential/application-credentials.ts';
import {
  deleteAssignment,
  ensureAssignments,
  hasAssignment,
  listAssignments,
} from '../../store/assignment/assignments.ts';
import { listRoles } from '../../store/assignment/roles.ts';
import type { Assignment, Project, Role } from '../../model.ts';
import { forbiddenWithoutReason } from '../refusals.ts';
import type { Context } from '../../../../kernel/model.ts';

/**
 * The roles that an actor has on a target, either directly or inherited, as `grant` says. The role
 * in `grant` is ignored.
 */
export async function listGrantedRoles({ db }: Context, grant: Assignment): Promise<Role[]> {
  const { actorType, actorId, targetType, targetId, inherited } = grant;
  const assignments = await listAssignments(db, {
    actorType,
    actorId,
    targetType,
    targetId,
    inherited,
  });
  const ids = new Set(assignments.map((assignment) => assignment.roleId));
  return (await listRoles(db)).filter((role) => ids.has(role.id));
}

/** @throws 404 if the role is not granted */
export async function checkGrant({ db }: Context, grant: Assignment): Promise<void> {
  if (!(await hasAssignment(db, grant))) throw grantNotFound(grant);
}

/**
 * Grants a role; does nothing if it is already granted. `target` is the project or domain.
 * @throws 400, 403
 */
export async function createGrant(
  { db }: Context,
  grant: Assignment,
  role: Role,
  target: Project | undefined,
): Promise<void> {
  if (grant.targetType === 'system' && role.domainId !== null) {
    throw badRequest(
      `Role ${role.id} is a domain-specific role. Unable to use a domain-specific ` +
        'role in a system assignment.',
    );
  }
  if (
    grant.targetType === 'project' &&
    role.domainId !== null &&
    target!.domainId !== role.domainId
  )
    throw forbiddenWithoutReason();
  await ensureAssignments(db, [grant]);
  await bumpAuthRevision(db);
}

/**
 * Revokes a role. Deletes the user's application credentials for the project, as upstream.
 * @throws 404
 */
export async function revokeGrant({ db }: Context, grant: Assignment): Promise<void> {
  if (!(await deleteAssignment(db, grant))) throw grantNotFound(grant);
  if (grant.actorType === 'user' && grant.targetType === 'project')
    await deleteApplicationCredentialsOf(db, grant.actorId, grant.targetId);
  await bumpAuthRevision(db);
}

const grantNotFound = ({ roleId, actorId, targetId }: Assignment) =>
  notFound(
    `Could not find role assignment with role: ${roleId}, user or group: ` +
      `${actorId}, project, domain, or system: ${targetId}.`,
  );
