// Grants: a role given to a user or a group on a project, a domain or the system; one set of handlers for all twelve families of paths.
import { noContent, ok } from '../../../../kernel/http/reply.ts';
import { bumpAuthRevision } from '../../../../kernel/db/state.ts';
import { badRequest, notFound } from '../../../../kernel/fault.ts';
import type { Assignment, Group, Project, Role, TargetType, User } from '../../domain/records.ts';
import { forbiddenPlainly, found } from '../../domain/refusals.ts';
import { deleteApplicationCredentialsOf } from '../../store/application-credential/application-credentials.ts';
import { deleteAssignment, ensureAssignments, hasAssignment, listAssignments } from '../../store/assignment/assignments.ts';
import { findGroup } from '../../store/identity/groups.ts';
import { findProject } from '../../store/resource/projects.ts';
import { findRole, listRoles } from '../../store/assignment/roles.ts';
import { findUser } from '../../store/identity/users.ts';
import { wrapped } from '../../views/links.ts';
import { roleView } from '../../views/assignment/roles.ts';
import { allow } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

/** GET …/roles */
export async function list(call: Call): Promise<Reply> {
  const ends = await endsOf(call, 'list', false);
  const { actorType, actorId, targetType, targetId, inherited } = ends.grant;
  const held = await listAssignments(call.db, { actorType, actorIds: [actorId], targetType, targetId, inherited });
  const ids = new Set(held.map((one) => one.roleId));
  const roles = (await listRoles(call.db)).filter((role) => ids.has(role.id));
  return ok(wrapped(call, 'roles', roles.map((role) => roleView(call, role)))); // prettier-ignore
}

/** GET and HEAD …/roles/{role_id} */
export async function show(call: Call): Promise<Reply> {
  const { grant } = await endsOf(call, 'check', false);
  if (!(await hasAssignment(call.db, grant))) throw noGrant(grant);
  return noContent();
}

/** PUT …/roles/{role_id}; also where it is granted already. */
export async function create(call: Call): Promise<Reply> {
  const { grant, role, place } = await endsOf(call, 'create', false);
  if (grant.targetType === 'system' && role!.domainId !== null) {
    throw badRequest(`Role ${role!.id} is a domain-specific role. Unable to use a domain-specific role in a system assignment.`);
  }
  if (grant.targetType === 'project' && role!.domainId !== null && place!.domainId !== role!.domainId) throw forbiddenPlainly();
  await ensureAssignments(call.db, [grant]);
  await bumpAuthRevision(call.db);
  return noContent();
}

/** DELETE …/roles/{role_id}; also of a user or group that is no longer there. */
export async function remove(call: Call): Promise<Reply> {
  const { grant } = await endsOf(call, 'revoke', true);
  if (!(await deleteAssignment(call.db, grant))) throw noGrant(grant);
  // Upstream: application credentials that rest on the grant go with it.
  if (grant.actorType === 'user' && grant.targetType === 'project')
    await deleteApplicationCredentialsOf(call.db, grant.actorId, grant.targetId);
  await bumpAuthRevision(call.db);
  return noContent();
}

const noGrant = ({ roleId, actorId, targetId }: Assignment) =>
  notFound(
    `Could not find role assignment with role: ${roleId}, user or group: ${actorId}, project, domain, or system: ${targetId}.`,
  );

interface Ends {
  readonly grant: Assignment;
  readonly role: Role | undefined;
  /** The project or domain; none for the system. */
  readonly place: Project | undefined;
}

type Verb = 'list' | 'check' | 'create' | 'revoke';

/** What the path is about. What is not there is a 404 before policy is asked, as upstream; `lostActor` lets a lost user or group pass. */
async function endsOf(call: Call, verb: Verb, lostActor: boolean): Promise<Ends> {
  const { user_id: userId, group_id: groupId, role_id: roleId, project_id: projectId, domain_id: domainId } = call.params;
  const role = roleId === undefined ? undefined : found(await findRole(call.db, roleId), 'role', roleId);
  const user = userId === undefined ? undefined : await actor(findUser(call.db, userId), 'user', userId, lostActor);
  const group = groupId === undefined ? undefined : await actor(findGroup(call.db, groupId), 'group', groupId, lostActor);
  const place = await placeOf(call, projectId, domainId);
  const targetType: TargetType = projectId === undefined ? (domainId === undefined ? 'system' : 'domain') : 'project';
  const actorType = userId === undefined ? 'group' : 'user';
  const rule =
    targetType === 'system'
      ? `${verb}_system_grant${verb === 'list' ? 's' : ''}_for_${actorType}`
      : `${verb}_grant${verb === 'list' ? 's' : ''}`;
  allow(call, rule, { role, user, group, ...(targetType === 'project' ? { project: place } : { domain: place }) });
  const grant: Assignment = {
    actorType,
    actorId: (userId ?? groupId)!,
    targetType,
    targetId: place?.id ?? 'system',
    roleId: roleId ?? '',
    inherited: call.path.endsWith('/inherited_to_projects'),
  };
  return { grant, role, place };
}

async function actor<T extends User | Group>(
  lookup: Promise<T | undefined>,
  noun: 'user' | 'group',
  id: string,
  mayBeLost: boolean,
): Promise<T | undefined> {
  const there = await lookup;
  return mayBeLost ? there : found(there, noun, id);
}

async function placeOf(call: Call, projectId: string | undefined, domainId: string | undefined): Promise<Project | undefined> {
  if (projectId !== undefined) return found(await findProject(call.db, projectId), 'project', projectId);
  if (domainId === undefined) return undefined;
  const domain = await findProject(call.db, domainId);
  return found(domain?.isDomain ? domain : undefined, 'domain', domainId);
}
