// The handlers of groups: list, show, create, update. Upstream: cinder/api/v3/groups.py.
import { ApiError, badRequest } from '../../../../kernel/errors.ts';
import { isUuidLike } from '../../../../kernel/ids.ts';
import { accepted, ok, reply } from '../../../../kernel/http/reply.ts';
import type { Reply } from '../../../../kernel/model.ts';
import { isTrue } from '../../../../kernel/oslo/booleans.ts';
import type { PageLimits } from '../../../../kernel/oslo/paging.ts';
import type { VolumeCall } from '../../call.ts';
import { invalidInput } from '../../domain/errors.ts';
import { changeGroup, type GroupChange } from '../../domain/groups/changes.ts';
import {
  checkNotConsistencyGroup,
  consistencyGroupTypeId,
  groupTypeNamed,
} from '../../domain/groups/group-types.ts';
import { createGroup, listGroups } from '../../domain/groups/groups.ts';
import { acquireQuotaLock } from '../../domain/quotas.ts';
import { pageLimitsOf } from '../../domain/settings.ts';
import type { Group } from '../../model.ts';
import { authorize } from '../../policy.ts';
import { volumeIdsByGroup } from '../../store/volumes.ts';
import { groupDetail, groupSummary } from '../../views/groups.ts';
import { nextLink } from '../../views/links.ts';
import { bodyOf, trimmed, type Fields } from '../requests/body.ts';
import { groupFields } from '../requests/list-fields.ts';
import { readListQuery, versionedList } from '../requests/list-query.ts';
import { groupOf } from '../requests/subjects.ts';

/** GET /v3/groups */
export async function list(call: VolumeCall): Promise<Reply> {
  const { page, shown, limits } = await listed(call);
  const link = nextLink(call, 'groups', 'group_links', page, limits);
  return ok({ groups: shown.map(groupSummary), ...link });
}

/** GET /v3/groups/detail */
export async function listDetail(call: VolumeCall): Promise<Reply> {
  const { page, shown, limits } = await listed(call);
  const link = nextLink(call, 'groups/detail', 'group_links', page, limits);
  return ok({ groups: await detailsOf(call, shown), ...link });
}

/** Lists a page of groups, and those of them that are shown. @throws 400, 403, 404 */
async function listed(
  call: VolumeCall,
): Promise<{ page: Group[]; shown: Group[]; limits: PageLimits }> {
  const { actor, query } = call;
  const limits = await pageLimitsOf(call);
  const options = versionedList(call, { ignored: ['list_volume'] });
  const request = readListQuery(query, groupFields, options, limits);
  authorize(call, 'group:get_all');
  // Upstream asks for the groups of all projects whatever the value of the parameter is.
  const allTenants = actor.isAdmin && query.has('all_tenants');
  const page = await listGroups(call, { ...request, allTenants });
  const hiddenType = await consistencyGroupTypeId(call);
  const shown = page.filter(({ groupTypeId }) => groupTypeId !== hiddenType);
  return { page, shown, limits };
}

/** The forms of groups with all fields, and their volumes if the query asks for them. */
async function detailsOf(call: VolumeCall, groups: readonly Group[]): Promise<object[]> {
  const withVolumes = call.version.has('3.25') && isTrue(call.query.last('list_volume'));
  const ids = groups.map(({ id }) => id);
  const volumes = withVolumes ? await volumeIdsByGroup(call.db, ids) : undefined;
  return groups.map((group) => groupDetail(call, group, volumes && (volumes.get(group.id) ?? [])));
}

/** GET /v3/groups/{group_id} */
export async function show(call: VolumeCall): Promise<Reply> {
  const group = await groupOf(call);
  await checkNotConsistencyGroup(call, group.groupTypeId);
  return ok({ group: (await detailsOf(call, [group]))[0] });
}

interface NewGroupBody extends Fields {
  readonly group_type: string;
  readonly volume_types: readonly string[];
  readonly availability_zone?: string | null;
}

/** POST /v3/groups */
export async function create(call: VolumeCall): Promise<Reply> {
  await acquireQuotaLock(call);
  const fields = bodyOf<NewGroupBody>(call, 'group');
  const { group_type: groupType, volume_types: volumeTypes } = fields;
  checkBlank('group_type', groupType);
  const availabilityZone = fields.availability_zone;
  if (typeof availabilityZone === 'string') checkBlank('availability_zone', availabilityZone);
  const groupTypeId = isUuidLike(groupType)
    ? groupType
    : (await groupTypeNamed(call, groupType)).id;
  await checkNotConsistencyGroup(call, groupTypeId);
  authorize(call, 'group:create');
  const group = await createGroup(call, {
    ...textsOf(fields),
    groupTypeId,
    volumeTypes,
    availabilityZone,
  });
  return accepted({ group: groupSummary(group) });
}

/** @throws 400 if a text consists of blanks */
function checkBlank(name: string, value: string): void {
  if (!value.trim()) throw invalidInput(`${name} has 0 characters, less than 1.`);
}

/** The name and the description in a body, without surrounding blanks. */
export const textsOf = (
  fields: Fields,
): { readonly name: string | null; readonly description: string | null } => ({
  name: trimmed(fields, 'name') ?? null,
  description: trimmed(fields, 'description') ?? null,
});

/** PUT /v3/groups/{group_id} */
export async function update(call: VolumeCall): Promise<Reply> {
  const group = await groupOf(call);
  await checkNotConsistencyGroup(call, group.groupTypeId);
  authorize(call, 'group:update', group.projectId);
  await changeGroup(call, group, changeIn(call, 'group'));
  return reply(202);
}

/** The changes of a group in the body, under a noun such as `group`. */
export function changeIn(call: VolumeCall, noun: string): GroupChange {
  const fields = bodyOf<Readonly<Record<string, string | null>>>(call, noun);
  return {
    ...textsOf(fields),
    addVolumes: fields['add_volumes'] ?? null,
    removeVolumes: fields['remove_volumes'] ?? null,
  };
}

/**
 * Creates a group from a source. Upstream answers 400 to what would be another error for a single
 * volume, such as a quota.
 * @param statuses the statuses that become 400
 */
export async function createFrom(
  create: () => Promise<Group>,
  statuses: readonly number[],
): Promise<Group> {
  try {
    return await create();
  } catch (error) {
    throw error instanceof ApiError && statuses.includes(error.status)
      ? badRequest(error.message)
      : error;
  }
}
