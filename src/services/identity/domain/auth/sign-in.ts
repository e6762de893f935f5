// Signing in: a token is issued for the credentials of a client. Upstream: keystone/auth/core.py,
// auth/plugins, api/_shared/authentication.py.
import { SECOND } from '../../../../kernel/clock.ts';
import { forbidden } from '../../../../kernel/errors.ts';
import { tokenKey } from '../../store/auth/tokens.ts';
import { findTrust, useTrust } from '../../store/trust/trusts.ts';
import type { Scope, Token, TokenDraft } from '../../model.ts';
import { expecting, forbiddenAction, unauthenticated, SignInError } from '../refusals.ts';
import { newAuditId, signToken } from './claims.ts';
import { methodNames } from './methods.ts';
import { authenticateBy, type Authenticated } from './sign-in-methods.ts';
import { defaultScope, requestedScope, type ScopeRequest } from './sign-in-scopes.ts';
import { lifetime, resolveToken } from './tokens.ts';
import type { Context } from '../../../../kernel/model.ts';

/** `auth` in the body of a request for a token. The contract has checked its shape. */
export interface AuthRequest {
  readonly identity: { readonly methods: readonly string[] } & Readonly<Record<string, unknown>>;
  readonly scope?: ScopeRequest;
}

/** Issues a token for a request. @throws 400, 401, 403, 404 */
export async function signIn(context: Context, auth: AuthRequest): Promise<Token> {
  const methods = [...new Set(auth.identity.methods)];
  const absent = methods.find((method) => !(method in auth.identity));
  if (absent !== undefined) throw expecting(absent, 'identity');
  if (methods.some((method) => !methodNames.includes(method))) {
    const why = 'Attempted to authenticate with an unsupported method.';
    throw new SignInError(why, { methods: methodNames });
  }
  if (methods.includes('application_credential') && auth.scope !== undefined) {
    const why =
      'Error authenticating with application credential: Application credentials cannot request a scope.';
    throw new SignInError(why, {});
  }
  const requested = await requestedScope(context, auth.scope);
  const authenticated = await authenticate(context, auth, methods);
  refuseRescoping(authenticated, auth.scope);
  const { user } = authenticated;
  const scope =
    requested === 'default'
      ? (authenticated.scope ?? (await defaultScope(context.db, user)))
      : requested;
  const token = await issueToken(context, authenticated, scope);
  if (token.trust && !(await useTrust(context.db, token.trust.id)))
    throw forbidden(`No remaining uses for trust: ${token.trust.id}.`);
  return token;
}

/** All methods must succeed, and for the same user. */
async function authenticate(
  context: Context,
  auth: AuthRequest,
  methods: readonly string[],
): Promise<Authenticated> {
  let all: Authenticated | undefined;
  for (const method of methods) {
    const next = await authenticateBy(context, method, auth.identity[method] as never);
    if (all && all.user.id !== next.user.id) throw unauthenticated();
    all = all
      ? { ...all, ...next, methods: [...new Set([...next.methods, ...all.methods])] }
      : next;
  }
  if (!all) throw unauthenticated();
  return all;
}

/**
 * Refuses scopes that cannot be requested with the token of the method `token`. Upstream:
 * auth/plugins/token.py.
 * @throws 403
 */
function refuseRescoping({ parent }: Authenticated, scope: ScopeRequest | undefined): void {
  if (parent?.trust) {
    throw forbiddenAction(
      'Using trust-scoped token to create another token. Create a new trust-scoped token instead',
    );
  }
  if (!parent || scope === undefined) return;
  const onProjectOrDomain = typeof scope === 'object' && ('project' in scope || 'domain' in scope);
  if (parent.scope?.kind === 'system' && onProjectOrDomain) {
    throw forbiddenAction(
      'Using a system-scoped token to create a project-scoped or domain-scoped token is not allowed.',
    );
  }
  const isScoped = typeof scope === 'string' ? scope !== '' : Object.keys(scope).length > 0;
  if (parent.applicationCredentialId && isScoped) {
    throw forbiddenAction(
      'Using an application credential token to create a scoped token is not allowed.',
    );
  }
}

/** Issues a token for a user who has authenticated. @throws 401, 403 and 404 */
export async function issueToken(
  context: Context,
  authenticated: Authenticated,
  scope: Scope | undefined,
): Promise<Token> {
  const { db, now } = context;
  const { user, methods, parent, applicationCredential } = authenticated;
  const trust = scope && 'trustId' in scope ? await findTrust(db, scope.trustId!) : undefined;
  const ends = [
    now + lifetime,
    parent?.expiresAt,
    applicationCredential?.expiresAt,
    trust?.expiresAt,
  ].filter((end) => typeof end === 'number');
  const first = parent?.auditIds.at(-1);
  // A token lasts for whole seconds, as upstream.
  const expiresAt = parent ? Math.min(...ends) : Math.floor(Math.min(...ends) / SECOND) * SECOND;
  const draft: TokenDraft = {
    userId: user.id,
    methods,
    ...(scope ? { scope } : {}),
    auditIds: [newAuditId(), ...(first === undefined ? [] : [first])],
    ...(applicationCredential ? { applicationCredentialId: applicationCredential.id } : {}),
    issuedAt: now,
    expiresAt,
  };
  const token = await resolveToken(context, draft);
  if (!token) throw unauthenticated();
  const id = await signToken(token, await tokenKey(db));
  return { ...token, id };
}
