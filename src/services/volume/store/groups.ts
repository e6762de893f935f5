// The tables of groups, and of the volume types that each allows.
import type { Micros } from '../../../kernel/clock.ts';
import { integer, micros, nullable, referring, text, textOf } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { groupedValues } from '../../../kernel/db/grouping.ts';
import { RevisionTable } from '../../../kernel/db/revision-table.ts';
import { Table } from '../../../kernel/db/table.ts';
import { conflict, type ApiError } from '../../../kernel/errors.ts';
import {
  consistencyGroupTypeName,
  groupStatuses,
  replicationStatuses,
  type Group,
  type GroupRow,
} from '../model.ts';
import { listPage, type Page } from './lists.ts';

const groups = new RevisionTable<GroupRow>(
  'volume_groups',
  {
    id: text,
    projectId: text,
    userId: text,
    name: nullable(text),
    description: nullable(text),
    status: textOf(groupStatuses),
    replicationStatus: textOf(replicationStatuses),
    groupTypeId: referring(text, 'volume_group_types.id'),
    availabilityZone: nullable(text),
    host: nullable(text),
    groupSnapshotId: nullable(text),
    sourceGroupId: nullable(text),
    revision: integer,
    createdAt: micros,
    updatedAt: nullable(micros),
  },
  { revision: 'revision' },
);

const allowedTypes = new Table(
  'volume_group_volume_types',
  { groupId: text, typeId: referring(text, 'volume_types.id') },
  { key: ['groupId', 'typeId'] },
);

async function withTypes(db: Db, rows: readonly GroupRow[]): Promise<Group[]> {
  const types = groupedValues(
    await allowedTypes.among(
      db,
      'groupId',
      rows.map(({ id }) => id),
    ),
    ({ groupId }) => groupId,
    ({ typeId }) => typeId,
  );
  return rows.map((row) => ({ ...row, volumeTypes: types.get(row.id) ?? [] }));
}

export async function findGroup(db: Db, id: string): Promise<Group | undefined> {
  const row = await groups.find(db, { id });
  return row && (await withTypes(db, [row]))[0];
}

/** The ids of those groups that are consistency groups. */
export const consistencyGroupsAmong = (db: Db, ids: readonly string[]): Promise<string[]> =>
  db(groups.name)
    .join('volume_group_types', 'volume_group_types.id', 'volume_groups.group_type_id')
    .where('volume_group_types.name', consistencyGroupTypeName)
    .whereIn('volume_groups.id', [...new Set(ids)])
    .pluck('volume_groups.id');

export const selectGroups = async (db: Db, page: Page<GroupRow>): Promise<Group[]> =>
  withTypes(db, await listPage(db, groups, page));

/** Counts the groups of a project. */
export const countGroups = (db: Db, projectId: string): Promise<number> =>
  groups.count(db, { where: { projectId } });

/** Returns whether any group has the group type. */
export const isGroupTypeInUse = (db: Db, groupTypeId: string): Promise<boolean> =>
  groups.exists(db, { groupTypeId });

/** Returns whether any group allows the volume type. */
export const isTypeInGroup = (db: Db, typeId: string): Promise<boolean> =>
  allowedTypes.exists(db, { typeId });

/** Returns whether a group is being created from this group or group snapshot. */
export const isSourceOfNewGroup = (
  db: Db,
  source: { readonly sourceGroupId: string } | { readonly groupSnapshotId: string },
): Promise<boolean> => groups.exists(db, { ...source, status: 'creating' });

export async function insertGroup(db: Db, group: Group): Promise<void> {
  await groups.insert(db, group);
  await allowedTypes.insertAll(
    db,
    group.volumeTypes.map((typeId) => ({ groupId: group.id, typeId })),
  );
}

const stale = (): ApiError => conflict('The group was changed by somebody else.');

/**
 * Changes a group that was read.
 * @throws SerializationFailure if another transaction has changed it
 */
export const updateGroup = (
  db: Db,
  group: Group,
  change: Partial<GroupRow>,
  now: Micros,
): Promise<Group> => groups.updateAtRevision(db, group, { ...change, updatedAt: now }, stale);

/**
 * Deletes a group that was read. Its volumes and group snapshots must be deleted before.
 * @throws SerializationFailure if another transaction has changed it
 */
export async function deleteGroup(db: Db, group: Group): Promise<void> {
  await allowedTypes.remove(db, { groupId: group.id });
  await groups.removeAtRevision(db, group, stale);
}
