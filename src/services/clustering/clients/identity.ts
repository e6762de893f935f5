// What Clustering asks of Identity: trusts, by which it acts for the owner of a cluster, and which
// regions there are.
import { callerOf } from '../../../kernel/auth/caller.ts';
import { callService } from '../../../kernel/http/call-service.ts';
import { idFor } from '../../../kernel/ids.ts';
import type { Context } from '../../../kernel/model.ts';
import { systemActor, contextWith } from '../../../kernel/context.ts';
import * as doors from '../../identity/index.ts';

/** For whom something is done: a user in a project, by a trust. */
export interface Principal {
  readonly userId: string;
  readonly projectId: string;
  /** Null without Keystone: then the roles are those that the user had when asking. */
  readonly trustId: string | null;
  readonly roles: readonly string[];
}

/**
 * Lets Clustering act for the actor from now on. There is one trust for a user in a project; where
 * the roles have changed, it is made anew. It is kept even where the request fails.
 * @returns the id of the trust; null without Keystone
 */
export async function trustClustering(
  context: Context,
  isChanged: boolean,
): Promise<string | null> {
  if (context.cloud.config.auth === 'noauth2') return null;
  const { userId, projectId } = context.actor;
  const id = idFor(`clustering.trust.${userId}.${projectId}`);
  if (isChanged) await doors.deleteTrust(context, id);
  await doors.createTrust(context, {
    id,
    trusteeUserId: await doors.serviceUser(context, 'senlin'),
  });
  return id;
}

/**
 * The same work, done for the owner of a cluster: what services see is the owner.
 * @throws 403, 404 where the trust holds no more
 */
export async function actingFor(
  context: Context,
  { userId, projectId, trustId, roles }: Principal,
): Promise<Context> {
  if (trustId !== null) return doors.actingFor(context, trustId);
  const { credentials } = callerOf({ token: '', userId, projectId, roles, expiresAt: Infinity });
  return contextWith(context, {
    actor: { userId, projectId, roles, isAdmin: false, isService: false, credentials },
  });
}

/** The regions of the catalog. */
export async function regionNames(context: Context): Promise<string[]> {
  const asking = contextWith(context, { actor: systemActor });
  const { body } = await callService(asking, doors.identity, {
    method: 'GET',
    path: '/v3/regions',
  });
  const { regions } = (typeof body === 'string' ? JSON.parse(body) : body) as {
    regions: { id: string }[];
  };
  return regions.map(({ id }) => id);
}
