// The effective roles of a user in a scope, which a token for that scope carries.
import { listAssignments } from '../../store/assignment/assignments.ts';
import { listImplications, listRoles } from '../../store/assignment/roles.ts';
import { currentGroupIds } from '../federation/memberships.ts';
import type { Assignment, Role, Scope } from '../../model.ts';
import { ancestors } from '../resource/project-tree.ts';
import { effectiveRoles, withImplied } from './assignments.ts';
import type { Context } from '../../../../kernel/model.ts';

/**
 * The roles of a user in a scope, including implied roles, ordered by name. Empty if the user has
 * no access.
 * @param federatedIds the groups that the user's token has by federation
 */
export async function rolesInScope(
  context: Pick<Context, 'db' | 'now'>,
  userId: string,
  scope: Scope,
  federatedIds: readonly string[] = [],
): Promise<Role[]> {
  const { db } = context;
  const assignments = await assignmentsInScope(context, userId, scope, federatedIds);
  if (!assignments.length) return [];
  return effectiveRoles(
    assignments.map((assignment) => assignment.roleId),
    await listRoles(db),
    await listImplications(db),
  );
}

/** The ids of all roles of a user in a scope, including implied and domain-specific roles. */
export async function roleIdsInScope(
  context: Pick<Context, 'db' | 'now'>,
  userId: string,
  scope: Scope,
): Promise<Set<string>> {
  const { db } = context;
  const direct = (await assignmentsInScope(context, userId, scope, [])).map(
    (assignment) => assignment.roleId,
  );
  return withImplied(direct, await listImplications(db));
}

/**
 * The assignments of the user and of the user's groups that apply in the scope, including inherited
 * ones.
 */
async function assignmentsInScope(
  context: Pick<Context, 'db' | 'now'>,
  userId: string,
  scope: Scope,
  federatedIds: readonly string[],
): Promise<Assignment[]> {
  const { db } = context;
  const isGroup = new Set([...(await currentGroupIds(context, userId)), ...federatedIds]);
  const all = (await listAssignments(db, { actorId: [userId, ...isGroup] })).filter((assignment) =>
    assignment.actorType === 'user'
      ? assignment.actorId === userId
      : isGroup.has(assignment.actorId),
  );
  if (scope.kind === 'system')
    return all.filter((assignment) => assignment.targetType === 'system');
  const direct = all.filter(
    (assignment) =>
      assignment.targetType === scope.kind &&
      assignment.targetId === scope.id &&
      !assignment.inherited,
  );
  if (scope.kind === 'domain') return direct;
  const inherited = all.filter((assignment) => assignment.inherited);
  if (!inherited.length) return direct;
  const above = new Set((await ancestors(db, scope.id)).map((project) => project.id));
  return [...direct, ...inherited.filter((assignment) => above.has(assignment.targetId))];
}
