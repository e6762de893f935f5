// Signing in: from what a client says of itself to a token. Upstream: keystone/auth/core.py, auth/plugins, api/_shared/authentication.py.
import type { Micros } from '../../../../kernel/clock.ts';
import { forbidden, unauthorized } from '../../../../kernel/fault.ts';
import { tokenKey } from '../../store/auth/tokens.ts';
import { findTrust, useTrust } from '../../store/trust/trusts.ts';
import { methodNames, signInBy, type Identified } from './sign-in-methods.ts';
import { defaultScope, requestedScope, type ScopeRequest } from './sign-in-scopes.ts';
import { expecting, forbiddenAction, unauthenticated } from '../refusals.ts';
import { newAuditId, lifetime, signToken, standing, type Draft, type Token } from './tokens.ts';
import type { Scope } from '../assignment/effective-roles.ts';
import type { Db } from '../../../../kernel/db/database.ts';

/** What the body of an issue of a token says under `auth`; the contract has looked at its shape. */
export interface AuthRequest {
  readonly identity: { readonly methods: readonly string[] } & Readonly<Record<string, unknown>>;
  readonly scope?: ScopeRequest;
}

/** Issues a token. @throws 400, 401, 403, 404 */
export async function signIn(db: Db, auth: AuthRequest, now: Micros): Promise<Token> {
  const methods = [...new Set(auth.identity.methods)];
  const absent = methods.find((method) => !(method in auth.identity));
  if (absent !== undefined) throw expecting(absent, 'identity');
  if (methods.some((method) => !methodNames.includes(method))) {
    const identity = { methods: methodNames };
    throw unauthorized('Attempted to authenticate with an unsupported method.', { identity });
  }
  if (methods.includes('application_credential') && auth.scope !== undefined) {
    const why = 'Error authenticating with application credential: Application credentials cannot request a scope.';
    throw unauthorized(why, { identity: {} });
  }
  const asked = await requestedScope(db, auth.scope, now);
  const who = await identify(db, auth, methods, now);
  refuseRescoping(who, auth.scope);
  const scope = asked === 'default' ? (who.scope ?? (await defaultScope(db, who.user))) : asked;
  const token = await issue(db, who, scope, now);
  if (token.trust && !(await useTrust(db, token.trust.id))) throw forbidden(`No remaining uses for trust: ${token.trust.id}.`);
  return token;
}

/** All methods must succeed, and for the same user. */
async function identify(db: Db, auth: AuthRequest, methods: readonly string[], now: Micros): Promise<Identified> {
  let who: Identified | undefined;
  for (const method of methods) {
    const next = await signInBy(db, method, auth.identity[method] as never, now);
    if (who && who.user.id !== next.user.id) throw unauthenticated();
    who = who ? { ...who, ...next, methods: [...new Set([...next.methods, ...who.methods])] } : next;
  }
  if (!who) throw unauthenticated();
  return who;
}

/** What a token may not be traded for. Upstream: auth/plugins/token.py. */
function refuseRescoping({ parent }: Identified, scope: ScopeRequest | undefined): void {
  if (parent?.trust) {
    throw forbiddenAction('Using trust-scoped token to create another token. Create a new trust-scoped token instead');
  }
  if (!parent || scope === undefined) return;
  const placed = typeof scope === 'object' && ('project' in scope || 'domain' in scope);
  if (parent.scope?.kind === 'system' && placed) {
    throw forbiddenAction('Using a system-scoped token to create a project-scoped or domain-scoped token is not allowed.');
  }
  const asks = typeof scope === 'string' ? scope !== '' : Object.keys(scope).length > 0;
  if (parent.applicationCredentialId && asks) {
    throw forbiddenAction('Using an application credential token to create a scoped token is not allowed.');
  }
}

/** Issues a token for whoever has signed in. @throws 401, 403 and 404 */
export async function issue(db: Db, who: Identified, scope: Scope | undefined, now: Micros): Promise<Token> {
  const trust = scope && 'trustId' in scope ? await findTrust(db, scope.trustId!) : undefined;
  const ends = [now + lifetime, who.parent?.expiresAt, who.applicationCredential?.expiresAt, trust?.expiresAt].filter(
    (end) => typeof end === 'number',
  );
  const first = who.parent?.auditIds.at(-1);
  // A token lasts for whole seconds, as upstream.
  const expiresAt = who.parent ? Math.min(...ends) : Math.floor(Math.min(...ends) / 1_000_000) * 1_000_000;
  const draft: Draft = {
    userId: who.user.id,
    methods: who.methods,
    ...(scope ? { scope } : {}),
    auditIds: [newAuditId(), ...(first === undefined ? [] : [first])],
    ...(who.applicationCredential ? { applicationCredentialId: who.applicationCredential.id } : {}),
    issuedAt: now,
    expiresAt,
  };
  const found = await standing(db, draft, now);
  if (!found) throw unauthenticated();
  const id = await signToken(found, await tokenKey(db));
  return { ...found, id };
}
