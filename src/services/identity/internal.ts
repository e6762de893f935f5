// What other services can call in Identity: trusts, the roles of a user, and the users of services.
// Requests and jobs call it; it works on the central database.
//
// How services use trusts. Trusts are in the central database, and the service that uses one is in
// a region's database: two databases, two transactions.
// 1. The service creates the trust first, with an id derived from what needs it
//    (`idFor('reservation.trust.' + requestId)`). The trust is committed at once, and the resource
//    then stores its id. `createTrust` returns the existing trust if it is called again with the
//    same id, so that a retried transaction or a repeated job leaves one trust and not two.
//    `ensureTrust` derives the id itself: it keeps one trust for each user, project and set of
//    roles, which all regions share, and which no later request changes.
// 2. A service that fails after `createTrust` deletes the trust before it throws; a service that
//    deletes the resource deletes the trust last. `deleteTrust` accepts an id without a trust, so
//    both can be repeated.
// 3. No code runs if a region's COMMIT fails, if a process ends, or if one region is reset. Such a
//    case leaves a trust without a resource. It does no harm, because the service itself is its
//    only trustee. `trustsFor` lists the trusts of a trustee, so that a job can delete those
//    without a resource. Deleting the trustor or the project deletes them too.
import { isoMicros, type Micros } from '../../kernel/clock.ts';
import { idFor } from '../../kernel/ids.ts';
import type { Actor, Context } from '../../kernel/model.ts';
import {
  centralContext,
  contextWith,
  writeInCentral,
  writeRowInCentral,
} from '../../kernel/context.ts';
import { tokenCaller, type TokenCaller } from './authenticator.ts';
import { readCached, type TrustToken } from './cached.ts';
import { rolesInScope } from './domain/assignment/effective-roles.ts';
import { resolveToken } from './domain/auth/tokens.ts';
import { ensureServiceUser, findServiceUser } from './domain/identity/service-users.ts';
import { limitToRegion } from './domain/catalog/default-endpoint-group.ts';
import type { Project, PublicEndpoint, RegisteredLimit, Token, Trust, User } from './model.ts';
import { forbiddenAction, forbiddenWithoutReason } from './domain/refusals.ts';
import * as trusts from './domain/trust/trusts.ts';
import * as userStore from './store/identity/users.ts';
import { listServices } from './store/catalog/services.ts';
import * as limitStore from './store/limit/limits.ts';
import * as projectStore from './store/resource/projects.ts';
import { deleteRevocationEventsOf } from './store/auth/revocation-events.ts';
import * as trustStore from './store/trust/trusts.ts';
import { allPublicEndpoints } from './public-endpoints.ts';

export {
  remoteEndpoint,
  requestRemote,
  serviceToken,
  type RemoteRequest,
} from './remote-services.ts';
export { seededUsersWith } from './domain/identity/seeded-passwords.ts';
export type { Project, PublicEndpoint, Trust, User } from './model.ts';

/** The trust that a service creates. */
export interface NewTrust {
  /** 32 hexadecimal digits, derived from the resource that the trust is for. */
  readonly id: string;
  readonly trusteeUserId: string;
  /** By default, the actor of the context. */
  readonly trustorUserId?: string;
  /** By default, the actor's project. */
  readonly projectId?: string;
  /** Names of global roles; by default, all roles of the actor. */
  readonly roles?: readonly string[];
  /** Whether the trustee acts as the trustor; true by default. */
  readonly impersonation?: boolean;
  /**
   * Null if the trust does not expire. A second trust that differs only in its id and expires at
   * the same time is a 409, as upstream.
   */
  readonly expiresAt?: Micros | null;
}

/** The caller of a request with a token; undefined for a job, and with noauth2. */
function callerOf(context: Context): TokenCaller | undefined {
  const { caller } = context as { caller?: Partial<TokenCaller> };
  return caller?.info && (caller as TokenCaller);
}

/** The token of a request; undefined for a job. */
const tokenOf = (context: Context): Token | undefined => callerOf(context)?.info;

/**
 * Rejects requests that may not create trusts, as `POST /v3/OS-TRUST/trusts` rejects them: those
 * with the token of an application credential. A service that creates the trust last checks this
 * first.
 * @throws 403
 */
export const requireDelegation = (context: Context): void =>
  trusts.refuseApplicationCredential(tokenOf(context));

/**
 * Returns the trust by which a service acts for the actor with the roles of the request, and
 * creates it if it does not exist, or no longer exists. The token of a trust redelegates that
 * trust: what it creates ends with it.
 * @throws 403 if the token may not create or redelegate a trust
 */
export async function ensureTrust(
  context: Context,
  { service, trustee }: { readonly service: string; readonly trustee: string },
): Promise<Trust> {
  requireDelegation(context);
  const { userId, projectId = '', roles } = context.actor;
  const { db } = centralContext(context);
  const roleIds = (await trusts.globalRoleIds(db, roles)).toSorted();
  const parentId = tokenOf(context)?.trust?.id ?? '';
  const id = idFor([service, 'trust', userId, projectId, parentId, ...roleIds].join('.'));
  return (
    (await trustStore.findTrust(db, id)) ??
    createTrust(context, { id, trusteeUserId: await serviceUser(context, trustee) })
  );
}

/**
 * Creates a trust, or returns the existing trust of this id. The trust stays even if the region's
 * transaction is rolled back: see the rules above. With noauth2, callers are not users of Identity,
 * so they cannot be trustors.
 * @throws 400, 403, 404 for an unknown trustee or project or a role that the trustor lacks, 409
 */
export async function createTrust(context: Context, request: NewTrust): Promise<Trust> {
  const { id, trusteeUserId, impersonation = true, expiresAt = null } = request;
  const {
    trustorUserId = context.actor.userId,
    projectId = context.actor.projectId,
    roles = context.actor.roles,
  } = request;
  requireDelegation(context);
  const fields = {
    id,
    trustorUserId,
    trusteeUserId,
    projectId: projectId ?? null,
    impersonation,
    roles: roles.map((name) => ({ name })),
    expiresAt: expiresAt === null ? null : isoMicros(expiresAt),
  };
  const caller = callerOf(context);
  const proven = caller && trusts.trustByToken(caller.info, fields);
  if (caller && proven) {
    const insert = ({ db }: Context): Promise<boolean> =>
      trustStore.insertTrustAt(db, proven, caller.authRevision);
    if (await writeRowInCentral(context, insert)) return proven;
  }
  return writeInCentral(context, async (central) => {
    const existing = await trustStore.findTrust(central.db, id);
    if (existing) return existing;
    // The trustor may have deleted it; its id can be used again.
    await trustStore.purgeTrust(central.db, id);
    if (projectId === undefined || !roles.length)
      throw forbiddenAction('At least one role should be specified');
    const roleIds = await trusts.globalRoleIds(central.db, roles);
    const byId = { ...fields, roles: roleIds.map((roleId) => ({ id: roleId })) };
    return trusts.createTrust(central, byId, caller?.info.trust?.id);
  });
}

/**
 * Restores a trust that its trustor has deleted, for a request by which the trustor could create it
 * again: on its project, with all of its roles, and without an application credential. Other
 * requests change nothing.
 */
export async function restoreTrust(context: Context, id: string): Promise<void> {
  const { db } = centralContext(context);
  const trust = await trustStore.findDeletedTrust(db, id);
  const { userId, projectId, roles } = context.actor;
  if (trust?.trustorUserId !== userId || trust.projectId !== projectId) return;
  const token = tokenOf(context);
  const held = new Set(await trusts.globalRoleIds(db, roles));
  const mayRestore =
    trust.redelegatedTrustId === (token?.trust?.id ?? null) &&
    !trusts.isForApplicationCredential(token) &&
    trust.roleIds.every((roleId) => held.has(roleId));
  if (mayRestore)
    await writeInCentral(context, (central) => trustStore.restoreTrust(central.db, id));
}

/**
 * Deletes a trust and its redelegations, which ends their tokens. Does nothing if the trust does
 * not exist. The id can be used again.
 */
export function deleteTrust(context: Context, id: string): Promise<void> {
  return writeInCentral(context, async (central) => {
    const trust = await trustStore.findTrust(central.db, id);
    if (!trust) return;
    await trusts.deleteTrust(central, trust);
    await trustStore.purgeTrust(central.db, id);
    await deleteRevocationEventsOf(central.db, { trustIds: [id] });
  });
}

/** The trusts of a trustee, ordered by id. */
export const trustsFor = (context: Context, trusteeUserId: string): Promise<Trust[]> =>
  trustStore.listTrusts(centralContext(context).db, { trusteeUserId });

/**
 * Returns the context with the actor that a token for the trust would have: the trustor if the
 * trust impersonates, with the delegated roles on the trust's project. It carries over nothing of
 * the request that belongs to the request's own caller.
 * @param limit the names of the roles that the actor has at most
 * @throws 404 if the trust or its trustor does not exist or the trust has expired; 403 if the
 *   trustor, the trustee, the project or a domain is disabled, or the trustor has lost a role
 */
export async function actingFor(
  context: Context,
  trustId: string,
  limit?: readonly string[],
): Promise<Context> {
  const { token } = await readCached(
    context,
    context.cloud.trustTokens,
    trustId,
    (db) => trustToken({ ...centralContext(context), db }, trustId),
    ({ trust, token: { rolesUntil } }) =>
      !trust.expiresAt &&
      !trust.redelegatedTrustId &&
      trust.remainingUses === null &&
      rolesUntil === undefined,
  );
  const delegated = limit ? token.roles.filter(({ name }) => limit.includes(name)) : token.roles;
  const { userId, projectId, roles, credentials } = tokenCaller({
    ...token,
    roles: delegated,
    id: '',
  });
  // A service that is called with `callService` computes `isAdmin` by its own policy; the functions
  // of its `internal.ts` expect it to mean the role admin.
  const actor: Actor = {
    userId,
    projectId,
    roles,
    isAdmin: roles.includes('admin'),
    isService: false,
    credentials,
  };
  return contextWith(context, { actor });
}

/** A trust that is valid now, with a token for it. @throws 403, 404 */
async function trustToken(context: Context, trustId: string): Promise<TrustToken> {
  const trust = await trusts.validTrust(context, trustId);
  const token = await resolveToken(context, {
    userId: trust.trusteeUserId,
    methods: [],
    scope: { kind: 'project', id: trust.projectId!, trustId },
    auditIds: [],
    issuedAt: context.now,
    expiresAt: context.now,
  });
  if (!token) throw forbiddenWithoutReason();
  return { trust, token };
}

/**
 * The names of a user's roles on a project, including inherited and implied roles, ordered by name.
 * Empty for an unknown user or project.
 */
export async function rolesOf(
  context: Context,
  userId: string,
  projectId: string,
): Promise<string[]> {
  const roles = await rolesInScope(centralContext(context), userId, {
    kind: 'project',
    id: projectId,
  });
  return roles.map((role) => role.name);
}

/**
 * Returns the id of a service's own user, such as `blazar`, which has the roles admin and service
 * on the project `service`. Creates the user if it does not exist.
 */
export async function serviceUser(context: Context, name: string): Promise<string> {
  const complete = await readCached(
    context,
    context.cloud.serviceUsers,
    name,
    (db) => findServiceUser(db, name),
    (id) => id !== undefined,
  );
  return complete ?? writeInCentral(context, ({ db }) => ensureServiceUser(db, name));
}

/** A user, or undefined if it does not exist. */
export const findUser = (context: Context, id: string): Promise<User | undefined> =>
  userStore.findUser(centralContext(context).db, id);

/** A project or a domain, or undefined if it does not exist. */
export const findProject = (context: Context, id: string): Promise<Project | undefined> =>
  projectStore.findProject(centralContext(context).db, id);

/** The ids of all projects, ordered by name, without domains. */
export const projectIds = async (context: Context): Promise<string[]> =>
  (await projectStore.listProjects(centralContext(context).db, { isDomain: false })).map(
    ({ id }) => id,
  );

/** The ids of all users, ordered by name. */
export const userIds = async (context: Context): Promise<string[]> =>
  (await userStore.listUsers(centralContext(context).db)).map(({ id }) => id);

/** The enabled public endpoints in some regions, in catalog order. */
export const publicEndpointsOf = async (
  context: Context,
  regions: readonly string[],
): Promise<PublicEndpoint[]> =>
  (await allPublicEndpoints(context)).filter(({ regionId }) => regions.includes(regionId));

/**
 * Limits the catalogs of tenants to the endpoints of one region: those of all projects except
 * `admin` and `service`, and of projects that are created later.
 */
export const limitCatalogs = (context: Context, region: string): Promise<void> =>
  writeInCentral(context, (central) => limitToRegion(central, region));

/**
 * The limits of a project on the resources of a service in this region, by the name of the
 * resource: its own limit, or the registered default. Upstream: oslo_limit/limit.py.
 */
export async function resourceLimits(
  context: Context,
  { serviceType, projectId }: { readonly serviceType: string; readonly projectId: string },
): Promise<ReadonlyMap<string, number>> {
  const { db } = centralContext(context);
  const services = (await listServices(db)).filter(({ type }) => type === serviceType);
  const isOfService = ({ serviceId, regionId }: RegisteredLimit): boolean =>
    services.some(({ id }) => id === serviceId) && regionId === context.region.name;
  const registered = (await limitStore.listRegisteredLimits(db)).filter(isOfService);
  const own = (await limitStore.listLimits(db)).filter((limit) => limit.projectId === projectId);
  const limits = new Map(
    registered.map(({ resourceName, defaultLimit }) => [resourceName, defaultLimit]),
  );
  for (const { registered: one, resourceLimit } of own)
    if (isOfService(one)) limits.set(one.resourceName, resourceLimit);
  return limits;
}
