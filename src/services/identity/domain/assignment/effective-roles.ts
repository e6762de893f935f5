// The effective roles of a user in a scope: those that a token for it carries.
import { listAssignments } from '../../store/assignment/assignments.ts';
import { listImplications, listRoles } from '../../store/assignment/roles.ts';
import { groupIdsOf } from '../../store/identity/groups.ts';
import type { Assignment, Implication, Role, Scope } from '../../model.ts';
import { ancestors } from '../resource/project-tree.ts';
import { effectiveRoles, impliedBy } from './assignments.ts';
import type { Db } from '../../../../kernel/db/database.ts';

/**
 * The roles of a user in a scope, with implied ones, ordered by name; an empty list where the user
 * has no access.
 */
export async function rolesInScope(db: Db, userId: string, scope: Scope): Promise<Role[]> {
  const assignments = await assignmentsInScope(db, userId, scope);
  if (!assignments.length) return [];
  return effectiveRoles(
    assignments.map((one) => one.roleId),
    await listRoles(db),
    await listImplications(db),
  );
}

/** The ids of all roles of a user in a scope, with implied ones and domain-specific ones. */
export async function roleIdsInScope(db: Db, userId: string, scope: Scope): Promise<Set<string>> {
  const direct = (await assignmentsInScope(db, userId, scope)).map((one) => one.roleId);
  return withImplied(direct, await listImplications(db));
}

/** The roles with all that they imply. */
export const withImplied = (
  roleIds: readonly string[],
  implications: readonly Implication[],
): Set<string> =>
  new Set(
    roleIds.flatMap((id) => [id, ...impliedBy(id, implications).map((step) => step.impliedId)]),
  );

/**
 * The assignments of the user and of the user's groups that hold in the scope, inherited ones
 * included.
 */
async function assignmentsInScope(db: Db, userId: string, scope: Scope): Promise<Assignment[]> {
  const groupIds = await groupIdsOf(db, userId);
  const all = (await listAssignments(db, { actorId: [userId, ...groupIds] })).filter((one) =>
    one.actorType === 'user' ? one.actorId === userId : groupIds.includes(one.actorId),
  );
  if (scope.kind === 'system') return all.filter((one) => one.targetType === 'system');
  const direct = all.filter(
    (one) => one.targetType === scope.kind && one.targetId === scope.id && !one.inherited,
  );
  if (scope.kind === 'domain') return direct;
  const inherited = all.filter((one) => one.inherited);
  if (!inherited.length) return direct;
  const above = new Set((await ancestors(db, scope.id)).map((project) => project.id));
  return [...direct, ...inherited.filter((one) => above.has(one.targetId))];
}
