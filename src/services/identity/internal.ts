// What other services may ask of Identity: trusts, the roles of a user, users of services. From a
// request or a job, on the central database.
//
// The rule for trusts. They are in the central database, and whoever uses one is in a region's: two
// databases, two transactions.
// 1. The trust is written first, under an id that is derived from the resource it is for
//    (`idFor('reservation.trust.' + leaseId)`), and committed at once. The resource then stores
//    that id. `createTrust` for the same id again gives the same trust, so that a retried
//    transaction or a repeated job leaves one trust and not two.
// 2. A service that fails after `createTrust` deletes the trust before it throws; one that deletes
//    the resource deletes the trust last. `deleteTrust` accepts a trust that does not exist, so
//    that both can be repeated.
// 3. No code runs where a region's COMMIT fails, a process ends, or a region is reset alone: then a
//    trust is left that nothing refers to. It does no harm, because only the service itself is its
//    trustee. `trustsFor` lists the trusts of a trustee, so that a job can delete those without a
//    resource. Deleting the trustor or the project deletes them too.
import { isoMicros, type Micros } from '../../kernel/clock.ts';
import { bumpAuthRevision } from '../../kernel/db/state.ts';
import type { Actor, Context } from '../../kernel/model.ts';
import { centralContext, contextWith, writeInCentral } from '../../kernel/context.ts';
import { tokenCaller, type TokenCaller } from './authenticator.ts';
import { rolesInScope } from './domain/assignment/effective-roles.ts';
import { issueToken } from './domain/auth/sign-in.ts';
import { resolveToken } from './domain/auth/tokens.ts';
import { ensureServiceUser } from './domain/identity/service-users.ts';
import { publicEndpoints } from './domain/catalog/endpoints.ts';
import type { Project, PublicEndpoint, Trust, User } from './model.ts';
import { forbiddenAction, forbiddenPlainly } from './domain/refusals.ts';
import { defaultDomainId } from './domain/seeded-ids.ts';
import * as trusts from './domain/trust/trusts.ts';
import * as userStore from './store/identity/users.ts';
import * as projectStore from './store/resource/projects.ts';
import * as trustStore from './store/trust/trusts.ts';

export { seededUsersWith } from './domain/identity/seeded-passwords.ts';
export type { Project, PublicEndpoint, Trust, User } from './model.ts';

/** A trust that a service asks for. */
export interface NewTrust {
  /** 32 hexadecimal digits, derived from the resource that the trust is for. */
  readonly id: string;
  readonly trusteeUserId: string;
  /** The actor of the work, where none is given. */
  readonly trustorUserId?: string;
  /** The project of the actor, where none is given. */
  readonly projectId?: string;
  /** Names of global roles; all roles of the actor, where none are given. */
  readonly roles?: readonly string[];
  /** Whether the trustee acts as the trustor. True, where it is not given. */
  readonly impersonation?: boolean;
  /**
   * Null for no expiry. Of two trusts that differ only in their ids and expire at the same time the
   * second is a 409, as upstream.
   */
  readonly expiresAt?: Micros | null;
}

/**
 * Creates a trust, or gives back the one that has this id already. It is kept even where the
 * region's transaction is undone: see the rule above. With noauth2 callers are no users of
 * Identity, so that they cannot be trustors.
 * @throws 400, 403, 404 for a trustee, a project or a role of the trustor that does not exist, 409
 */
export function createTrust(context: Context, request: NewTrust): Promise<Trust> {
  const { id, trusteeUserId, impersonation = true, expiresAt = null } = request;
  const {
    trustorUserId = context.actor.userId,
    projectId = context.actor.projectId,
    roles = context.actor.roles,
  } = request;
  const parentId = (context as { caller?: TokenCaller }).caller?.info?.trust?.id;
  return writeInCentral(context, async (central) => {
    const existing = await trustStore.findTrust(central.db, id);
    if (existing) return existing;
    if (projectId === undefined || !roles.length)
      throw forbiddenAction('At least one role should be specified');
    const fields = {
      id,
      trustorUserId,
      trusteeUserId,
      projectId,
      impersonation,
      roles: await trusts.globalRoles(central.db, roles),
      expiresAt: expiresAt === null ? null : isoMicros(expiresAt),
    };
    return trusts.createTrust(central, fields, parentId);
  });
}

/**
 * Deletes a trust and its redelegations, which ends their tokens; nothing changes where it does not
 * exist. The id can be used again.
 */
export function deleteTrust(context: Context, id: string): Promise<void> {
  return writeInCentral(context, async (central) => {
    const trust = await trustStore.findTrust(central.db, id);
    if (trust) await trusts.deleteTrust(central, trust);
    if (trust) await trustStore.purgeTrust(central.db, id);
  });
}

/** The trusts of a trustee, ordered by id. */
export const trustsFor = (context: Context, trusteeUserId: string): Promise<Trust[]> =>
  trustStore.listTrusts(centralContext(context).db, { trusteeUserId });

/**
 * The same work for the actor that a token for the trust would have: the trustor where it
 * impersonates, with the delegated roles on the trust's project. It has no other part of a request,
 * so that nothing of the request's own caller comes along.
 * @throws 404 where the trust or its trustor does not exist or the trust has expired; 403 where
 *   trustor, trustee, project or a domain is disabled, or the trustor has lost a role
 */
export async function actingFor(context: Context, trustId: string): Promise<Context> {
  const central = centralContext(context);
  const trust = await trusts.validTrust(central, trustId);
  const scope = { kind: 'project', id: trust.projectId!, trustId } as const;
  const { now } = context;
  const draft = {
    userId: trust.trusteeUserId,
    methods: [],
    scope,
    auditIds: [],
    issuedAt: now,
    expiresAt: now,
  };
  const token = await resolveToken(central, draft);
  if (!token) throw forbiddenPlainly();
  const { userId, projectId, roles, credentials } = tokenCaller({ ...token, id: '' });
  // Services compute `isAdmin` by rules of their own when they are asked with `askWithin`; in their
  // doors it means the role.
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

/**
 * The names of a user's roles on a project, with inherited and implied ones, ordered by name; none
 * for an unknown user or project.
 */
export async function rolesOf(
  context: Context,
  userId: string,
  projectId: string,
): Promise<string[]> {
  const roles = await rolesInScope(centralContext(context).db, userId, {
    kind: 'project',
    id: projectId,
  });
  return roles.map((role) => role.name);
}

/**
 * The id of a service's own user, such as `blazar`, who has the roles admin and service on the
 * project `service`. It is created where it does not exist.
 */
export const serviceUser = (context: Context, name: string): Promise<string> =>
  writeInCentral(context, async ({ db }) => {
    const { id, isChanged } = await ensureServiceUser(db, name);
    if (isChanged) await bumpAuthRevision(db);
    return id;
  });

/**
 * A token for the user of a service, on the project `service`: for requests that go to other clouds
 * over HTTP.
 * @throws 401 where that project is gone
 */
export const serviceToken = (context: Context, name: string): Promise<string> =>
  writeInCentral(context, async (central) => {
    const { id, isChanged } = await ensureServiceUser(central.db, name);
    if (isChanged) await bumpAuthRevision(central.db);
    const user = (await userStore.findUser(central.db, id))!;
    const project = await projectStore.findProjectByName(central.db, 'service', defaultDomainId);
    const token = await issueToken(
      central,
      { user, methods: ['password'] },
      { kind: 'project', id: project?.id ?? '' },
    );
    return token.id;
  });

/** A user; undefined where it does not exist. */
export const findUser = (context: Context, id: string): Promise<User | undefined> =>
  userStore.findUser(centralContext(context).db, id);

/** A project or a domain; undefined where it does not exist. */
export const findProject = (context: Context, id: string): Promise<Project | undefined> =>
  projectStore.findProject(centralContext(context).db, id);

/** The enabled public endpoints of regions, in the order of the catalog. */
export const publicEndpointsOf = (
  context: Context,
  regions: readonly string[],
): Promise<PublicEndpoint[]> => publicEndpoints(centralContext(context).db, regions);
