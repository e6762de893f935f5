// The list of role assignments, with many filters. Upstream: api/role_assignments.py.
import { badRequest } from '../../../../kernel/errors.ts';
import { ok } from '../../../../kernel/http/reply.ts';
import type { Query } from '../../../../kernel/query.ts';
import type { AssignmentContext } from '../../domain/assignment/assignments.ts';
import {
  checkFilters,
  listRoleAssignments,
  type AssignmentFilters,
} from '../../domain/assignment/role-assignments.ts';
import { readAssignmentContext } from '../../domain/assignment/user-projects.ts';
import { found } from '../../domain/refusals.ts';
import { listGroups } from '../../store/identity/groups.ts';
import { listUsers } from '../../store/identity/users.ts';
import { findProject } from '../../store/resource/projects.ts';
import { assignmentView, namesOf, type Names } from '../../views/assignment/role-assignments.ts';
import { wrapped } from '../../views/links.ts';
import { flag } from '../lists.ts';
import { enforce, domainScope } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

/** GET and HEAD /v3/role_assignments */
export async function list(call: Call): Promise<Reply> {
  const filters = filtersOf(call.query);
  await enforceList(call, filters);
  checkFilters(filters);
  const context = await readAssignmentContext(call.db);
  const assignments = await listRoleAssignments(call.db, filters, context, domainScope(call));
  const names = flag(call.query, 'include_names') ? await readNames(call, context) : undefined;
  const views = withoutDuplicates(
    assignments.map((assignment) => assignmentView(call, assignment, names)),
  );
  return ok(wrapped(call, 'role_assignments', views));
}

function filtersOf(query: Query): AssignmentFilters {
  const value = (name: string): string | undefined => query.first(name) || undefined;
  const inheritedTo = query.first('scope.OS-INHERIT:inherited_to');
  return {
    userId: value('user.id'),
    groupId: value('group.id'),
    roleId: value('role.id'),
    projectId: value('scope.project.id'),
    domainId: value('scope.domain.id'),
    system: value('scope.system'),
    inherited: inheritedTo === undefined ? undefined : inheritedTo === 'projects',
    effective: flag(query, 'effective'),
    tree: flag(query, 'include_subtree'),
  };
}

async function enforceList(call: Call, { tree, projectId }: AssignmentFilters): Promise<void> {
  if (!tree) return enforce(call, 'list_role_assignments', { domainId: domainScope(call) });
  const project =
    projectId === undefined
      ? undefined
      : found(await findProject(call.db, projectId), 'project', projectId);
  enforce(call, 'list_role_assignments_for_tree', { project, domainId: project?.domainId });
  if (!project)
    throw badRequest('scope.project.id must be specified if include_subtree is also specified');
}

/** Removes equal assignments. Two assignments with different sources both stay. */
function withoutDuplicates(views: readonly object[]): object[] {
  return [...new Map(views.map((view) => [JSON.stringify(view), view])).values()];
}

const readNames = async (call: Call, { projects, roles }: AssignmentContext): Promise<Names> =>
  namesOf(await listUsers(call.db), await listGroups(call.db), roles, projects);
