// The projects and domains on which a user has a role, directly, through a group or by inheritance.
import { listAssignments } from '../../store/assignment/assignments.ts';
import { listImplications, listRoles } from '../../store/assignment/roles.ts';
import { allMembers, groupIdsOf } from '../../store/identity/groups.ts';
import { findProjects, listProjects } from '../../store/resource/projects.ts';
import type { Project } from '../../model.ts';
import { expandAssignments, type AssignmentContext, type ListedAssignment } from './assignments.ts';
import type { Db } from '../../../../kernel/db/database.ts';

/** Reads the records that the expansion of assignments needs. */
export async function readAssignmentContext(db: Db): Promise<AssignmentContext> {
  return {
    projects: await listProjects(db),
    members: await allMembers(db),
    roles: await listRoles(db),
    implications: await listImplications(db),
  };
}

async function effectiveAssignmentsOf(db: Db, userId: string): Promise<ListedAssignment[]> {
  const groupIds = await groupIdsOf(db, userId);
  const assignments = await listAssignments(db, { actorId: [userId, ...groupIds] });
  return expandAssignments(assignments, await readAssignmentContext(db)).filter(
    (assignment) => assignment.actorId === userId,
  );
}

/** The projects on which a user has a role, ordered by id. */
export const projectsOfUser = (db: Db, userId: string): Promise<Project[]> =>
  targetsOf(db, userId, 'project');

/** The domains on which a user has a role, ordered by id. */
export const domainsOfUser = (db: Db, userId: string): Promise<Project[]> =>
  targetsOf(db, userId, 'domain');

async function targetsOf(db: Db, userId: string, type: 'project' | 'domain'): Promise<Project[]> {
  const assignments = await effectiveAssignmentsOf(db, userId);
  const ids = assignments
    .filter((assignment) => assignment.targetType === type)
    .map((assignment) => assignment.targetId);
  return findProjects(db, ids);
}
