// Listing role assignments by many filters, direct or effective. Upstream: api/role_assignments.py
// and assignment/core.py.
import { badRequest } from '../../../../kernel/errors.ts';
import { listAssignments } from '../../store/assignment/assignments.ts';
import { subtree } from '../resource/project-tree.ts';
import { expandAssignments, type AssignmentContext, type ListedAssignment } from './assignments.ts';
import type { Db } from '../../../../kernel/db/database.ts';

/** What a client filters assignments by. */
export interface AssignmentFilters {
  readonly userId: string | undefined;
  readonly groupId: string | undefined;
  readonly roleId: string | undefined;
  readonly projectId: string | undefined;
  readonly domainId: string | undefined;
  readonly system: string | undefined;
  /** Undefined: both direct and inherited ones. */
  readonly inherited: boolean | undefined;
  /** Groups, inheritance and implied roles are resolved. */
  readonly effective: boolean;
  /** Assignments on the projects below `projectId` too. */
  readonly tree: boolean;
}

/** Refuses filters that contradict each other. @throws 400 */
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
 * The assignments that match the filters; with a domain-scoped token only those in `tokenDomainId`.
 */
export async function listRoleAssignments(
  db: Db,
  filters: AssignmentFilters,
  context: AssignmentContext,
  tokenDomainId: string | undefined,
): Promise<readonly ListedAssignment[]> {
  const all: readonly ListedAssignment[] = await listAssignments(db);
  const listed = filters.effective ? expandAssignments(bySource(all, filters), context) : all;
  const matching = listed.filter((one) => matches(one, filters, context));
  return inDomain(matching, tokenDomainId, context);
}

/**
 * With `effective`, the filter `inherited` is about the source of an assignment: after the
 * expansion none is inherited.
 */
const bySource = (
  all: readonly ListedAssignment[],
  { inherited }: AssignmentFilters,
): readonly ListedAssignment[] =>
  inherited === undefined ? all : all.filter((one) => one.inherited === inherited);

function matches(
  one: ListedAssignment,
  filters: AssignmentFilters,
  context: AssignmentContext,
): boolean {
  const { userId, groupId, roleId, projectId, domainId, system, inherited, effective } = filters;
  if (roleId && one.roleId !== roleId) return false;
  if (userId && (one.actorType !== 'user' || one.actorId !== userId)) return false;
  if (groupId && (one.actorType !== 'group' || one.actorId !== groupId)) return false;
  if (one.targetType === 'system') return !projectId && !domainId;
  if (system === 'all') return effective; // upstream does not filter by it in effective mode
  if (domainId && (one.targetType !== 'domain' || one.targetId !== domainId)) return false;
  if (
    projectId &&
    (one.targetType !== 'project' ||
      !projectIds(projectId, filters, context).includes(one.targetId))
  )
    return false;
  return effective || inherited === undefined || one.inherited === inherited;
}

const projectIds = (
  id: string,
  { tree }: AssignmentFilters,
  { projects }: AssignmentContext,
): string[] => (tree ? [id, ...subtree(id, projects).map((project) => project.id)] : [id]);

/** The assignments on the domain and on its projects; all of them where there is no domain. */
function inDomain(
  all: readonly ListedAssignment[],
  domainId: string | undefined,
  { projects }: AssignmentContext,
): readonly ListedAssignment[] {
  if (domainId === undefined) return all;
  const inside = new Set([
    domainId,
    ...projects.filter((project) => project.domainId === domainId).map((project) => project.id),
  ]);
  return all.filter((one) => inside.has(one.targetId));
}
