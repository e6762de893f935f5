// Creates, updates and deletes groups and their memberships. Upstream: keystone/identity/core.py.
import { bumpAuthRevision } from '../../../../kernel/db/state.ts';
import { notFound } from '../../../../kernel/errors.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import { deleteAssignmentsOfActor, listAssignments } from '../../store/assignment/assignments.ts';
import * as store from '../../store/identity/groups.ts';
import { endUserTokens } from '../../store/identity/users.ts';
import {
  extraOf,
  nullableText,
  optionalText,
  refuseIdChange,
  textOf,
  updatedText,
  type Fields,
} from '../attributes.ts';
import type { Group, User } from '../../model.ts';
import { checkLength, duplicate, refuseOnDuplicate } from '../refusals.ts';
import { recordRevocations } from '../auth/revocation-events.ts';
import { expiringGroups } from '../federation/memberships.ts';
import { requireDomain } from '../resource/project-tree.ts';
import type { Context } from '../../../../kernel/model.ts';

const apiAttributes = ['id', 'name', 'domain_id', 'description', 'links'];

/** Creates a group, in `fallbackDomainId` if the request names no domain. @throws 400, 404, 409 */
export async function createGroup(
  { db }: Context,
  fields: Fields,
  fallbackDomainId: string,
): Promise<Group> {
  const group: Group = {
    id: newHexId(),
    name: textOf(fields, 'name').trim(),
    domainId: optionalText(fields, 'domain_id') ?? fallbackDomainId,
    description: nullableText(fields, 'description') ?? ('description' in fields ? null : ''),
    extra: extraOf(fields, apiAttributes),
  };
  await requireDomain(db, group.domainId);
  checkLength('name', group.name, 64);
  await refuseOnDuplicate(store.insertGroup(db, group), () => duplicateName(group));
  return group;
}

/** Updates a group. @throws 400, 409 */
export async function updateGroup({ db }: Context, group: Group, fields: Fields): Promise<Group> {
  refuseIdChange(fields, group);
  const next: Group = {
    ...group,
    name: 'name' in fields ? textOf(fields, 'name').trim() : group.name,
    description: updatedText(fields, 'description', group.description),
    extra: { ...group.extra, ...extraOf(fields, apiAttributes) },
  };
  checkLength('name', next.name, 64);
  await refuseOnDuplicate(store.updateGroup(db, next), () => duplicateName(next));
  return next;
}

const duplicateName = (group: Group) => duplicate('group', group.name, group.domainId);

/** Deletes a group. */
export async function deleteGroup(context: Context, { id }: Group): Promise<void> {
  await discardGroup(context, id);
  await bumpAuthRevision(context.db);
}

/** Deletes a group with its assignments, and ends its members' tokens. */
export async function discardGroup(context: Context, id: string): Promise<void> {
  const { db } = context;
  const members = await store.memberIds(db, id);
  await endUserTokens(db, members);
  if ((await listAssignments(db, { actorType: 'group', actorId: id })).length)
    await recordRevocations(context, ...members.map((userId) => ({ userId })));
  await deleteAssignmentsOfActor(db, 'group', id);
  await store.deleteGroup(db, id);
}

/** @throws 404 if the user is not in the group */
export async function checkMember(context: Context, group: Group, user: User): Promise<void> {
  const isMember = await store.isMember(context.db, group.id, user.id);
  if (!isMember && !(await expiringGroups(context, user.id)).has(group.id))
    throw notAMember(group, user);
}

/** Adds a user to a group; does nothing if the user is a member. */
export async function addMember({ db }: Context, group: Group, user: User): Promise<void> {
  await store.addMember(db, group.id, user.id);
  await bumpAuthRevision(db);
}

/** Removes a user from a group, and ends the user's tokens. @throws 404 */
export async function removeMember(context: Context, group: Group, user: User): Promise<void> {
  const { db } = context;
  if (!(await store.removeMember(db, group.id, user.id))) throw notAMember(group, user);
  await endUserTokens(db, [user.id]);
  await recordRevocations(context, { userId: user.id });
  await bumpAuthRevision(db);
}

const notAMember = (group: Group, user: User) =>
  notFound(`User '${user.id}' not found in group '${group.id}'.`);
