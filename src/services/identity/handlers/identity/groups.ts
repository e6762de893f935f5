// Groups and their members.
import { naiveIsoOrNull } from '../../../../kernel/clock.ts';
import { plainHandlers } from '../../../../kernel/http/plain-resource.ts';
import { noContent, ok } from '../../../../kernel/http/reply.ts';
import { textOf, type Fields } from '../../domain/attributes.ts';
import { expiringGroups } from '../../domain/federation/memberships.ts';
import {
  addMember,
  checkMember,
  createGroup,
  deleteGroup,
  removeMember,
  updateGroup,
} from '../../domain/identity/groups.ts';
import { expiryFilter } from '../../domain/identity/users.ts';
import type { Group, User } from '../../model.ts';
import { found } from '../../domain/refusals.ts';
import {
  findGroup,
  findGroups,
  groupIdsOf,
  listGroups,
  memberIds,
} from '../../store/identity/groups.ts';
import { findUser, findUsers } from '../../store/identity/users.ts';
import { groupView } from '../../views/identity/groups.ts';
import { listBody, listLimit } from '../lists.ts';
import { bodiesOf, ruleOf } from '../plain.ts';
import { enforce, domainScope, fallbackDomain, inDomainScope } from '../requests.ts';
import { usersBody } from './user-lists.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

/**
 * The operations of /v3/groups. A missing group is a 404 before policy is enforced when it is
 * deleted, and after that otherwise, as upstream (get_member_from_driver in api/groups.py).
 */
export const { list, show, create, update, remove } = plainHandlers<Call, Group, Fields>({
  ...bodiesOf({
    noun: 'group',
    collection: 'groups',
    filters: ['domain_id', 'name'],
    view: groupView,
  }),
  async list(call) {
    const domainId = domainScope(call);
    enforce(call, 'list_groups', { group: domainId === undefined ? undefined : { domainId } });
    const filter = { name: call.query.last('name'), domainId: call.query.last('domain_id') };
    return inDomainScope(call, await listGroups(call.db, filter), (group) => group.domainId);
  },
  async find(call, operation) {
    const id = call.params['group_id']!;
    if (operation === 'delete') found(await findGroup(call.db, id), 'group', id);
    return findAuthorized(call, ruleOf(operation, 'group'));
  },
  create(call, fields) {
    enforce(call, 'create_group', { group: { domainId: textOf(fields, 'domain_id') } });
    return createGroup(call, fields, fallbackDomain(call));
  },
  update: updateGroup,
  remove: deleteGroup,
});

/** GET /v3/groups/{group_id}/users */
export async function listMembers(call: Call): Promise<Reply> {
  const hasExpiry = expiryFilter(call.query.all('password_expires_at'));
  const group = await findAuthorized(call, 'list_users_in_group');
  const members = await findUsers(call.db, await memberIds(call.db, group.id));
  const users = members.filter(hasExpiry);
  const visible = inDomainScope(call, users, (user) => user.domainId);
  return ok(await usersBody(call, visible));
}

/** GET /v3/users/{user_id}/groups */
export async function listOfUser(call: Call): Promise<Reply> {
  const id = call.params['user_id']!;
  const user = await findUser(call.db, id);
  enforce(call, 'list_groups_for_user', { user });
  found(user, 'user', id);
  const permanent = await groupIdsOf(call.db, id);
  const expiring = await expiringGroups(call, id);
  for (const groupId of permanent) expiring.delete(groupId);
  const groups = inDomainScope(
    call,
    await findGroups(call.db, [...permanent, ...expiring.keys()]),
    (group) => group.domainId,
  );
  const views = groups.map((group) => ({
    ...groupView(call, group),
    membership_expires_at: naiveIsoOrNull(expiring.get(group.id) ?? null),
  }));
  return ok(listBody(call, 'groups', views, ['name'], await listLimit(call, 'groups')));
}

/** GET and HEAD /v3/groups/{group_id}/users/{user_id} */
export async function showMember(call: Call): Promise<Reply> {
  const { group, user } = await groupAndUser(call, 'check_user_in_group');
  await checkMember(call, group, user);
  return noContent();
}

/** PUT /v3/groups/{group_id}/users/{user_id} */
export async function createMember(call: Call): Promise<Reply> {
  const { group, user } = await groupAndUser(call, 'add_user_to_group');
  await addMember(call, group, user);
  return noContent();
}

/** DELETE /v3/groups/{group_id}/users/{user_id} */
export async function removeMembership(call: Call): Promise<Reply> {
  const { group, user } = await groupAndUser(call, 'remove_user_from_group');
  await removeMember(call, group, user);
  return noContent();
}

async function groupAndUser(call: Call, rule: string): Promise<{ group: Group; user: User }> {
  const { group_id: groupId, user_id: userId } = call.params as {
    group_id: string;
    user_id: string;
  };
  const group = await findGroup(call.db, groupId);
  const user = await findUser(call.db, userId);
  enforce(call, rule, { group, user });
  return { group: found(group, 'group', groupId), user: found(user, 'user', userId) };
}

/** The group in the path. Policy is enforced before a missing group is a 404, as upstream. */
async function findAuthorized(call: Call, rule: string): Promise<Group> {
  const id = call.params['group_id']!;
  const group = await findGroup(call.db, id);
  enforce(call, rule, { group });
  return found(group, 'group', id);
}
