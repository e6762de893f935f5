// Expanding role assignments: groups, inheritance and implied roles are resolved. Upstream:
// keystone/assignment/core.py.
import type { Assignment, Implication, Project, Role } from '../../model.ts';
import { subtree } from '../resource/project-tree.ts';

/** An assignment as the API lists it. One that is not direct has its source. */
export interface ListedAssignment extends Assignment {
  /** The group that gives it to the user. */
  readonly groupId?: string;
  /** The project or domain from which it is inherited. */
  readonly from?: { readonly type: 'project' | 'domain'; readonly id: string };
  /** The role that implies it. */
  readonly priorId?: string;
}

/** The projects, groups and roles that assignments are expanded with. */
export interface AssignmentContext {
  /** All projects, domains included. */
  readonly projects: readonly Project[];
  /** The ids of the users in each group, by the id of the group. */
  readonly members: ReadonlyMap<string, readonly string[]>;
  readonly roles: readonly Role[];
  readonly implications: readonly Implication[];
}

/**
 * The implications that start at a role and at the roles that it implies, each implied role once.
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
 * The roles of these ids and what they imply, in the order of `roles`. Domain-specific roles are
 * left out: they only imply others.
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
    .filter((one) => one.targetType !== 'system')
    .flatMap((one) => inherit(one, context));
  const ofUsers = onTargets.flatMap((one) => toMembers(one, context));
  const all = ofUsers.flatMap((one) => [
    one,
    ...impliedBy(one.roleId, context.implications).map((step) => imply(one, step)),
  ]);
  const global = new Set(
    context.roles.filter((role) => role.domainId === null).map((role) => role.id),
  );
  return all.filter((one) => global.has(one.roleId));
}

function imply(one: ListedAssignment, step: Implication): ListedAssignment {
  return { ...one, roleId: step.impliedId, priorId: step.priorId };
}

function toMembers(one: ListedAssignment, context: AssignmentContext): ListedAssignment[] {
  if (one.actorType === 'user') return [one];
  const members = context.members.get(one.actorId) ?? [];
  return members.map((userId) => ({
    ...one,
    actorType: 'user',
    actorId: userId,
    groupId: one.actorId,
  }));
}

function inherit(one: Assignment, { projects }: AssignmentContext): ListedAssignment[] {
  if (!one.inherited) return [one];
  const from = { type: one.targetType as 'project' | 'domain', id: one.targetId };
  const below =
    one.targetType === 'domain'
      ? projectsIn(one.targetId, projects)
      : subtree(one.targetId, projects);
  return below.map((project) => ({
    ...one,
    targetType: 'project',
    targetId: project.id,
    inherited: false,
    from,
  }));
}

const projectsIn = (domainId: string, projects: readonly Project[]): Project[] =>
  projects.filter((project) => project.domainId === domainId);
