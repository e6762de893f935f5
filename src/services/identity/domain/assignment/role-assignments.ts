// Lists role assignments by many filters, direct or effective. Upstream: api/role_assignments.py
// and assignment/core.py.
import { badRequest } from '../../../../kernel/errors.ts';
import { listAssignments } from '../../store/assignment/assignments.ts';
import { childrenOf, subtree } from '../resource/project-tree.ts';
import { expandAssignments, type AssignmentContext, type ListedAssignment } from './assignments.ts';
import type { Db } from '../../../../kernel/db/database.ts';

/** The filters in a request for role assignments. */
export interface AssignmentFilters {
  readonly userId: string | undefined;
  readonly groupId: string | undefined;
  readonly roleId: string | undefined;
  readonly projectId: string | undefined;
  readonly domainId: string | undefined;
  readonly system: string | undefined;
  /** Undefined for both direct and inherited assignments. */
  readonly inherited: boolean | undefined;
  /** Whether groups, inheritance and implied roles are resolved. */
  readonly effective: boolean;
  /** Whether assignments on the projects below `projectId` are included. */
  readonly tree: boolean;
}

/** Rejects filters that contradict each other. @throws 400 */
export function checkFilters({
  userId,
  groupId,
  projectId,
  domainId,
  system,
  inherited,
  effective,
}: AssignmentFilters): void {
  if (domainId && projectId) throw badRequest('Specify a domain or project, not both');
  if (domainId && system) throw badRequest('Specify system or domain, not both');
  if (projectId && system) throw badRequest('Specify system or project, not both');
  if (userId && groupId) throw badRequest('Specify a user or group, not both');
  if (!effective) return;
  if (groupId)
    throw badRequest('Combining effective and group filter will always result in an empty list.');
  if (inherited && domainId)
    throw badRequest(
      'Combining effective, domain and inherited filters will always result in an empty list.',
    );
}

/**
 * The assignments that match the filters; with a domain-scoped token, only the assignments in
 * `tokenDomainId`.
 */
export async function listRoleAssignments(
  db: Db,
  filters: AssignmentFilters,
  context: AssignmentContext,
  tokenDomainId: string | undefined,
): Promise<readonly ListedAssignment[]> {
  const all: readonly ListedAssignment[] = await listAssignments(db);
  const listed = filters.effective ? expandAssignments(bySource(all, filters), context) : all;
  const inProjects = projectIds(filters, context);
  const matching = listed.filter((assignment) => matches(assignment, filters, inProjects));
  return inDomain(matching, tokenDomainId, context);
}

/**
 * With `effective`, the filter `inherited` applies to the source of an assignment, because no
 * expanded assignment is inherited.
 */
const bySource = (
  all: readonly ListedAssignment[],
  { inherited }: AssignmentFilters,
): readonly ListedAssignment[] =>
  inherited === undefined ? all : all.filter((assignment) => assignment.inherited === inherited);

function matches(
  assignment: ListedAssignment,
  filters: AssignmentFilters,
  inProjects: ReadonlySet<string>,
): boolean {
  const { userId, groupId, roleId, projectId, domainId, system, inherited, effective } = filters;
  if (roleId && assignment.roleId !== roleId) return false;
  if (userId && (assignment.actorType !== 'user' || assignment.actorId !== userId)) return false;
  if (groupId && (assignment.actorType !== 'group' || assignment.actorId !== groupId)) return false;
  if (assignment.targetType === 'system') return !projectId && !domainId;
  if (system === 'all') return effective; // upstream does not filter by it in effective mode
  if (domainId && (assignment.targetType !== 'domain' || assignment.targetId !== domainId))
    return false;
  if (projectId && (assignment.targetType !== 'project' || !inProjects.has(assignment.targetId)))
    return false;
  return effective || inherited === undefined || assignment.inherited === inherited;
}

/** The ids of the projects that the filters name. */
function projectIds(
  { projectId, tree }: AssignmentFilters,
  { projects }: AssignmentContext,
): ReadonlySet<string> {
  if (!projectId) return new Set();
  const below = tree ? subtree(projectId, childrenOf(projects)) : [];
  return new Set([projectId, ...below.map((project) => project.id)]);
}

/** The assignments on a domain and on its projects; all assignments if no domain is given. */
function inDomain(
  all: readonly ListedAssignment[],
  domainId: string | undefined,
  { projects }: AssignmentContext,
): readonly ListedAssignment[] {
  if (domainId === undefined) return all;
  const targetIds = new Set([
    domainId,
    ...projects.filter((project) => project.domainId === domainId).map((project) => project.id),
  ]);
  return all.filter((assignment) => targetIds.has(assignment.targetId));
}
