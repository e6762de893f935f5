// Creates groups from group snapshots and from other groups, with a volume for each snapshot or
// volume of the source. Upstream: create_from_src in cinder/group/api.py.
import type { Context } from '../../../../kernel/model.ts';
import type { Group, GroupSnapshot, Volume } from '../../model.ts';
import { findGroup, updateGroup } from '../../store/groups.ts';
import { findSnapshot, snapshotsOfGroup } from '../../store/snapshots.ts';
import { findVolume, updateVolume, volumesOfGroup } from '../../store/volumes.ts';
import { canExtend } from '../backend/scheduling.ts';
import { checkThawed } from '../backend/services.ts';
import { invalidGroup } from '../errors.ts';
import { createVolumeOfGroup, type VolumeRequest } from '../volumes/volumes.ts';
import { insertCreatingGroup, scheduleForGroup } from './groups.ts';

interface Texts {
  readonly name: string | null;
  readonly description: string | null;
}

type NewVolume = Pick<VolumeRequest, 'size' | 'type' | 'snapshotId' | 'sourceVolid'>;

/** Creates a group from a group snapshot, for the actor's project. @throws 400, 403, 404, 413 */
export async function createFromSnapshot(
  context: Context,
  snapshot: GroupSnapshot,
  texts: Texts,
): Promise<Group> {
  const source = (await findGroup(context.db, snapshot.groupId))!;
  const volumes = (await snapshotsOfGroup(context.db, snapshot.id)).map(
    ({ id, size, typeId }): NewVolume => ({ size, type: typeId, snapshotId: id }),
  );
  const ids = { groupSnapshotId: snapshot.id, sourceGroupId: null };
  return createFrom(context, source, { ...texts, ...ids }, volumes);
}

/** Creates a group from another group, for the actor's project. @throws 400, 403, 404, 413 */
export async function createFromGroup(
  context: Context,
  source: Group,
  texts: Texts,
): Promise<Group> {
  const volumes = (await volumesOfGroup(context.db, source.id)).map(
    ({ id, size, typeId }): NewVolume => ({ size, type: typeId, sourceVolid: id }),
  );
  const ids = { groupSnapshotId: null, sourceGroupId: source.id };
  return createFrom(context, source, { ...texts, ...ids }, volumes);
}

async function createFrom(
  context: Context,
  { groupTypeId, availabilityZone, host, volumeTypes }: Group,
  fields: Texts & Pick<Group, 'groupSnapshotId' | 'sourceGroupId'>,
  volumes: readonly NewVolume[],
): Promise<Group> {
  const types = [...new Set([...volumeTypes, ...volumes.map(({ type }) => type!)])];
  const group = await insertCreatingGroup(context, {
    ...fields,
    groupTypeId,
    availabilityZone,
    host,
    volumeTypes: types,
  });
  const size = volumes.reduce((sum, volume) => sum + (volume.size ?? 0), 0);
  if (!(await canExtend(context, host, size)))
    throw invalidGroup(`No valid host to create group ${group.id}.`);
  await checkThawed(context, { host });
  if (!volumes.length)
    throw invalidGroup(
      fields.groupSnapshotId === null
        ? 'Source Group is empty. No group will be created.'
        : 'Group snapshot is empty. No group will be created.',
    );
  for (const volume of volumes)
    await createVolumeOfGroup(context, { ...volume, availabilityZone, group });
  await scheduleForGroup(context, 'volume.group_created_from_source', group);
  return group;
}

/**
 * Makes a group and its volumes available. They get the status `error` if a source is no longer
 * available.
 */
export async function endCreationFromSource(context: Context, group: Group): Promise<void> {
  const { db, now } = context;
  const volumes = await volumesOfGroup(db, group.id);
  const statuses: (string | undefined)[] = [];
  for (const volume of volumes) statuses.push(await sourceStatus(context, volume));
  const isComplete = statuses.every((status) => status === 'available');
  const status = isComplete ? 'available' : 'error';
  for (const volume of volumes)
    if (volume.status === 'creating') await updateVolume(db, volume, { status }, now);
  await updateGroup(db, group, { status }, now);
}

async function sourceStatus(
  { db }: Context,
  { snapshotId, sourceVolid }: Volume,
): Promise<string | undefined> {
  if (snapshotId !== null) return (await findSnapshot(db, snapshotId))?.status;
  return sourceVolid === null ? undefined : (await findVolume(db, sourceVolid))?.status;
}
