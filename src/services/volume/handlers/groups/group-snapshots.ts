// The handlers of group snapshots: list, show, create, delete, and set the status. Upstream:
// cinder/api/v3/group_snapshots.py.
import { accepted, ok, reply } from '../../../../kernel/http/reply.ts';
import type { Actions, Reply } from '../../../../kernel/model.ts';
import type { VolumeCall } from '../../call.ts';
import {
  createGroupSnapshot,
  listGroupSnapshots,
  removeGroupSnapshot,
  resetGroupSnapshotStatus,
} from '../../domain/groups/group-snapshots.ts';
import {
  checkNotConsistencyGroup,
  consistencyGroupTypeId,
} from '../../domain/groups/group-types.ts';
import { acquireQuotaLock } from '../../domain/quotas.ts';
import { pageLimitsOf } from '../../domain/settings.ts';
import { groupSnapshotStatuses, type Group, type GroupSnapshot } from '../../model.ts';
import { authorize } from '../../policy.ts';
import type { ListRequest } from '../../store/lists.ts';
import { volumesOfGroup } from '../../store/volumes.ts';
import type { VolumeVersion } from '../../versions.ts';
import {
  groupSnapshotCreated,
  groupSnapshotDetail,
  groupSnapshotSummary,
} from '../../views/groups.ts';
import { nextLink } from '../../views/links.ts';
import { actionFields } from '../requests/actions.ts';
import { bodyOf, statusIn } from '../requests/body.ts';
import { groupSnapshotFields } from '../requests/list-fields.ts';
import { readListQuery, versionedList } from '../requests/list-query.ts';
import { groupSnapshotOf, groupWithId } from '../requests/subjects.ts';

/** GET /v3/group_snapshots */
export const list = (call: VolumeCall): Promise<Reply> =>
  listed(call, 'group_snapshots', groupSnapshotSummary);

/** GET /v3/group_snapshots/detail */
export const listDetail = (call: VolumeCall): Promise<Reply> =>
  listed(call, 'group_snapshots/detail', (snapshot) => groupSnapshotDetail(call, snapshot));

async function listed(
  call: VolumeCall,
  collection: string,
  view: (snapshot: GroupSnapshot) => object,
): Promise<Reply> {
  const limits = await pageLimitsOf(call);
  const request = await requestOf(call);
  authorize(call, 'group:get_all_group_snapshots');
  const page = await listGroupSnapshots(call, request);
  const hiddenType = await consistencyGroupTypeId(call);
  const shown = page.filter(({ groupTypeId }) => groupTypeId !== hiddenType);
  return ok({
    group_snapshots: shown.map(view),
    ...nextLink(call, collection, 'group_snapshot_links', page, limits),
  });
}

/** Lists all group snapshots of the project, the newest first. */
export const allGroupSnapshots: ListRequest<GroupSnapshot> = {
  conditions: [],
  metadata: {},
  sort: (['createdAt', 'id'] as const).map((field) => ({ field, descending: true })),
  limit: Number.MAX_SAFE_INTEGER,
  offset: 0,
  marker: undefined,
  allTenants: false,
  withCount: false,
};

/** Reads the query of a list. Before 3.29 it has no effect. @throws 400 */
async function requestOf(call: VolumeCall): Promise<ListRequest<GroupSnapshot>> {
  const { version, actor, query } = call;
  if (!version.has('3.29')) return allGroupSnapshots;
  const request = readListQuery(
    query,
    groupSnapshotFields,
    versionedList(call),
    await pageLimitsOf(call),
  );
  return { ...request, allTenants: actor.isAdmin && query.has('all_tenants') };
}

/** GET /v3/group_snapshots/{group_snapshot_id} */
export async function show(call: VolumeCall): Promise<Reply> {
  const snapshot = await groupSnapshotOf(call);
  await checkNotConsistencyGroup(call, snapshot.groupTypeId, 'group snapshot');
  return ok({ group_snapshot: groupSnapshotDetail(call, snapshot) });
}

interface GroupSnapshotBody {
  readonly group_id: string;
  readonly name?: string | null;
  readonly description?: string | null;
}

/** POST /v3/group_snapshots */
export async function create(call: VolumeCall): Promise<Reply> {
  await acquireQuotaLock(call);
  const fields = bodyOf<GroupSnapshotBody>(call, 'group_snapshot');
  const group = await groupWithId(call, fields.group_id);
  await checkNotConsistencyGroup(call, group.groupTypeId, 'group snapshot');
  const { name = null, description = null } = fields;
  const snapshot = await takeGroupSnapshot(call, group, { name, description });
  return accepted({ group_snapshot: groupSnapshotCreated(snapshot) });
}

/** Creates a group snapshot, if the caller may create it and the snapshots in it. */
export async function takeGroupSnapshot(
  call: VolumeCall,
  group: Group,
  texts: Pick<GroupSnapshot, 'name' | 'description'>,
): Promise<GroupSnapshot> {
  authorize(call, 'group:create_group_snapshot', group.projectId);
  const volumes = await volumesOfGroup(call.db, group.id);
  for (const volume of volumes) authorize(call, 'volume:create_snapshot', volume.projectId);
  return createGroupSnapshot(call, group, volumes, texts);
}

/** DELETE /v3/group_snapshots/{group_snapshot_id} */
export async function remove(call: VolumeCall): Promise<Reply> {
  const snapshot = await groupSnapshotOf(call);
  await checkNotConsistencyGroup(call, snapshot.groupTypeId, 'group snapshot');
  authorize(call, 'group:delete_group_snapshot', snapshot.projectId);
  await removeGroupSnapshot(call, snapshot);
  return reply(202);
}

/** POST /v3/group_snapshots/{group_snapshot_id}/action */
export const groupSnapshotActions: Actions<VolumeVersion> = {
  reset_status: {
    span: ['3.19'],
    async handler(call: VolumeCall) {
      const value = String(actionFields(call)['status']);
      const status = statusIn(groupSnapshotStatuses, value, {
        prefix: 'Invalid GroupSnapshot Status: ',
        invalid: `Group snapshot status: ${value} is invalid, valid statuses are: `,
        listed: groupSnapshotStatuses,
      });
      const snapshot = await groupSnapshotOf(call);
      authorize(call, 'group:reset_group_snapshot_status', snapshot.projectId);
      await resetGroupSnapshotStatus(call, snapshot, status);
      return reply(202);
    },
  },
};
