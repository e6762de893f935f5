// The table of group snapshots.
import type { Micros } from '../../../kernel/clock.ts';
import { integer, micros, nullable, referring, text, textOf } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { RevisionTable } from '../../../kernel/db/revision-table.ts';
import { conflict, type ApiError } from '../../../kernel/errors.ts';
import { groupSnapshotStatuses, type GroupSnapshot } from '../model.ts';
import { listPage, type Page } from './lists.ts';

const groupSnapshots = new RevisionTable<GroupSnapshot>(
  'volume_group_snapshots',
  {
    id: text,
    groupId: text,
    groupTypeId: referring(text, 'volume_group_types.id'),
    projectId: text,
    userId: text,
    name: nullable(text),
    description: nullable(text),
    status: textOf(groupSnapshotStatuses),
    revision: integer,
    createdAt: micros,
    updatedAt: nullable(micros),
  },
  { revision: 'revision' },
);

export const findGroupSnapshot = (db: Db, id: string): Promise<GroupSnapshot | undefined> =>
  groupSnapshots.find(db, { id });

export const selectGroupSnapshots = (db: Db, page: Page<GroupSnapshot>): Promise<GroupSnapshot[]> =>
  listPage(db, groupSnapshots, page);

/** Returns whether a group has snapshots. */
export const hasGroupSnapshots = (db: Db, groupId: string): Promise<boolean> =>
  groupSnapshots.exists(db, { groupId });

export async function insertGroupSnapshot(db: Db, snapshot: GroupSnapshot): Promise<void> {
  await groupSnapshots.insert(db, snapshot);
}

const stale = (): ApiError => conflict('The group snapshot was changed by somebody else.');

/**
 * Changes a group snapshot that was read.
 * @throws SerializationFailure if another transaction has changed it
 */
export const updateGroupSnapshot = (
  db: Db,
  snapshot: GroupSnapshot,
  change: Partial<GroupSnapshot>,
  now: Micros,
): Promise<GroupSnapshot> =>
  groupSnapshots.updateAtRevision(db, snapshot, { ...change, updatedAt: now }, stale);

/**
 * Deletes a group snapshot that was read. Its snapshots must be deleted before.
 * @throws SerializationFailure if another transaction has changed it
 */
export const deleteGroupSnapshot = (db: Db, snapshot: GroupSnapshot): Promise<void> =>
  groupSnapshots.removeAtRevision(db, snapshot, stale);
