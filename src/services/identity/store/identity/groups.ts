// The tables of groups and of their members.
import type { Group } from '../../model.ts';
import { nameKey, objectFrom, toJson } from '../columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';

interface Row {
  id: string;
  name: string;
  name_key: string;
  domain_id: string;
  description: string | null;
  extra: string;
}

interface Membership {
  user_id: string;
  group_id: string;
}

const table = (db: Db) => db<Row>('identity_groups');
const memberships = (db: Db) => db<Membership>('identity_memberships');

const recordOf = (row: Row): Group => ({
  id: row.id,
  name: row.name,
  domainId: row.domain_id,
  description: row.description,
  extra: objectFrom(row.extra),
});

const rowOf = (group: Group): Row => ({
  id: group.id,
  name: group.name,
  name_key: nameKey(group.name),
  domain_id: group.domainId,
  description: group.description,
  extra: toJson(group.extra),
});

/** @throws the driver's error of `isDuplicate` where the name is taken in the domain */
export async function insertGroup(db: Db, group: Group): Promise<void> {
  await table(db).insert(rowOf(group));
}

export async function updateGroup(db: Db, group: Group): Promise<void> {
  await table(db).where({ id: group.id }).update(rowOf(group));
}

/** Deletes the group and its memberships. */
export async function deleteGroup(db: Db, id: string): Promise<void> {
  await table(db).where({ id }).delete();
}

export async function findGroup(db: Db, id: string): Promise<Group | undefined> {
  const row = await table(db).where({ id }).first();
  return row && recordOf(row);
}

export async function findGroups(db: Db, ids: readonly string[]): Promise<Group[]> {
  return (
    await table(db)
      .whereIn('id', [...new Set(ids)])
      .orderBy('id')
  ).map((row) => recordOf(row));
}

export interface GroupFilter {
  readonly name?: string | undefined;
  readonly domainId?: string | undefined;
}

export async function listGroups(db: Db, filter: GroupFilter = {}): Promise<Group[]> {
  const query = table(db).orderBy(['name', 'id']);
  if (filter.name !== undefined) void query.where({ name_key: nameKey(filter.name) });
  if (filter.domainId !== undefined) void query.where({ domain_id: filter.domainId });
  return (await query).map((row) => recordOf(row));
}

/** Stores a membership, where it is not stored yet. */
export async function addMember(db: Db, groupId: string, userId: string): Promise<void> {
  await memberships(db)
    .insert({ group_id: groupId, user_id: userId })
    .onConflict(['user_id', 'group_id'])
    .ignore();
}

/** Deletes a membership. Whether there was one. */
export async function removeMember(db: Db, groupId: string, userId: string): Promise<boolean> {
  return (await memberships(db).where({ group_id: groupId, user_id: userId }).delete()) > 0;
}

export async function isMember(db: Db, groupId: string, userId: string): Promise<boolean> {
  return (
    (await memberships(db).where({ group_id: groupId, user_id: userId }).first()) !== undefined
  );
}

export async function memberIds(db: Db, groupId: string): Promise<string[]> {
  return (await memberships(db).where({ group_id: groupId }).orderBy('user_id')).map(
    (row) => row.user_id,
  );
}

export async function groupIdsOf(db: Db, userId: string): Promise<string[]> {
  return (await memberships(db).where({ user_id: userId }).orderBy('group_id')).map(
    (row) => row.group_id,
  );
}

/** The ids of the members of all groups, by the id of the group. */
export async function allMembers(db: Db): Promise<Map<string, string[]>> {
  const members = new Map<string, string[]>();
  for (const { group_id, user_id } of await memberships(db).orderBy(['group_id', 'user_id'])) {
    members.set(group_id, [...(members.get(group_id) ?? []), user_id]);
  }
  return members;
}
