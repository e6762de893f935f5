// Groups, and who is in them.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import { isDuplicate } from '../../../../kernel/db/errors.ts';
import { bumpAuthRevision } from '../../../../kernel/db/state.ts';
import { notFound } from '../../../../kernel/fault.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import type { Group, User } from '../../domain/records.ts';
import { checkLength, duplicate, found } from '../../domain/refusals.ts';
import { expiryMatches, removeGroup } from '../../domain/identity/users.ts';
import { addMember, findGroup, findGroups, groupIdsOf, insertGroup, isMember, listGroups, memberIds, removeMember, updateGroup } from '../../store/identity/groups.ts'; // prettier-ignore
import { findProject } from '../../store/resource/projects.ts';
import { endUserTokens, findUser, findUsers } from '../../store/identity/users.ts';
import { groupView } from '../../views/identity/groups.ts';
import { listReply } from '../../views/links.ts';
import { userView } from '../../views/identity/users.ts';
import { allow, bodyOf, domainScope, extraOf, homeDomain, inDomainScope, normalized, refuseMove, textOf } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

const known = ['id', 'name', 'domain_id', 'description', 'links'];

/** GET /v3/groups */
export async function list(call: Call): Promise<Reply> {
  const domainId = domainScope(call);
  allow(call, 'list_groups', { group: domainId === undefined ? undefined : { domainId } });
  const filter = { name: call.query.last('name'), domainId: call.query.last('domain_id') };
  const groups = inDomainScope(call, await listGroups(call.db, filter), (group) => group.domainId);
  return listReply(
    call,
    'groups',
    groups.map((group) => groupView(call, group)),
    ['domain_id', 'name'],
  );
}

/** POST /v3/groups */
export async function create(call: Call): Promise<Reply> {
  const given = bodyOf(call, 'group');
  allow(call, 'create_group', { group: { domainId: given['domain_id'] as string } });
  const fields = normalized(given);
  const group: Group = {
    id: newHexId(),
    name: textOf(fields, 'name').trim(),
    domainId: (fields['domain_id'] as string | undefined) ?? homeDomain(call),
    description: (fields['description'] as string | null | undefined) ?? ('description' in fields ? null : ''),
    extra: extraOf(fields, known),
  };
  const domain = await findProject(call.db, group.domainId);
  found(domain?.isDomain ? domain : undefined, 'domain', group.domainId);
  await unique(group, () => insertGroup(call.db, group));
  return created({ group: groupView(call, group) });
}

/** GET /v3/groups/{group_id} */
export async function show(call: Call): Promise<Reply> {
  const group = await target(call, 'get_group');
  return ok({ group: groupView(call, group) });
}

/** PATCH /v3/groups/{group_id} */
export async function update(call: Call): Promise<Reply> {
  const group = await target(call, 'update_group');
  const fields = bodyOf(call, 'group');
  refuseMove(fields, group);
  const next: Group = {
    ...group,
    name: 'name' in fields ? textOf(fields, 'name').trim() : group.name,
    description: 'description' in fields ? (fields['description'] as string | null) : group.description,
    extra: { ...group.extra, ...extraOf(fields, known) },
  };
  await unique(next, () => updateGroup(call.db, next));
  return ok({ group: groupView(call, next) });
}

/** DELETE /v3/groups/{group_id} */
export async function remove(call: Call): Promise<Reply> {
  const group = await target(call, 'delete_group');
  await removeGroup(call.db, group.id);
  await bumpAuthRevision(call.db);
  return noContent();
}

/** GET /v3/groups/{group_id}/users */
export async function listMembers(call: Call): Promise<Reply> {
  expiryMatches(call.query.all('password_expires_at'));
  const group = await target(call, 'list_users_in_group');
  const expiring = call.query.has('password_expires_at');
  const users = expiring ? [] : await findUsers(call.db, await memberIds(call.db, group.id));
  const shown = inDomainScope(call, users, (user) => user.domainId);
  return listReply(
    call,
    'users',
    shown.map((user) => userView(call, user)),
    ['domain_id', 'enabled', 'name'],
  );
}

/** GET /v3/users/{user_id}/groups */
export async function listOfUser(call: Call): Promise<Reply> {
  const id = call.params['user_id']!;
  const user = await findUser(call.db, id);
  allow(call, 'list_groups_for_user', { user });
  found(user, 'user', id);
  const groups = inDomainScope(call, await findGroups(call.db, await groupIdsOf(call.db, id)), (group) => group.domainId);
  const views = groups.map((group) => ({ ...groupView(call, group), membership_expires_at: null }));
  return listReply(call, 'groups', views, ['name']);
}

/** GET and HEAD /v3/groups/{group_id}/users/{user_id} */
export async function showMember(call: Call): Promise<Reply> {
  const { group, user } = await both(call, 'check_user_in_group');
  if (!(await isMember(call.db, group.id, user.id))) throw noMember(group, user);
  return noContent();
}

/** PUT /v3/groups/{group_id}/users/{user_id} */
export async function createMember(call: Call): Promise<Reply> {
  const { group, user } = await both(call, 'add_user_to_group');
  await addMember(call.db, group.id, user.id);
  await bumpAuthRevision(call.db);
  return noContent();
}

/** DELETE /v3/groups/{group_id}/users/{user_id} */
export async function removeMembership(call: Call): Promise<Reply> {
  const { group, user } = await both(call, 'remove_user_from_group');
  if (!(await removeMember(call.db, group.id, user.id))) throw noMember(group, user);
  await endUserTokens(call.db, [user.id]);
  await bumpAuthRevision(call.db);
  return noContent();
}

const noMember = (group: Group, user: User) => notFound(`User '${user.id}' not found in group '${group.id}'.`);

async function both(call: Call, rule: string): Promise<{ group: Group; user: User }> {
  const { group_id: groupId, user_id: userId } = call.params as { group_id: string; user_id: string };
  const group = await findGroup(call.db, groupId);
  const user = await findUser(call.db, userId);
  allow(call, rule, { group, user });
  return { group: found(group, 'group', groupId), user: found(user, 'user', userId) };
}

async function target(call: Call, rule: string): Promise<Group> {
  const id = call.params['group_id']!;
  const group = await findGroup(call.db, id);
  allow(call, rule, { group });
  return found(group, 'group', id);
}

async function unique(group: Group, write: () => Promise<void>): Promise<void> {
  checkLength('name', group.name, 64);
  try {
    await write();
  } catch (error) {
    throw isDuplicate(error) ? duplicate('group', group.name, group.domainId) : error;
  }
}
