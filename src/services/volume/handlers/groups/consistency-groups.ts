// The handlers of consistency groups, the older form of groups. Upstream:
// cinder/api/contrib/consistencygroups.py and cinder/api/v3/consistencygroups.py.
import { badRequest } from '../../../../kernel/errors.ts';
import { accepted, ok, reply } from '../../../../kernel/http/reply.ts';
import type { Reply } from '../../../../kernel/model.ts';
import { isTrue } from '../../../../kernel/oslo/booleans.ts';
import type { VolumeCall } from '../../call.ts';
import { changeGroup } from '../../domain/groups/changes.ts';
import { createFromGroup, createFromSnapshot } from '../../domain/groups/from-source.ts';
import { consistencyGroupTypeId } from '../../domain/groups/group-types.ts';
import { createGroup, listGroups, removeGroup } from '../../domain/groups/groups.ts';
import { acquireQuotaLock } from '../../domain/quotas.ts';
import { pageLimitsOf } from '../../domain/settings.ts';
import { consistencyGroupTypeName, type Group } from '../../model.ts';
import { authorize } from '../../policy.ts';
import { consistencyGroupDetail, groupSummary } from '../../views/groups.ts';
import { nextLink } from '../../views/links.ts';
import { bodyOf, type Fields } from '../requests/body.ts';
import { groupFields } from '../requests/list-fields.ts';
import { plainList, readListQuery } from '../requests/list-query.ts';
import { groupOf, groupSnapshotWithId, groupWithId } from '../requests/subjects.ts';
import { changeIn, createFrom, textsOf } from './groups.ts';

/** GET /v3/consistencygroups. As upstream, it also lists groups of other types. */
export const list = (call: VolumeCall): Promise<Reply> =>
  listed(call, 'consistencygroups', groupSummary);

/** GET /v3/consistencygroups/detail */
export const listDetail = (call: VolumeCall): Promise<Reply> =>
  listed(call, 'consistencygroups/detail', consistencyGroupDetail);

async function listed(
  call: VolumeCall,
  collection: string,
  view: (group: Group) => object,
): Promise<Reply> {
  const { actor, query } = call;
  authorize(call, 'group:get_all');
  const limits = await pageLimitsOf(call);
  const request = readListQuery(query, groupFields, plainList, limits);
  const allTenants = actor.isAdmin && query.has('all_tenants');
  const page = await listGroups(call, { ...request, allTenants });
  return ok({
    consistencygroups: page.map(view),
    ...nextLink(call, collection, 'consistencygroup_links', page, limits),
  });
}

/** GET /v3/consistencygroups/{group_id} */
export async function show(call: VolumeCall): Promise<Reply> {
  return ok({ consistencygroup: consistencyGroupDetail(await groupOf(call)) });
}

interface NewGroupBody extends Fields {
  readonly volume_types: string;
  readonly availability_zone?: string | null;
}

/** POST /v3/consistencygroups */
export async function create(call: VolumeCall): Promise<Reply> {
  await acquireQuotaLock(call);
  authorize(call, 'group:create');
  const fields = bodyOf<NewGroupBody>(call, 'consistencygroup');
  const { volume_types: volumeTypes, availability_zone: availabilityZone } = fields;
  const texts = textsOf(fields);
  if (!volumeTypes)
    throw badRequest(
      `volume_types must be provided to create consistency group ${texts.name ?? 'None'}.`,
    );
  const groupTypeId = await consistencyGroupTypeId(call);
  if (groupTypeId === undefined)
    throw badRequest(
      `Group type ${consistencyGroupTypeName} not found. Rerun migration script to create the ` +
        'default cgsnapshot type.',
    );
  const group = await createGroup(call, {
    ...texts,
    groupTypeId,
    volumeTypes: volumeTypes.replace(/,+$/, '').split(','),
    availabilityZone,
  });
  return accepted({ consistencygroup: groupSummary(group) });
}

/** Upstream's newest schema refuses the null that cinderclient sends. */
interface SourceBody extends Fields {
  readonly cgsnapshot_id?: string | null;
  readonly source_cgid?: string | null;
}

/** POST /v3/consistencygroups/create_from_src */
export async function createFromSource(call: VolumeCall): Promise<Reply> {
  await acquireQuotaLock(call);
  authorize(call, 'group:create');
  const fields = bodyOf<SourceBody>(call, 'consistencygroup-from-src');
  const { cgsnapshot_id: snapshotId, source_cgid: groupId } = fields;
  const texts = textsOf(fields);
  const name = texts.name ?? 'None';
  if (!snapshotId && !groupId)
    throw badRequest(
      "Either 'cgsnapshot_id' or 'source_cgid' must be provided to create consistency group " +
        `${name} from source.`,
    );
  if (snapshotId && groupId)
    throw badRequest(
      "Cannot provide both 'cgsnapshot_id' and 'source_cgid' to create consistency group " +
        `${name} from source.`,
    );
  const source = groupId ? await groupWithId(call, groupId) : undefined;
  const snapshot = snapshotId ? await groupSnapshotWithId(call, snapshotId) : undefined;
  const create = (): Promise<Group> =>
    source ? createFromGroup(call, source, texts) : createFromSnapshot(call, snapshot!, texts);
  const group = await createFrom(create, [403, 413]);
  return accepted({ consistencygroup: groupSummary(group) });
}

/** PUT /v3/consistencygroups/{group_id}/update */
export async function update(call: VolumeCall): Promise<Reply> {
  const group = await groupToChange(call);
  const change = changeIn(call, 'consistencygroup');
  if (Object.values(change).every((value) => !value))
    throw badRequest(
      'Name, description, add_volumes, and remove_volumes can not be all empty in the request ' +
        'body.',
    );
  await changeGroup(call, group, change);
  return reply(202);
}

/** PUT /v3/consistencygroups/{group_id}. From 3.6 on, it accepts blank texts. */
export async function updateFrom36(call: VolumeCall): Promise<Reply> {
  if (!call.version.has('3.6')) return update(call);
  const group = await groupToChange(call);
  const change = changeIn(call, 'consistencygroup');
  const { name, description, addVolumes, removeVolumes } = change;
  if (name === null && description === null && !addVolumes && !removeVolumes)
    throw badRequest(
      'Must specify one or more of the following keys to update: name, description, add_volumes, ' +
        'remove_volumes.',
    );
  await changeGroup(call, group, change);
  return reply(202);
}

async function groupToChange(call: VolumeCall): Promise<Group> {
  const group = await groupOf(call);
  authorize(call, 'group:update', group.projectId);
  return group;
}

/** POST /v3/consistencygroups/{group_id}/delete. With `force`, its volumes are deleted too. */
export async function remove(call: VolumeCall): Promise<Reply> {
  const body = (call.body ?? {}) as { readonly consistencygroup?: Fields };
  const withVolumes = isTrue(body.consistencygroup?.['force']);
  const group = await groupOf(call);
  authorize(call, 'group:delete', group.projectId);
  await removeGroup(call, group, { withVolumes });
  return reply(202);
}
