// Creates, redelegates and deletes trusts. Upstream: trust/core.py and api/trusts.py.
import { bumpAuthRevision } from '../../../../kernel/db/state.ts';
import { badRequest } from '../../../../kernel/errors.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import { listRoles } from '../../store/assignment/roles.ts';
import { findUser } from '../../store/identity/users.ts';
import { findProject } from '../../store/resource/projects.ts';
import * as store from '../../store/trust/trusts.ts';
import { roleIdsInScope } from '../assignment/effective-roles.ts';
import { roleIdsOf, type RoleReference } from '../assignment/role-references.ts';
import { recordRevocations } from '../auth/revocation-events.ts';
import { expiry } from '../expiry.ts';
import type { Extra, Token, Trust } from '../../model.ts';
import {
  duplicate,
  forbiddenAction,
  forbiddenWithoutReason,
  found,
  missing,
  refuseOnDuplicate,
} from '../refusals.ts';
import {
  checkRedelegation,
  checkTrustChain,
  isUsable,
  maxRedelegationCount,
  trustChain,
  usableTrust,
} from './trust-chain.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { Context } from '../../../../kernel/model.ts';

/** The attributes of a new trust in a request. */
export interface TrustRequest {
  /** By default, a new id. */
  readonly id?: string;
  readonly trustorUserId: string;
  readonly trusteeUserId: string;
  readonly projectId: string | null;
  readonly impersonation: boolean;
  readonly roles: readonly RoleReference[];
  /** A time in the API's format. */
  readonly expiresAt?: string | null | undefined;
  /** Null if unlimited. */
  readonly remainingUses?: number | null | undefined;
  readonly redelegatedTrustId?: string | null | undefined;
  readonly allowRedelegation?: boolean | undefined;
  readonly redelegationCount?: number | null | undefined;
  readonly extra?: Extra | undefined;
}

/** Whether a token was issued for an application credential. */
export const isForApplicationCredential = (token: Token | undefined): boolean =>
  token?.methods.includes('application_credential') ?? false;

/** Rejects tokens of application credentials, even of unrestricted ones. @throws 403 */
export function refuseApplicationCredential(token: Token | undefined): void {
  if (isForApplicationCredential(token)) {
    throw forbiddenAction(
      "Using method 'application_credential' is not allowed for managing trusts.",
    );
  }
}

/** Finds a trust with a valid chain. @throws 403, 404 */
export async function validTrust(context: Pick<Context, 'db' | 'now'>, id: string): Promise<Trust> {
  const trust = await usableTrust(context, id);
  await checkTrustChain(context, trust);
  return trust;
}

/** The ids of the global roles with these names. @throws 404 */
export async function globalRoleIds(db: Db, names: readonly string[]): Promise<string[]> {
  const roles = (await listRoles(db)).filter((role) => role.domainId === null);
  return roleIdsOf(
    names.map((name) => ({ name })),
    roles,
  );
}

/**
 * Creates a trust. If the trustor's token is for a trust, `tokenTrustId`, that trust is
 * redelegated.
 * @throws 400, 403, 404, 409
 */
export async function createTrust(
  context: Context,
  request: TrustRequest,
  tokenTrustId?: string,
): Promise<Trust> {
  const { db, now } = context;
  found(await findUser(db, request.trusteeUserId), 'user', request.trusteeUserId);
  const roles = await listRoles(db);
  const draft = newTrust(request, roleIdsOf(request.roles, roles));
  await checkTrustorRoles(context, draft);
  const expiring = { ...draft, expiresAt: expiry(request.expiresAt, now) };
  const parent = tokenTrustId === undefined ? undefined : await validTrust(context, tokenTrustId);
  const trust = await withRedelegation(context, expiring, request, parent);
  await refuseOnDuplicate(store.insertTrust(db, trust), () =>
    duplicate('trust', trust.id, undefined, 'ID'),
  );
  return trust;
}

/**
 * The trust of a request, if a valid token proves all but the trustee: its own user delegates roles
 * of the token on the project of the token, and the trust never expires. Undefined if these roles
 * are delegated or limited in time themselves.
 */
export function trustByToken(token: Token, request: TrustRequest): Trust | undefined {
  const { user, project, trust, accessToken, applicationCredential, federation, rolesUntil } =
    token;
  const isOwn = user.id === request.trustorUserId && project?.id === request.projectId;
  const isBorrowed = [trust, accessToken, applicationCredential, federation, rolesUntil].some(
    (origin) => origin !== undefined,
  );
  const isPlain = !request.expiresAt && !request.redelegatedTrustId && !request.allowRedelegation;
  if (!isOwn || isBorrowed || !isPlain || !request.roles.length) return undefined;
  const roles = request.roles.map(({ name }) => token.roles.find((role) => role.name === name));
  const roleIds = roles.flatMap((role) => role?.id ?? []);
  if (roleIds.length < roles.length) return undefined;
  return { ...newTrust(request, roleIds), redelegationCount: 0 };
}

type TrustDraft = Omit<Trust, 'redelegationCount'>;

const newTrust = (request: TrustRequest, roleIds: readonly string[]): TrustDraft => ({
  id: request.id ?? newHexId(),
  trustorUserId: request.trustorUserId,
  trusteeUserId: request.trusteeUserId,
  projectId: request.projectId || null,
  impersonation: request.impersonation,
  expiresAt: null,
  remainingUses: request.remainingUses ?? null,
  redelegatedTrustId: request.redelegatedTrustId || null,
  roleIds: [...new Set(roleIds)],
  extra: request.extra ?? {},
});

/**
 * Checks that the trustor, or the trustor of the first trust in the chain, has the roles.
 * @throws 404
 */
async function checkTrustorRoles(context: Context, trust: TrustDraft): Promise<void> {
  const { db } = context;
  let first: Pick<Trust, 'trustorUserId' | 'projectId' | 'redelegatedTrustId'> = trust;
  while (first.redelegatedTrustId) first = await validTrust(context, first.redelegatedTrustId);
  if (trust.projectId) found(await findProject(db, trust.projectId), 'project', trust.projectId);
  const projectId = trust.projectId ? first.projectId : null;
  const assigned =
    projectId === null
      ? undefined
      : await roleIdsInScope(context, first.trustorUserId, { kind: 'project', id: projectId });
  const missingRoleId = trust.roleIds.find((id) => !assigned?.has(id));
  if (missingRoleId !== undefined) throw missing('role', missingRoleId);
}

/**
 * Adds to a new trust how often it can be redelegated, and what it inherits from the trust that it
 * redelegates.
 * @throws 400, 403
 */
async function withRedelegation(
  context: Context,
  draft: TrustDraft,
  { allowRedelegation = false, redelegationCount: count }: TrustRequest,
  parent: Trust | undefined,
): Promise<Trust> {
  const redelegatable = allowRedelegation && count !== 0;
  if (redelegatable && (count ?? 0) > maxRedelegationCount) throw forbiddenWithoutReason();
  if (redelegatable && draft.remainingUses !== null) {
    throw badRequest('remaining_uses must not be set if redelegation is allowed');
  }
  if (!parent)
    return { ...draft, redelegationCount: redelegatable ? (count ?? maxRedelegationCount) : 0 };
  const remaining = parent.redelegationCount - 1;
  if (redelegatable && count && count !== remaining) throw forbiddenWithoutReason();
  const trust: Trust = {
    ...draft,
    expiresAt: draft.expiresAt ?? parent.expiresAt,
    redelegatedTrustId: parent.id,
    redelegationCount: redelegatable ? remaining : 0,
  };
  for (const ancestor of await trustChain(context, parent)) checkRedelegation(ancestor, trust);
  return trust;
}

/** Deletes a trust and its usable redelegations, and ends their tokens. */
export async function deleteTrust(context: Context, trust: Trust): Promise<void> {
  await discardTrust(context, trust);
  await bumpAuthRevision(context.db);
}

async function discardTrust(context: Context, trust: Trust): Promise<void> {
  const { db, now } = context;
  const redelegations = await store.listTrusts(db, {
    trustorUserId: trust.trustorUserId,
    redelegatedTrustId: trust.id,
  });
  for (const redelegation of redelegations)
    if (isUsable(redelegation, now)) await discardTrust(context, redelegation);
  await store.deleteTrust(db, trust.id);
  await recordRevocations(context, { trustId: trust.id });
}
