// Captures the groups of a cloud, their types and their snapshots.
import { textOrNull, timeOf } from '../../../../emulator/capture/fields.ts';
import type { Captured, CaptureSource, Json } from '../../../../emulator/capture/model.ts';
import type { Context } from '../../../../kernel/model.ts';
import {
  groupSnapshotStatuses,
  groupStatuses,
  replicationStatuses,
  type GroupSpecs,
  type Volume,
} from '../../model.ts';
import { insertGroupSnapshot } from '../../store/group-snapshots.ts';
import { deleteGroupType, insertGroupType, listGroupTypes } from '../../store/group-types.ts';
import { insertGroup } from '../../store/groups.ts';
import { backendsOf } from '../backend/backends.ts';

/** Groups show their project to administrators from this microversion on: 3.58. */
const firstMinor = 58;

/** The minor number of a microversion such as `3.58`. */
export const minorOf = (version: string): number => Number(version.split('.')[1]);

/**
 * Captures groups, if the cloud is new enough to say whose they are.
 * @param volumes those of the cloud, on whose hosts their groups are
 */
export async function captureGroups(
  context: Context,
  source: CaptureSource,
  version: string,
  volumes: Iterable<Volume>,
): Promise<Captured> {
  if (minorOf(version) < firstMinor) return {};
  const { db, now } = context;
  const list = (path: string, key: string) => source.list('volume', path, key, version);
  const types = await list('/group_types?is_public=None', 'group_types');
  if (types.length) for (const { id } of await listGroupTypes(db)) await deleteGroupType(db, id);
  // The list has the newest type first.
  for (const [age, one] of types.toReversed().entries())
    await insertGroupType(db, {
      id: String(one['id']),
      name: String(one['name']),
      description: textOrNull(one['description']),
      isPublic: one['is_public'] !== false,
      createdAt: now + age,
      updatedAt: null,
      specs: (one['group_specs'] ?? {}) as GroupSpecs,
    });
  const all = 'all_tenants=1&limit=1000&sort=created_at:asc';
  const hosts = new Map([...volumes].map(({ groupId, host }) => [groupId, host]));
  const groups = await list(`/groups/detail?${all}`, 'groups');
  for (const one of groups)
    await insertGroup(db, {
      ...commonOf(one, now),
      status: groupStatuses.find((status) => status === one['status']) ?? 'error',
      replicationStatus:
        replicationStatuses.find((status) => status === one['replication_status']) ?? 'disabled',
      groupTypeId: String(one['group_type']),
      availabilityZone: textOrNull(one['availability_zone']),
      host:
        hosts.get(String(one['id'])) ??
        (one['status'] === 'error' ? null : backendsOf(context)[0]!.pool),
      groupSnapshotId: textOrNull(one['group_snapshot_id']),
      sourceGroupId: textOrNull(one['source_group_id']),
      volumeTypes: (one['volume_types'] ?? []) as readonly string[],
    });
  const ids = new Set(groups.map(({ id }) => id));
  const listed = await list(`/group_snapshots/detail?${all}`, 'group_snapshots');
  const snapshots = listed.filter((one) => ids.has(one['group_id']));
  for (const one of snapshots)
    await insertGroupSnapshot(db, {
      ...commonOf(one, now),
      status: groupSnapshotStatuses.find((status) => status === one['status']) ?? 'error',
      groupId: String(one['group_id']),
      groupTypeId: String(one['group_type_id']),
    });
  return { 'volume groups': groups.length, 'group snapshots': snapshots.length };
}

/** The fields of groups and of their snapshots. No API shows their user. */
const commonOf = (one: Json, now: number) => ({
  id: String(one['id']),
  projectId: String(one['project_id']),
  userId: '',
  name: textOrNull(one['name']),
  description: textOrNull(one['description']),
  revision: 0,
  createdAt: timeOf(one['created_at']) ?? now,
  updatedAt: null,
});
