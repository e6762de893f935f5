// What assignments amount to: groups, inheritance and implications resolved. Upstream: keystone/assignment/core.py.
import type { Assignment, Implication, Project, Role } from '../records.ts';

/** An assignment as the API lists it: with what it comes from, where it is not direct. */
export interface Listed extends Assignment {
  /** The group through which the user has it. */
  readonly groupId?: string;
  /** The project or domain from which it is inherited. */
  readonly from?: { readonly type: 'project' | 'domain'; readonly id: string };
  /** The role that implies it. */
  readonly priorId?: string;
}

/** What the expansion has to know of the cloud. */
export interface World {
  /** All projects, domains too. */
  readonly projects: readonly Project[];
  readonly members: ReadonlyMap<string, readonly string[]>;
  readonly roles: readonly Role[];
  readonly implications: readonly Implication[];
}

/** What each role implies, at once or by way of others, as pairs of the role and the one right before it. */
export function impliedBy(roleId: string, implications: readonly Implication[]): Implication[] {
  const steps: Implication[] = [];
  const seen = new Set([roleId]);
  const open = [roleId];
  for (let priorId = open.shift(); priorId !== undefined; priorId = open.shift()) {
    for (const step of implications) {
      if (step.priorId !== priorId || seen.has(step.impliedId)) continue;
      seen.add(step.impliedId);
      steps.push(step);
      open.push(step.impliedId);
    }
  }
  return steps;
}

/** The roles of these ids and what they imply, without roles of a domain (those are there to imply others), in the order of `roles`. */
export function effectiveRoles(roleIds: Iterable<string>, roles: readonly Role[], implications: readonly Implication[]): Role[] {
  const ids = new Set<string>();
  for (const id of roleIds) {
    ids.add(id);
    for (const { impliedId } of impliedBy(id, implications)) ids.add(impliedId);
  }
  return roles.filter((role) => ids.has(role.id) && role.domainId === null);
}

/** What users really have: an assignment for each user, target and role. Those for the system are no part of it, as upstream. */
export function expand(assignments: readonly Assignment[], world: World): Listed[] {
  const onProjects = assignments.filter((one) => one.targetType !== 'system').flatMap((one) => inherit(one, world));
  const ofUsers = onProjects.flatMap((one) => toMembers(one, world));
  const all = ofUsers.flatMap((one) => [one, ...impliedBy(one.roleId, world.implications).map((step) => imply(one, step))]);
  const global = new Set(world.roles.filter((role) => role.domainId === null).map((role) => role.id));
  return all.filter((one) => global.has(one.roleId));
}

function imply(one: Listed, step: Implication): Listed {
  return { ...one, roleId: step.impliedId, priorId: step.priorId };
}

function toMembers(one: Listed, world: World): Listed[] {
  if (one.actorType === 'user') return [one];
  const members = world.members.get(one.actorId) ?? [];
  return members.map((userId) => ({ ...one, actorType: 'user', actorId: userId, groupId: one.actorId }));
}

function inherit(one: Assignment, world: World): Listed[] {
  if (!one.inherited) return [one];
  const from = { type: one.targetType as 'project' | 'domain', id: one.targetId };
  const below = one.targetType === 'domain' ? projectsOf(one.targetId, world.projects) : subtree(one.targetId, world.projects);
  return below.map((project) => ({ ...one, targetType: 'project', targetId: project.id, inherited: false, from }));
}

const projectsOf = (domainId: string, projects: readonly Project[]): Project[] =>
  projects.filter((project) => project.domainId === domainId);

/** The projects below a project, level by level; not the project itself. */
export function subtree(id: string, projects: readonly Project[]): Project[] {
  const found: Project[] = [];
  let level = [id];
  while (level.length) {
    const children = projects.filter((project) => project.parentId !== null && level.includes(project.parentId));
    found.push(...children);
    level = children.map((project) => project.id);
  }
  return found;
}
