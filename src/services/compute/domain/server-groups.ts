// The rules for server groups: what may be made, and who may see which.
import type { Micros } from '../../../kernel/clock.ts';
import { takeTurn } from '../../../kernel/db/transaction.ts';
import { badRequest, forbidden, notFound } from '../../../kernel/fault.ts';
import { newUuid } from '../../../kernel/ids.ts';
import { countGroups, findGroup, insertGroup, type GroupPolicy, type ServerGroup } from '../store/servers/groups.ts';
import { exceeds, bothLimitsOf } from './quotas.ts';
import type { Db } from '../../../kernel/db/database.ts';

export interface NewGroup {
  readonly name: string;
  readonly policy: GroupPolicy;
  /** As the client wrote them: the number may be text. */
  readonly rules?: { readonly max_server_per_host?: number | string };
  readonly projectId: string;
  readonly userId: string;
}

/** Makes a group. @throws 403 beyond the quota, 400 for rules with a policy that has none */
export async function createGroup(db: Db, group: NewGroup, now: Micros): Promise<ServerGroup> {
  // Two requests at a time would both find the same count.
  await takeTurn(db, 'compute.server_groups');
  const { rules = {}, projectId, userId } = group;
  await checkQuota(db, projectId, userId);
  if (group.policy !== 'anti-affinity' && Object.keys(rules).length)
    throw badRequest('Only anti-affinity policy supports rules.');
  const max = rules.max_server_per_host;
  const fields = { name: group.name, policy: group.policy, maxServerPerHost: max === undefined ? undefined : Number(max) };
  return insertGroup(db, { ...fields, uuid: newUuid(), projectId, userId }, now);
}

async function checkQuota(db: Db, projectId: string, userId: string): Promise<void> {
  const limits = await bothLimitsOf(db, projectId, userId);
  const [project, user] = [limits.project.server_groups, limits.user.server_groups];
  const over =
    exceeds(project, await countGroups(db, projectId), 1) ||
    (user !== project && exceeds(user, await countGroups(db, projectId, userId), 1));
  if (over) throw forbidden('Quota exceeded, too many server groups.');
}

/** A group that the caller may know of: with a project, only one of that project. @throws 404 */
export async function groupOf(db: Db, uuid: string, projectId?: string): Promise<ServerGroup> {
  const group = await findGroup(db, uuid, projectId);
  if (!group) throw notFound(`Instance group ${uuid} could not be found.`);
  return group;
}
