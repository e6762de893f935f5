// What a user may do in a scope: the roles that a token for it carries.
import { listAssignments } from '../../store/assignment/assignments.ts';
import { groupIdsOf } from '../../store/identity/groups.ts';
import { findProject } from '../../store/resource/projects.ts';
import { listImplications, listRoles } from '../../store/assignment/roles.ts';
import { effectiveRoles, impliedBy } from './assignments.ts';
import type { Assignment, Implication, Project, Role } from '../records.ts';
import type { Db } from '../../../../kernel/db/database.ts';

/** What a token is for, perhaps by way of a trust; a token may also be for nothing. */
export type Scope =
  | { readonly kind: 'project'; readonly id: string; readonly trustId?: string }
  | { readonly kind: 'domain'; readonly id: string }
  | { readonly kind: 'system' };

/** The roles of a user in a scope, implied ones too, by name; none where the user has no access. */
export async function rolesIn(db: Db, userId: string, scope: Scope): Promise<Role[]> {
  const held = await assignmentsIn(db, userId, scope);
  if (!held.length) return [];
  return effectiveRoles(
    held.map((one) => one.roleId),
    await listRoles(db),
    await listImplications(db),
  );
}

/** The ids of all roles that a user has in a scope, implied ones too, and also those of a domain. */
export async function roleIdsIn(db: Db, userId: string, scope: Scope): Promise<Set<string>> {
  const held = (await assignmentsIn(db, userId, scope)).map((one) => one.roleId);
  return withImplied(held, await listImplications(db));
}

/** The roles with all that they imply. */
export const withImplied = (roleIds: readonly string[], implications: readonly Implication[]): Set<string> =>
  new Set(roleIds.flatMap((id) => [id, ...impliedBy(id, implications).map((step) => step.impliedId)]));

async function assignmentsIn(db: Db, userId: string, scope: Scope): Promise<Assignment[]> {
  const groupIds = await groupIdsOf(db, userId);
  const all = (await listAssignments(db, { actorIds: [userId, ...groupIds] })).filter((one) =>
    one.actorType === 'user' ? one.actorId === userId : groupIds.includes(one.actorId),
  );
  if (scope.kind === 'system') return all.filter((one) => one.targetType === 'system');
  const direct = all.filter((one) => one.targetType === scope.kind && one.targetId === scope.id && !one.inherited);
  if (scope.kind === 'domain') return direct;
  const inherited = all.filter((one) => one.inherited);
  if (!inherited.length) return direct;
  const above = new Set((await ancestors(db, scope.id)).map((project) => project.id));
  return [...direct, ...inherited.filter((one) => above.has(one.targetId))];
}

/** The projects above a project, nearest first, and last the domain. */
export async function ancestors(db: Db, id: string): Promise<Project[]> {
  const found: Project[] = [];
  let parentId = (await findProject(db, id))?.parentId ?? null;
  while (parentId !== null) {
    const parent = await findProject(db, parentId);
    if (!parent) break;
    found.push(parent);
    parentId = parent.parentId;
  }
  return found;
}
