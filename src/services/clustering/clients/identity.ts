// The client of Identity: trusts, by which Clustering acts for the owners of clusters, and regions.
import { callerOf } from '../../../kernel/auth/caller.ts';
import { contextWith, systemActor } from '../../../kernel/context.ts';
import { callService } from '../../../kernel/http/call-service.ts';
import { idFor } from '../../../kernel/ids.ts';
import type { Context } from '../../../kernel/model.ts';
import * as identity from '../../identity/index.ts';
import type { Credential } from '../model.ts';

/**
 * Lets Clustering act for the actor from now on, by one trust for each user and project. The trust
 * is kept even if the request fails.
 * @param isChanged whether the roles of the actor have changed: the trust is created again
 * @returns the id of the trust; null without Keystone
 */
export async function trustClustering(
  context: Context,
  isChanged: boolean,
): Promise<string | null> {
  if (context.cloud.config.auth === 'noauth2') return null;
  const { userId, projectId } = context.actor;
  const id = idFor(`clustering.trust.${userId}.${projectId}`);
  if (isChanged) await identity.deleteTrust(context, id);
  await identity.createTrust(context, {
    id,
    trusteeUserId: await identity.serviceUser(context, 'senlin'),
  });
  return id;
}

/**
 * The context of an owner of clusters, as which other services see Clustering. Without Keystone,
 * the owner has the roles of its last request.
 * @throws 403, 404 if the trust is no longer valid
 */
export async function actingFor(
  context: Context,
  { userId, projectId, trustId, roles }: Credential,
): Promise<Context> {
  if (trustId !== null) return identity.actingFor(context, trustId);
  const { credentials } = callerOf({ token: '', userId, projectId, roles, expiresAt: Infinity });
  return contextWith(context, {
    actor: { userId, projectId, roles, isAdmin: false, isService: false, credentials },
  });
}

/** Lists the regions of the catalog. */
export async function regionNames(context: Context): Promise<string[]> {
  const system = contextWith(context, { actor: systemActor });
  const { body } = await callService(system, identity.identity, {
    method: 'GET',
    path: '/v3/regions',
  });
  const { regions } = (typeof body === 'string' ? JSON.parse(body) : body) as {
    regions: { id: string }[];
  };
  return regions.map(({ id }) => id);
}
