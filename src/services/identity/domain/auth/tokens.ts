// Validates tokens. Their user, scope and roles are resolved at each validation.
import { SECOND, type Micros } from '../../../../kernel/clock.ts';
import { bumpAuthRevision } from '../../../../kernel/db/state.ts';
import { ApiError, notFound } from '../../../../kernel/errors.ts';
import * as credentialStore from '../../store/application-credential/application-credentials.ts';
import { insertRevocation, isRevoked, tokenKey } from '../../store/auth/tokens.ts';
import { listImplications } from '../../store/assignment/roles.ts';
import { findIdentityProvider } from '../../store/federation/identity-providers.ts';
import { findUser } from '../../store/identity/users.ts';
import { findAccessToken } from '../../store/oauth/tokens.ts';
import { findProject } from '../../store/resource/projects.ts';
import { withImplied } from '../assignment/assignments.ts';
import { rolesInScope } from '../assignment/effective-roles.ts';
import { membershipsEnd } from '../federation/memberships.ts';
import type { Claims, Scope, Token, TokenDraft } from '../../model.ts';
import { missing } from '../refusals.ts';
import { loadSettings } from '../settings.ts';
import { delegationOf } from '../trust/trust-tokens.ts';
import { readToken } from './claims.ts';
import { recordRevocations } from './revocation-events.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { Context } from '../../../../kernel/model.ts';

/**
 * Resolves the user, the scope and the roles of a token. Returns undefined if one of them does not
 * exist or is disabled, or if the user has no role in the scope.
 * @throws the error of the token's trust
 */
export async function resolveToken(
  context: Pick<Context, 'db' | 'now'>,
  draft: TokenDraft,
): Promise<Omit<Token, 'id'> | undefined> {
  const { db } = context;
  const { federation } = draft;
  if (federation && !(await findIdentityProvider(db, federation.providerId))) return undefined;
  const delegation = await delegationOf(context, draft);
  const user = await findUser(db, draft.userId);
  const userDomain = user?.enabled ? await findProject(db, user.domainId) : undefined;
  if (!user || !userDomain?.enabled) return undefined;
  const target = await targetOf(db, draft.scope);
  if (!target) return undefined;
  const credential = draft.applicationCredentialId
    ? await credentialStore.findApplicationCredential(db, draft.applicationCredentialId)
    : undefined;
  if (draft.applicationCredentialId && !credential) return undefined;
  const accessToken =
    draft.accessTokenId === undefined ? undefined : await findAccessToken(db, draft.accessTokenId);
  if (draft.accessTokenId !== undefined && !accessToken) return undefined;
  const inScope =
    delegation?.roles ??
    (draft.scope
      ? await rolesInScope(context, draft.userId, draft.scope, federation?.groupIds)
      : []);
  const delegated = accessToken
    ? withImplied(accessToken.roleIds, await listImplications(db))
    : credential && new Set(credential.roleIds);
  const roles = delegated ? inScope.filter((role) => delegated.has(role.id)) : inScope;
  if (draft.scope && !roles.length) return undefined;
  const dependsOn = [
    user,
    userDomain,
    target.project,
    target.projectDomain,
    target.domain,
    ...(delegation?.dependsOn ?? []),
  ];
  const actors = [
    draft.userId,
    ...(delegation?.parts.trust ? [delegation.parts.trust.trustorUserId] : []),
  ];
  const rolesUntil = await membershipsEnd(context, actors);
  const epochs = dependsOn.map((record) => record?.tokenEpoch ?? '').join('.');
  const credentialPart = credential ? { applicationCredential: credential } : {};
  return {
    ...draft,
    user,
    userDomain,
    ...target,
    roles,
    ...credentialPart,
    ...(accessToken ? { accessToken } : {}),
    ...delegation?.parts,
    ...(rolesUntil === undefined ? {} : { rolesUntil }),
    epochs,
  };
}

type Target = Pick<Token, 'project' | 'projectDomain' | 'domain'>;

/** The project or domain of a scope; undefined if it does not exist or is disabled. */
async function targetOf(db: Db, scope: Scope | undefined): Promise<Target | undefined> {
  if (!scope || scope.kind === 'system') return {};
  const project = await findProject(db, scope.id);
  if (!project?.enabled) return undefined;
  if (scope.kind === 'domain') return project.isDomain ? { domain: project } : undefined;
  const projectDomain =
    project.domainId === null ? undefined : await findProject(db, project.domainId);
  return projectDomain?.enabled ? { project, projectDomain } : undefined;
}

/**
 * Why a token is invalid. `unknown`: it cannot be resolved; `failed`: it has expired or is revoked;
 * an ApiError: the error of its trust.
 */
export type Invalid = 'unknown' | 'failed' | ApiError;

export const isInvalid = (token: Token | Invalid): token is Invalid =>
  typeof token === 'string' || token instanceof ApiError;

/** Validates the claims of a token, up to `window` after its expiry. */
export async function validateToken(
  context: Pick<Context, 'db' | 'now'>,
  id: string,
  claims: Claims,
  window: Micros = 0,
): Promise<Token | Invalid> {
  if (context.now >= claims.expiresAt + window) return 'failed';
  if (await isRevoked(context.db, claims.auditIds[0]!)) return 'failed';
  const token = await resolveToken(context, claims).catch(onlyApiErrors);
  if (token instanceof ApiError) return token;
  if (!token) return 'unknown';
  return token.epochs === claims.epochs ? { ...token, id } : 'failed';
}

function onlyApiErrors(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  throw error;
}

/**
 * Resolves a token, which must be valid now or have expired at most `window` ago.
 * @throws 404, and the error of its trust
 */
export async function requireToken(
  context: Pick<Context, 'db' | 'now'>,
  id: string,
  window: Micros = 0,
): Promise<Token> {
  const claims = await readToken(id, await tokenKey(context.db));
  const token = claims ? await validateToken(context, id, claims, window) : 'unknown';
  if (token === 'unknown') throw missing('token', id);
  if (token === 'failed') throw notFound('Failed to validate token');
  if (isInvalid(token)) throw token;
  return token;
}

/** Revokes a token, and deletes the revocations of tokens that can no longer be validated. */
export async function revokeToken(context: Context, { auditIds, expiresAt }: Token): Promise<void> {
  const { db, now } = context;
  const { allowExpiredWindow } = await loadSettings({ db });
  await insertRevocation(db, auditIds[0]!, expiresAt, now - allowExpiredWindow * SECOND);
  await recordRevocations(context, { auditId: auditIds[0]! });
  await bumpAuthRevision(db);
}
