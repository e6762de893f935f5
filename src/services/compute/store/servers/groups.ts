// The tables of server groups and their members.
import type { Knex } from 'knex';
import type { Micros } from '../../../../kernel/clock.ts';
import {
  integer,
  micros,
  nullable,
  referring,
  text,
  textOf,
} from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { insertRows, Recurring } from '../../../../kernel/db/drivers/recurring.ts';
import { SerializationFailure } from '../../../../kernel/db/errors.ts';
import { guarded } from '../../../../kernel/db/guarded.ts';
import { Table } from '../../../../kernel/db/table.ts';
import { deferred } from '../../../../kernel/db/transaction.ts';
import { conflict } from '../../../../kernel/errors.ts';
import { groupedValues } from '../../../../kernel/db/grouping.ts';
import {
  groupPolicies,
  softDeletedState,
  type GroupPolicy,
  type GroupRule,
  type ServerGroup,
} from '../../model.ts';
import { openStatuses } from './migrations.ts';

const recurring = new Recurring();

interface StoredGroup extends Omit<ServerGroup, 'members'> {
  readonly createdAt: Micros;
}

const groups = new Table<StoredGroup, 'id'>('compute_server_groups', {
  id: integer,
  uuid: text,
  name: text,
  policy: textOf(groupPolicies),
  maxServerPerHost: nullable(integer),
  projectId: text,
  userId: text,
  createdAt: micros,
});
const groupMembers = new Table(
  'compute_server_group_members',
  { groupId: integer, serverUuid: referring(text, 'compute_servers.uuid'), userId: text },
  { key: ['groupId', 'serverUuid'] },
);
/** How often the scheduler has selected a host for a member of each group. */
const selections = new Table(
  'compute_server_group_placings',
  { groupId: text, count: integer },
  { key: 'groupId' },
);

/** The filter and the page of a list of groups. */
export interface GroupFilter {
  readonly projectId?: string | undefined;
  readonly offset?: number;
  readonly limit?: number;
}

/** Lists groups in the order in which they were created. */
export async function listGroups(
  db: Db,
  { projectId, offset, limit }: GroupFilter,
): Promise<ServerGroup[]> {
  return withMembers(db, await groups.list(db, { where: { projectId }, offset, limit }));
}

async function withMembers(db: Db, found: readonly StoredGroup[]): Promise<ServerGroup[]> {
  if (!found.length) return [];
  const ids = found.map(({ id }) => id);
  const rows: { group_id: number; server_uuid: string }[] = await members(db, ids).select(
    'm.group_id',
    'm.server_uuid',
  );
  const byGroup = groupedValues(
    rows,
    (row) => row.group_id,
    (row) => row.server_uuid,
  );
  return found.map((group) => ({ ...group, members: byGroup.get(group.id) ?? [] }));
}

/** A query for the members of groups that are neither deleted nor soft-deleted. */
const members = (db: Db, groupIds: readonly number[]): Knex.QueryBuilder =>
  db('compute_server_group_members as m')
    .join('compute_servers as s', 's.uuid', 'm.server_uuid')
    .whereIn('m.group_id', groupIds)
    .whereRaw('s.deleted_at + 0 is null') // keeps SQLite from reading all servers by an index
    .whereNot('s.vm_state', softDeletedState)
    .orderBy('s.id');

/** A group without its members. */
export type GroupKey = Pick<ServerGroup, 'id' | 'uuid'>;

/** Finds a group by its UUID, without its members. With a project, finds only its own groups. */
export const findGroupKey = (
  db: Db,
  uuid: string,
  projectId?: string,
): Promise<GroupKey | undefined> => findStored(db, uuid, projectId);

const findStored = (
  db: Db,
  uuid: string,
  projectId: string | undefined,
): Promise<StoredGroup | undefined> =>
  groups.find(db, { uuid, ...(projectId === undefined ? {} : { projectId }) });

/** Finds a group by its UUID. With a project, finds only its own groups. */
export async function findGroup(
  db: Db,
  uuid: string,
  projectId?: string,
): Promise<ServerGroup | undefined> {
  const found = await findStored(db, uuid, projectId);
  return found && (await withMembers(db, [found]))[0];
}

interface RuleRow {
  readonly uuid: string;
  readonly policy: GroupPolicy;
  readonly max_server_per_host: number | null;
  readonly selections: number | null;
}

/** The placement rule of a group. */
export async function findGroupRule(db: Db, uuid: string): Promise<GroupRule | undefined> {
  const [row] = await recurring.statement<RuleRow[]>(db, 'rule', [uuid], ([wanted]) =>
    db('compute_server_groups as g')
      .leftJoin('compute_server_group_placings as p', 'p.group_id', 'g.uuid')
      .where('g.uuid', wanted)
      .select('g.uuid', 'g.policy', 'g.max_server_per_host', 'p.count as selections'),
  );
  return (
    row && {
      uuid: row.uuid,
      policy: row.policy,
      perHost: row.max_server_per_host ?? 1,
      selections: row.selections ?? 0,
    }
  );
}

export async function insertGroup(
  db: Db,
  group: Omit<ServerGroup, 'id' | 'members'>,
  now: Micros,
): Promise<ServerGroup> {
  const [id] = await groups.insert(db, { ...group, createdAt: now });
  return { ...group, id: id!, members: [] };
}

/** Deletes a group, but not its servers. @returns false if the group does not exist */
export async function deleteGroup(db: Db, id: number): Promise<boolean> {
  await groupMembers.remove(db, { groupId: id });
  return (await groups.remove(db, { id })) > 0;
}

export const countGroups = (db: Db, projectId: string, userId?: string): Promise<number> =>
  groups.count(db, { where: { projectId, userId } });

/** Adds servers to a group. They may be inserted later in the same transaction. */
export const addMembers = (
  db: Db,
  { id: groupId }: GroupKey,
  servers: readonly string[],
  userId: string,
): Promise<void> => {
  if (!servers.length) return Promise.resolve();
  const rows = servers.map((serverUuid) => groupMembers.row({ groupId, serverUuid, userId }));
  return deferred(insertRows(db, groupMembers.name, rows));
};

/** Counts the servers of a user in a group, which the quota of members limits. */
export async function countMembersOf(db: Db, groupId: number, userId: string): Promise<number> {
  const [row]: { count: number }[] = await members(db, [groupId])
    .clearOrder()
    .where('s.user_id', userId)
    .count('* as count');
  return Number(row!.count);
}

/**
 * Counts one more selection of a host for a group.
 * @throws SerializationFailure if another process has selected a host since the count was read
 */
export async function bumpGroupSelections(
  db: Db,
  { uuid: groupId, selections: count }: Pick<GroupRule, 'uuid' | 'selections'>,
): Promise<void> {
  const outdated = (): SerializationFailure =>
    new SerializationFailure(
      conflict(
        `Servers of the group ${groupId} are being placed by another process. Please try again.`,
      ),
      (retried) =>
        retried(selections.name)
          .where({ group_id: groupId })
          .update({ count: retried.ref('count') }),
    );
  const write = selections.update(db, { groupId, count }, { count: count + 1 });
  if (count > 0) return guarded(write, outdated, 1);
  if (await write) return;
  await selections.ensure(db, [{ groupId, count: 1 }]);
  if ((await selections.find(db, { groupId }))?.count !== 1) throw outdated();
}

/** A member of a group, and the host that it is on. */
export interface PlacedMember {
  readonly uuid: string;
  readonly name: string;
  readonly host: string;
}

const placedMembers = new Table<PlacedMember>(
  'compute_servers',
  { uuid: text, name: text, host: text },
  { key: 'uuid' },
);

/** Lists the members of a group that are on a host, by host. */
export const membersOnHosts = (db: Db, groupUuid: string): Promise<PlacedMember[]> =>
  placedMembers.read(
    db(placedMembers.name)
      .where({ group_id: groupUuid })
      .whereNotNull('host')
      .whereNull('deleted_at')
      .whereNot({ vm_state: softDeletedState })
      .orderBy(['host', 'id'])
      .select('uuid', 'name', 'host'),
  );

/** A host that members of a group are on, or may move to. */
export interface GroupHost {
  readonly host: string;
  /**
   * The number of members that are on the host, or that an open migration may bring there. The
   * server that is being scheduled is not counted.
   */
  readonly others: number;
  /** Whether a member is on the host now. */
  readonly present: boolean;
}

/**
 * Lists the hosts of a group's members, including both hosts of their open migrations. `server` is
 * not counted among the others.
 */
export async function hostsOfMembers(
  db: Db,
  groupUuid: string,
  server: string,
): Promise<GroupHost[]> {
  const rows = await recurring.statement<MemberHostRow[]>(
    db,
    'hosts of members',
    [groupUuid, server],
    ([group, excluded]) => hostsQuery(db, group!, excluded!),
  );
  return rows.map(({ host, others, present }) => ({
    host,
    others: Number(others),
    present: Boolean(present),
  }));
}

interface MemberHostRow {
  readonly host: string;
  readonly others: number;
  readonly present: number;
}

function hostsQuery(db: Db, groupUuid: string, server: string): Knex.QueryBuilder {
  const inGroup = (): Knex.QueryBuilder =>
    db('compute_servers as s')
      .where('s.group_id', groupUuid)
      .whereNull('s.deleted_at')
      .whereNot('s.vm_state', softDeletedState);
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
  return db(all.as('m'))
    .groupBy('m.host')
    .orderBy('m.host')
    .select('m.host')
    .max('m.present as present')
    .countDistinct({ others: db.raw('case when m.uuid <> ? then m.uuid end', [server]) });
}
