// Helpers that create groups, their types and their snapshots.
import type { World } from '../../../support/cloud.ts';
import { ask, createVolume, type Person } from '../support.ts';

type Fields = Record<string, unknown>;

export async function createGroupType(world: World, fields: Fields): Promise<string> {
  const reply = await ask(world, 'admin', 'POST', '/group_types', {
    body: { group_type: fields },
  }).expect(202);
  return (reply.body as { group_type: { id: string } }).group_type.id;
}

/** Creates a group, which is available by the next request. @returns its id */
export async function createGroup(world: World, who: Person, fields: Fields = {}): Promise<string> {
  const groupType = fields['group_type'] ?? (await createGroupType(world, { name: unique() }));
  const reply = await ask(world, who, 'POST', '/groups', {
    body: {
      group: { name: 'g', volume_types: ['lvmdriver-1'], ...fields, group_type: groupType },
    },
  }).expect(202);
  return (reply.body as { group: { id: string } }).group.id;
}

const unique = (): string => `type of ${process.hrtime.bigint()}`;

/** Creates a volume in a group. @returns its id */
export const createVolumeIn = (
  world: World,
  who: Person,
  groupId: string,
  fields: Fields = {},
): Promise<string> =>
  createVolume(world, who, { volume_type: 'lvmdriver-1', group_id: groupId, ...fields });

export async function createGroupSnapshot(
  world: World,
  who: Person,
  groupId: string,
): Promise<string> {
  const reply = await ask(world, who, 'POST', '/group_snapshots', {
    body: { group_snapshot: { group_id: groupId, name: 'gs' } },
  }).expect(202);
  return (reply.body as { group_snapshot: { id: string } }).group_snapshot.id;
}

/** Shows a group to an administrator. */
export async function group(world: World, id: string): Promise<Fields> {
  const reply = await ask(world, 'admin', 'GET', `/groups/${id}?list_volume=True`).expect(200);
  return (reply.body as { group: Fields }).group;
}
