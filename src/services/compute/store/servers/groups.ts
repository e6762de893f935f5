// Server groups, and the servers that are in them.
import type { Knex } from 'knex';
import type { Micros } from '../../../../kernel/clock.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { deferred } from '../../../../kernel/db/transaction.ts';
import type { GroupPolicy, GroupRule, ServerGroup } from '../../model.ts';
import { openStatuses } from './migrations.ts';

interface Row {
  id: number;
  uuid: string;
  name: string;
  policy: GroupPolicy;
  max_server_per_host: number | null;
  project_id: string;
  user_id: string;
}

const record = (row: Row, members: readonly string[]): ServerGroup => ({
  id: row.id,
  uuid: row.uuid,
  name: row.name,
  policy: row.policy,
  maxServerPerHost: row.max_server_per_host ?? undefined,
  projectId: row.project_id,
  userId: row.user_id,
  members,
});

/** The filter and the page of a list of groups, in the order of their creation. */
export interface GroupFilter {
  readonly projectId?: string | undefined;
  readonly offset?: number;
  readonly limit?: number;
}

export async function listGroups(
  db: Db,
  { projectId, offset = 0, limit }: GroupFilter,
): Promise<ServerGroup[]> {
  const query = db('compute_server_groups').orderBy('id').offset(offset);
  if (projectId !== undefined) query.where({ project_id: projectId });
  if (limit !== undefined) query.limit(limit);
  return withMembers(db, (await query) as Row[]);
}

async function withMembers(db: Db, rows: readonly Row[]): Promise<ServerGroup[]> {
  if (!rows.length) return [];
  const found = (await members(
    db,
    rows.map(({ id }) => id),
  ).select('m.group_id', 'm.server_uuid')) as {
    group_id: number;
    server_uuid: string;
  }[];
  return rows.map((row) =>
    record(
      row,
      found.filter((one) => one.group_id === row.id).map((one) => one.server_uuid),
    ),
  );
}

/** The members of groups that are not deleted. */
const members = (db: Db, groupIds: readonly number[]): Knex.QueryBuilder =>
  db('compute_server_group_members as m')
    .join('compute_servers as s', 's.uuid', 'm.server_uuid')
    .whereIn('m.group_id', groupIds)
    .whereNull('s.deleted_at')
    .orderBy('s.id');

/** A group without what is in it. */
export type GroupKey = Pick<ServerGroup, 'id' | 'uuid'>;

/** The keys of the group of that UUID; with a project, only where it is that project's. */
export async function findGroupKey(
  db: Db,
  uuid: string,
  projectId?: string,
): Promise<GroupKey | undefined> {
  return (await ofUuid(db, uuid, projectId).first('id', 'uuid')) as GroupKey | undefined;
}

function ofUuid(db: Db, uuid: string, projectId: string | undefined): Knex.QueryBuilder {
  const query = db('compute_server_groups').where({ uuid });
  return projectId === undefined ? query : query.where({ project_id: projectId });
}

/** The group of that UUID; with a project, only where it is that project's. */
export async function findGroup(
  db: Db,
  uuid: string,
  projectId?: string,
): Promise<ServerGroup | undefined> {
  const row = (await ofUuid(db, uuid, projectId).first()) as Row | undefined;
  return row && (await withMembers(db, [row]))[0];
}

/** What a group asks of its members' hosts. */
export async function findGroupRule(db: Db, uuid: string): Promise<GroupRule | undefined> {
  const row = (await db('compute_server_groups as g')
    .leftJoin('compute_server_group_placings as p', 'p.group_id', 'g.uuid')
    .where('g.uuid', uuid)
    .first('g.uuid', 'g.policy', 'g.max_server_per_host', 'p.count as selections')) as
    | (Pick<Row, 'uuid' | 'policy' | 'max_server_per_host'> & { selections: number | null })
    | undefined;
  return (
    row && {
      uuid: row.uuid,
      policy: row.policy,
      perHost: row.max_server_per_host ?? 1,
      selections: row.selections ?? 0,
    }
  );
}

/** The group that a server is in. */
export async function groupOfServer(db: Db, serverUuid: string): Promise<ServerGroup | undefined> {
  const row = (await db('compute_server_groups as g')
    .join('compute_server_group_members as m', 'm.group_id', 'g.id')
    .where('m.server_uuid', serverUuid)
    .first('g.*')) as Row | undefined;
  return row && (await withMembers(db, [row]))[0];
}

export async function insertGroup(
  db: Db,
  group: Omit<ServerGroup, 'id' | 'members'>,
  now: Micros,
): Promise<ServerGroup> {
  const { uuid, name, policy, maxServerPerHost, projectId, userId } = group;
  const row = {
    uuid,
    name,
    policy,
    max_server_per_host: maxServerPerHost ?? null,
    project_id: projectId,
    user_id: userId,
  };
  const [id] = (await db('compute_server_groups').insert({ ...row, created_at: now })) as number[];
  return { ...group, id: id!, members: [] };
}

/** Deletes a group; its servers stay. @returns whether it was there */
export async function deleteGroup(db: Db, id: number): Promise<boolean> {
  await db('compute_server_group_members').where({ group_id: id }).delete();
  return (await db('compute_server_groups').where({ id }).delete()) > 0;
}

export async function countGroups(db: Db, projectId: string, userId?: string): Promise<number> {
  const query = db('compute_server_groups').where({ project_id: projectId });
  if (userId !== undefined) query.where({ user_id: userId });
  const [row] = (await query.count('* as count')) as { count: number }[];
  return Number(row!.count);
}

/** Adds a server to a group; the server need not be inserted yet. */
export async function addMember(
  db: Db,
  group: Pick<ServerGroup, 'id'>,
  serverUuid: string,
  userId: string,
): Promise<void> {
  await deferred(
    db('compute_server_group_members').insert({
      group_id: group.id,
      server_uuid: serverUuid,
      user_id: userId,
    }),
  );
}

/** How many servers of a user are in a group: what the quota of members counts. */
export async function countMembersOf(db: Db, groupId: number, userId: string): Promise<number> {
  const [row] = (await members(db, [groupId])
    .clearOrder()
    .where('s.user_id', userId)
    .count('* as count')) as { count: number }[];
  return Number(row!.count);
}

/** A host of a group's members. */
export interface GroupHost {
  readonly host: string;
  /**
   * How many members are there or may go there, because their migration there is open or may be
   * reverted; one server is not counted.
   */
  readonly others: number;
  /** Whether a member is there now. */
  readonly present: boolean;
}

/**
 * The hosts of a group's members, at both ends of their open migrations. `server` is not counted
 * among the others.
 */
export async function hostsOfMembers(
  db: Db,
  groupUuid: string,
  server: string,
): Promise<GroupHost[]> {
  const inGroup = (): Knex.QueryBuilder =>
    db('compute_servers as s').where('s.group_id', groupUuid).whereNull('s.deleted_at');
  const moving = (end: string): Knex.QueryBuilder =>
    inGroup()
      .join('compute_server_migrations as m', 'm.server_uuid', 's.uuid')
      .whereIn('m.status', openStatuses)
      .whereNotNull(end)
      .select('s.uuid', end, db.raw('0'));
  const all = inGroup()
    .whereNotNull('s.host')
    .select('s.uuid', 's.host', db.raw('1 as present'))
    .unionAll([moving('m.source_host'), moving('m.dest_host')]);
  const rows = (await db(all.as('m'))
    .groupBy('m.host')
    .orderBy('m.host')
    .select('m.host')
    .max('m.present as present')
    .countDistinct({ others: db.raw('case when m.uuid <> ? then m.uuid end', [server]) })) as {
    host: string;
    others: number;
    present: number;
  }[];
  return rows.map(({ host, others, present }) => ({
    host,
    others: Number(others),
    present: Boolean(present),
  }));
}
