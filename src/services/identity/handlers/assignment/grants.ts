// Grants: a role of a user or a group on a project, a domain or the system. The same handlers serve
// all twelve families of paths.
import { noContent, ok } from '../../../../kernel/http/reply.ts';
import {
  checkGrant,
  createGrant,
  listGrantedRoles,
  revokeGrant,
} from '../../domain/assignment/grants.ts';
import type { Assignment, Group, Project, Role, TargetType, User } from '../../model.ts';
import { found } from '../../domain/refusals.ts';
import { requireDomain } from '../../domain/resource/project-tree.ts';
import { findRole } from '../../store/assignment/roles.ts';
import { findGroup } from '../../store/identity/groups.ts';
import { findUser } from '../../store/identity/users.ts';
import { findProject } from '../../store/resource/projects.ts';
import { roleView } from '../../views/assignment/roles.ts';
import { wrapped } from '../../views/links.ts';
import { enforce } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

/** GET …/roles */
export async function list(call: Call): Promise<Reply> {
  const { grant } = await grantOf(call, 'list');
  const roles = await listGrantedRoles(call, grant);
  return ok(
    wrapped(
      call,
      'roles',
      roles.map((role) => roleView(call, role)),
    ),
  );
}

/** GET and HEAD …/roles/{role_id} */
export async function show(call: Call): Promise<Reply> {
  await checkGrant(call, (await grantOf(call, 'check')).grant);
  return noContent();
}

/** PUT …/roles/{role_id}; 204 even if the role is already granted. */
export async function create(call: Call): Promise<Reply> {
  const { grant, role, target } = await grantOf(call, 'create');
  await createGrant(call, grant, role!, target);
  return noContent();
}

/** DELETE …/roles/{role_id}; works for a deleted user or group too. */
export async function remove(call: Call): Promise<Reply> {
  await revokeGrant(call, (await grantOf(call, 'revoke')).grant);
  return noContent();
}

interface RequestedGrant {
  readonly grant: Assignment;
  readonly role: Role | undefined;
  /** The project or domain; undefined for the system. */
  readonly target: Project | undefined;
}

type Verb = 'list' | 'check' | 'create' | 'revoke';

/** The grant in the path. A missing resource is a 404 before policy is enforced, as upstream. */
async function grantOf(call: Call, verb: Verb): Promise<RequestedGrant> {
  const {
    user_id: userId,
    group_id: groupId,
    role_id: roleId,
    project_id: projectId,
    domain_id: domainId,
  } = call.params;
  const role =
    roleId === undefined ? undefined : found(await findRole(call.db, roleId), 'role', roleId);
  const mayBeDeleted = verb === 'revoke';
  const user =
    userId === undefined
      ? undefined
      : await findActor(findUser(call.db, userId), 'user', userId, mayBeDeleted);
  const group =
    groupId === undefined
      ? undefined
      : await findActor(findGroup(call.db, groupId), 'group', groupId, mayBeDeleted);
  const target = await targetOf(call, projectId, domainId);
  const targetType: TargetType =
    projectId === undefined ? (domainId === undefined ? 'system' : 'domain') : 'project';
  const actorType = userId === undefined ? 'group' : 'user';
  const rule =
    targetType === 'system'
      ? `${verb}_system_grant${verb === 'list' ? 's' : ''}_for_${actorType}`
      : `${verb}_grant${verb === 'list' ? 's' : ''}`;
  enforce(call, rule, {
    role,
    user,
    group,
    ...(targetType === 'project' ? { project: target } : { domain: target }),
  });
  const grant: Assignment = {
    actorType,
    actorId: (userId ?? groupId)!,
    targetType,
    targetId: target?.id ?? 'system',
    roleId: roleId ?? '',
    inherited: call.path.endsWith('/inherited_to_projects'),
  };
  return { grant, role, target };
}

async function findActor<T extends User | Group>(
  lookup: Promise<T | undefined>,
  noun: 'user' | 'group',
  id: string,
  mayBeDeleted: boolean,
): Promise<T | undefined> {
  const record = await lookup;
  return mayBeDeleted ? record : found(record, noun, id);
}

async function targetOf(
  call: Call,
  projectId: string | undefined,
  domainId: string | undefined,
): Promise<Project | undefined> {
  if (projectId !== undefined)
    return found(await findProject(call.db, projectId), 'project', projectId);
  return domainId === undefined ? undefined : requireDomain(call.db, domainId);
}
