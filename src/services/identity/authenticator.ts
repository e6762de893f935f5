// Finds out who a token belongs to, for every service; asked on each request, so what it found is kept while nothing changes.
import { callerOf, type Authenticate, type Caller } from '../../kernel/auth/caller.ts';
import type { Cloud } from '../../kernel/model.ts';
import { evaluate, isWorthless, readToken, type Claims, type Token } from './domain/auth/tokens.ts';
import { tokenKey } from './store/auth/tokens.ts';

/** A caller whose token is known; identity's own handlers ask for it. */
export interface TokenCaller extends Caller {
  readonly info: Token;
}

interface Known {
  readonly caller: TokenCaller;
  readonly claims: Claims;
  /** What `auth.revision` was before it was looked up. */
  readonly revision: number;
}

/** How many tokens are kept. */
const most = 1000;

/** For a cloud, the function that maps a token to a caller. */
export function authenticator(cloud: Cloud): Authenticate {
  const cache = new Map<string, Known>();
  let key: Uint8Array | undefined;

  const keep = (token: string, known: Known): void => {
    cache.set(token, known);
    if (cache.size > most) cache.delete(cache.keys().next().value!);
  };

  return async (token, now) => {
    const { authRevision: revision } = await cloud.shared.look();
    const known = cache.get(token);
    // Out and in again: a map keeps the order, so the one that was not asked for longest is the first.
    if (known) cache.delete(token);
    if (known?.revision === revision) {
      if (now >= known.claims.expiresAt) return undefined;
      cache.set(token, known);
      return known.caller;
    }
    const { db } = cloud.central;
    key ??= await tokenKey(db);
    const claims = known?.claims ?? (await readToken(token, key));
    const info = claims && (await evaluate(db, token, claims, now));
    if (info === undefined || isWorthless(info)) return undefined;
    const caller = tokenCaller(info);
    keep(token, { caller, claims: claims!, revision });
    return caller;
  };
}

/** The caller that a token makes; its credentials have what identity's own rules ask for besides. */
export function tokenCaller(info: Token): TokenCaller {
  const { user, project, domain, scope } = info;
  const caller = callerOf({
    token: info.id,
    userId: user.id,
    userName: user.name,
    userDomainId: user.domainId,
    ...(project ? { projectId: project.id, projectName: project.name, projectDomainId: project.domainId! } : {}),
    ...(domain ? { domainId: domain.id } : {}),
    ...(scope?.kind === 'system' ? { systemScope: 'all' as const } : {}),
    roles: info.roles.map((role) => role.name),
    expiresAt: info.expiresAt,
  });
  // Upstream: keystone/common/context.py puts the token itself, and an explicit None for a missing domain, into the values.
  const token = {
    ...(project ? { project: { id: project.id, domain: { id: project.domainId } } } : {}),
    ...(domain ? { domain: { id: domain.id } } : {}),
  };
  const rules = info.applicationCredential?.accessRules;
  const bound = rules?.length ? { accessRules: rules } : {};
  return { ...caller, ...bound, info, credentials: { ...caller.credentials, domain_id: domain?.id ?? null, token } };
}
