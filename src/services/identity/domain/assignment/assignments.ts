// Expands role assignments: resolves groups, inheritance and implied roles. Upstream:
// keystone/assignment/core.py.
import type { Assignment, Implication, Project, Role } from '../../model.ts';
import { subtree } from '../resource/project-tree.ts';

/** An assignment in a list of the API. An indirect one names its source. */
export interface ListedAssignment extends Assignment {
  /** The group through which the user has the role. */
  readonly groupId?: string;
  /** The project or domain from which the role is inherited. */
  readonly from?: { readonly type: 'project' | 'domain'; readonly id: string };
  /** The role that implies this role. */
  readonly priorId?: string;
}

/** The projects, groups and roles that the expansion needs. */
export interface AssignmentContext {
  /** All projects, domains included. */
  readonly projects: readonly Project[];
  /** The ids of the users in each group, by the group's id. */
  readonly members: ReadonlyMap<string, readonly string[]>;
  readonly roles: readonly Role[];
  readonly implications: readonly Implication[];
}

/**
 * The implications that start at a role or at any role that it implies. Each implied role occurs
 * once.
 */
export function impliedBy(roleId: string, implications: readonly Implication[]): Implication[] {
  const steps: Implication[] = [];
  const visited = new Set([roleId]);
  const queue = [roleId];
  for (let priorId = queue.shift(); priorId !== undefined; priorId = queue.shift()) {
    for (const step of implications) {
      if (step.priorId !== priorId || visited.has(step.impliedId)) continue;
      visited.add(step.impliedId);
      steps.push(step);
      queue.push(step.impliedId);
    }
  }
  return steps;
}

/**
 * The roles with these ids and the roles that they imply, in the order of `roles`. Domain-specific
 * roles are left out, because they only imply others.
 */
export function effectiveRoles(
  roleIds: Iterable<string>,
  roles: readonly Role[],
  implications: readonly Implication[],
): Role[] {
  const ids = new Set<string>();
  for (const id of roleIds) {
    ids.add(id);
    for (const { impliedId } of impliedBy(id, implications)) ids.add(impliedId);
  }
  return roles.filter((role) => ids.has(role.id) && role.domainId === null);
}

/**
 * The effective assignments: one for each user, target and role. Assignments on the system are left
 * out, as upstream.
 */
export function expandAssignments(
  assignments: readonly Assignment[],
  context: AssignmentContext,
): ListedAssignment[] {
  const onTargets = assignments
    .filter((assignment) => assignment.targetType !== 'system')
    .flatMap((assignment) => inherit(assignment, context));
  const ofUsers = onTargets.flatMap((assignment) => toMembers(assignment, context));
  const withImplied = ofUsers.flatMap((assignment) => [
    assignment,
    ...impliedBy(assignment.roleId, context.implications).map((step) => imply(assignment, step)),
  ]);
  const globalRoleIds = new Set(
    context.roles.filter((role) => role.domainId === null).map((role) => role.id),
  );
  return withImplied.filter((assignment) => globalRoleIds.has(assignment.roleId));
}

function imply(assignment: ListedAssignment, step: Implication): ListedAssignment {
  return { ...assignment, roleId: step.impliedId, priorId: step.priorId };
}

function toMembers(assignment: ListedAssignment, context: AssignmentContext): ListedAssignment[] {
  if (assignment.actorType === 'user') return [assignment];
  const members = context.members.get(assignment.actorId) ?? [];
  return members.map((userId) => ({
    ...assignment,
    actorType: 'user',
    actorId: userId,
    groupId: assignment.actorId,
  }));
}

function inherit(assignment: Assignment, { projects }: AssignmentContext): ListedAssignment[] {
  if (!assignment.inherited) return [assignment];
  const from = { type: assignment.targetType as 'project' | 'domain', id: assignment.targetId };
  const below =
    assignment.targetType === 'domain'
      ? projectsIn(assignment.targetId, projects)
      : subtree(assignment.targetId, projects);
  return below.map((project) => ({
    ...assignment,
    targetType: 'project',
    targetId: project.id,
    inherited: false,
    from,
  }));
}

const projectsIn = (domainId: string, projects: readonly Project[]): Project[] =>
  projects.filter((project) => project.domainId === domainId);
