// The rules for changing a group: its name, its description, and the volumes in it. Upstream:
// update in cinder/group/api.py.
import type { Context } from '../../../../kernel/model.ts';
import { pythonRepr, pythonTuple } from '../../../../kernel/oslo/python-repr.ts';
import type { Group, GroupRow, Volume } from '../../model.ts';
import { updateGroup } from '../../store/groups.ts';
import { findVolume, updateVolume, volumesOfGroup } from '../../store/volumes.ts';
import { invalidGroup, invalidVolume } from '../errors.ts';
import { isVisible } from '../visibility.ts';
import { scheduleForGroup } from './groups.ts';

/** The changes that a request asks for. Volumes are ids, separated by commas. */
export interface GroupChange {
  readonly name: string | null;
  readonly description: string | null;
  readonly addVolumes: string | null;
  readonly removeVolumes: string | null;
}

/** The payload of the job that changes the volumes of a group: their ids. */
export interface MembersPayload {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

const addable = ['available', 'in-use'];
const removable = [...addable, 'error', 'error_deleting'];

const idsOf = (text: string | null): string[] =>
  text ? text.replace(/^,+/, '').replace(/,+$/, '').split(',') : [];

/**
 * Changes a group. Its volumes change a moment later, when the job of the change runs.
 * @throws 400
 */
export async function changeGroup(
  context: Context,
  group: Group,
  change: GroupChange,
): Promise<void> {
  const { db, now } = context;
  const requested = { added: idsOf(change.addVolumes), removed: idsOf(change.removeVolumes) };
  const twice = requested.added.filter((id) => requested.removed.includes(id));
  if (twice.length)
    throw invalidVolume(`UUIDs ${pythonRepr(twice)} are in both add and remove volume list.`);
  const volumes = await volumesOfGroup(db, group.id);
  const added = await checkAdded(context, group, volumes, requested.added);
  const removed = checkRemoved(group, volumes, requested.removed);
  const fields: Partial<GroupRow> = {
    ...(change.name === null || change.name === group.name ? {} : { name: change.name }),
    ...(change.description === null || change.description === group.description
      ? {}
      : { description: change.description }),
  };
  const changesMembers = added.length > 0 || removed.length > 0;
  if (!changesMembers && !Object.keys(fields).length)
    throw invalidGroup(
      `Cannot update group ${group.id} because no valid name, description, add_volumes, or ` +
        'remove_volumes were provided.',
    );
  if (!changesMembers) {
    // Upstream sets the status, whatever it was.
    await updateGroup(db, group, { ...fields, status: 'available' }, now);
    return;
  }
  if (group.status !== 'available') throw invalidGroup('Group status must be available.');
  await updateGroup(db, group, { ...fields, status: 'updating' }, now);
  const payload: MembersPayload = { added, removed };
  await scheduleForGroup(context, 'volume.group_updated', group, payload);
}

/** Checks volumes to add. @returns the ids of those that are not in the group yet @throws 400 */
async function checkAdded(
  context: Context,
  group: Group,
  volumes: readonly Volume[],
  requested: readonly string[],
): Promise<string[]> {
  const present = new Set(volumes.map(({ id }) => id));
  const added = [...new Set(requested)].filter((id) => !present.has(id));
  for (const id of added) {
    const volume = await findVolume(context.db, id);
    const visible = volume && isVisible(context, volume) ? volume : undefined;
    const reason = refusalOf(group, visible);
    if (reason !== undefined)
      throw invalidVolume(`Cannot add volume ${id} to group ${group.id} ${reason}`);
    if (visible!.host?.split('#')[0] !== group.host?.split('#')[0])
      throw invalidVolume('Volume is not local to this node.');
  }
  return added;
}

/** Why a volume cannot be added to a group. */
function refusalOf(group: Group, volume: Volume | undefined): string | undefined {
  if (!volume) return 'because volume cannot be found.';
  if (volume.groupId !== null) return `because it is already in group ${volume.groupId}.`;
  if (volume.projectId !== group.projectId) return 'as they belong to different projects.';
  if (!group.volumeTypes.includes(volume.typeId))
    return `because volume type ${volume.typeId} is not supported by the group.`;
  if (!addable.includes(volume.status))
    return (
      `because volume is in an invalid state: ${volume.status}. Valid states are: ` +
      `${pythonTuple(addable)}.`
    );
  return undefined;
}

/** Checks volumes to remove from a group. @returns their ids @throws 400 */
function checkRemoved(
  group: Group,
  volumes: readonly Volume[],
  requested: readonly string[],
): string[] {
  const removed = volumes.filter(({ id }) => requested.includes(id));
  const refused = removed.find(({ status }) => !removable.includes(status));
  if (refused)
    throw invalidVolume(
      `Cannot remove volume ${refused.id} from group ${group.id} because volume is in an ` +
        `invalid state: ${refused.status}. Valid states are: ${pythonTuple(removable)}.`,
    );
  const ids = removed.map(({ id }) => id);
  const unknown = requested.find((id) => !ids.includes(id));
  if (unknown !== undefined)
    throw invalidVolume(
      `Cannot remove volume ${unknown} from group ${group.id} because it is not in the group.`,
    );
  return ids;
}

/** Changes the volumes of a group as requested, except those that were deleted meanwhile. */
export async function endChange(
  { db, now }: Context,
  group: Group,
  { added, removed }: MembersPayload,
): Promise<void> {
  for (const [ids, groupId] of [
    [added, group.id],
    [removed, null],
  ] as const)
    for (const id of ids) {
      const volume = await findVolume(db, id);
      if (volume) await updateVolume(db, volume, { groupId }, now);
    }
  await updateGroup(db, group, { status: 'available' }, now);
}
