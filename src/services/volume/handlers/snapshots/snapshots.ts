// The handlers of snapshots: list, show, create, update, delete. Upstream:
// cinder/api/v3/snapshots.py.
import { badRequest } from '../../../../kernel/errors.ts';
import { accepted, ok, reply } from '../../../../kernel/http/reply.ts';
import type { Reply } from '../../../../kernel/model.ts';
import { isTrue } from '../../../../kernel/oslo/booleans.ts';
import type { VolumeCall } from '../../call.ts';
import { acquireQuotaLock } from '../../domain/quotas.ts';
import { zone, type Metadata, type Snapshot } from '../../model.ts';
import {
  changeSnapshot,
  createSnapshot,
  listSnapshots,
  removeSnapshot,
} from '../../domain/snapshots.ts';
import { volumeFor } from '../../domain/volumes/volumes.ts';
import { pageLimitsOf } from '../../domain/settings.ts';
import { authorize } from '../../policy.ts';
import { nextLink } from '../../views/links.ts';
import { snapshotDetail, snapshotFull, snapshotSummary } from '../../views/snapshots.ts';
import { readListQuery, versionedList, type ListOptions } from '../requests/list-query.ts';
import { bodyOf, changedTexts, trimmed, type Fields } from '../requests/body.ts';
import { snapshotFields } from '../requests/list-fields.ts';
import { snapshotOf } from '../requests/subjects.ts';
import { quotaConditions } from '../volumes/volumes.ts';

/** GET /v3/snapshots */
export const list = (call: VolumeCall): Promise<Reply> =>
  listed(call, 'snapshots', snapshotSummary);

/** GET /v3/snapshots/detail */
export const listDetail = (call: VolumeCall): Promise<Reply> =>
  listed(call, 'snapshots/detail', (snapshot) => snapshotFull(call, snapshot));

async function listed(
  call: VolumeCall,
  collection: string,
  view: (snapshot: Snapshot) => object,
): Promise<Reply> {
  const { version, query } = call;
  authorize(call, 'volume:get_all_snapshots');
  // Snapshots are sorted by `display_name`, and from 3.30 on also by `name`.
  const sortable = version.has('3.30')
    ? ({ ...snapshotFields.sortable, name: 'name' } as const)
    : snapshotFields.sortable;
  const limits = await pageLimitsOf(call);
  const fields = { ...snapshotFields, sortable };
  const request = readListQuery(query, fields, listOptions(call), limits);
  const zoneFilter = version.has('3.31') ? (query.last('availability_zone') ?? zone) : zone;
  const conditions = [
    ...request.conditions,
    ...quotaConditions(call),
    ...(zoneFilter === zone ? [] : ['never' as const]),
  ];
  const { snapshots, count } = await listSnapshots(call, { ...request, conditions });
  const link = nextLink(call, collection, 'snapshots_links', snapshots, limits);
  return ok({ snapshots: snapshots.map(view), ...link, ...(count === undefined ? {} : { count }) });
}

const listOptions = (call: VolumeCall): ListOptions =>
  versionedList(call, {
    ignored: [
      ...(call.version.has('3.22') ? [] : ['metadata']),
      'consumes_quota',
      'availability_zone',
    ],
    withCount: call.version.has('3.45'),
  });

/** GET /v3/snapshots/{snapshot_id} */
export async function show(call: VolumeCall): Promise<Reply> {
  const snapshot = await snapshotOf(call);
  authorize(call, 'volume:get_snapshot', snapshot.projectId);
  return ok({ snapshot: snapshotFull(call, snapshot) });
}

interface SnapshotBody extends Fields {
  readonly volume_id: string;
  readonly force?: unknown;
  readonly metadata?: Metadata | null;
}

/** POST /v3/snapshots */
export async function create(call: VolumeCall): Promise<Reply> {
  await acquireQuotaLock(call);
  const fields = bodyOf<SnapshotBody>(call, 'snapshot');
  const force = isTrue(fields.force);
  const ignoresForce = call.version.has('3.66');
  const volume = await volumeFor(call, String(fields.volume_id));
  if (ignoresForce && fields.force !== undefined && !force)
    throw badRequest(
      "Since microversion 3.66 the 'force' flag is invalid for this request.  For backward " +
        "compatability, however, when the 'force' flag is passed with a value evaluating to " +
        'True, it is silently ignored.',
    );
  authorize(call, 'volume:create_snapshot', volume.projectId);
  const snapshot = await createSnapshot(call, volume, {
    name: trimmed(fields, 'name', 'display_name'),
    description: trimmed(fields, 'description'),
    metadata: fields.metadata,
    inUse: force || ignoresForce,
  });
  return accepted({ snapshot: snapshotDetail(call, snapshot) });
}

/** PUT /v3/snapshots/{snapshot_id} */
export async function update(call: VolumeCall): Promise<Reply> {
  const snapshot = await snapshotOf(call);
  authorize(call, 'volume:update_snapshot', snapshot.projectId);
  const changed = await changeSnapshot(call, snapshot, changedTexts(bodyOf(call, 'snapshot')));
  return ok({ snapshot: snapshotDetail(call, changed) });
}

/** DELETE /v3/snapshots/{snapshot_id} */
export async function remove(call: VolumeCall): Promise<Reply> {
  const snapshot = await snapshotOf(call);
  authorize(call, 'volume:delete_snapshot', snapshot.projectId);
  await removeSnapshot(call, snapshot);
  return reply(202);
}
