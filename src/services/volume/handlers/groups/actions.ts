// The actions of groups, POST /v3/groups/{group_id}/action and POST /v3/groups/action. Upstream:
// cinder/api/v3/groups.py.
import { accepted, ok, reply } from '../../../../kernel/http/reply.ts';
import type { Actions, Handler, Reply } from '../../../../kernel/model.ts';
import { isTrue } from '../../../../kernel/oslo/booleans.ts';
import type { VolumeCall } from '../../call.ts';
import { createFromGroup, createFromSnapshot } from '../../domain/groups/from-source.ts';
import { checkNotConsistencyGroup } from '../../domain/groups/group-types.ts';
import { removeGroup, resetGroupStatus } from '../../domain/groups/groups.ts';
import {
  checkReplicated,
  disableReplication,
  enableReplication,
  failOverReplication,
} from '../../domain/groups/replication.ts';
import { acquireQuotaLock } from '../../domain/quotas.ts';
import { groupSnapshotStatuses, groupStatuses, type Group } from '../../model.ts';
import { authorize } from '../../policy.ts';
import type { VolumeVersion } from '../../versions.ts';
import { groupSummary } from '../../views/groups.ts';
import { actionFields } from '../requests/actions.ts';
import { statusIn, type Fields } from '../requests/body.ts';
import { groupOf, groupSnapshotWithId, groupWithId } from '../requests/subjects.ts';
import { createFrom, textsOf } from './groups.ts';

/** An action of a group whose reply is 202 without a body. */
const groupAction =
  (rule: string, run: (call: VolumeCall, group: Group) => Promise<void>): Handler<VolumeVersion> =>
  async (call: VolumeCall) => {
    const group = await groupOf(call);
    authorize(call, rule, group.projectId);
    await run(call, group);
    return reply(202);
  };

export const groupActions: Actions<VolumeVersion> = {
  async delete(call: VolumeCall) {
    const group = await groupOf(call);
    await checkNotConsistencyGroup(call, group.groupTypeId);
    authorize(call, 'group:delete', group.projectId);
    const withVolumes = isTrue(actionFields(call)['delete-volumes']);
    await removeGroup(call, group, { withVolumes });
    return reply(202);
  },
  reset_status: {
    span: ['3.20'],
    async handler(call: VolumeCall) {
      const value = String(actionFields(call)['status']);
      // Upstream accepts the statuses of group snapshots, and names those of groups.
      const status = statusIn(groupSnapshotStatuses, value, {
        prefix: 'Invalid Group Status: ',
        invalid: `Group status: ${value} is invalid, valid status are: `,
        listed: groupStatuses,
      });
      const group = await groupOf(call);
      authorize(call, 'group:reset_status', group.projectId);
      await resetGroupStatus(call, group, status);
      return reply(202);
    },
  },
  enable_replication: {
    span: ['3.38'],
    handler: groupAction('group:enable_replication', enableReplication),
  },
  disable_replication: {
    span: ['3.38'],
    handler: groupAction('group:disable_replication', disableReplication),
  },
  failover_replication: {
    span: ['3.38'],
    handler: groupAction('group:failover_replication', failOverReplication),
  },
  list_replication_targets: {
    span: ['3.38'],
    async handler(call: VolumeCall) {
      const group = await groupOf(call);
      authorize(call, 'group:list_replication_targets', group.projectId);
      await checkReplicated(call, group);
      return ok({ replication_targets: [] });
    },
  },
};

/** POST /v3/groups/action */
export const collectionActions: Actions<VolumeVersion> = {
  'create-from-src': { span: ['3.14'], handler: createFromSource },
};

interface SourceBody extends Fields {
  readonly group_snapshot_id?: string;
  readonly source_group_id?: string;
}

async function createFromSource(call: VolumeCall): Promise<Reply> {
  await acquireQuotaLock(call);
  const fields = actionFields(call) as SourceBody;
  const texts = textsOf(fields);
  const { group_snapshot_id: snapshotId, source_group_id: groupId } = fields;
  if (snapshotId) {
    const snapshot = await groupSnapshotWithId(call, snapshotId);
    return createGroupFrom(call, snapshot, () => createFromSnapshot(call, snapshot, texts));
  }
  const source = await groupWithId(call, groupId!);
  return createGroupFrom(call, source, () => createFromGroup(call, source, texts));
}

/** Creates a group, if the source is no consistency group and the caller may create groups. */
async function createGroupFrom(
  call: VolumeCall,
  { groupTypeId }: { readonly groupTypeId: string },
  create: () => Promise<Group>,
): Promise<Reply> {
  await checkNotConsistencyGroup(call, groupTypeId);
  authorize(call, 'group:create');
  return accepted({ group: groupSummary(await createFrom(create, [403, 404, 413])) });
}
