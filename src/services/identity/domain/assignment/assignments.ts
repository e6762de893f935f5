// Expands role assignments: resolves groups, inheritance and implied roles. Upstream:
// keystone/assignment/core.py.
import { grouped } from '../../../../kernel/db/grouping.ts';
import type { Assignment, Implication, Project, Role } from '../../model.ts';
import { childrenOf, subtree } from '../resource/project-tree.ts';

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

/** Implications by the id of their prior role. */
type StepsByPrior = ReadonlyMap<string, readonly Implication[]>;

const byPrior = (implications: readonly Implication[]): StepsByPrior =>
  grouped(implications, ({ priorId }) => priorId);

/**
 * The implications that start at some roles or at any role that they imply. Each implied role
 * occurs once, and none of those given.
 */
function impliedBy(roleIds: Iterable<string>, steps: StepsByPrior): Implication[] {
  const found: Implication[] = [];
  const queue = [...roleIds];
  const visited = new Set(queue);
  // The loop also visits the roles that it adds.
  for (const priorId of queue) {
    for (const step of steps.get(priorId) ?? []) {
      if (visited.has(step.impliedId)) continue;
      visited.add(step.impliedId);
      found.push(step);
      queue.push(step.impliedId);
    }
  }
  return found;
}

/** The ids of these roles and of all roles that they imply. */
export function withImplied(
  roleIds: Iterable<string>,
  implications: readonly Implication[],
): Set<string> {
  const ids = new Set(roleIds);
  for (const { impliedId } of impliedBy(ids, byPrior(implications))) ids.add(impliedId);
  return ids;
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
  const ids = withImplied(roleIds, implications);
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
  const heirs = heirsIn(context.projects);
  const onTargets = assignments
    .filter((assignment) => assignment.targetType !== 'system')
    .flatMap((assignment) => inherit(assignment, heirs));
  const ofUsers = onTargets.flatMap((assignment) => toMembers(assignment, context));
  const steps = byPrior(context.implications);
  const all = ofUsers.flatMap((assignment) => [
    assignment,
    ...impliedBy([assignment.roleId], steps).map((step) => imply(assignment, step)),
  ]);
  const globalRoleIds = new Set(
    context.roles.filter((role) => role.domainId === null).map((role) => role.id),
  );
  return all.filter((assignment) => globalRoleIds.has(assignment.roleId));
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

/** The projects that inherit assignments on a domain or a project. */
type Heirs = (target: Pick<Assignment, 'targetType' | 'targetId'>) => readonly Project[];

function heirsIn(projects: readonly Project[]): Heirs {
  const byDomain = grouped(projects, ({ domainId }) => domainId);
  const children = childrenOf(projects);
  return ({ targetType, targetId }) =>
    targetType === 'domain' ? (byDomain.get(targetId) ?? []) : subtree(targetId, children);
}

function inherit(assignment: Assignment, heirs: Heirs): ListedAssignment[] {
  if (!assignment.inherited) return [assignment];
  const from = { type: assignment.targetType as 'project' | 'domain', id: assignment.targetId };
  return heirs(assignment).map((project) => ({
    ...assignment,
    targetType: 'project',
    targetId: project.id,
    inherited: false,
    from,
  }));
}
