// The rules for server groups: what may be made, and who may see which.
import { acquireLock } from '../../../kernel/db/transaction.ts';
import { badRequest, forbidden, notFound, type ApiError } from '../../../kernel/errors.ts';
import { newUuid } from '../../../kernel/ids.ts';
import * as store from '../store/servers/groups.ts';
import { exceeds, bothLimitsOf } from './quotas.ts';
import type { Db } from '../../../kernel/db/database.ts';
import type { Context } from '../../../kernel/model.ts';
import type { GroupPolicy, ServerGroup } from '../model.ts';

export interface NewGroup {
  readonly name: string;
  readonly policy: GroupPolicy;
  /** As the client wrote them: the number may be text. */
  readonly rules?: { readonly max_server_per_host?: number | string };
}

/**
 * Creates a group for the actor.
 * @throws 403 beyond the quota, 400 for rules with a policy that has none
 */
export async function createGroup(
  { db, now, actor }: Context,
  group: NewGroup,
): Promise<ServerGroup> {
  // Two requests at a time would both find the same count.
  await acquireLock(db, 'compute.server_groups');
  const { userId, projectId = '' } = actor;
  const { rules = {} } = group;
  await checkQuota(db, projectId, userId);
  if (group.policy !== 'anti-affinity' && Object.keys(rules).length)
    throw badRequest('Only anti-affinity policy supports rules.');
  const max = rules.max_server_per_host;
  const fields = {
    name: group.name,
    policy: group.policy,
    maxServerPerHost: max === undefined ? null : Number(max),
  };
  return store.insertGroup(db, { ...fields, uuid: newUuid(), projectId, userId }, now);
}

async function checkQuota(db: Db, projectId: string, userId: string): Promise<void> {
  const limits = await bothLimitsOf(db, projectId, userId);
  const [project, user] = [limits.project.server_groups, limits.user.server_groups];
  const over =
    exceeds(project, await store.countGroups(db, projectId), 1) ||
    (user !== project && exceeds(user, await store.countGroups(db, projectId, userId), 1));
  if (over) throw forbidden('Quota exceeded, too many server groups.');
}

/** A group of the actor's project, or of any project for an administrator. @throws 404 */
export const groupOf = async (context: Context, uuid: string): Promise<ServerGroup> =>
  (await store.findGroup(context.db, uuid, projectOf(context))) ?? unknown(uuid, notFound);

/** The same group without its members, for a server that is to be one of them. @throws 400 */
export const groupKeyOf = async (context: Context, uuid: string): Promise<store.GroupKey> =>
  (await store.findGroupKey(context.db, uuid, projectOf(context))) ?? unknown(uuid, badRequest);

const projectOf = ({ actor }: Context): string | undefined =>
  actor.isAdmin ? undefined : (actor.projectId ?? '');

function unknown(uuid: string, refuse: (message: string) => ApiError): never {
  throw refuse(`Instance group ${uuid} could not be found.`);
}

/** Deletes a group; its servers stay. @throws 404 where it is deleted already */
export async function deleteGroup({ db }: Context, { id, uuid }: ServerGroup): Promise<void> {
  if (!(await store.deleteGroup(db, id)))
    throw notFound(`Instance group ${uuid} could not be found.`);
}
