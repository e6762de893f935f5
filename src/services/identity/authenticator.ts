// Finds the caller of a token, for every service. Each request asks, so results are cached until
// something that tokens depend on changes.
import { callerOf, type Authenticate, type Caller } from '../../kernel/auth/caller.ts';
import type { Cloud } from '../../kernel/model.ts';
import { readToken } from './domain/auth/claims.ts';
import { isInvalid, validateToken } from './domain/auth/tokens.ts';
import { tokenKey } from './store/auth/tokens.ts';
import type { Claims, Token } from './model.ts';

/** A caller with the token. Identity's own handlers use the token. */
export interface TokenCaller extends Caller {
  readonly info: Token;
}

interface Cached {
  readonly caller: TokenCaller;
  readonly claims: Claims;
  /** The key that the token is signed with. */
  readonly key: Uint8Array;
  /** `auth.revision` before the token was validated. */
  readonly revision: number;
}

/** How many tokens are cached. */
const most = 1000;

/** The function that maps a token of a cloud to a caller. */
export function authenticator(cloud: Cloud): Authenticate {
  const cache = new Map<string, Cached>();
  let known: { readonly key: Uint8Array; readonly revision: number } | undefined;

  /** The key of tokens, which is another one where the state of another cloud was put back. */
  const keyAt = async (revision: number): Promise<Uint8Array> => {
    if (known?.revision === revision) return known.key;
    const key = await tokenKey(cloud.central.db);
    known = { key: known && Buffer.compare(known.key, key) === 0 ? known.key : key, revision };
    return known.key;
  };

  const keep = (token: string, cached: Cached): void => {
    cache.set(token, cached);
    if (cache.size > most) cache.delete(cache.keys().next().value!);
  };

  return async (token, now) => {
    const { authRevision: revision } = await cloud.sharedState.read();
    const cached = cache.get(token);
    // A map keeps the order of insertion. Deleting and inserting again keeps the least recently
    // used token first.
    if (cached) cache.delete(token);
    if (cached?.revision === revision) {
      if (now >= cached.claims.expiresAt) return undefined;
      cache.set(token, cached);
      return cached.caller;
    }
    const { db } = cloud.central;
    const key = await keyAt(revision);
    const claims = cached?.key === key ? cached.claims : await readToken(token, key);
    const info = claims && (await validateToken({ db, now }, token, claims));
    if (info === undefined || isInvalid(info)) return undefined;
    const caller = tokenCaller(info);
    keep(token, { caller, claims: claims!, key, revision });
    return caller;
  };
}

/** The caller of a token. Its credentials also have what Identity's own rules check. */
export function tokenCaller(info: Token): TokenCaller {
  const { user, project, domain, scope } = info;
  const caller = callerOf({
    token: info.id,
    userId: user.id,
    userName: user.name,
    userDomainId: user.domainId,
    ...(project
      ? { projectId: project.id, projectName: project.name, projectDomainId: project.domainId! }
      : {}),
    ...(domain ? { domainId: domain.id } : {}),
    ...(scope?.kind === 'system' ? { systemScope: 'all' as const } : {}),
    roles: info.roles.map((role) => role.name),
    expiresAt: info.expiresAt,
  });
  // Upstream: keystone/common/context.py puts the token itself, and an explicit None for a missing
  // domain, into the values.
  const token = {
    ...(project ? { project: { id: project.id, domain: { id: project.domainId } } } : {}),
    ...(domain ? { domain: { id: domain.id } } : {}),
  };
  const rules = info.applicationCredential?.accessRules;
  const limited = rules?.length ? { accessRules: rules } : {};
  return {
    ...caller,
    ...limited,
    info,
    credentials: { ...caller.credentials, domain_id: domain?.id ?? null, token },
  };
}
