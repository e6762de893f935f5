// The projects and domains on which a user has a role, directly, through a group or by inheritance.
import { listAssignments } from '../../store/assignment/assignments.ts';
import { listImplications, listRoles } from '../../store/assignment/roles.ts';
import { allMembers } from '../../store/identity/groups.ts';
import { findProjects, listProjects } from '../../store/resource/projects.ts';
import { currentGroupIds } from '../federation/memberships.ts';
import type { Project } from '../../model.ts';
import { expandAssignments, type AssignmentContext, type ListedAssignment } from './assignments.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { Context } from '../../../../kernel/model.ts';

/** Reads the records that the expansion of assignments needs. */
export async function readAssignmentContext(db: Db): Promise<AssignmentContext> {
  return {
    projects: await listProjects(db),
    members: await allMembers(db),
    roles: await listRoles(db),
    implications: await listImplications(db),
  };
}

type Reader = Pick<Context, 'db' | 'now'>;

/** The assignments of a user, by expiring memberships and by groups of its token as well. */
async function effectiveAssignmentsOf(
  context: Reader,
  userId: string,
  federatedIds: readonly string[],
): Promise<ListedAssignment[]> {
  const { db } = context;
  const groupIds = [...new Set([...(await currentGroupIds(context, userId)), ...federatedIds])];
  const assignments = await listAssignments(db, { actorId: [userId, ...groupIds] });
  const known = await readAssignmentContext(db);
  const members = new Map(known.members);
  for (const id of groupIds) members.set(id, [userId]);
  return expandAssignments(assignments, { ...known, members }).filter(
    (assignment) => assignment.actorId === userId,
  );
}

/**
 * The projects on which a user has a role, ordered by id.
 * @param federatedIds the groups that the user's token has by federation
 */
export const projectsOfUser = (
  context: Reader,
  userId: string,
  federatedIds: readonly string[] = [],
): Promise<Project[]> => targetsOf(context, userId, federatedIds, 'project');

/** The domains on which a user has a role, ordered by id. */
export const domainsOfUser = (
  context: Reader,
  userId: string,
  federatedIds: readonly string[] = [],
): Promise<Project[]> => targetsOf(context, userId, federatedIds, 'domain');

async function targetsOf(
  context: Reader,
  userId: string,
  federatedIds: readonly string[],
  type: 'project' | 'domain',
): Promise<Project[]> {
  const assignments = await effectiveAssignmentsOf(context, userId, federatedIds);
  const ids = assignments
    .filter((assignment) => assignment.targetType === type)
    .map((assignment) => assignment.targetId);
  return findProjects(context.db, ids);
}
