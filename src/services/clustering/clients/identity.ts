// The client of Identity: trusts, by which Clustering acts for the owners of clusters, and regions.
import { callerOf } from '../../../kernel/auth/caller.ts';
import { stripEnd } from '../../../kernel/bounded-text.ts';
import { contextWith, systemActor } from '../../../kernel/context.ts';
import { callService } from '../../../kernel/http/call-service.ts';
import { idFor } from '../../../kernel/ids.ts';
import type { Context } from '../../../kernel/model.ts';
import * as identity from '../../identity/index.ts';
import type { Credential } from '../model.ts';

/**
 * Lets Clustering act for the actor from now on, with the roles of the request: by a trust, or,
 * without Keystone, by the roles themselves. The trust is kept even if the request fails.
 * @throws 403 if the token may not create a trust
 */
export async function credentialOf(context: Context): Promise<Credential> {
  const { userId, projectId = '', roles: unsorted } = context.actor;
  const roles = unsorted.toSorted();
  const owned = { userId, projectId, roles };
  if (context.cloud.config.auth === 'noauth2') {
    const id = idFor(['clustering.credential', userId, projectId, ...roles].join('.'));
    return { id, ...owned, trustId: null };
  }
  const { id } = await identity.ensureTrust(context, { service: 'clustering', trustee: 'senlin' });
  return { id, ...owned, trustId: id };
}

/**
 * Lets Clustering act for a user on a project with all the roles that the user has there.
 * @returns undefined if the user has none, or does not exist
 */
export async function credentialFor(
  context: Context,
  userId: string,
  projectId: string,
): Promise<Credential | undefined> {
  const roles = await identity.rolesOf(context, userId, projectId);
  if (!roles.length) return undefined;
  const credentials = { user_id: userId, project_id: projectId, roles };
  const isAdmin = roles.includes('admin');
  const actor = { userId, projectId, roles, isAdmin, isService: false, credentials };
  return credentialOf(contextWith(context, { actor }));
}

/**
 * The context of the user of a credential, as which other services see Clustering.
 * @param limit the roles that it has at most; all roles of the credential by default
 * @throws 403, 404 if the trust is no longer valid
 */
export async function actingFor(
  context: Context,
  { userId, projectId, trustId, roles: all }: Credential,
  limit?: readonly string[],
): Promise<Context> {
  if (trustId !== null) return identity.actingFor(context, trustId, limit);
  const roles = limit ? all.filter((role) => limit.includes(role)) : all;
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

/**
 * The URL of Clustering in the catalog, without a version; undefined if it is this emulator itself,
 * so that the catalog leaves the address open.
 */
export async function ownUrl(context: Context): Promise<string | undefined> {
  const endpoints = await identity.publicEndpointsOf(context, [context.region.name]);
  const own = endpoints.find(({ type, isHere }) => type === 'clustering' && !isHere);
  return own && stripEnd(stripEnd(own.url, '/').replace(/\/v1$/, ''), '/');
}
