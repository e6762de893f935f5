// Signs clients in: authenticates them and issues a token. Upstream: keystone/auth/core.py,
// auth/plugins, api/_shared/authentication.py.
import { SECOND } from '../../../../kernel/clock.ts';
import { forbidden } from '../../../../kernel/errors.ts';
import { tokenKey } from '../../store/auth/tokens.ts';
import { findTrust, useTrust } from '../../store/trust/trusts.ts';
import type { Scope, Token, TokenDraft } from '../../model.ts';
import { expecting, forbiddenAction, unauthenticated, SignInError } from '../refusals.ts';
import { newAuditId, signToken } from './claims.ts';
import { methodNames } from './methods.ts';
import { readReceipt, requireMethods } from './receipts.ts';
import { authenticateBy, type Authenticated } from './sign-in-methods.ts';
import { defaultScope, requestedScope, type ScopeRequest } from './sign-in-scopes.ts';
import type { SignedRequest } from '../oauth/signatures.ts';
import { loadSettings } from '../settings.ts';
import { resolveToken } from './tokens.ts';
import type { Context } from '../../../../kernel/model.ts';

/** `auth` in the body of a sign-in. The contract check has validated its shape. */
export interface AuthRequest {
  readonly identity: { readonly methods: readonly string[] } & Readonly<Record<string, unknown>>;
  readonly scope?: ScopeRequest;
}

/** What a sign-in has besides its body. */
export interface SignInHeaders {
  /** The receipt of an earlier, incomplete sign-in; empty for none. */
  readonly receiptId: string;
  /** The request as a consumer of OAuth has signed it. */
  readonly signed: SignedRequest;
}

/**
 * Authenticates a client and issues a token.
 * @throws 400, 401, 403, 404
 */
export async function signIn(
  context: Context,
  auth: AuthRequest,
  { receiptId, signed }: SignInHeaders,
): Promise<Token> {
  const methods = [...new Set(auth.identity.methods)];
  const missingMethod = methods.find((method) => !(method in auth.identity));
  if (missingMethod !== undefined) throw expecting(missingMethod, 'identity');
  if (methods.some((method) => !methodNames.includes(method))) {
    const message = 'Attempted to authenticate with an unsupported method.';
    throw new SignInError(message, { methods: methodNames });
  }
  if (methods.includes('application_credential') && auth.scope !== undefined) {
    const message =
      'Error authenticating with application credential: Application credentials ' +
      'cannot request a scope.';
    throw new SignInError(message, {});
  }
  const requested = await requestedScope(context, auth.scope);
  const proven = await authenticate(context, auth, methods, signed);
  refuseRescoping(proven, auth.scope);
  const scope = await scopeOf(context, proven, requested);
  const authenticated = await withReceipt(context, proven, receiptId);
  await requireMethods(context, authenticated);
  const token = await issueToken(context, authenticated, scope);
  if (token.trust && !(await useTrust(context.db, token.trust.id)))
    throw forbidden(`No remaining uses for trust: ${token.trust.id}.`);
  return token;
}

/**
 * The scope of the new token. An access token of OAuth determines it, whatever is requested. Users
 * of federation have no default project.
 */
async function scopeOf(
  context: Context,
  { accessToken, federation, scope, user }: Authenticated,
  requested: Scope | undefined | 'default',
): Promise<Scope | undefined> {
  if (accessToken) return scope;
  if (requested !== 'default') return requested;
  return scope ?? (federation ? undefined : await defaultScope(context, user));
}

/** Adds the methods of a receipt. @throws 401 if the receipt is invalid, or of another user */
async function withReceipt(
  context: Context,
  authenticated: Authenticated,
  receiptId: string,
): Promise<Authenticated> {
  if (!receiptId) return authenticated;
  const receipt = await readReceipt(context, receiptId);
  if (receipt?.userId !== authenticated.user.id) throw unauthenticated();
  return { ...authenticated, methods: union(authenticated.methods, receipt.methods) };
}

const union = (some: readonly string[], others: readonly string[]): string[] => [
  ...new Set([...some, ...others]),
];

/** Authenticates with all methods, which must succeed for the same user. @throws 400, 401, 404 */
async function authenticate(
  context: Context,
  auth: AuthRequest,
  methods: readonly string[],
  signed: SignedRequest,
): Promise<Authenticated> {
  let combined: Authenticated | undefined;
  for (const method of methods) {
    const next = await authenticateBy(context, method, auth.identity[method] as never, signed);
    if (combined && combined.user.id !== next.user.id) throw unauthenticated();
    combined = combined
      ? { ...combined, ...next, methods: union(next.methods, combined.methods) }
      : next;
  }
  if (!combined) throw unauthenticated();
  return combined;
}

/**
 * Rejects scopes that a token cannot be exchanged for. Upstream: auth/plugins/token.py.
 * @throws 403
 */
function refuseRescoping({ parent }: Authenticated, scope: ScopeRequest | undefined): void {
  if (parent?.accessToken) {
    throw forbiddenAction(
      'Using OAuth-scoped token to create another token. Create a new OAuth-scoped token instead',
    );
  }
  if (parent?.trust) {
    throw forbiddenAction(
      'Using trust-scoped token to create another token. Create a new trust-scoped token instead',
    );
  }
  if (!parent || scope === undefined) return;
  const onProjectOrDomain = typeof scope === 'object' && ('project' in scope || 'domain' in scope);
  if (parent.scope?.kind === 'system' && onProjectOrDomain) {
    throw forbiddenAction(
      'Using a system-scoped token to create a project-scoped or domain-scoped token ' +
        'is not allowed.',
    );
  }
  const isScoped = typeof scope === 'string' ? scope !== '' : Object.keys(scope).length > 0;
  if (parent.applicationCredentialId && isScoped) {
    throw forbiddenAction(
      'Using an application credential token to create a scoped token is not allowed.',
    );
  }
}

/** Issues a token for an authenticated user. @throws 401, 403, 404 */
export async function issueToken(
  context: Context,
  authenticated: Authenticated,
  scope: Scope | undefined,
): Promise<Token> {
  const { db, now } = context;
  const { user, methods, parent, applicationCredential, accessToken, federation } = authenticated;
  const { tokenExpiration } = await loadSettings({ db });
  const trust = scope && 'trustId' in scope ? await findTrust(db, scope.trustId!) : undefined;
  const expiries = [
    now + tokenExpiration * SECOND,
    parent?.expiresAt,
    authenticated.expiresAt,
    applicationCredential?.expiresAt,
    trust?.expiresAt,
  ].filter((expiry) => typeof expiry === 'number');
  const firstAuditId = parent?.auditIds.at(-1);
  // Tokens expire on whole seconds, as upstream.
  const expiresAt = parent
    ? Math.min(...expiries)
    : Math.floor(Math.min(...expiries) / SECOND) * SECOND;
  const draft: TokenDraft = {
    userId: user.id,
    methods,
    ...(scope ? { scope } : {}),
    auditIds: [newAuditId(), ...(firstAuditId === undefined ? [] : [firstAuditId])],
    ...(applicationCredential ? { applicationCredentialId: applicationCredential.id } : {}),
    ...(accessToken ? { accessTokenId: accessToken.id } : {}),
    ...(federation ? { federation } : {}),
    issuedAt: now,
    expiresAt,
  };
  const token = await resolveToken(context, draft);
  if (!token) throw unauthenticated();
  const id = await signToken(token, await tokenKey(db));
  return { ...token, id };
}
