// The rules for creating, finding and deleting server groups.
import { acquireLock } from '../../../kernel/db/transaction.ts';
import {
  badRequest,
  conflict,
  forbidden,
  notFound,
  type ApiError,
} from '../../../kernel/errors.ts';
import { newUuid } from '../../../kernel/ids.ts';
import * as store from '../store/servers/groups.ts';
import { exceeds, bothLimitsOf, type BothLimits } from './quotas.ts';
import type { Context } from '../../../kernel/model.ts';
import type { GroupPolicy, ServerGroup } from '../model.ts';
import { notifyGroup } from './notifications.ts';

export interface NewGroup {
  readonly name: string;
  readonly policy: GroupPolicy;
  /** The rules as the client wrote them, with a number or text. */
  readonly rules?: { readonly max_server_per_host?: number | string };
  /** The id of a group that comes from another cloud; a new group gets a new one. */
  readonly uuid?: string | undefined;
}

/**
 * Creates a group for the actor.
 * @throws 403 if the quota is exceeded, 400 for rules with a policy that does not support them
 */
export async function createGroup(context: Context, group: NewGroup): Promise<ServerGroup> {
  const { db, now, actor } = context;
  // Without the lock, concurrent requests would count the same groups and exceed the quota.
  await acquireLock(db, 'compute.server_groups');
  const { userId, projectId = '' } = actor;
  const { rules = {} } = group;
  const limits = await bothLimitsOf(db, projectId, userId);
  await checkGroupQuota(limits, userId, (user) => store.countGroups(db, projectId, user));
  if (group.policy !== 'anti-affinity' && Object.keys(rules).length)
    throw badRequest('Only anti-affinity policy supports rules.');
  const max = rules.max_server_per_host;
  const fields = {
    name: group.name,
    policy: group.policy,
    maxServerPerHost: max === undefined ? null : Number(max),
  };
  const uuid = group.uuid ?? newUuid();
  if (group.uuid !== undefined && (await store.findGroup(db, uuid)))
    throw conflict(`Instance group ${uuid} already exists.`);
  const inserted = await store.insertGroup(db, { ...fields, uuid, projectId, userId }, now);
  await notifyGroup(context, 'create', () => inserted);
  return inserted;
}

/**
 * Checks whether the quotas allow one more group.
 * @param count the groups of the project, or of a user in it
 * @throws 403
 */
export async function checkGroupQuota(
  limits: BothLimits,
  userId: string,
  count: (userId?: string) => Promise<number>,
): Promise<void> {
  const [project, user] = [limits.project.server_groups, limits.user.server_groups];
  const over =
    exceeds(project, await count(), 1) ||
    (user !== project && exceeds(user, await count(userId), 1));
  if (over) throw forbidden('Quota exceeded, too many server groups.');
}

/** Finds a group of the actor's project, or of any project for an administrator. @throws 404 */
export const groupOf = async (context: Context, uuid: string): Promise<ServerGroup> =>
  (await store.findGroup(context.db, uuid, visibleProject(context))) ??
  throwUnknown(uuid, notFound);

/** Finds a group without its members, for a server that will be a member. @throws 400 */
export const groupKeyOf = async (context: Context, uuid: string): Promise<store.GroupKey> =>
  (await store.findGroupKey(context.db, uuid, visibleProject(context))) ??
  throwUnknown(uuid, badRequest);

/** The project whose groups the actor sees; undefined for all projects. */
const visibleProject = ({ actor }: Context): string | undefined =>
  actor.isAdmin ? undefined : (actor.projectId ?? '');

function throwUnknown(uuid: string, errorOf: (message: string) => ApiError): never {
  throw errorOf(`Instance group ${uuid} could not be found.`);
}

/** Deletes a group, but not its servers. @throws 404 if it is already deleted */
export async function deleteGroup(context: Context, group: ServerGroup): Promise<void> {
  if (!(await store.deleteGroup(context.db, group.id)))
    throw notFound(`Instance group ${group.uuid} could not be found.`);
  await notifyGroup(context, 'delete', () => group);
}
