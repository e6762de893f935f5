// The client of Identity: a trust for each lease and each host, and the actors that requests to
// other services are made for.
import { idFor } from '../../../kernel/ids.ts';
import type { Actor, Context } from '../../../kernel/model.ts';
import { contextWith } from '../../../kernel/context.ts';
import * as identity from '../../identity/index.ts';
import type { Lease } from '../model.ts';

const userName = 'blazar';

const serviceProject = {
  user_id: idFor('identity.user.blazar'),
  project_id: idFor('identity.project.service'),
  roles: ['admin', 'member', 'reader', 'service'],
};

/** The service's own user: an administrator of the project `service`, with the ids of the seed. */
const blazar: Actor = {
  userId: serviceProject.user_id,
  projectId: serviceProject.project_id,
  roles: serviceProject.roles,
  isAdmin: true,
  isService: true,
  credentials: serviceProject,
};

/** The context with the user `blazar` as the actor. */
export const asService = (context: Context): Context => contextWith(context, { actor: blazar });

/** The owner of a lease. */
export type Owner = Pick<Lease, 'userId' | 'projectId' | 'trustId'>;

/** Trusts need users, so they exist only with Keystone authentication. */
const hasUsers = ({ cloud }: Context): boolean => cloud.config.auth === 'keystone';

/**
 * The context with the owner of a lease as the actor. Uses the trust if the actor is another user,
 * who gets no more roles from it than its own; an administrator and Blazar itself get all.
 * @throws 403, 404 if the trust is invalid
 */
export async function asOwner(
  context: Context,
  { userId, projectId, trustId }: Owner,
): Promise<Context> {
  const { actor } = context;
  if (actor.userId === userId && actor.projectId === projectId) return context;
  const limit = actor.isAdmin || actor.isService ? undefined : actor.roles;
  if (hasUsers(context) && trustId !== null) return identity.actingFor(context, trustId, limit);
  const roles = ['member', 'reader'];
  const credentials = { user_id: userId, project_id: projectId, roles };
  return contextWith(context, {
    actor: { userId, projectId, roles, isAdmin: false, isService: false, credentials },
  });
}

/**
 * Rejects a request that may not create the trust that it needs, before it does anything. Upstream
 * creates the trust first (blazar/utils/trusts.py, use_trust_auth), and returns a 500 if Keystone
 * refuses.
 * @throws 403
 */
export const { requireDelegation } = identity;

/**
 * The id of the trust that a request creates. All attempts of the request use the same id, so that
 * retries leave one trust.
 */
export const trustIdFor = ({ requestId }: Context): string =>
  idFor(`reservation.trust.${requestId}`);

/**
 * Creates a trust that lets the service act for the actor, with all of the actor's roles. The trust
 * is committed even if the region's transaction fails, so it is the last step of a request.
 * @param id that of `trustIdFor`
 * @throws 403, 404 if the actor may not create it
 */
export async function createTrust(context: Context, id: string): Promise<void> {
  if (!hasUsers(context)) return;
  await identity.createTrust(context, {
    id,
    trusteeUserId: await identity.serviceUser(context, userName),
  });
}

/** Restores the trust of a lease, if the actor is its owner and has deleted the trust. */
export async function restoreTrust(context: Context, { trustId }: Owner): Promise<void> {
  if (hasUsers(context) && trustId !== null) await identity.restoreTrust(context, trustId);
}

/** Deletes a trust, if it exists. */
export async function deleteTrust(context: Context, trustId: string | null): Promise<void> {
  if (hasUsers(context) && trustId !== null) await identity.deleteTrust(context, trustId);
}
