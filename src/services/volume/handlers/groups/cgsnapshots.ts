// The handlers of the snapshots of consistency groups. Upstream: cinder/api/contrib/cgsnapshots.py.
import { accepted, ok, reply } from '../../../../kernel/http/reply.ts';
import type { Reply } from '../../../../kernel/model.ts';
import { limitOf } from '../../../../kernel/oslo/paging.ts';
import type { VolumeCall } from '../../call.ts';
import { listGroupSnapshots, removeGroupSnapshot } from '../../domain/groups/group-snapshots.ts';
import { acquireQuotaLock } from '../../domain/quotas.ts';
import { pageLimitsOf } from '../../domain/settings.ts';
import type { GroupSnapshot } from '../../model.ts';
import { authorize } from '../../policy.ts';
import { cgsnapshotDetail, groupSnapshotSummary } from '../../views/groups.ts';
import { bodyOf, type Fields } from '../requests/body.ts';
import { offsetOf } from '../requests/list-query.ts';
import { groupSnapshotOf, groupWithId } from '../requests/subjects.ts';
import { allGroupSnapshots, takeGroupSnapshot } from './group-snapshots.ts';
import { textsOf } from './groups.ts';

/** GET /v3/cgsnapshots */
export const list = (call: VolumeCall): Promise<Reply> => listed(call, groupSnapshotSummary);

/** GET /v3/cgsnapshots/detail */
export const listDetail = (call: VolumeCall): Promise<Reply> => listed(call, cgsnapshotDetail);

async function listed(call: VolumeCall, view: (snapshot: GroupSnapshot) => object): Promise<Reply> {
  authorize(call, 'group:get_all_group_snapshots');
  const limit = limitOf(call.query, await pageLimitsOf(call));
  const offset = offsetOf(call.query);
  const page = await listGroupSnapshots(call, { ...allGroupSnapshots, limit, offset });
  return ok({ cgsnapshots: page.map(view) });
}

/** GET /v3/cgsnapshots/{group_snapshot_id} */
export async function show(call: VolumeCall): Promise<Reply> {
  return ok({ cgsnapshot: cgsnapshotDetail(await groupSnapshotOf(call)) });
}

interface CgsnapshotBody extends Fields {
  readonly consistencygroup_id: string;
}

/** POST /v3/cgsnapshots */
export async function create(call: VolumeCall): Promise<Reply> {
  await acquireQuotaLock(call);
  const fields = bodyOf<CgsnapshotBody>(call, 'cgsnapshot');
  const group = await groupWithId(call, fields.consistencygroup_id);
  const snapshot = await takeGroupSnapshot(call, group, textsOf(fields));
  return accepted({ cgsnapshot: groupSnapshotSummary(snapshot) });
}

/** DELETE /v3/cgsnapshots/{group_snapshot_id} */
export async function remove(call: VolumeCall): Promise<Reply> {
  const snapshot = await groupSnapshotOf(call);
  authorize(call, 'group:delete_group_snapshot', snapshot.projectId);
  await removeGroupSnapshot(call, snapshot);
  return reply(202);
}
