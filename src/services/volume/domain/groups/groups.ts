// The rules of groups: list, create, delete, and set the status. Upstream: cinder/group/api.py.
import type { Micros } from '../../../../kernel/clock.ts';
import { elevated } from '../../../../kernel/context.ts';
import { isUuidLike, newUuid } from '../../../../kernel/ids.ts';
import { schedule } from '../../../../kernel/jobs/queue.ts';
import type { Context } from '../../../../kernel/model.ts';
import { hasGroupSnapshots } from '../../store/group-snapshots.ts';
import {
  deleteGroup,
  findGroup,
  insertGroup,
  isSourceOfNewGroup,
  selectGroups,
  updateGroup,
} from '../../store/groups.ts';
import type { ListRequest } from '../../store/lists.ts';
import { snapshotsOf } from '../../store/snapshots.ts';
import { updateVolume, volumesOfGroup } from '../../store/volumes.ts';
import { checkThawed } from '../backend/services.ts';
import { invalidGroup, noGroup } from '../errors.ts';
import { pageFor } from '../lists.ts';
import { reserveGroup } from '../quotas.ts';
import { typeById, typeNamed } from '../types/types.ts';
import { isVisible, projectOf } from '../visibility.ts';
import { checkZone } from '../volumes/volumes.ts';
import { zone, type Group, type GroupRow, type GroupStatus, type Volume } from '../../model.ts';
import { groupTypeById } from './group-types.ts';

/**
 * How long creating, changing and deleting take. The job is due at once, so the next request finds
 * it done.
 */
const latency: Micros = 0;

/** Schedules the job that completes an action of a group. */
export const scheduleForGroup = (
  { db, now }: Context,
  kind: string,
  { id }: { readonly id: string },
  payload: object = {},
): Promise<void> => schedule(db, { dueAt: now + latency, kind, subject: id, payload });

/** Returns a group that the actor may see. @throws 404, also for a group of another project */
export async function groupFor(context: Context, id: string): Promise<Group> {
  const group = await findGroup(context.db, id);
  if (!group || !isVisible(context, group)) throw noGroup(id);
  return group;
}

/** Lists the groups on the page that a client requests. @throws 404 for an unknown marker */
export async function listGroups(
  context: Context,
  request: ListRequest<GroupRow>,
): Promise<Group[]> {
  const findMarker = (marker: string): Promise<Group> => groupFor(context, marker);
  return selectGroups(context.db, await pageFor(context, request, findMarker));
}

/** A group to create. */
export interface GroupRequest {
  readonly name: string | null;
  readonly description: string | null;
  readonly groupTypeId: string;
  /** The names or ids of the types that its volumes may have. */
  readonly volumeTypes: readonly string[];
  readonly availabilityZone: string | null | undefined;
}

/**
 * Creates a group for the actor's project, and schedules the job that makes it available.
 * @throws 400, 403, 404, 413
 */
export async function createGroup(context: Context, request: GroupRequest): Promise<Group> {
  const { name, description } = request;
  const ids = new Set<string>();
  for (const one of request.volumeTypes) {
    const find = isUuidLike(one) ? typeById : typeNamed;
    ids.add((await find(elevated(context), one)).id);
  }
  const { id: groupTypeId } = await groupTypeById(context, request.groupTypeId);
  await checkZone(context, request.availabilityZone);
  const group = await insertCreatingGroup(context, {
    name,
    description,
    groupTypeId,
    availabilityZone: zone,
    host: null,
    groupSnapshotId: null,
    sourceGroupId: null,
    volumeTypes: [...ids],
  });
  await scheduleForGroup(context, 'volume.group_created', group);
  return group;
}

/** What distinguishes a new group from others. */
type NewGroup = Pick<
  Group,
  | 'name'
  | 'description'
  | 'groupTypeId'
  | 'availabilityZone'
  | 'host'
  | 'groupSnapshotId'
  | 'sourceGroupId'
  | 'volumeTypes'
>;

/** Inserts a group in the status `creating` for the actor's project. @throws 403, 413 */
export async function insertCreatingGroup(context: Context, fields: NewGroup): Promise<Group> {
  const { db, now, actor } = context;
  const projectId = projectOf(context);
  await reserveGroup(context, projectId);
  const group: Group = {
    ...fields,
    id: newUuid(),
    projectId,
    userId: actor.userId,
    status: 'creating',
    replicationStatus: 'disabled',
    revision: 0,
    createdAt: now,
    updatedAt: null,
  };
  await insertGroup(db, group);
  return group;
}

/**
 * Begins to delete a group, with its volumes if the request says so, in any status then. A group
 * that was never scheduled to a host is deleted at once.
 * @throws 400
 */
export async function removeGroup(
  context: Context,
  group: Group,
  { withVolumes }: { readonly withVolumes: boolean },
): Promise<void> {
  const { db, now } = context;
  const volumes = await volumesOfGroup(db, group.id);
  if (group.host === null) {
    for (const volume of volumes) await updateVolume(db, volume, { groupId: null }, now);
    return deleteGroup(db, group);
  }
  await checkThawed(context, group);
  if (!withVolumes && !['available', 'error'].includes(group.status))
    throw invalidGroup(
      `Group status must be available or error, but current status is: ${group.status}`,
    );
  if (await hasGroupSnapshots(db, group.id)) throw invalidGroup('Group has existing snapshots.');
  if (volumes.length && !withVolumes)
    throw invalidGroup(
      `Group ${group.id} still contains volumes. The delete-volumes flag is required to delete ` +
        'it.',
    );
  await checkVolumesDeletable(context, group, volumes);
  if (await isSourceOfNewGroup(db, { sourceGroupId: group.id }))
    throw invalidGroup(
      `Cannot delete group ${group.id}. Group status must be available or error and must not ` +
        'have dependent group snapshots, and it cannot be the source for an ongoing group or ' +
        'group snapshot creation.',
    );
  for (const volume of volumes) await updateVolume(db, volume, { status: 'deleting' }, now);
  await updateGroup(db, group, { status: 'deleting' }, now);
  await scheduleForGroup(context, 'volume.group_deleted', group);
}

/** @throws 400 if a volume is attached or has snapshots */
async function checkVolumesDeletable(
  { db }: Context,
  { id }: Group,
  volumes: readonly Volume[],
): Promise<void> {
  for (const volume of volumes) {
    if (volume.attachStatus === 'attached')
      throw invalidGroup(`Volume in group ${id} is attached. Need to detach first.`);
    if ((await snapshotsOf(db, volume.id)).length)
      throw invalidGroup('Volume in group still has dependent snapshots.');
  }
}

/** Sets the status of a group, regardless of its current status. */
export async function resetGroupStatus(
  { db, now }: Context,
  group: Group,
  status: GroupStatus,
): Promise<void> {
  await updateGroup(db, group, { status }, now);
}
