// The rules of group snapshots: list, create, delete, and set the status. Upstream:
// cinder/group/api.py.
import { badRequest } from '../../../../kernel/errors.ts';
import { newUuid } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { Group, GroupSnapshot, GroupSnapshotStatus, Volume } from '../../model.ts';
import {
  findGroupSnapshot,
  insertGroupSnapshot,
  selectGroupSnapshots,
  updateGroupSnapshot,
} from '../../store/group-snapshots.ts';
import { findGroup, isSourceOfNewGroup } from '../../store/groups.ts';
import type { ListRequest } from '../../store/lists.ts';
import { snapshotsOfGroup, updateSnapshot } from '../../store/snapshots.ts';
import { checkThawed } from '../backend/services.ts';
import { noGroupSnapshot } from '../errors.ts';
import { pageFor } from '../lists.ts';
import { createSnapshotOfGroup } from '../snapshots.ts';
import { isVisible, projectOf } from '../visibility.ts';
import { scheduleForGroup } from './groups.ts';

/** Returns a group snapshot that the actor may see. @throws 404, also for another project's */
export async function groupSnapshotFor(context: Context, id: string): Promise<GroupSnapshot> {
  const snapshot = await findGroupSnapshot(context.db, id);
  if (!snapshot || !isVisible(context, snapshot)) throw noGroupSnapshot(id);
  return snapshot;
}

/** Lists the group snapshots on a page. @throws 404 for an unknown marker */
export async function listGroupSnapshots(
  context: Context,
  request: ListRequest<GroupSnapshot>,
): Promise<GroupSnapshot[]> {
  const findMarker = (marker: string): Promise<GroupSnapshot> => groupSnapshotFor(context, marker);
  return selectGroupSnapshots(context.db, await pageFor(context, request, findMarker));
}

/**
 * Creates a snapshot of each volume of a group, for the actor's project, and schedules the job that
 * makes them available.
 * @throws 400, 403, 413
 */
export async function createGroupSnapshot(
  context: Context,
  group: Group,
  volumes: readonly Volume[],
  texts: Pick<GroupSnapshot, 'name' | 'description'>,
): Promise<GroupSnapshot> {
  const { db, now, actor } = context;
  await checkThawed(context, group);
  const snapshot: GroupSnapshot = {
    ...texts,
    id: newUuid(),
    groupId: group.id,
    groupTypeId: group.groupTypeId,
    projectId: projectOf(context),
    userId: actor.userId,
    status: 'creating',
    revision: 0,
    createdAt: now,
    updatedAt: null,
  };
  await insertGroupSnapshot(db, snapshot);
  for (const volume of volumes) await createSnapshotOfGroup(context, volume, snapshot);
  await scheduleForGroup(context, 'volume.group_snapshot_created', snapshot);
  return snapshot;
}

/** Begins to delete a group snapshot with its snapshots. @throws 400 */
export async function removeGroupSnapshot(
  context: Context,
  snapshot: GroupSnapshot,
): Promise<void> {
  const { db, now } = context;
  const { host = null } = (await findGroup(db, snapshot.groupId)) ?? {};
  await checkThawed(context, { host }).catch(() => {
    throw badRequest(`Error occurred when deleting group snapshot ${snapshot.id}.`);
  });
  const isDeletable =
    ['available', 'error'].includes(snapshot.status) &&
    !(await isSourceOfNewGroup(db, { groupSnapshotId: snapshot.id }));
  if (!isDeletable)
    throw badRequest(
      'Invalid GroupSnapshot: GroupSnapshot status must be available or error, and no Group can ' +
        'be currently using it as source for its creation.',
    );
  for (const one of await snapshotsOfGroup(db, snapshot.id))
    await updateSnapshot(db, one, { status: 'deleting' }, now);
  await updateGroupSnapshot(db, snapshot, { status: 'deleting' }, now);
  await scheduleForGroup(context, 'volume.group_snapshot_deleted', snapshot);
}

/** Sets the status of a group snapshot, regardless of its current status. */
export async function resetGroupSnapshotStatus(
  { db, now }: Context,
  snapshot: GroupSnapshot,
  status: GroupSnapshotStatus,
): Promise<void> {
  await updateGroupSnapshot(db, snapshot, { status }, now);
}
