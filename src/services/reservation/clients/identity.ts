// What Reservation wants of Identity: a trust for each lease and each host, and for whom it acts by
// it.
import { idFor } from '../../../kernel/ids.ts';
import type { Actor, Context } from '../../../kernel/model.ts';
import { contextWith } from '../../../kernel/context.ts';
import { actingFor, createTrust, deleteTrust, serviceUser } from '../../identity/index.ts';

const userName = 'blazar';

/**
 * The service itself: an administrator of the project `service`, by the ids that Identity gives
 * them.
 */
const blazar: Actor = {
  userId: idFor('identity.user.blazar'),
  projectId: idFor('identity.project.service'),
  roles: ['admin', 'member', 'reader', 'service'],
  isAdmin: true,
  isService: true,
  credentials: {
    user_id: idFor('identity.user.blazar'),
    project_id: idFor('identity.project.service'),
    roles: ['admin', 'member', 'reader', 'service'],
  },
};

/** The same work, done by the service itself. */
export const asService = (context: Context): Context => contextWith(context, { actor: blazar });

/** Whom a lease belongs to. */
export interface Owner {
  readonly userId: string;
  readonly projectId: string;
  readonly trustId: string | null;
}

/** Without Keystone there are no users who could trust anybody. */
const hasUsers = ({ cloud }: Context): boolean => cloud.config.auth === 'keystone';

/**
 * The same work, done for the owner of a lease: by the trust, where somebody else does it.
 * @throws 403, 404 where the trust is worth nothing
 */
export async function asOwner(
  context: Context,
  { userId, projectId, trustId }: Owner,
): Promise<Context> {
  if (context.actor.userId === userId && context.actor.projectId === projectId) return context;
  if (hasUsers(context) && trustId !== null) return actingFor(context, trustId);
  const roles = ['member', 'reader'];
  const credentials = { user_id: userId, project_id: projectId, roles };
  return contextWith(context, {
    actor: { userId, projectId, roles, isAdmin: false, isService: false, credentials },
  });
}

/**
 * The id of the trust for what a request makes: the same in each attempt at it, so that one is left
 * of several.
 */
export const trustIdFor = ({ requestId }: Context): string =>
  idFor(`reservation.trust.${requestId}`);

/**
 * Lets the service act for the actor, with all the actor's roles. It is kept whatever becomes of
 * the region's transaction, so it is the last thing that is done in it.
 * @throws 403, 404 where the actor may not
 */
export async function makeTrust(context: Context): Promise<void> {
  if (!hasUsers(context)) return;
  await createTrust(context, {
    id: trustIdFor(context),
    trusteeUserId: await serviceUser(context, userName),
  });
}

/** Ends a trust; one that is not there is ended already. */
export async function dropTrust(context: Context, trustId: string | null): Promise<void> {
  if (hasUsers(context) && trustId !== null) await deleteTrust(context, trustId);
}
