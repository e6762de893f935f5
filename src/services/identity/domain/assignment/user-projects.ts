// Where users may go: the projects and domains on which they have a role, however they came by it.
import { listAssignments } from '../../store/assignment/assignments.ts';
import { allMembers, groupIdsOf } from '../../store/identity/groups.ts';
import { findProjects, listProjects } from '../../store/resource/projects.ts';
import { listImplications, listRoles } from '../../store/assignment/roles.ts';
import { expand, type Listed, type World } from './assignments.ts';
import type { Project } from '../records.ts';
import type { Db } from '../../../../kernel/db/database.ts';

/** All that the expansion of assignments has to know. */
export async function readWorld(db: Db): Promise<World> {
  return {
    projects: await listProjects(db),
    members: await allMembers(db),
    roles: await listRoles(db),
    implications: await listImplications(db),
  };
}

async function reach(db: Db, userId: string): Promise<Listed[]> {
  const groupIds = await groupIdsOf(db, userId);
  const assignments = await listAssignments(db, { actorIds: [userId, ...groupIds] });
  return expand(assignments, await readWorld(db)).filter((one) => one.actorId === userId);
}

/** The projects that a user has a role on, by id. */
export async function projectsOf(db: Db, userId: string): Promise<Project[]> {
  const reached = await reach(db, userId);
  return findProjects(
    db,
    reached.filter((one) => one.targetType === 'project').map((one) => one.targetId),
  );
}

/** The domains that a user has a role on, by id. */
export async function domainsOf(db: Db, userId: string): Promise<Project[]> {
  const reached = await reach(db, userId);
  return findProjects(
    db,
    reached.filter((one) => one.targetType === 'domain').map((one) => one.targetId),
  );
}
