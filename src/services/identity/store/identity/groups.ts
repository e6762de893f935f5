// The tables of groups and of their members.
import { jsonObject, nullable, text } from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { Table } from '../../../../kernel/db/table.ts';
import type { Group } from '../../model.ts';
import { nameConditions, nameKeyColumn } from '../names.ts';

const groups = new Table<Group>(
  'identity_groups',
  { id: text, name: text, domainId: text, description: nullable(text), extra: jsonObject() },
  { derived: nameKeyColumn },
);

const memberships = new Table(
  'identity_memberships',
  { userId: text, groupId: text },
  { key: ['groupId', 'userId'] },
);

/** @throws the driver's error of `isDuplicate` if the domain has a group of that name */
export async function insertGroup(db: Db, group: Group): Promise<void> {
  await groups.insert(db, group);
}

/** @throws the driver's error of `isDuplicate` if the domain has another group of that name */
export async function updateGroup(db: Db, group: Group): Promise<void> {
  await groups.update(db, { id: group.id }, group);
}

/** Deletes a group and its memberships. */
export async function deleteGroup(db: Db, id: string): Promise<void> {
  await groups.remove(db, { id });
}

export const findGroup = (db: Db, id: string): Promise<Group | undefined> =>
  groups.find(db, { id });

/** The groups of these ids, ordered by id. */
export const findGroups = (db: Db, ids: readonly string[]): Promise<Group[]> =>
  groups.among(db, 'id', ids);

export interface GroupFilter {
  readonly name?: string | undefined;
  readonly domainId?: string | undefined;
}

/** The groups that match, ordered by name. */
export const listGroups = (db: Db, { name, domainId }: GroupFilter = {}): Promise<Group[]> =>
  groups.list(db, { where: { domainId }, conditions: nameConditions(name), sort: ['name'] });

/** Adds a user to a group, unless the user is a member. */
export const addMember = (db: Db, groupId: string, userId: string): Promise<void> =>
  memberships.ensure(db, [{ groupId, userId }]);

/** Removes a user from a group, and returns whether the user was a member. */
export const removeMember = async (db: Db, groupId: string, userId: string): Promise<boolean> =>
  (await memberships.remove(db, { groupId, userId })) > 0;

export const isMember = (db: Db, groupId: string, userId: string): Promise<boolean> =>
  memberships.exists(db, { groupId, userId });

/** The ids of a group's members, in order. */
export const memberIds = async (db: Db, groupId: string): Promise<string[]> =>
  (await memberships.list(db, { where: { groupId } })).map(({ userId }) => userId);

/** The ids of a user's groups, in order. */
export const groupIdsOf = async (db: Db, userId: string): Promise<string[]> =>
  (await memberships.list(db, { where: { userId } })).map(({ groupId }) => groupId);

/** The ids of the members of every group, by the group's id. */
export async function allMembers(db: Db): Promise<Map<string, string[]>> {
  const members = new Map<string, string[]>();
  for (const { groupId, userId } of await memberships.list(db))
    members.set(groupId, [...(members.get(groupId) ?? []), userId]);
  return members;
}
