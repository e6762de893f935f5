// Who has which role where, as one list with many filters. Upstream: api/role_assignments.py and assignment/core.py.
import { ok } from '../../../../kernel/http/reply.ts';
import { badRequest } from '../../../../kernel/fault.ts';
import type { Query } from '../../../../kernel/query.ts';
import { expand, subtree, type Listed, type World } from '../../domain/assignment/assignments.ts';
import { readWorld } from '../../domain/assignment/user-projects.ts';
import { found } from '../../domain/refusals.ts';
import { listAssignments } from '../../store/assignment/assignments.ts';
import { listGroups } from '../../store/identity/groups.ts';
import { findProject } from '../../store/resource/projects.ts';
import { listUsers } from '../../store/identity/users.ts';
import { flag, wrapped } from '../../views/links.ts';
import { assignmentView, type Names } from '../../views/assignment/role-assignments.ts';
import { allow, domainScope } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

interface Wanted {
  readonly userId: string | undefined;
  readonly groupId: string | undefined;
  readonly roleId: string | undefined;
  readonly projectId: string | undefined;
  readonly domainId: string | undefined;
  readonly system: string | undefined;
  /** Undefined: both direct and inherited ones. */
  readonly inherited: boolean | undefined;
  readonly effective: boolean;
  readonly tree: boolean;
}

/** GET and HEAD /v3/role_assignments */
export async function list(call: Call): Promise<Reply> {
  const wanted = wantedBy(call.query);
  await allowList(call, wanted);
  refuseNonsense(wanted);
  const world = await readWorld(call.db);
  const all = await listAssignments(call.db);
  const direct: Listed[] = wanted.effective ? expand(relevant(all, wanted), world) : all;
  const shown = inScope(call, direct.filter((one) => fits(one, wanted, world)), world); // prettier-ignore
  const names = flag(call.query, 'include_names') ? await readNames(call, world) : undefined;
  return ok(wrapped(call, 'role_assignments', unique(shown.map((one) => assignmentView(call, one, names)))));
}

function wantedBy(query: Query): Wanted {
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

async function allowList(call: Call, { tree, projectId }: Wanted): Promise<void> {
  if (!tree) return allow(call, 'list_role_assignments', { domainId: domainScope(call) });
  const project = projectId === undefined ? undefined : found(await findProject(call.db, projectId), 'project', projectId);
  allow(call, 'list_role_assignments_for_tree', { project, domainId: project?.domainId });
  if (!project) throw badRequest('scope.project.id must be specified if include_subtree is also specified');
}

/** @throws 400 for filters that go not together */
function refuseNonsense({ userId, groupId, projectId, domainId, system, inherited, effective }: Wanted): void {
  if (domainId && projectId) throw badRequest('Specify a domain or project, not both');
  if (domainId && system) throw badRequest('Specify system or domain, not both');
  if (projectId && system) throw badRequest('Specify system or project, not both');
  if (userId && groupId) throw badRequest('Specify a user or group, not both');
  if (!effective) return;
  if (groupId) throw badRequest('Combining effective and group filter will always result in an empty list.');
  if (inherited && domainId)
    throw badRequest('Combining effective, domain and inherited filters will always result in an empty list.');
}

/** In effective mode "inherited" is about where an assignment comes from, for afterwards none is. */
const relevant = (all: readonly Listed[], { inherited }: Wanted): readonly Listed[] =>
  inherited === undefined ? all : all.filter((one) => one.inherited === inherited);

function fits(one: Listed, wanted: Wanted, world: World): boolean {
  const { userId, groupId, roleId, projectId, domainId, system, inherited, effective } = wanted;
  if (roleId && one.roleId !== roleId) return false;
  if (userId && (one.actorType !== 'user' || one.actorId !== userId)) return false;
  if (groupId && (one.actorType !== 'group' || one.actorId !== groupId)) return false;
  if (one.targetType === 'system') return !projectId && !domainId;
  if (system === 'all') return effective; // upstream does not filter by it in effective mode
  if (domainId && (one.targetType !== 'domain' || one.targetId !== domainId)) return false;
  if (projectId && (one.targetType !== 'project' || !projectIds(projectId, wanted, world).includes(one.targetId))) return false;
  return effective || inherited === undefined || one.inherited === inherited;
}

const projectIds = (id: string, { tree }: Wanted, world: World): string[] =>
  tree ? [id, ...subtree(id, world.projects).map((project) => project.id)] : [id];

/** Of a token for a domain, only what is on the domain or its projects. */
function inScope(call: Call, all: readonly Listed[], { projects }: World): readonly Listed[] {
  const domainId = domainScope(call);
  if (domainId === undefined) return all;
  const inside = new Set([domainId, ...projects.filter((project) => project.domainId === domainId).map((project) => project.id)]);
  return all.filter((one) => inside.has(one.targetId));
}

/** The same by several ways is listed once for each way, but not twice the same. */
function unique(views: readonly object[]): object[] {
  return [...new Map(views.map((view) => [JSON.stringify(view), view])).values()];
}

async function readNames(call: Call, world: World): Promise<Names> {
  const domains = new Map(world.projects.filter((project) => project.isDomain).map((domain) => [domain.id, domain.name]));
  const named = (things: readonly { id: string; name: string; domainId: string | null }[]) =>
    new Map(
      things.map(({ id, name, domainId }) => [
        id,
        { name, domain: domainId === null ? undefined : { id: domainId, name: domains.get(domainId) ?? '' } },
      ]),
    );
  return {
    user: named(await listUsers(call.db)),
    group: named(await listGroups(call.db)),
    role: named(world.roles),
    project: named(world.projects),
    domain: named(world.projects),
  };
}
